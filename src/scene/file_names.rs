//! Comparison of file names and extensions by the rules of Windows.

use crate::scene::matching::{folded, same_name, uppercase_char};
use std::ffi::OsStr;
use std::path::Path;

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

const ENDINGS: [char; 2] = ['.', ' '];

/// A name without trailing dots and spaces, unless it consists of nothing else.
fn without_end(name: &str) -> &str {
    match name.trim_end_matches(ENDINGS) {
        "" => name,
        trimmed => trimmed,
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
}
