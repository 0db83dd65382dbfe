//! Path arguments of the subcommands: patterns, folders, and patterns in archives become files. It must not read models.
//!
//! A pattern is replaced by the files and folders that match it, as shells do. Then a folder is replaced by the files in it
//! of the formats that the subcommand takes. Names that exist are taken literally.

use crate::messages;
use crate::paths::archive_file::{self, ArchiveError, Location, open_file};
use crate::paths::disk::{files_below, is_hidden};
use crate::paths::entry_pattern::{EntryPattern, OPTIONS, is_pattern};
use classic_model_formats::archive::Archive;
use glob::{MatchOptions, Pattern};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::{io, slice};

/// The files in folders that a subcommand takes.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Whether a file is taken, by its name.
    pub is_wanted: fn(&Path) -> bool,
    /// What they are, for the error of a folder without them.
    pub what: &'static str,
    /// Whether folders on the disk are kept as they are.
    pub keeps_folders: bool,
    /// Whether an archive stands for the wanted files in it.
    pub opens_archives: bool,
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

/// The archives in folders.
pub const ARCHIVES: Wanted = Wanted {
    is_wanted: archive_file::has_archive_extension,
    what: "archives",
    keeps_folders: false,
    opens_archives: false,
};

/// An opened archive, and the pattern for its entries.
pub type OpenedArchive = (Archive<File>, Option<EntryPattern>);

/// Opens the archives that an argument selects, one after the other, and prints their warnings and errors. Calls `each` with the
/// archives that can be opened, and whether there are several. Returns whether any cannot be.
///
/// # Errors
/// The exit status if the pattern is not valid, or that of `each`.
pub fn for_each_archive(
    archive: &PathBuf,
    pattern: Option<&str>,
    mut each: impl FnMut(&Path, &OpenedArchive, bool) -> Result<(), ExitCode>,
) -> Result<bool, ExitCode> {
    let archives = expand(slice::from_ref(archive), &ARCHIVES);
    let are_several = archives.len() > 1;
    let mut has_failed = false;
    for archive in archives {
        let (path, opened) = match archive {
            Ok(Selected { path, .. }) => {
                let opened = open_selected(&path, pattern);
                (path, opened)
            }
            Err(Unmatched { path, error }) => (path, Err(io::Error::other(error).into())),
        };
        match opened {
            Ok(opened) => each(&path, &opened, are_several)?,
            Err(error) => {
                messages::error(format_args!("{}: {error}", path.display()));
                if let ArchiveError::Pattern(_) = error {
                    return Err(ExitCode::from(WRONG_ARGUMENTS));
                }
                has_failed = true;
            }
        }
    }
    Ok(has_failed)
}

fn open_selected(path: &Path, pattern: Option<&str>) -> Result<OpenedArchive, ArchiveError> {
    let archive = open_file(path)?;
    for warning in archive.warnings() {
        messages::message(format_args!("{}: warning: {warning}", path.display()));
    }
    let paths = archive.entries().map(|entry| entry.path());
    let pattern = pattern.map(|pattern| EntryPattern::new(pattern, paths));
    let pattern = pattern.transpose().map_err(ArchiveError::Pattern)?;
    Ok((archive, pattern))
}

/// The exit status if the arguments are wrong, as that of the parser of arguments.
pub const WRONG_ARGUMENTS: u8 = 2;

/// The files that arguments select, in their order; those of one argument are sorted. A file that does not exist is returned
/// unchanged, so that its use is an error.
pub fn expand(args: &[PathBuf], wanted: &Wanted) -> Vec<Result<Selected, Unmatched>> {
    args.iter()
        .flat_map(|arg| expand_one(arg, wanted))
        .collect()
}

