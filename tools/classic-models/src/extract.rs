//! The subcommand `extract`: writes entries of archives below a folder, and nowhere else.

use crate::archive_file::{ArchiveError, open_file};
use crate::entry_pattern::with_pattern_help;
use crate::messages::{self, counted, escaped_name};
use crate::{file_name, path_args};
use classic_model_formats::archive::Entry;
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Extracts files from an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, LithTech .rez, UFO: Aftermath .vfs. Files keep their folders.
///
/// Nothing is written outside of the folder of --to. A file is an error if its name is not a valid file name on Windows, such
/// as CON or what?, or if a symbolic link is in its path. Existing files are not replaced without --force. The other
/// files are extracted. Of files with the same name, the one that the games use is extracted. With several archives and --force,
/// files of later archives replace those of earlier ones.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The archive, a pattern of archives, or a folder with archives
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Only extract files that match this pattern, such as *.alo
    #[arg(value_name = "PATTERN")]
    pattern: Option<String>,
    /// The folder to write to; created if it does not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

const NOTES: &str = with_pattern_help!(
    "\
Examples:
  All files, to the folder files:
    classic-models extract id1/pak0.pak --to files
  The models only, and one file only:
    classic-models extract id1/pak0.pak *.mdl --to files
    classic-models extract id1/pak0.pak progs/player.mdl --to files

Exit status: 0; 1 if the archive or a file cannot be extracted, or no file matches; 2 if the arguments are wrong."
);

/// How many files were extracted, and how many failed.
#[derive(Default)]
struct Counts {
    written: u64,
    failed: u64,
}

/// Extracts the entries.
pub fn run(args: &Args) -> ExitCode {
    let mut counts = Counts::default();
    let used = path_args::for_each_archive(&args.archive, |path, _| {
        let is_created = extract(path, args, &mut counts)?;
        Ok((!is_created).then_some(ExitCode::FAILURE))
    });
    let (opened, mut has_failed) = match used {
        Ok(used) => used,
        Err(exit) => return exit,
    };
    let Counts { written, failed } = counts;
    if written + failed == 0 && args.pattern.is_some() {
        if !has_failed {
            messages::error(format_args!("{}: no entry matches", args.archive.display()));
        }
        return ExitCode::FAILURE;
    }
    if opened == 0 {
        return ExitCode::FAILURE;
    }
    let (files, to) = (counted(written, "file"), args.to.display());
    let failures = match failed {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    if let Err(error) = messages::line(format_args!("{files} extracted to {to}{failures}")) {
        messages::error(error);
        has_failed = true;
    }
    ExitCode::from(u8::from(has_failed || failed > 0))
}

/// Extracts the entries of an archive that match, and counts them. Returns false if the folder cannot be created.
///
/// # Errors
/// If the archive cannot be opened, or the pattern is not valid.
fn extract(path: &Path, args: &Args, counts: &mut Counts) -> Result<bool, ArchiveError> {
    let name = path.display();
    let archive = open_file(path)?;
    let pattern = path_args::begin(path, &archive, args.pattern.as_deref())?;
    let mut target = Target::new(&args.to, args.force);
    let is_selected = |entry: &Entry| {
        !entry.is_shadowed() && pattern.as_ref().is_none_or(|it| it.matches(&entry.path()))
    };
    let mut selected = archive.entries().filter(is_selected);
    if selected.any(|entry| target.check(&entry.path()).is_ok())
        && let Err(error) = target.create()
    {
        messages::error(error);
        return Ok(false);
    }
    for entry in archive.entries().filter(is_selected) {
        let path = entry.path();
        let result = target.check(&path).and_then(|file| {
            let bytes = archive.read(entry).map_err(|error| error.to_string())?;
            target.write(&file, &bytes)
        });
        match result {
            Ok(()) => counts.written += 1,
            Err(error) => {
                counts.failed += 1;
                messages::error(format_args!("{name}/{}: {error}", escaped_name(&path)));
            }
        }
    }
    let left_out = archive.skipped() - archive.folder_entries();
    if args.pattern.is_none() && left_out > 0 {
        counts.failed += left_out;
        messages::error(format_args!(
            "{name}: {left_out} entries have no valid name or type: see the warnings"
        ));
    }
    Ok(true)
}

/// The folder to write to.
pub struct Target<'a> {
    root: &'a Path,
    /// Whether to replace files that existed before.
    replaces: bool,
    /// Folders below the root that exist and are no links.
    folders: HashSet<PathBuf>,
    /// The files that were written, in lower case. They are never replaced: two entries can differ only in case.
    written: HashSet<String>,
}

