//! Names of entries of archives: patterns that select them, and whether they are file names. It must not read files.

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
is selected. Shells replace * before the program sees it: write \"*.mdl\" if such files are in the current folder.
ARCHIVE can have these patterns too, and a folder stands for all archives in it: \"id1/*.pak\"."
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

/// Names of devices on Windows. They are devices in every folder, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Returns an error if a name of a file or folder is not valid on Windows. The same names are errors on all systems, so
/// that an archive gives the same files everywhere.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_forbidden = |letter: &char| {
        letter.is_control()
            || matches!(letter, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '/' | '\\')
    };
    if let Some(letter) = name.chars().find(is_forbidden) {
        return Err(format!(
            "the name {name:?} has {letter:?}, which file names must not have"
        ));
    }
    if name.is_empty() {
        return Err("a name is empty".to_owned());
    }
    // Windows removes them, so `..` and other names could result.
    if name.ends_with(['.', ' ']) {
        return Err(format!(
            "the name {name:?} must not end with a dot or a space"
        ));
    }
    if is_device(name) {
        return Err(format!("the name {name:?} is a device on Windows"));
    }
    Ok(())
}

/// Whether Windows opens a device instead of a file.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ').to_uppercase();
    if DEVICES.contains(&stem.as_str()) {
        return true;
    }
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    let mut number = number.unwrap_or_default().chars();
    let is_digit = matches!(number.next(), Some('0'..='9' | '¹' | '²' | '³'));
    is_digit && number.next().is_none()
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

#[cfg(test)]
mod file_name_tests {
    use super::check_name;

    #[test]
    fn names_that_windows_does_not_accept_are_errors() {
        for name in [
            "", ".", "..", "...", "a.", "a ", "C:", "a:b", "a\\b", "a/b", "a\0", "a\n", "a\u{85}",
            "a?", "*", "<a>", "\"", "a|b", "CON", "con", "Con.txt", "AUX ", "aux .txt", "PRN",
            "COM1", "com0.dat", "LPT9", "COM¹", "lpt³.x", "CONIN$", "conout$",
        ]
        .into_iter()
        .chain(["nul.tar.gz"])
        {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in [
            "a", "a.b", ".hidden", "console", "CON1", "COM", "COM10", "LPTX", "nul_", "škoda",
            "a b", "~1", "%TEMP%", "$x", "..a",
        ]
        .into_iter()
        .chain(["h_eq-tnt#h.txt", "com1x.txt"])
        {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }
}
