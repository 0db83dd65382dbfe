//! The subcommand `list`: prints the entries of an archive.

use crate::archive_file::{ArchiveError, open_file};
use crate::entry_pattern::{EntryPattern, with_pattern_help};
use crate::messages::{self, escaped_name};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Lists the files in an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, LithTech .rez, UFO: Aftermath .vfs. Each line has a file's size in bytes and
/// its path. Warnings about the archive are printed to standard error. `inspect --list --json` prints more.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The archive
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Only list files that match this pattern, such as *.alo
    #[arg(value_name = "PATTERN")]
    pattern: Option<EntryPattern>,
}

const NOTES: &str = with_pattern_help!(
    "\
Examples:
  classic-models list id1/pak0.pak                            all files
  classic-models list id1/pak0.pak *.mdl                      the models
  classic-models list Data/Models.meg data/art/models/rv_*    files in a folder
  classic-models view id1/pak0.pak/progs/player.mdl           shows a listed file

Exit status: 0; 1 if the archive cannot be read, or no file matches the pattern; 2 if the arguments are wrong."
);

/// Lists the entries.
pub fn run(args: &Args) -> ExitCode {
    match list(args, &mut io::stdout().lock()) {
        Ok(0) if args.pattern.is_some() => {
            messages::error(format_args!("{}: no entry matches", args.archive.display()));
            ExitCode::FAILURE
        }
        Ok(_) => ExitCode::SUCCESS,
        // The reader of the pipe has closed it.
        Err(ArchiveError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            messages::error(format_args!("{}: {error}", args.archive.display()));
            ExitCode::FAILURE
        }
    }
}

/// Returns the count of entries that match.
fn list(args: &Args, out: &mut impl Write) -> Result<usize, ArchiveError> {
    let archive = open_file(&args.archive)?;
    for warning in archive.warnings() {
        messages::message(format_args!(
            "{}: warning: {warning}",
            args.archive.display()
        ));
    }
    let mut count = 0;
    for entry in archive.entries() {
        let path = entry.path();
        if args.pattern.as_ref().is_none_or(|it| it.matches(&path)) {
            let shadowed = if entry.is_shadowed() {
                "  (an earlier entry of the same name is used)"
            } else {
                ""
            };
            let name = escaped_name(&path);
            writeln!(out, "{:>10}  {name}{shadowed}", entry.size())?;
            count += 1;
        }
    }
    Ok(count)
}
