//! The subcommand `list`: prints the entries of archives.

use crate::messages::{self, escaped_name};
use crate::paths::entry_pattern::with_pattern_help;
use crate::paths::path_args::{OpenedArchive, for_each_archive};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lists the files in an archive of a game.
///
/// Formats: Petroglyph .meg, Quake .pak, .pk3 and .kpf, LithTech .rez, UFO: Aftermath .vfs. Each line has a file's size in bytes and
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
    let mut count = 0;
    let listed = for_each_archive(
        &args.archive,
        args.pattern.as_deref(),
        |path, opened, are_several| {
            let listed = list(path, opened, are_several).map_err(|error| match error.kind() {
                // The reader of the pipe has closed it.
                io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
                _ => messages::failure(format_args!("{}: {error}", path.display())),
            })?;
            count += listed;
            Ok(())
        },
    );
    match listed {
        Err(status) => status,
        Ok(false) if count == 0 && args.pattern.is_some() => {
            messages::failure(format_args!("{}: no entry matches", args.archive.display()))
        }
        Ok(has_failed) => ExitCode::from(u8::from(has_failed)),
    }
}

/// Lists the entries of an archive. Returns the count of entries that match. Their names begin with the path of the archive if
/// there are several.
fn list(path: &Path, (archive, pattern): &OpenedArchive, are_several: bool) -> io::Result<usize> {
    let mut out = io::stdout().lock();
    let mut count = 0;
    for entry in archive.entries() {
        let name = entry.path();
        if pattern.as_ref().is_some_and(|it| !it.matches(&name)) {
            continue;
        }
        let shadowed = match entry.is_shadowed() {
            true => "  (an earlier entry of the same name is used)",
            false => "",
        };
        let name = match are_several {
            true => path.join(&*name).display().to_string(),
            false => name.into_owned(),
        };
        let name = escaped_name(&name);
        writeln!(out, "{:>10}  {name}{shadowed}", entry.size())?;
        count += 1;
    }
    Ok(count)
}
