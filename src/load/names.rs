//! Comparison of names: the single rule for all searches, the same on every system.
//!
//! The games were written for Windows, so the rules of Windows apply. Case is ignored, for each Unicode character on
//! its own, and so are dots and spaces at the end of a file name. Folding keeps the count of characters. Names are not
//! normalized: the composed and the decomposed `ä` differ.

use bevy::platform::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// A name in lower case. Two names differ only in case if and only if their folded names are equal.
pub(crate) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let lower = |letter: char| single(letter, letter.to_lowercase());
    // Growing would need three times the memory of a long name.
    let mut folded = String::with_capacity(name.len());
    folded.extend(name.chars().map(|letter| lower(uppercase_char(letter))));
    folded
}

/// Whether [`folded`] returns `folded_name` for a name. Does not allocate for ASCII names.
pub(crate) fn equals_folded(name: &str, folded_name: &str) -> bool {
    if name.is_ascii() {
        name.eq_ignore_ascii_case(folded_name)
    } else {
        folded(name) == folded_name
    }
}

/// Whether two names are equal except for case.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || equals_folded(a, &folded(b))
}

pub(crate) fn uppercase_char(letter: char) -> char {
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

/// The indices of the parts with each name, keyed by name in lower case.
pub type Names = Arc<HashMap<Box<str>, Vec<usize>>>;

/// The indices of the parts with this name (case-insensitive).
pub(crate) fn named<'a>(names: &'a Names, name: &str) -> &'a [usize] {
    named_folded(names, &folded(name))
}

/// The indices of the parts with this name, which is already [`folded`].
pub(crate) fn named_folded<'a>(names: &'a Names, folded_name: &str) -> &'a [usize] {
    names.get(folded_name).map_or(&[], Vec::as_slice)
}

/// Builds the table from the names of all parts, in order.
pub(crate) fn index_names<'a>(names: impl Iterator<Item = &'a str>) -> Names {
    let mut indices = HashMap::<Box<str>, Vec<usize>>::default();
    for (index, name) in names.enumerate() {
        indices.entry(folded(name).into()).or_default().push(index);
    }
    indices.into()
}

/// A name in upper case. Two names differ only in case if and only if their results are equal.
pub(crate) fn uppercased(name: &str) -> String {
    folded(name).chars().map(uppercase_char).collect()
}

/// The key of a file or folder name: in lower case, without trailing dots and spaces, which Windows ignores.
pub(crate) fn file_key(name: &str) -> String {
    folded(without_end(name))
}

/// A component of a Windows path without its drive and without trailing dots and spaces. It is empty for `.`, `..` and
/// `C:`.
pub(crate) fn path_part(part: &str) -> &str {
    let after_drive = part.rsplit(':').next().unwrap_or_default();
    after_drive.trim_end_matches(ENDINGS)
}

/// Whether a path has one of these extensions (case-insensitive).
pub(crate) fn has_extension<S: AsRef<str>>(path: &Path, extensions: &[S]) -> bool {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else {
        return false;
    };
    let is_same = |other: &S| same_name(other.as_ref(), without_end(extension));
    extensions.iter().any(is_same)
}

/// Whether a file name, in lower case, ends with a dot and an extension, which may contain dots.
pub(crate) fn ends_with_extension(name: &str, extension: &str) -> bool {
    let stem = name.strip_suffix(extension);
    stem.is_some_and(|stem| stem.ends_with('.'))
}

/// The characters that Windows ignores at the end of a name.
pub(crate) const ENDINGS: [char; 2] = ['.', ' '];

/// A name without trailing dots and spaces, unless it consists of nothing else.
fn without_end(name: &str) -> &str {
    match name.trim_end_matches(ENDINGS) {
        "" => name,
        trimmed => trimmed,
    }
}