fn expand_one(arg: &Path, wanted: &Wanted) -> Vec<Result<Selected, Unmatched>> {
    let mut found = Found {
        wanted,
        files: Vec::new(),
        unreadable: Vec::new(),
        visited: HashSet::new(),
        kept: None,
    };
    let is_pattern = is_pattern_path(arg);
    let opens = wanted.opens_archives && arg.is_file();
    let is_archive = opens && archive_file::is_archive(arg) && open_file(arg).is_ok();
    if is_archive {
        found.add_entries(arg, "**");
    } else if arg.exists() {
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
    let Found {
        mut files,
        mut unreadable,
        ..
    } = found;
    let mut known = HashSet::new();
    files.retain(|file| known.insert(file.path.clone()));
    if files.is_empty() && unreadable.is_empty() {
        let error = match is_pattern {
            true => Some("no file matches the pattern".to_owned()),
            false if arg.is_dir() => {
                let archives = wanted.opens_archives.then(|| archives_in(arg));
                let archives = archives.unwrap_or_default();
                Some(format!("the folder has no {}{archives}", wanted.what))
            }
            false if is_archive => Some(format!("the archive has no {}", wanted.what)),
            false => None,
        };
        let path = arg.to_path_buf();
        match error {
            Some(error) => unreadable.push(Unmatched { path, error }),
            None => files.push(Selected { path, below: None }),
        }
    }
    let files = files.into_iter().map(Ok);
    files.chain(unreadable.into_iter().map(Err)).collect()
}

/// What follows a message about a folder without files, if it has archives.
fn archives_in(folder: &Path) -> String {
    let mut files = files_below(folder).0;
    files.retain(|file| archive_file::has_archive_extension(file));
    match &files[..] {
        [] => String::new(),
        [first, ..] => format!(
            ", but archives, such as {}: give one of them, or --game for a whole game",
            folder.join(first).display()
        ),
    }
}

/// The files that one argument selects.
struct Found<'a> {
    wanted: &'a Wanted,
    files: Vec<Selected>,
    /// Folders that cannot be read.
    unreadable: Vec<Unmatched>,
    /// The folders in which names of the pattern were searched, and the count of these names.
    visited: HashSet<(PathBuf, usize)>,
    /// The folder in which the first `**` was found: paths are kept from there.
    kept: Option<PathBuf>,
}

