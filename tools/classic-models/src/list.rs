//! The subcommand `list`: prints the entries of archives.

use crate::archive_file::{ArchiveError, open_file};
use crate::entry_pattern::{EntryPattern, with_pattern_help};
use crate::messages::{self, escaped_name};
use crate::path_args::{self, ARCHIVES, Selected, WRONG_ARGUMENTS};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

/// Lists the files in an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, LithTech .rez, UFO: Aftermath .vfs. Each line has a file's size in bytes and
/// its path, which begins with that of the archive if there are several. Warnings about the archive are printed to standard
/// error. `inspect --list --json` prints more.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The archive, a pattern of archives, or a folder with archives
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Only list files that match this pattern, such as *.alo
    #[arg(value_name = "PATTERN")]
    pattern: Option<String>,
}

const NOTES: &str = with_pattern_help!(
    "\
Examples:
  classic-models list id1/pak0.pak                            all files
  classic-models list id1/pak0.pak *.mdl                      the models
  classic-models list Data/Models.meg data/art/models/rv_*    files in a folder
  classic-models list id1 *.mdl                               the models in all archives of a folder
  classic-models view id1/pak0.pak/progs/player.mdl           shows a listed file

Exit status: 0; 1 if the archive cannot be read, or no file matches the pattern; 2 if the arguments are wrong."
);

/// Lists the entries.
pub fn run(args: &Args) -> ExitCode {
    let archives = path_args::expand(slice::from_ref(&args.archive), &ARCHIVES);
    let are_several = archives.len() > 1;
    let (mut count, mut has_failed) = (0, false);
    for archive in archives {
        let (path, listed) = match archive {
            Ok(Selected { path, .. }) => {
                let listed = list(&path, args.pattern.as_deref(), are_several);
                (path, listed)
            }
            Err(unmatched) => (unmatched.path.clone(), Err(unmatched.into())),
        };
        match listed {
            Ok(listed) => count += listed,
            // The reader of the pipe has closed it.
            Err(ArchiveError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Err(error) => {
                messages::error(format_args!("{}: {error}", path.display()));
                if let ArchiveError::Pattern(_) = error {
                    return ExitCode::from(WRONG_ARGUMENTS);
                }
                has_failed = true;
            }
        }
    }
    if count == 0 && !has_failed && args.pattern.is_some() {
        messages::error(format_args!("{}: no entry matches", args.archive.display()));
        has_failed = true;
    }
    ExitCode::from(u8::from(has_failed))
}

/// Lists the entries of an archive. Returns the count of entries that match. Their names begin with the path of the archive if
/// there are several.
fn list(path: &Path, pattern: Option<&str>, are_several: bool) -> Result<usize, ArchiveError> {
    let archive = open_file(path)?;
    let mut out = io::stdout().lock();
    for warning in archive.warnings() {
        messages::message(format_args!("{}: warning: {warning}", path.display()));
    }
    let paths = archive.entries().map(|entry| entry.path());
    let pattern = pattern.map(|pattern| EntryPattern::new(pattern, paths));
    let pattern = pattern.transpose().map_err(ArchiveError::Pattern)?;
    let mut count = 0;
    for entry in archive.entries() {
        let name = entry.path();
        if pattern.as_ref().is_none_or(|it| it.matches(&name)) {
            let shadowed = if entry.is_shadowed() {
                "  (an earlier entry of the same name is used)"
            } else {
                ""
            };
            let name = match are_several {
                true => path.join(&*name).display().to_string(),
                false => name.into_owned(),
            };
            let name = escaped_name(&name);
            writeln!(out, "{:>10}  {name}{shadowed}", entry.size())?;
            count += 1;
        }
    }
    Ok(count)
}
