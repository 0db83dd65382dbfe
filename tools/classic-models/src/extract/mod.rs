//! The subcommand `extract`: writes entries of an archive to a folder.

mod target;

use crate::archive_file::{ArchiveError, open_file};
use crate::entry_pattern::{EntryPattern, with_pattern_help};
use crate::messages::{self, counted, escaped_name};
use classic_model_formats::archive::Entry;
use std::path::PathBuf;
use std::process::ExitCode;
use target::Target;

/// Extracts files from an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, LithTech .rez, UFO: Aftermath .vfs. Files keep their folders.
///
/// Nothing is written outside of the folder of --to. A file is an error if its name is not a valid file name on Windows, such
/// as CON or what?, or if a symbolic link is in its path. Existing files are not replaced without --force. The other
/// files are extracted. Of files with the same name, the one that the games use is extracted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The archive
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Only extract files that match this pattern, such as *.alo
    #[arg(value_name = "PATTERN")]
    pattern: Option<EntryPattern>,
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

/// Extracts the entries.
pub fn run(args: &Args) -> ExitCode {
    match extract(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            messages::error(format_args!("{}: {error}", args.archive.display()));
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all entries were extracted.
fn extract(args: &Args) -> Result<bool, ArchiveError> {
    let name = args.archive.display();
    let archive = open_file(&args.archive)?;
    for warning in archive.warnings() {
        messages::message(format_args!("{name}: warning: {warning}"));
    }
    let mut target = Target::new(&args.to, args.force);
    let (mut written, mut failed) = (0_u64, 0_u64);
    let is_selected = |entry: &Entry| {
        let pattern = args.pattern.as_ref();
        !entry.is_shadowed() && pattern.is_none_or(|it| it.matches(&entry.path()))
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
            Ok(()) => written += 1,
            Err(error) => {
                failed += 1;
                messages::error(format_args!("{name}/{}: {error}", escaped_name(&path)));
            }
        }
    }
    if written + failed == 0 && args.pattern.is_some() {
        messages::error(format_args!("{name}: no entry matches"));
        return Ok(false);
    }
    let left_out = archive.skipped() - archive.folder_entries();
    if args.pattern.is_none() && left_out > 0 {
        failed += left_out;
        messages::error(format_args!(
            "{name}: {left_out} entries have no valid name or type: see the warnings"
        ));
    }
    let (files, to) = (counted(written, "file"), args.to.display());
    let failures = match failed {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    messages::line(format_args!("{files} extracted to {to}{failures}"))?;
    Ok(failed == 0)
}
