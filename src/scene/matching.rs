//! When two file names are the same: the one rule for all that is looked for.
//!
//! Games were written for Windows, so the rule is that of Windows, whatever the disk says: case does not
//! count, of Unicode letters one by one, nor do dots and spaces at the end of a name. It is the same on
//! every system, and the length of a name in letters stays what it is. Letters are not composed: `ä` as
//! one letter and as two are not the same.

use std::ffi::OsStr;
use std::path::Path;

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

/// A name in upper case, in which two names are the same likewise.
pub(crate) fn raised(name: &str) -> String {
    folded(name).chars().map(raise).collect()
}

/// Whether two names differ in case alone, if at all.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || is_folded(a, &folded(b))
}

/// What names of files and folders are known by: Windows knows no dots and spaces at their ends either.
pub(crate) fn file_key(name: &str) -> String {
    folded(without_end(name))
}

/// A part of a path as Windows reads it: without what names a drive, and without dots and spaces at its
/// end. Nothing is left of `.`, `..` and `C:`.
pub(crate) fn path_part(part: &str) -> &str {
    let after_drive = part.rsplit(':').next().unwrap_or_default();
    after_drive.trim_end_matches(ENDINGS)
}

/// Whether a path ends with one of some extensions, in any case.
pub(crate) fn has_extension<S: AsRef<str>>(path: &Path, extensions: &[S]) -> bool {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else {
        return false;
    };
    let is = |known: &S| same_name(known.as_ref(), without_end(extension));
    extensions.iter().any(is)
}

/// A pattern for names: `*` stands for any letters, also none, and `?` for one.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// In lower case, without stars that follow stars.
    letters: Vec<char>,
    /// How many letters a name has at least.
    least: usize,
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        let mut letters: Vec<char> = folded(pattern).chars().collect();
        letters.dedup_by(|letter, before| (*letter, *before) == ('*', '*'));
        let least = letters.iter().filter(|letter| **letter != '*').count();
        Self { letters, least }
    }

    /// Whether a [folded](folded) name fits. Adds how many steps that took: by bad luck as many as the letters of
    /// the one times those of the other.
    pub(crate) fn fits(&self, name: &str, steps: &mut usize) -> bool {
        *steps += 1;
        // No letter has less than a byte.
        if name.len() < self.least {
            return false;
        }
        let (mut pattern, mut name) = (&*self.letters, name.chars());
        // What is behind the last star, and what of the name begins there.
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
                    // The star stands for one letter more.
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

const ENDINGS: [char; 2] = ['.', ' '];

/// A name without dots and spaces at its end, unless it has nothing else.
fn without_end(name: &str) -> &str {
    match name.trim_end_matches(ENDINGS) {
        "" => name,
        trimmed => trimmed,
    }
}

fn raise(letter: char) -> char {
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

    #[test]
    fn every_letter_stays_one_letter_and_is_itself_in_both_cases() {
        for letter in (0..=char::MAX as u32).filter_map(char::from_u32) {
            let text = letter.to_string();
            let folded_once = folded(&text);
            assert_eq!(folded_once.chars().count(), 1, "{letter:?}");
            assert_eq!(folded(&folded_once), folded_once, "{letter:?}");
            assert_eq!(folded(&raised(&text)), folded_once, "{letter:?}");
            assert_eq!(raised(&folded_once), raised(&text), "{letter:?}");
        }
    }

    #[test]
    fn ends_of_file_names_do_not_count() {
        assert_eq!(file_key("Hull.tga. ."), "hull.tga");
        assert_eq!(file_key(" hull"), " hull");
        assert_eq!(file_key("..."), "...");
        assert!(has_extension(Path::new("a/b.c.Tga "), &["dds", "tga"]));
        assert!(!has_extension(Path::new("tga"), &["tga"]));
    }

    #[test]
    fn parts_of_paths_have_no_drive() {
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

    /// Whether a name fits, and the steps.
    fn compared(pattern: &str, name: &str) -> (bool, usize) {
        let mut steps = 0;
        let fits = Pattern::new(pattern).fits(&folded(name), &mut steps);
        (fits, steps)
    }

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
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
    fn a_comparison_takes_steps_by_both_lengths() {
        // What tries every star against every letter would not end.
        for (pattern, name) in [
            ("*a".repeat(500), "a".repeat(499)),
            ("*a".repeat(500) + "b", "a".repeat(1000)),
            ("*a*a*a*a*a*a*a*b".to_owned(), "a".repeat(1000)),
            (format!("*{}b", "a".repeat(500)), "a".repeat(1000)),
            (format!("*{}b", "?".repeat(500)), "a".repeat(1000)),
            ("*".repeat(1000) + "b", "a".repeat(1000)),
        ] {
            let (fits, steps) = compared(&pattern, &name);
            assert!(!fits, "{pattern}");
            assert!(steps <= pattern.len() * name.len(), "{pattern} {steps}");
        }
        let (_, steps) = compared(&"a".repeat(1000), "a");
        assert_eq!(steps, 1);
        let (_, steps) = compared("*.ala", &"a".repeat(1000));
        assert!(steps < 3000, "{steps}");
    }
}
