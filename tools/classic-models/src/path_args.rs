//! Path arguments of the subcommands: patterns, folders, and patterns in archives become files. It must not read models.
//!
//! A pattern is replaced by the files and folders that match it, as shells do. Then a folder is replaced by the files in it
//! of the formats that the subcommand takes. Names that exist are taken literally.

use crate::archive_file::{self, ArchiveError, Location, open_file};
use crate::entry_pattern::{EntryPattern, OPTIONS, is_pattern};
use crate::paths::{files_below, is_hidden};
use glob::{MatchOptions, Pattern};
use std::collections::HashSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The files in folders that a subcommand takes.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Whether a file is taken, by its name.
    pub is_wanted: fn(&Path) -> bool,
    /// What they are, for the error of a folder without them.
    pub what: &'static str,
    /// Whether folders on the disk are kept as they are.
    pub keeps_folders: bool,
}

/// A file that an argument selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The path of a file, or of an entry of an archive.
    pub path: PathBuf,
    /// The path from the folder that is given or matches a pattern. `None` if the file itself is given or matches.
    pub below: Option<PathBuf>,
}

/// An argument that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    pub path: PathBuf,
    pub error: String,
}

impl From<Unmatched> for ArchiveError {
    fn from(unmatched: Unmatched) -> Self {
        io::Error::other(unmatched.error).into()
    }
}

/// The archives in folders.
pub const ARCHIVES: Wanted = Wanted {
    is_wanted: archive_file::has_archive_extension,
    what: "archives",
    keeps_folders: false,
};

/// The exit status if the arguments are wrong, as that of the parser of arguments.
pub const WRONG_ARGUMENTS: u8 = 2;

/// The files that arguments select, in their order; those of one argument are sorted. A file that does not exist is returned
/// unchanged, so that its use is an error.
pub fn expand(args: &[PathBuf], wanted: &Wanted) -> Vec<Result<Selected, Unmatched>> {
    let mut all = Vec::new();
    for arg in args {
        match expand_one(arg, wanted) {
            Ok(selected) => all.extend(selected.into_iter().map(Ok)),
            Err(error) => all.push(Err(Unmatched {
                path: arg.clone(),
                error,
            })),
        }
    }
    all
}

fn expand_one(arg: &Path, wanted: &Wanted) -> Result<Vec<Selected>, String> {
    let mut found = Found {
        wanted,
        files: Vec::new(),
    };
    let is_pattern = is_pattern_path(arg);
    if arg.exists() {
        found.add(arg);
    } else if let Err(error) = archive_file::check_exists(arg) {
        match (error, archive_file::locate(arg)) {
            (ArchiveError::NoEntry(_), Ok(Location::Entry { archive, entry })) => {
                found.add_entries(&archive, &entry);
            }
            (ArchiveError::Io(_), _) if is_pattern => {
                let (base, names) = split(arg);
                found.add_matches(&base, &names);
            }
            _ => found.push(arg.to_path_buf(), None),
        }
    } else {
        found.push(arg.to_path_buf(), None);
    }
    let mut known = HashSet::new();
    found.files.retain(|file| known.insert(file.path.clone()));
    match found.files.is_empty() {
        false => Ok(found.files),
        true if is_pattern => Err("no file matches the pattern".to_owned()),
        true if arg.is_dir() => Err(format!("the folder has no {}", wanted.what)),
        true => Ok(vec![Selected {
            path: arg.to_path_buf(),
            below: None,
        }]),
    }
}

/// The files that one argument selects.
struct Found<'a> {
    wanted: &'a Wanted,
    files: Vec<Selected>,
}

impl Found<'_> {
    fn push(&mut self, path: PathBuf, below: Option<PathBuf>) {
        self.files.push(Selected { path, below });
    }

    /// Adds a file, or the files in a folder.
    fn add(&mut self, path: &Path) {
        if self.wanted.keeps_folders || !path.is_dir() {
            return self.push(path.to_path_buf(), None);
        }
        let files = files_below(path);
        for below in files
            .into_iter()
            .filter(|file| (self.wanted.is_wanted)(file))
        {
            self.push(path.join(&below), Some(below));
        }
    }

    /// Adds the files and folders whose paths from `base` match these names.
    fn add_matches(&mut self, base: &Path, names: &[&str]) {
        let Some((name, rest)) = names.split_first() else {
            return self.add(base);
        };
        let exact = base.join(name);
        if base.is_file() {
            self.add_entries(base, &names.join("/"));
        } else if *name == "**" {
            self.add_matches(base, rest);
            let folders = names_in(base).unwrap_or_default();
            // Links are not followed, because they can be cyclic.
            let folders = folders.iter().map(|name| base.join(name));
            for folder in
                folders.filter(|path| path.is_dir() && !path.is_symlink() && !is_hidden(path))
            {
                self.add_matches(&folder, names);
            }
        } else if exact.exists() {
            self.add_matches(&exact, rest);
        } else if let Ok(pattern) = Pattern::new(name) {
            let options = MatchOptions {
                require_literal_leading_dot: true,
                ..OPTIONS
            };
            let mut matching = names_in(base).unwrap_or_default();
            matching.retain(|name| pattern.matches_with(name, options));
            for name in matching {
                self.add_matches(&base.join(name), rest);
            }
        }
    }

    /// Adds the entries of an archive that match a pattern, and those in the folders that match it.
    fn add_entries(&mut self, path: &Path, pattern: &str) {
        // A file that is no archive has no entries.
        let Ok(archive) = open_file(path) else {
            return;
        };
        let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
        let Ok(matching) = EntryPattern::new(pattern, archive.entries().map(|entry| entry.path()))
        else {
            return;
        };
        for entry in archive.entries().filter(|entry| !entry.is_shadowed()) {
            let name = entry.path();
            match matching.rest(&name) {
                Some("") if pattern != "**" => self.push(path.join(&*name), None),
                Some(rest) if (self.wanted.is_wanted)(Path::new(&*name)) => {
                    let below = if rest.is_empty() { &name } else { rest };
                    self.push(path.join(&*name), Some(below.into()));
                }
                _ => {}
            }
        }
    }
}

