//! Comparison of names: the single rule for all searches, the same on every system.
//!
//! The games were written for Windows, so the rules of Windows apply. Case is ignored, for each Unicode character on
//! its own, and so are dots and spaces at the end of a file name. Folding keeps the count of characters. Names are not
//! normalized: the composed and the decomposed `ä` differ.

/// A name in lower case. Two names differ only in case if and only if their folded names are equal.
pub(crate) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let lower = |letter: char| single(letter, letter.to_lowercase());
    name.chars()
        .map(|letter| lower(uppercase_char(letter)))
        .collect()
}

/// Whether [`folded`] returns `folded_name` for a name. Does not allocate for ASCII names.
pub(crate) fn equals_folded(name: &str, folded_name: &str) -> bool {
    match name.is_ascii() {
        true => name.eq_ignore_ascii_case(folded_name),
        false => folded(name) == folded_name,
    }
}

/// Whether two names are equal except for case.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || equals_folded(a, &folded(b))
}

pub(super) fn uppercase_char(letter: char) -> char {
    single(letter, letter.to_uppercase())
}

/// The letter in the other case, if it is a single character. Never maps between ASCII and other characters, so that no
/// non-ASCII name equals an ASCII name.
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
    fn names_are_compared_case_insensitively() {
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
            // Non-ASCII characters whose other case is an ASCII letter.
            ("\u{212a}ing", "king"),
            ("\u{17f}un", "sun"),
            ("d\u{131}n", "din"),
            ("a\u{308}", "ä"),
        ] {
            assert!(!same_name(a, b), "{a} {b}");
        }
    }
}
