//! When two file names are the same: the one rule for all that is looked for.
//!
//! Games were written for Windows, so the rule is that of Windows, whatever the disk says: case does not
//! count, of Unicode letters one by one, nor do dots and spaces at the end of a name. It is the same on
//! every system, and the length of a name in letters stays what it is. Letters are not composed: `ä` as
//! one letter and as two are not the same.

/// A name in lower case. Two names differ in case alone where this is the same.
pub(crate) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let lower = |letter: char| single(letter, letter.to_lowercase());
    name.chars().map(|letter| lower(raise(letter))).collect()
}

/// Whether a name is `folded` in lower case. Of names in ASCII no copies are made.
pub(crate) fn is_folded(name: &str, folded_name: &str) -> bool {
    match name.is_ascii() {
        true => name.eq_ignore_ascii_case(folded_name),
        false => folded(name) == folded_name,
    }
}

/// Whether two names differ in case alone, if at all.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || is_folded(a, &folded(b))
}

pub(super) fn raise(letter: char) -> char {
    single(letter, letter.to_uppercase())
}

/// The other case of a letter if that is one letter, of ASCII only where both are: no name beyond ASCII is the
/// same as one of ASCII.
fn single(letter: char, mut other: impl Iterator<Item = char>) -> char {
    match (other.next(), other.next()) {
        (Some(other), None) if other.is_ascii() == letter.is_ascii() => other,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count() {
        for (a, b) in [
            ("Hull.TGA", "hULL.tga"),
            ("ČAJ.dds", "čaj.DDS"),
            ("ДОМ", "дом"),
            // All three sigmas.
            ("ΟΔΟΣ", "οδος"),
            ("ΟΔΟΣ", "οδοσ"),
            ("Straẞe", "straße"),
        ] {
            assert!(same_name(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("hull", "hull2"),
            ("straße", "strasse"),
            // Letters of other alphabets, however they look in upper or lower case.
            ("\u{212a}ing", "king"),
            ("\u{17f}un", "sun"),
            ("d\u{131}n", "din"),
            ("a\u{308}", "ä"),
        ] {
            assert!(!same_name(a, b), "{a} {b}");
        }
    }
}