/// The names in a folder, sorted. Names that are no text cannot match.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = folder.read_dir()?.flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

/// Splits a path into the part without names, such as a drive, and its names. `\` separates names on all systems.
fn split(path: &Path) -> (PathBuf, Vec<&str>) {
    let mut base = PathBuf::new();
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.extend(name.to_str().unwrap_or_default().split('\\')),
            Component::ParentDir if !names.is_empty() => names.push(".."),
            part => base.push(part),
        }
    }
    names.retain(|name| !name.is_empty());
    (base, names)
}

fn is_pattern_path(path: &Path) -> bool {
    path.to_str().is_some() && split(path).1.into_iter().any(is_pattern)
}

#[cfg(test)]
mod tests {
    use super::{Wanted, expand};
    use crate::file_format::is_model;
    use classic_models_fixtures::archives::pak;
    use std::fs::{create_dir_all, write};
    use std::path::{Path, PathBuf};

    /// A folder with files, and an archive.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "dir/a.mdl",
            "dir/B.MDL",
            "dir/[ab].mdl",
            "dir/notes.txt",
            "dir/.hidden.mdl",
            "dir/deep/er/c.mdl",
            "dir/deep/d.alo",
            "dir/.git/e.mdl",
            "dir/[clan]/f.mdl",
            "dir/c/g.mdl",
            "empty/notes.txt",
        ] {
            let path = folder.path().join(path);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, "x").unwrap();
        }
        let files: [(&[u8], &[u8]); 6] = [
            (b"progs/a.mdl", b"x"),
            (b"progs/[ab].mdl", b"x"),
            (b"progs/sound.wav", b"x"),
            (b"progs/deep/b.mdl", b"x"),
            (b"progs/a.mdl", b"shadowed"),
            (b"c.mdl", b"x"),
        ];
        write(folder.path().join("dir/pak0.pak"), pak(&files, 0).bytes).unwrap();
        write(folder.path().join("dir/broken.pak"), "PACK").unwrap();
        folder
    }

    /// The selected paths from a folder and, in parentheses, those below the given folder, or the error.
    fn selected(folder: &Path, arg: &str, keeps_folders: bool) -> String {
        let wanted = Wanted {
            is_wanted: is_model,
            what: "models",
            keeps_folders,
        };
        let text = |path: &Path| path.display().to_string().replace('\\', "/");
        let files = expand(&[folder.join(arg)], &wanted)
            .into_iter()
            .map(|file| match file {
                Ok(file) => {
                    let path = file
                        .path
                        .strip_prefix(folder)
                        .map_or_else(|_| text(&file.path), text);
                    match file.below {
                        Some(below) => format!("{path} ({})", text(&below)),
                        None => path,
                    }
                }
                Err(unmatched) => {
                    assert_eq!(unmatched.path, folder.join(arg));
                    unmatched.error
                }
            });
        files.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn patterns_and_folders_select_files() {
        let folder = folder();
        let no_match = "no file matches the pattern";
        for (arg, expected) in [
            // Files, whether they exist or not.
            ("dir/notes.txt", "dir/notes.txt"),
            ("dir/missing.mdl", "dir/missing.mdl"),
            // Patterns match in any case, and files of all formats.
            ("dir/*.mdl", "dir/B.MDL, dir/[ab].mdl, dir/a.mdl"),
            ("dir\\*.mdl", "dir/B.MDL, dir/[ab].mdl, dir/a.mdl"),
            ("dir/?.mdl", "dir/B.MDL, dir/a.mdl"),
            ("DIR/[a-c].mdl", "dir/B.MDL, dir/a.mdl"),
            ("d?r\\*.txt", "dir/notes.txt"),
            ("*/notes.txt", "dir/notes.txt, empty/notes.txt"),
            (
                "dir/../*/notes.txt",
                "dir/../dir/notes.txt, dir/../empty/notes.txt",
            ),
            ("dir/d*/*/*.mdl", "dir/deep/er/c.mdl"),
            ("dir/.h*", "dir/.hidden.mdl"),
            ("dir/**/[c-d].*", "dir/deep/d.alo, dir/deep/er/c.mdl"),
            // Names that exist are taken literally.
            ("dir/[ab].mdl", "dir/[ab].mdl"),
            ("dir/[clan]/*.mdl", "dir/[clan]/f.mdl"),
            ("dir/[abc]/*.mdl", "dir/c/g.mdl"),
            // Folders stand for the files of known formats, also if a pattern matches them.
            (
                "dir/deep",
                "dir/deep/d.alo (d.alo), dir/deep/er/c.mdl (er/c.mdl)",
            ),
            (
                "dir/[dx]*",
                "dir/deep/d.alo (d.alo), dir/deep/er/c.mdl (er/c.mdl)",
            ),
            ("dir/[clan]", "dir/[clan]/f.mdl (f.mdl)"),
            (
                "dir/deep/**",
                "dir/deep/d.alo (d.alo), dir/deep/er/c.mdl (er/c.mdl)",
            ),
            // Nothing matches.
            ("dir/*.abc", no_match),
            ("missing/*.mdl", no_match),
            ("dir/[", no_match),
            ("*/notes.txt/*", no_match),
            ("empty", "the folder has no models"),
        ] {
            assert_eq!(selected(folder.path(), arg, false), expected, "{arg}");
        }
    }

    #[test]
    fn patterns_and_folders_in_archives_select_entries() {
        let folder = folder();
        let all = "dir/pak0.pak/progs/a.mdl (a.mdl), dir/pak0.pak/progs/[ab].mdl ([ab].mdl), \
                   dir/pak0.pak/progs/deep/b.mdl (deep/b.mdl)";
        for (arg, expected) in [
            ("dir/pak0.pak/PROGS/A.mdl", "dir/pak0.pak/PROGS/A.mdl"),
            (
                "dir/pak0.pak/progs/missing.mdl",
                "dir/pak0.pak/progs/missing.mdl",
            ),
            ("dir/pak0.pak/progs/?.mdl", "dir/pak0.pak/progs/a.mdl"),
            ("dir/pak0.pak/progs/s*", "dir/pak0.pak/progs/sound.wav"),
            ("dir/pak0.pak/progs/[ab].mdl", "dir/pak0.pak/progs/[ab].mdl"),
            ("dir/pak0.pak/b.*", "dir/pak0.pak/progs/deep/b.mdl"),
            ("dir/p*.pak/progs/deep/*", "dir/pak0.pak/progs/deep/b.mdl"),
            (
                "dir\\p*.pak\\progs\\deep\\*",
                "dir/pak0.pak/progs/deep/b.mdl",
            ),
            ("dir/pak0.pak/progs", all),
            ("dir/pak0.pak/progs/**", all),
            ("dir/pak0.pak/*.abc", "no file matches the pattern"),
            ("dir/broken.pak/*.mdl", "dir/broken.pak/*.mdl"),
            ("dir/pak0.pak", "dir/pak0.pak"),
        ] {
            assert_eq!(selected(folder.path(), arg, false), expected, "{arg}");
        }
        assert_eq!(
            selected(folder.path(), "dir/pak0.pak/**", false)
                .matches(", ")
                .count(),
            3
        );
    }

    #[test]
    fn folders_can_be_kept() {
        let folder = folder();
        assert_eq!(selected(folder.path(), "dir", true), "dir");
        assert_eq!(selected(folder.path(), "d*", true), "dir");
        assert_eq!(selected(folder.path(), "empty", true), "empty");
    }

    #[test]
    fn arguments_keep_their_order() {
        let wanted = Wanted {
            is_wanted: is_model,
            what: "models",
            keeps_folders: false,
        };
        let args = ["b.mdl", "*.abc", "a.mdl"].map(PathBuf::from);
        let files = expand(&args, &wanted).into_iter();
        let names =
            files.map(|file| file.map_or_else(|unmatched| unmatched.path, |file| file.path));
        assert_eq!(names.collect::<Vec<_>>(), args);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = folder();
        symlink(folder.path(), folder.path().join("dir/deep/up")).unwrap();
        symlink(
            folder.path().join("dir/a.mdl"),
            folder.path().join("dir/deep/linked.mdl"),
        )
        .unwrap();
        let files = selected(folder.path(), "dir/deep", false);
        assert_eq!(files.matches(", ").count(), 2, "{files}");
        assert!(files.contains("linked.mdl"), "{files}");
        let files = selected(folder.path(), "dir/deep/**/a.mdl", false);
        assert_eq!(files, "no file matches the pattern");
    }

    /// On other systems `\` separates names, so it cannot be part of one.
    #[cfg(unix)]
    #[test]
    fn names_with_a_backslash_are_taken_literally() {
        let folder = folder();
        write(folder.path().join("x\\*.mdl"), "x").unwrap();
        let files = expand(
            &[folder.path().join("x\\*.mdl")],
            &Wanted {
                is_wanted: is_model,
                what: "models",
                keeps_folders: false,
            },
        );
        assert_eq!(files.len(), 1);
        assert_eq!(
            files[0].as_ref().unwrap().path,
            folder.path().join("x\\*.mdl")
        );
    }
}
