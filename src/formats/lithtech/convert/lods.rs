//! The distances at which levels of detail (LODs) begin, from the settings or the file.

use crate::formats::lithtech::settings::AbcLoaderSettings;

/// The distance, in Bevy's units, at which each LOD after the full model begins. The settings override the file's
/// command string. `numbers` are the LODs' numbers in the file.
pub(crate) fn lod_distances(
    numbers: &[u32],
    command_string: &str,
    settings: &AbcLoaderSettings,
) -> Vec<f32> {
    let numbers = numbers.get(1..).unwrap_or_default();
    let distances = match &settings.lod_distances {
        Some(distances) => distances.iter().copied().take(numbers.len()).collect(),
        None => command_string_distances(numbers, command_string),
    };
    let scaled = distances
        .into_iter()
        .map(|distance| distance * settings.scale);
    scaled.collect()
}

/// Distances in the file's units from a command string: `LODSTARTDIST` for LOD 1, plus `LODINCREMENT` for each further
/// LOD, up to `LODMAXDIST`. Empty if one of the first two is missing or invalid.
fn command_string_distances(numbers: &[u32], command_string: &str) -> Vec<f32> {
    let value = |key| command_value(command_string, key).filter(|value| *value >= 0.0);
    let (Some(start), Some(increment)) = (value("LODSTARTDIST"), value("LODINCREMENT")) else {
        return Vec::new();
    };
    let end = value("LODMAXDIST").unwrap_or(f32::INFINITY);
    let distance = |number: &u32| start + number.saturating_sub(1) as f32 * increment;
    let distances = numbers.iter().map(distance);
    distances.take_while(|distance| *distance <= end).collect()
}

/// The number after a key in a command string, ignoring ASCII case. The first of several counts.
fn command_value(command_string: &str, key: &str) -> Option<f32> {
    let mut values = command_string.split(';').filter_map(|command| {
        let mut words = command.split_whitespace();
        let is_match = words.next()?.eq_ignore_ascii_case(key);
        let value = words.next()?.parse::<f32>().ok()?;
        (is_match && value.is_finite()).then_some(value)
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
    fn lod_distances_come_from_the_command_string() {
        let all = "Foo 1; LodStartDist 100;LODINCREMENT 2.5 x;bar";
        assert_eq!(distances(all), [100.0, 125.0, 350.0]);
        assert_eq!(
            distances("LODSTARTDIST 1;LODINCREMENT 1;LODMAXDIST 12"),
            [1.0, 11.0]
        );
        for invalid in [
            "",
            "LODSTARTDIST 100",
            "LODINCREMENT 100",
            "LODSTARTDIST x;LODINCREMENT 1",
            "LODSTARTDIST -1;LODINCREMENT 1",
            "LODSTARTDIST inf;LODINCREMENT 1",
            "LODSTARTDIST;LODINCREMENT",
        ] {
            assert!(distances(invalid).is_empty(), "{invalid}");
        }
    }

    #[test]
    fn settings_override_the_command_string() {
        let command_string = "LODSTARTDIST 1;LODINCREMENT 1";
        let settings = |lod_distances| AbcLoaderSettings {
            lod_distances,
            scale: 0.5,
            ..AbcLoaderSettings::default()
        };
        let distances = |settings| lod_distances(&[0, 3, 4], command_string, &settings);
        assert_eq!(distances(settings(None)), [1.5, 2.0]);
        assert_eq!(distances(settings(Some(vec![8.0]))), [4.0]);
        assert_eq!(distances(settings(Some(vec![8.0, 10.0, 12.0]))), [4.0, 5.0]);
        assert!(distances(settings(Some(Vec::new()))).is_empty());
    }
}
