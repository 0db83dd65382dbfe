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

/// A name in upper case, in which two names are the same likewise.
pub(crate) fn raised(name: &str) -> String {
    folded(name).chars().map(raise).collect()
}

/// Whether two names differ in case alone, if at all.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b)
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

/// Whether a name fits a pattern, in any case: `*` stands for any letters, also none, and `?` for one.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = folded(pattern).chars().collect();
    let name: Vec<char> = folded(name).chars().collect();
    let (mut in_pattern, mut in_name) = (0, 0);
    // Behind the last star, and the first letter that is not its own.
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                in_pattern += 1;
                star = Some((in_pattern, in_name));
            }
            Some(letter) if *letter == '?' || *letter == name[in_name] => {
                in_pattern += 1;
                in_name += 1;
            }
            _ => {
                let Some((behind, own)) = star else {
                    return false;
                };
                star = Some((behind, own + 1));
                (in_pattern, in_name) = (behind, own + 1);
            }
        }
    }
    pattern[in_pattern..].iter().all(|letter| *letter == '*')
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

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a.b"),
            ("*.ala", "WALK.ALA"),
            ("w?lk*", "walk"),
            ("*a*b*c", "xxaxxbxxbxxc"),
            ("č?j", "Čáj"),
            ("a**", "a"),
            ("", ""),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("?", ""),
            ("*.ala", "walk.alo"),
            ("w?lk", "wlk"),
            ("*a*b*c", "xxaxxbxxbxx"),
            ("a", "aa"),
            ("", "a"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
        // What tries every star against every letter would not end.
        assert!(!fits(&"*a".repeat(500), &"a".repeat(100_000)[..499]));
        assert!(!fits("*a*a*a*a*a*a*a*b", &"a".repeat(1000)));
    }
}