impl<'a> Target<'a> {
    /// Writes below `root`, which is created when it is needed.
    pub fn new(root: &'a Path, replaces: bool) -> Self {
        Self {
            root,
            replaces,
            folders: HashSet::new(),
            written: HashSet::new(),
        }
    }

    /// Creates the root.
    ///
    /// # Errors
    /// If it is a file, or cannot be created.
    pub fn create(&self) -> Result<(), String> {
        let created = fs::create_dir_all(self.root);
        created.map_err(|error| format!("{}: {error}", self.root.display()))
    }

    /// The file below the root for the path of an entry.
    ///
    /// # Errors
    /// If the path is not relative, leads out of the root, or has names that are not valid on every system.
    pub fn check(&self, entry: &str) -> Result<PathBuf, String> {
        entry.split('/').try_for_each(file_name::check)?;
        Ok(entry.split('/').collect())
    }

    /// Writes a file. `file` is the result of [`check`](Self::check).
    ///
    /// # Errors
    /// If a folder in its path is a file or a symbolic link, if it exists, or if it cannot be written.
    pub fn write(&mut self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        self.create_folders(file.parent().unwrap_or(Path::new("")))?;
        let path = self.root.join(file);
        let text = |error: io::Error| format!("{}: {error}", path.display());
        let is_new = self.written.insert(file.to_string_lossy().to_lowercase());
        if self.replaces && is_new {
            remove(&path)?;
        }
        // Fails for files and links that exist. So it never follows a link.
        let mut created = match fs::File::create_new(&path) {
            Ok(created) => created,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(match self.replaces {
                    true => "another entry was extracted to the same file".to_owned(),
                    false => exists(&path),
                });
            }
            Err(error) => return Err(text(error)),
        };
        created.write_all(bytes).map_err(|error| {
            drop(created);
            // A part of a file is no use. The write error is the one to report.
            let _ = fs::remove_file(&path);
            text(error)
        })
    }

    /// Creates the folders of a path below the root. Symbolic links are errors, because they can lead out of the root.
    fn create_folders(&mut self, folder: &Path) -> Result<(), String> {
        let named = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        self.create()?;
        let mut path = PathBuf::new();
        for name in folder {
            path.push(name);
            if self.folders.contains(&path) {
                continue;
            }
            let on_disk = self.root.join(&path);
            let what = on_disk.display();
            match fs::symlink_metadata(&on_disk) {
                Ok(found) if found.is_dir() => {}
                Ok(found) if found.is_symlink() => {
                    return Err(format!("{what} is a symbolic link"));
                }
                Ok(_) => return Err(format!("{what} is a file, not a folder")),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::create_dir(&on_disk).map_err(|error| named(&on_disk, error))?;
                }
                Err(error) => return Err(named(&on_disk, error)),
            }
            self.folders.insert(path.clone());
        }
        Ok(())
    }
}

/// The error of a path that exists.
fn exists(path: &Path) -> String {
    let what = path.display();
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => format!("{what} is a symbolic link"),
        Ok(found) if !found.is_file() => format!("{what} is not a file"),
        _ => format!("{what} exists; --force replaces it"),
    }
}

/// Removes a file, so that it can be replaced. Links and folders are errors.
fn remove(path: &Path) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::remove_file(path).map_err(|error| error.to_string()),
        Ok(found) if found.is_symlink() => Err(format!("{} is a symbolic link", path.display())),
        Ok(_) => Err(format!("{} is not a file", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn entries_never_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let mut target = Target::new(folder.path(), true);
        let file = target.check("a/b.txt").unwrap();
        target.write(&file, b"first").unwrap();
        assert!(target.write(&file, b"second").is_err());
        assert_eq!(std::fs::read(folder.path().join(file)).unwrap(), b"first");
    }
}
