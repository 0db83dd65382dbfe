//! Paths within a source. They come from apps and from files of games, so they are not trusted.

use crate::load::find::paths::{PathPart, path_parts, push_part};
use crate::load::names::folded;
use std::path::Path;

/// A relative path with `/`, without `.`, `..`, drives and empty parts. Empty for the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryPath {
    text: String,
    /// The path in lower case.
    key: String,
}

impl EntryPath {
    /// `None` if the path cannot be in any layer.
    pub fn new(path: &Path) -> Option<Self> {
        Self::parse(path.to_str()?)
    }

    /// `None` if the path leads out of the source, or if no file system has such a path.
    pub fn parse(path: &str) -> Option<Self> {
        let mut text = String::with_capacity(path.len());
        for part in path_parts(path) {
            match part {
                PathPart::Name(name) if !name.contains('\0') => push_part(&mut text, name),
                _ => return None,
            }
        }
        let key = folded(&text);
        Some(Self { text, key })
    }

    /// With the asked spelling.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// In lower case.
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.text.split('/').filter(|part| !part.is_empty())
    }

    /// The path of the file with the asset's settings.
    pub fn meta(&self) -> Self {
        Self {
            text: format!("{}.meta", self.text),
            key: format!("{}.meta", self.key),
        }
    }
}

/// Whether a name can be part of an asset path, so that it is listed. Bevy reads text after `#` as a label. Like Bevy's own
/// sources, listings have no hidden files and no files with settings.
pub(crate) fn is_listable(name: &str) -> bool {
    let is_meta = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("meta"));
    !is_meta
        && !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(['#', '\\'])
        && EntryPath::parse(name).is_some_and(|path| path.text == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_never_leave_the_source() {
        for (path, expected) in [
            ("", Some("")),
            ("a/b", Some("a/b")),
            ("A\\b//./c", Some("A/b/c")),
            ("a b/..c/.d", Some("a b/..c/.d")),
            ("a/../b", None),
            ("a/.. /b", None),
            ("...", None),
            ("/a", None),
            ("\\a", None),
            ("C:/a", None),
            ("c:a", None),
            ("a\0", None),
        ] {
            let found = EntryPath::parse(path);
            assert_eq!(found.as_ref().map(EntryPath::text), expected, "{path:?}");
        }
        assert_eq!(EntryPath::parse("A/É.x").unwrap().key(), "a/é.x");
    }

    #[test]
    fn names_that_asset_paths_cannot_contain_are_not_listable() {
        for name in ["a.alo", "a b", "ü", "ab:", "x..", "a?"] {
            assert!(is_listable(name), "{name}");
        }
        for name in ["a#b", "#", ".a", "a\\b", "a.meta", "a.META", "C:", "..", ""] {
            assert!(!is_listable(name), "{name}");
        }
    }
}
