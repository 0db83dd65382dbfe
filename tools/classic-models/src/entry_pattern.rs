//! Patterns that select entries of archives. It must not read files.

use glob::{MatchOptions, Pattern, PatternError};
use std::str::FromStr;

/// Adds what `--help` says about patterns.
macro_rules! with_pattern_help {
    ($text:literal) => {
        concat!(
            $text,
            "\n\n",
            "\
A pattern has `*`, `?` and `[…]`, which do not match `/`, and `**` for any folders. Case is ignored. A pattern without
`/` is compared with names in all folders: *.mdl. Others are paths from the root of the archive: data/art/models/*.alo.
A folder stands for all files in it. Shells replace * before the program sees it: write '*.mdl' if such files are in the
current folder."
        )
    };
}
pub(crate) use with_pattern_help;

/// A pattern of paths in an archive.
#[derive(Clone, Debug)]
pub struct EntryPattern {
    pattern: Pattern,
    /// The count of names that the pattern has. `None` if it has `**`.
    names: Option<usize>,
}

impl FromStr for EntryPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let path = text.replace('\\', "/");
        let path = path.trim_matches('/');
        let names = (!path.contains("**")).then(|| path.split('/').count());
        let pattern = Pattern::new(path)?;
        Ok(Self { pattern, names })
    }
}

impl EntryPattern {
    /// Whether the pattern matches a path or a folder of it.
    pub fn matches(&self, path: &str) -> bool {
        let is_match = |part: &str| {
            let options = MatchOptions {
                case_sensitive: false,
                require_literal_separator: true,
                require_literal_leading_dot: false,
            };
            self.pattern.matches_with(part, options)
        };
        match self.names {
            Some(1) => path.split('/').any(is_match),
            // Only a path with as many names can match.
            Some(names) => match path.match_indices('/').nth(names - 1) {
                Some((end, _)) => path.get(..end).is_some_and(is_match),
                None => is_match(path),
            },
            None => is_match(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryPattern;

    #[test]
    fn patterns_match_names_paths_and_folders() {
        for (pattern, path, expected) in [
            ("*.mdl", "progs/player.MDL", true),
            ("*.mdl", "a.mdl", true),
            ("*.mdl", "progs/player.mdl2", false),
            ("progs", "progs/player.mdl", true),
            ("PROGS/", "progs/deep/player.mdl", true),
            ("deep", "progs/deep/player.mdl", true),
            ("progs/*", "progs/player.mdl", true),
            ("progs/*.mdl", "progs/deep/player.mdl", false),
            ("progs/de?p", "progs/deep/player.mdl", true),
            ("/progs\\player.mdl", "progs/player.mdl", true),
            ("progs/player.mdl", "other/progs/player.mdl", false),
            ("progs/player.mdl/a", "progs/player.mdl", false),
            ("**/*.mdl", "a/b/c.mdl", true),
            ("a/**/c.mdl", "a/b/c.mdl", true),
            ("a/**/c.mdl", "b/b/c.mdl", false),
            ("[pq]rogs", "Progs/x", true),
        ] {
            let parsed: EntryPattern = pattern.parse().unwrap();
            assert_eq!(parsed.matches(path), expected, "{pattern} {path}");
        }
        assert!("a[".parse::<EntryPattern>().is_err());
    }
}
