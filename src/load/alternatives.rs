//! What messages about missing names add: which names exist, and which of them is meant.

use crate::load::names::folded;
use std::collections::HashSet;

/// The limit of names in a message.
const MAX_LISTED: usize = 40;

/// Names of this many bytes and more are not compared, because that takes time quadratic in the length.
const MAX_COMPARED: usize = 64;

/// What follows a message about a name that does not exist: `; available bones: Hips, Turret; did you mean "Turret"?`.
pub fn alternatives<'a>(
    name: &str,
    kind: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let listed = listed_names(names.clone());
    format!("; available {kind}: {listed}{}", did_you_mean(name, names))
}

/// The names, each once, in their order: `Hips, Turret`.
pub fn listed_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    match names.len() {
        0 => "none".to_owned(),
        1..=MAX_LISTED => names.join(", "),
        count => format!(
            "{} and {} more",
            names[..MAX_LISTED].join(", "),
            count - MAX_LISTED
        ),
    }
}

/// `; did you mean "Turret"?` if a name differs in at most a third of its letters (case-insensitive), otherwise empty. The
/// number at the end of a name may be left out: `moev` is near `MOVE_00`.
pub fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    if name.len() >= MAX_COMPARED {
        return String::new();
    }
    let wanted = folded(name);
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '_';
    let spellings =
        names.flat_map(|other| [other, other.trim_end_matches(is_number)].map(|it| (it, other)));
    let distances = spellings
        .filter(|(spelling, _)| (1..MAX_COMPARED).contains(&spelling.len()))
        .map(|(spelling, other)| {
            let distance = strsim::osa_distance(&wanted, &folded(spelling));
            (distance, spelling, other)
        });
    let near = distances.filter(|(distance, spelling, _)| {
        let longest = name.chars().count().max(spelling.chars().count());
        distance * 3 <= longest
    });
    let nearest = near.min_by_key(|(distance, ..)| *distance);
    nearest.map_or_else(String::new, |(.., other)| {
        format!("; did you mean \"{other}\"?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        for (name, names, expected) in [
            (
                "turet",
                &["Hips", "Turret"][..],
                "; did you mean \"Turret\"?",
            ),
            (
                "MOVE_09",
                &["ATTACK_00", "MOVE_00"],
                "; did you mean \"MOVE_00\"?",
            ),
            ("marhc", &["march"], "; did you mean \"march\"?"),
            (
                "moev",
                &["ATTACK_00", "MOVE_00"],
                "; did you mean \"MOVE_00\"?",
            ),
            ("Sail", &["Hull", "Mast"], ""),
            ("a", &["b"], ""),
        ] {
            assert_eq!(
                did_you_mean(name, names.iter().copied()),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..100).map(|number| format!("bone{number:02}")).collect();
        let names = names.iter().map(String::as_str);
        let text = alternatives("x", "bones", names.clone().chain(names));
        assert!(
            text.starts_with("; available bones: bone00, bone01, "),
            "{text}"
        );
        assert!(text.ends_with(", bone39 and 60 more"), "{text}");
        let none = alternatives("x", "bones", core::iter::empty());
        assert_eq!(none, "; available bones: none");
    }
}
