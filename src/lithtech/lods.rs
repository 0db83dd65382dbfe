//! From how far away levels of detail are drawn: what files and settings say.

use crate::lithtech::settings::AbcLoaderSettings;

/// From how far away each level after the full one is drawn, in Bevy's units: as the settings say, else
/// as the file does.
pub(super) fn lod_distances(
    numbers: &[u32],
    command_string: &str,
    settings: &AbcLoaderSettings,
) -> Vec<f32> {
    let numbers = numbers.get(1..).unwrap_or_default();
    let distances = match &settings.lod_distances {
        Some(distances) => distances.iter().copied().take(numbers.len()).collect(),
        None => stated(numbers, command_string),
    };
    let scaled = distances
        .into_iter()
        .map(|distance| distance * settings.scale);
    scaled.collect()
}

/// What a command string says: from where the first level of the file is drawn, how much farther away
/// each of the others, and where that ends.
fn stated(numbers: &[u32], command_string: &str) -> Vec<f32> {
    let value = |key| command_value(command_string, key).filter(|value| *value >= 0.0);
    let (Some(start), Some(increment)) = (value("LODSTARTDIST"), value("LODINCREMENT")) else {
        return Vec::new();
    };
    let end = value("LODMAXDIST").unwrap_or(f32::INFINITY);
    let distance = |number: &u32| start + number.saturating_sub(1) as f32 * increment;
    let distances = numbers.iter().map(distance);
    distances.take_while(|distance| *distance <= end).collect()
}

/// The number behind a word of a command string, in any case: the first one of several.
fn command_value(command_string: &str, key: &str) -> Option<f32> {
    let mut values = command_string.split(';').filter_map(|command| {
        let mut words = command.split_whitespace();
        let is_meant = words.next()?.eq_ignore_ascii_case(key);
        let value = words.next()?.parse::<f32>().ok()?;
        (is_meant && value.is_finite()).then_some(value)
    });
    values.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(command_string: &str) -> Vec<f32> {
        lod_distances(
            &[0, 1, 11, 101],
            command_string,
            &AbcLoaderSettings::default(),
        )
    }

    #[test]
    fn command_strings_say_where_levels_begin() {
        let all = "Foo 1; LodStartDist 100;LODINCREMENT 2.5 x;bar";
        assert_eq!(distances(all), [100.0, 125.0, 350.0]);
        assert_eq!(
            distances("LODSTARTDIST 1;LODINCREMENT 1;LODMAXDIST 12"),
            [1.0, 11.0]
        );
        for nothing in [
            "",
            "LODSTARTDIST 100",
            "LODINCREMENT 100",
            "LODSTARTDIST x;LODINCREMENT 1",
            "LODSTARTDIST -1;LODINCREMENT 1",
            "LODSTARTDIST inf;LODINCREMENT 1",
            "LODSTARTDIST;LODINCREMENT",
        ] {
            assert!(distances(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn settings_win_over_command_strings() {
        let said = "LODSTARTDIST 1;LODINCREMENT 1";
        let of = |lod_distances| AbcLoaderSettings {
            lod_distances,
            scale: 0.5,
            ..AbcLoaderSettings::default()
        };
        let distances = |settings| lod_distances(&[0, 3, 4], said, &settings);
        assert_eq!(distances(of(None)), [1.5, 2.0]);
        assert_eq!(distances(of(Some(vec![8.0]))), [4.0]);
        assert_eq!(distances(of(Some(vec![8.0, 10.0, 12.0]))), [4.0, 5.0]);
        assert!(distances(of(Some(Vec::new()))).is_empty());
    }
}
