//! Names of files and folders, and their extensions, as Windows reads them.

use crate::scene::matching::{folded, raise, same_name};
use std::ffi::OsStr;
use std::path::Path;

/// A name in upper case, in which two names are the same likewise.
pub(crate) fn raised(name: &str) -> String {
    folded(name).chars().map(raise).collect()
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

const ENDINGS: [char; 2] = ['.', ' '];

/// A name without dots and spaces at its end, unless it has nothing else.
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
}