impl Found<'_> {
    fn push(&mut self, path: PathBuf, below: Option<PathBuf>) {
        let kept = self.kept.as_ref();
        let kept = kept.and_then(|folder| path.strip_prefix(folder).ok());
        let below = kept.map(Path::to_path_buf).or(below);
        self.files.push(Selected { path, below });
    }

    fn push_unreadable(&mut self, path: &Path, error: &io::Error) {
        self.unreadable.push(Unmatched {
            path: path.to_path_buf(),
            error: error.to_string(),
        });
    }

    /// Adds a file, or the files in a folder. An empty path is the current folder.
    fn add(&mut self, path: &Path) {
        let is_folder = path.as_os_str().is_empty() || path.is_dir();
        if self.wanted.keeps_folders || !is_folder {
            return self.push(path.to_path_buf(), None);
        }
        let (files, unreadable) = files_below(or_current(path));
        for below in files {
            if (self.wanted.is_wanted)(&below) {
                self.push(path.join(&below), Some(below));
            }
        }
        for (folder, error) in unreadable {
            self.push_unreadable(&folder, &error);
        }
    }

    /// Adds the files and folders whose paths from `base` match these names.
    fn add_matches(&mut self, base: &Path, names: &[&str]) {
        if !self.visited.insert((base.to_path_buf(), names.len())) {
            return;
        }
        let Some((name, rest)) = names.split_first() else {
            return self.add(base);
        };
        let exact = base.join(name);
        if base.is_file() {
            self.add_entries(base, &names.join("/"));
        } else if *name == "**" {
            let is_first = self.kept.is_none();
            if is_first {
                self.kept = Some(base.to_path_buf());
            }
            self.add_matches(base, rest);
            // A folder stands for all files below it. Links are not followed, because they can be cyclic.
            let is_last = rest.is_empty() && !self.wanted.keeps_folders;
            for name in self.names_in(base).into_iter().filter(|_| !is_last) {
                let folder = base.join(name);
                if folder.is_dir() && !folder.is_symlink() && !is_hidden(&folder) {
                    self.add_matches(&folder, names);
                }
            }
            if is_first {
                self.kept = None;
            }
        } else if exact.exists() {
            self.add_matches(&exact, rest);
        } else if let Ok(pattern) = Pattern::new(name) {
            let options = MatchOptions {
                require_literal_leading_dot: true,
                ..OPTIONS
            };
            for name in self.names_in(base) {
                if pattern.matches_with(&name, options) {
                    self.add_matches(&base.join(name), rest);
                }
            }
        }
    }

    /// The names in a folder, sorted; none if it is not a folder. Names that are no text cannot match.
    fn names_in(&mut self, folder: &Path) -> Vec<String> {
        let entries = match or_current(folder).read_dir() {
            Ok(entries) => entries.flatten(),
            Err(error) => {
                let is_folder = error.kind() != io::ErrorKind::NotADirectory;
                if is_folder && error.kind() != io::ErrorKind::NotFound {
                    self.push_unreadable(folder, &error);
                }
                return Vec::new();
            }
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
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

/// The path of a folder; that of the current folder if it is empty.
fn or_current(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
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
    use crate::paths::folder_with;
    use classic_models_fixtures::archives::pak;
    use std::fs::{create_dir_all, write};
    use std::path::{Path, PathBuf};

    /// A folder with files, and an archive.
    fn folder() -> tempfile::TempDir {
        let files: [(&[u8], &[u8]); 6] = [
            (b"progs/a.mdl", b"x"),
            (b"progs/[ab].mdl", b"x"),
            (b"progs/sound.wav", b"x"),
            (b"progs/deep/b.mdl", b"x"),
            (b"progs/a.mdl", b"shadowed"),
            (b"c.mdl", b"x"),
        ];
        folder_with(&[
            ("dir/a.mdl", b"x"),
            ("dir/B.MDL", b"x"),
            ("dir/[ab].mdl", b"x"),
            ("dir/notes.txt", b"x"),
            ("dir/.hidden.mdl", b"x"),
            ("dir/deep/er/c.mdl", b"x"),
            ("dir/deep/d.alo", b"x"),
            ("dir/.git/e.mdl", b"x"),
            ("dir/[clan]/f.mdl", b"x"),
            ("dir/c/g.mdl", b"x"),
            ("empty/notes.txt", b"x"),
            ("dir/pak0.pak", &pak(&files, 0).bytes),
            ("dir/broken.pak", b"PACK"),
        ])
    }

    fn models(keeps_folders: bool) -> Wanted {
        Wanted {
            is_wanted: is_model,
            what: "models",
            keeps_folders,
            opens_archives: !keeps_folders,
        }
    }

    /// The selected paths from a folder and, in parentheses, those below the given folder, or the error.
    fn selected(folder: &Path, arg: &str, keeps_folders: bool) -> String {
        let wanted = models(keeps_folders);
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
            // The paths from the folder of `**` are kept.
            (
                "dir/**/[c-d].*",
                "dir/deep/d.alo (deep/d.alo), dir/deep/er/c.mdl (deep/er/c.mdl)",
            ),
            ("d*/**/e?/**/c.*", "dir/deep/er/c.mdl (deep/er/c.mdl)"),
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
        ] {
            assert_eq!(selected(folder.path(), arg, false), expected, "{arg}");
        }
        // An archive stands for its models, but not if folders are kept.
        let whole = selected(folder.path(), "dir/pak0.pak", false);
        assert_eq!(whole, selected(folder.path(), "dir/pak0.pak/**", false));
        let kept = selected(folder.path(), "dir/pak0.pak", true);
        assert_eq!(kept, "dir/pak0.pak");
        assert_eq!(
            selected(folder.path(), "dir/pak0.pak/**", false)
                .matches(", ")
                .count(),
            3
        );
    }

    /// Each folder is searched once for each part of the pattern. In this one there are 10²⁰ ways to divide the path.
    #[test]
    fn patterns_of_many_folders_take_polynomial_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d/".repeat(80)).join("a.mdl");
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, "x").unwrap();
        let files = selected(folder.path(), &"**/".repeat(40), false);
        assert_eq!(files.matches("a.mdl (").count(), 1, "{files}");
        let files = selected(folder.path(), &format!("{}b", "**/d/".repeat(40)), false);
        assert_eq!(files, "no file matches the pattern");
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
        let wanted = models(false);
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
        let path = folder.path().join("x\\*.mdl");
        let files = expand(std::slice::from_ref(&path), &models(false));
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].as_ref().unwrap().path, path);
    }
}
