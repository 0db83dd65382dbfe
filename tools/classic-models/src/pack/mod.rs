//! The subcommand `pack`: writes the files of a folder to an archive.
//!
//! `files` finds the files, `names` checks their names, and `format` writes the archive.

mod files;
mod format;
mod names;

use crate::engines::{self, ENGINES};
use crate::messages::{self, counted, escaped_name};
use crate::output_file;
use crate::paths::archive_file;
use crate::paths::entry_pattern::EntryPattern;
use crate::paths::path_args::WRONG_ARGUMENTS;
use classic_model_formats::archive::ArchiveFile;
use files::{Found, Kind};
use format::ArchiveFormat;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Packs the files of a folder into an archive of a game.
///
/// The extension of OUT is the format: Petroglyph .meg (version 1), Quake .pak and .pk3 (compressed), LithTech .rez,
/// UFO: Aftermath .vfs (not compressed). Files keep their folders. Names in .meg and .rez become upper case, as the games need them. The same files
/// make the same archive on every system.
///
/// Names that the game does not find, that differ only in case, or that are not valid file names on Windows are errors. If
/// there is any error, no archive is written. Hidden files, links to folders and links to files outside of DIR are left out,
/// with a warning. OUT is not packed into itself, and not replaced without --force. Packing needs up to four times the size of
/// the files in memory.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The folder whose files are packed
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The archive to write: .meg, .pak, .pk3, .kpf, .rez or .vfs
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Only pack files that match one of these patterns, such as *.alo
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Replace an existing archive
    #[arg(long)]
    force: bool,
}

const NOTES: &str = "\
Examples:
  All files of a folder; mymod/progs/ogre.mdl is progs/ogre.mdl in the archive:
    classic-models pack mymod id1/pak2.pak
  The models only, and two folders only:
    classic-models pack mymod id1/pak2.pak *.mdl
    classic-models pack mymod id1/pak2.pak progs sound
  A copy of an archive, to change files in between:
    classic-models extract Data/Models.meg --to files
    classic-models pack files Data/MyModels.meg

Patterns are those of `extract`, with paths from DIR. Each must match a file. Shells replace * before the program sees it:
write \"*.mdl\" if such files are in the current folder.

Exit status: 0; 1 if the archive cannot be written, or a pattern matches no file; 2 if the arguments are wrong.";

/// The count of bytes of all files that fits into an archive: sizes and offsets have 32 bits.
const MAX_SIZE: u64 = u32::MAX as u64;

/// Packs the files.
pub fn run(args: &Args) -> ExitCode {
    let count = match pack(args) {
        Ok(count) => counted(count as u64, "file"),
        Err(status) => return status,
    };
    match messages::line(format_args!("{count} packed into {}", args.out.display())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => messages::failure(error),
    }
}

/// Writes the archive, and returns the count of its files. The error is the exit status; it has been printed.
fn pack(args: &Args) -> Result<usize, ExitCode> {
    let out = args.out.display();
    let Some(format) = ArchiveFormat::of(&args.out) else {
        messages::error(format_args!(
            "{out}: OUT must end in .meg, .pak, .pk3, .kpf, .rez or .vfs"
        ));
        return Err(ExitCode::from(WRONG_ARGUMENTS));
    };
    output_file::check(&args.out, args.force).map_err(messages::failure)?;
    let files = select(args)?;
    report(args, names::errors(format, &files))?;
    if let Some(warning) = names::warning(format, &files) {
        warn(&args.out, warning);
    }
    let files = read(args, &files)?;
    let written = format.write(&files);
    let bytes = written.map_err(|error| messages::failure(format_args!("{out}: {error}")))?;
    let archive = archive_file::open(&args.out, bytes.as_slice());
    let archive = archive.map_err(|error| messages::failure(format_args!("{out}: {error}")))?;
    for limit in engines::of_archive(&archive, &ENGINES) {
        warn(&args.out, limit);
    }
    output_file::write(&args.out, &bytes, args.force).map_err(messages::failure)?;
    Ok(files.len())
}

/// The files to pack, in the order of their names without case, which no file system changes.
fn select(args: &Args) -> Result<Vec<Found>, ExitCode> {
    let mut found = files::find(&args.folder, &args.out).map_err(messages::failure)?;
    found.sort_by_cached_key(|file| (file.path.to_lowercase(), file.path.clone()));
    let patterns = patterns(args, &found)?;
    if !patterns.is_empty() {
        found.retain(|file| patterns.iter().any(|it| it.matches(&file.path)));
    }
    let mut errors = Vec::new();
    found.retain(|file| match &file.kind {
        Kind::File { .. } => true,
        Kind::LeftOut(reason) => {
            warn(
                &args.folder.join(&file.path),
                format_args!("left out: {reason}"),
            );
            false
        }
        Kind::Unreadable(error) => {
            errors.push((file.path.clone(), error.clone()));
            false
        }
    });
    report(args, errors)?;
    check_matches(args, &patterns, &found).map_err(|error| {
        let folder = args.folder.display();
        messages::failure(format_args!("{folder}: {error}"))
    })?;
    Ok(found)
}

/// Checks that there are files, and that each pattern matches one.
fn check_matches(args: &Args, patterns: &[EntryPattern], files: &[Found]) -> Result<(), String> {
    for (pattern, text) in patterns.iter().zip(&args.patterns) {
        if !files.iter().any(|file| pattern.matches(&file.path)) {
            return Err(format!("no file matches {text}"));
        }
    }
    match files {
        [] => Err("the folder has no files".to_owned()),
        _ => Ok(()),
    }
}

fn patterns(args: &Args, found: &[Found]) -> Result<Vec<EntryPattern>, ExitCode> {
    let paths = || found.iter().map(|file| &*file.path);
    let patterns = args.patterns.iter();
    let patterns = patterns.map(|pattern| EntryPattern::new(pattern, paths()));
    patterns.collect::<Result<_, _>>().map_err(|error| {
        messages::error(error);
        ExitCode::from(WRONG_ARGUMENTS)
    })
}

/// Reads the files.
fn read(args: &Args, files: &[Found]) -> Result<Vec<ArchiveFile>, ExitCode> {
    let sizes = files.iter().map(|file| match file.kind {
        Kind::File { size, .. } => size,
        _ => 0,
    });
    let size = sizes.fold(0, u64::saturating_add);
    if size > MAX_SIZE {
        let folder = args.folder.display();
        let message = format_args!(
            "{folder}: the files have {size} bytes, but an archive has at most {MAX_SIZE} (4 GiB)"
        );
        return Err(messages::failure(message));
    }
    let mut errors = Vec::new();
    let mut contents = Vec::with_capacity(files.len());
    for file in files {
        match fs::read(&file.disk) {
            Ok(bytes) => contents.push(ArchiveFile::new(&*file.path, bytes)),
            Err(error) => errors.push((file.path.clone(), error.to_string())),
        }
    }
    report(args, errors)?;
    Ok(contents)
}

/// Prints the errors of files. The error is that there are any.
fn report(args: &Args, errors: Vec<(String, String)>) -> Result<(), ExitCode> {
    for (path, error) in &errors {
        let path = args.folder.join(path).display().to_string();
        messages::error(format_args!("{}: {error}", escaped_name(&path)));
    }
    match errors[..] {
        [] => Ok(()),
        _ => Err(ExitCode::FAILURE),
    }
}

fn warn(path: &Path, warning: impl Display) {
    let path = path.display().to_string();
    messages::message(format_args!("{}: warning: {warning}", escaped_name(&path)));
}
