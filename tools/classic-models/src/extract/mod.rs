//! The subcommand `extract`: writes entries of archives to a folder.

mod target;

use crate::messages::{self, counted, escaped_name};
use crate::paths::entry_pattern::with_pattern_help;
use crate::paths::path_args::{OpenedArchive, for_each_archive};
use classic_model_formats::archive::Entry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use target::Target;

/// Extracts files from an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, .pk3 and .kpf, LithTech .rez, UFO: Aftermath .vfs. Files keep their folders.
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
    let mut opened = 0;
    let pattern = args.pattern.as_deref();
    let extracted = for_each_archive(&args.archive, pattern, |path, archive, _| {
        opened += 1;
        extract(path, archive, args, &mut counts)
    });
    let mut has_failed = match extracted {
        Ok(has_failed) => has_failed,
        Err(status) => return status,
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

/// Extracts the entries of an archive that match, and counts them. The error is that the folder cannot be created.
fn extract(
    path: &Path,
    (archive, pattern): &OpenedArchive,
    args: &Args,
    counts: &mut Counts,
) -> Result<(), ExitCode> {
    let name = path.display();
    let mut target = Target::new(&args.to, args.force);
    let is_selected = |entry: &Entry| {
        !entry.is_shadowed() && pattern.as_ref().is_none_or(|it| it.matches(&entry.path()))
    };
    let mut selected = archive.entries().filter(is_selected);
    if selected.any(|entry| target.check(&entry.path()).is_ok())
        && let Err(error) = target.create()
    {
        return Err(messages::failure(error));
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
    Ok(())
}
