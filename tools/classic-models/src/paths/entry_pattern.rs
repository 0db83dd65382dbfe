//! Patterns that select entries of archives. It must not read files.

use glob::{MatchOptions, Pattern};

/// How names are compared with patterns.
pub const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: false,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Adds what `--help` says about patterns.
macro_rules! with_pattern_help {
    ($text:literal) => {
        concat!(
            $text,
            "\n\n",
            "\
A pattern has `*`, `?` and `[…]`, which do not match `/`, and `**` for any folders. Case is ignored. A pattern without
`/` is compared with names in all folders: *.mdl. Others are paths from the root of the archive: data/art/models/*.alo.
A folder stands for all files in it. If a name in the archive is equal to the pattern, such as [clan].pcx, only that name
is selected. Shells replace * before the program sees it: write '*.mdl' if such files are in the current folder.
ARCHIVE can have these patterns too, and a folder stands for all archives in it: 'id1/*.pak'."
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

impl EntryPattern {
    /// The pattern for an archive with these paths. The names at its start that the archive has are taken literally, such as
    /// `[clan]`.
    ///
    /// # Errors
    /// A message if the rest is not a valid pattern.
    pub fn new(pattern: &str, paths: impl Iterator<Item: AsRef<str>>) -> Result<Self, String> {
        let text = pattern.replace('\\', "/");
        let names: Vec<&str> = text.trim_matches('/').split('/').collect();
        let literal = match is_pattern(&text) {
            true => count_of_literal(&names, paths),
            false => 0,
        };
        let names_of_pattern =
            names
                .iter()
                .enumerate()
                .map(|(index, name)| match index < literal {
                    true => Pattern::escape(name),
                    false => (*name).to_owned(),
                });
        let glob = Pattern::new(&names_of_pattern.collect::<Vec<_>>().join("/"));
        let pattern =
            glob.map_err(|error| format!("the pattern {pattern:?} is not valid: {error}"))?;
        let has_any_depth = names.get(literal..).unwrap_or_default().contains(&"**");
        let names = (!has_any_depth).then_some(names.len());
        Ok(Self { pattern, names })
    }

    /// Whether the pattern matches a path or a folder of it.
    pub fn matches(&self, path: &str) -> bool {
        self.rest(path).is_some()
    }

    /// The part of a path below the folder that the pattern matches; empty if it matches the whole path. `None` if the pattern
    /// does not match.
    pub fn rest<'a>(&self, path: &'a str) -> Option<&'a str> {
        let is_match = |part: &str| self.pattern.matches_with(part, OPTIONS);
        let ends = path.match_indices('/').map(|(end, _)| end);
        let mut ends = ends.chain([path.len()]);
        let end = match self.names {
            Some(1) => {
                let mut start = 0;
                ends.find(|end| {
                    let name = path.get(start..*end).unwrap_or_default();
                    start = end + 1;
                    is_match(name)
                })
            }
            // Only a path with as many names can match.
            Some(names) => {
                let end = ends.nth(names - 1);
                end.filter(|end| path.get(..*end).is_some_and(is_match))
            }
            None => is_match(path).then_some(path.len()),
        };
        let rest = path.get(end?..)?;
        Some(rest.strip_prefix('/').unwrap_or(rest))
    }
}

/// How many names at the start of a pattern are names in an archive with these paths. A single name can be in any folder.
fn count_of_literal(names: &[&str], paths: impl Iterator<Item: AsRef<str>>) -> usize {
    let counts = paths.map(|path| {
        let mut parts = path.as_ref().split('/');
        if let [name] = names {
            return usize::from(parts.any(|part| part.eq_ignore_ascii_case(name)));
        }
        let same = parts.zip(names);
        same.take_while(|(part, name)| part.eq_ignore_ascii_case(name))
            .count()
    });
    counts.max().unwrap_or(0)
}

/// Whether a text has characters that make it a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::EntryPattern;

    const NONE: [&str; 0] = [];

    #[test]
    fn patterns_match_names_paths_and_folders() {
        for (pattern, path, expected) in [
            ("*.mdl", "progs/player.MDL", Some("")),
            ("*.mdl", "a.mdl", Some("")),
            ("*.mdl", "progs/player.mdl2", None),
            ("progs", "progs/player.mdl", Some("player.mdl")),
            ("PROGS/", "progs/deep/player.mdl", Some("deep/player.mdl")),
            ("deep", "progs/deep/player.mdl", Some("player.mdl")),
            ("progs/*", "progs/player.mdl", Some("")),
            ("progs/*.mdl", "progs/deep/player.mdl", None),
            ("progs/de?p", "progs/deep/player.mdl", Some("player.mdl")),
            ("/progs\\player.mdl", "progs/player.mdl", Some("")),
            ("progs/player.mdl", "other/progs/player.mdl", None),
            ("progs/player.mdl/a", "progs/player.mdl", None),
            ("**/*.mdl", "a/b/c.mdl", Some("")),
            ("a/**/c.mdl", "a/b/c.mdl", Some("")),
            ("a/**/c.mdl", "b/b/c.mdl", None),
            ("[pq]rogs", "Progs/x", Some("x")),
        ] {
            let parsed = EntryPattern::new(pattern, NONE.iter()).unwrap();
            assert_eq!(parsed.rest(path), expected, "{pattern} {path}");
        }
        assert!(EntryPattern::new("a[", NONE.iter()).is_err());
    }

    #[test]
    fn literal_names_precede_patterns() {
        let paths = [
            "skins/[clan]player.pcx",
            "skins/cplayer.pcx",
            "[a]/b.mdl",
            "a/b.mdl",
            "what?.mdl",
            "what1.mdl",
            "open[.mdl",
        ];
        for (pattern, expected) in [
            ("skins/[clan]player.pcx", &["skins/[clan]player.pcx"][..]),
            ("SKINS\\[CLAN]PLAYER.PCX", &["skins/[clan]player.pcx"]),
            ("[clan]player.pcx", &["skins/[clan]player.pcx"]),
            ("[abc]player.pcx", &["skins/cplayer.pcx"]),
            ("[a]", &["[a]/b.mdl"]),
            ("[a]/*", &["[a]/b.mdl"]),
            ("[ab]/*", &["a/b.mdl"]),
            ("what?.mdl", &["what?.mdl"]),
            ("what?.*", &["what?.mdl", "what1.mdl"]),
            ("open[.mdl", &["open[.mdl"]),
        ] {
            let parsed = EntryPattern::new(pattern, paths.iter()).unwrap();
            let selected = paths.into_iter().filter(|path| parsed.matches(path));
            assert_eq!(selected.collect::<Vec<_>>(), expected, "{pattern}");
        }
    }
}