/// A pattern for names: `*` matches any characters or none, `?` matches one character. Case-insensitive.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// In lower case, with repeated stars merged.
    letters: Vec<char>,
    /// The least count of characters in a matching name.
    min_length: usize,
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        let mut letters: Vec<char> = folded(pattern).chars().collect();
        letters.dedup_by(|letter, before| (*letter, *before) == ('*', '*'));
        let min_length = letters.iter().filter(|letter| **letter != '*').count();
        Self {
            letters,
            min_length,
        }
    }

    /// Whether a [`folded`] name matches. Adds the count of steps to `steps`: at most the
    /// product of both lengths.
    pub(crate) fn matches(&self, name: &str, steps: &mut usize) -> bool {
        *steps += 1;
        // A character has at least one byte.
        if name.len() < self.min_length {
            return false;
        }
        let (mut pattern, mut name) = (&*self.letters, name.chars());
        // The pattern after the last star, and the rest of the name from its first candidate.
        let mut star = None;
        loop {
            *steps += 1;
            if let Some(('*', behind)) = pattern.split_first() {
                if behind.is_empty() {
                    return true;
                }
                star = Some((behind, name.clone()));
                pattern = behind;
                continue;
            }
            match (pattern.split_first(), name.next()) {
                (None, None) => return true,
                (Some(_), None) => return false,
                (Some((letter, behind)), Some(other)) if [other, '?'].contains(letter) => {
                    pattern = behind;
                }
                _ => {
                    // Backtrack: the star matches one more character.
                    let Some((behind, rest)) = &mut star else {
                        return false;
                    };
                    rest.next();
                    (pattern, name) = (*behind, rest.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_conversion_keeps_one_character_and_round_trips() {
        for letter in (0..=char::MAX as u32).filter_map(char::from_u32) {
            let text = letter.to_string();
            let folded_once = folded(&text);
            assert_eq!(folded_once.chars().count(), 1, "{letter:?}");
            assert_eq!(folded(&folded_once), folded_once, "{letter:?}");
            assert_eq!(folded(&uppercased(&text)), folded_once, "{letter:?}");
            assert_eq!(uppercased(&folded_once), uppercased(&text), "{letter:?}");
        }
    }

    #[test]
    fn trailing_dots_and_spaces_are_ignored() {
        assert_eq!(file_key("Hull.tga. ."), "hull.tga");
        assert_eq!(file_key(" hull"), " hull");
        assert_eq!(file_key("..."), "...");
        assert!(has_extension(Path::new("a/b.c.Tga "), &["dds", "tga"]));
        assert!(!has_extension(Path::new("tga"), &["tga"]));
    }

    #[test]
    fn path_components_have_no_drive() {
        for (part, expected) in [
            ("C:", ""),
            ("C:hull.tga", "hull.tga"),
            ("hull.tga::$DATA", "$DATA"),
            (".. ", ""),
            (". .", ""),
            ("a. ", "a"),
            (".new", ".new"),
        ] {
            assert_eq!(path_part(part), expected, "{part}");
        }
    }

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

    /// Whether a name matches, and the count of steps.
    fn compared(pattern: &str, name: &str) -> (bool, usize) {
        let mut steps = 0;
        let is_match = Pattern::new(pattern).matches(&folded(name), &mut steps);
        (is_match, steps)
    }

    #[test]
    fn wildcards_match_characters() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a.b"),
            ("*.ala", "WALK.ALA"),
            ("w?lk*", "walk"),
            ("*a*b*c", "xxaxxbxxbxxc"),
            ("*ab", "aab"),
            ("*?", "č"),
            ("č?j", "Čáj"),
            ("a**", "a"),
            ("**a", "ba"),
            ("", ""),
        ] {
            assert!(compared(pattern, name).0, "{pattern} {name}");
        }
        for (pattern, name) in [
            ("?", ""),
            ("*?", ""),
            ("*.ala", "walk.alo"),
            ("w?lk", "wlk"),
            ("*a*b*c", "xxaxxbxxbxx"),
            ("*ab", "aba"),
            ("č?j", "čj"),
            ("a", "aa"),
            ("", "a"),
        ] {
            assert!(!compared(pattern, name).0, "{pattern} {name}");
        }
    }

    #[test]
    fn steps_are_bounded_by_the_product_of_lengths() {
        // Backtracking over all stars would take exponential time.
        for (pattern, name) in [
            ("*a".repeat(500), "a".repeat(499)),
            ("*a".repeat(500) + "b", "a".repeat(1000)),
            ("*a*a*a*a*a*a*a*b".to_owned(), "a".repeat(1000)),
            (format!("*{}b", "a".repeat(500)), "a".repeat(1000)),
            (format!("*{}b", "?".repeat(500)), "a".repeat(1000)),
            ("*".repeat(1000) + "b", "a".repeat(1000)),
        ] {
            let (is_match, steps) = compared(&pattern, &name);
            assert!(!is_match, "{pattern}");
            assert!(steps <= pattern.len() * name.len(), "{pattern} {steps}");
        }
        let (_, steps) = compared(&"a".repeat(1000), "a");
        assert_eq!(steps, 1);
        let (_, steps) = compared("*.ala", &"a".repeat(1000));
        assert!(steps < 3000, "{steps}");
    }
}
