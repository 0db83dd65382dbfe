//! Describes the contents of a file of any format, which is read with the same code as in the loaders.

use crate::engines::{self, Engine};
use crate::file_format::{FileFormat, is_manifest};
use crate::inspect::description::{Description, Failure};
use crate::inspect::{abc, alo, archive, lgw, manifest, mdl, particles};
use crate::paths::archive_file::{self, ArchiveError, Location};
use crate::paths::game::{Game, NOT_FOUND};
use classic_model_formats::archive::{ReadAt, detect};
use std::fs::File;
use std::path::Path;

/// What to describe.
pub struct Options<'a> {
    /// The times in seconds to which particle systems are simulated.
    pub times: &'a [f64],
    /// The engines whose limits are checked; all if there are none. Only given ones are in JSON.
    pub engines: &'a [Engine],
    /// Whether files that are not archives are errors.
    pub only_archives: bool,
    /// The game whose files the paths are of. `None` for files on the disk, and entries of archives.
    pub game: Option<&'a Game>,
}

impl Options<'_> {
    fn checked_engines(&self) -> &[Engine] {
        engines::or_all(self.engines)
    }
}

/// Describes a file, or an entry of an archive. Reads an archive without its whole content, and other files whole.
pub fn describe(path: &Path, options: &Options<'_>) -> Result<Description, Failure> {
    let stored = match options.game {
        Some(game) => game.stored(path).ok_or_else(|| Failure::new(NOT_FOUND))?,
        None => path.to_owned(),
    };
    match archive_file::locate(&stored).map_err(Failure::new)? {
        Location::File => {
            let file = File::open(&stored).map_err(Failure::new)?;
            if is_archive(path, &file, options)? {
                return archive::describe(path, file, options.checked_engines());
            }
            let bytes = std::fs::read(&stored).map_err(Failure::new)?;
            if is_manifest(path) {
                manifest::describe(&bytes, Some(&stored))
            } else {
                content(path, bytes, options)
            }
        }
        Location::Entry {
            archive: file,
            entry,
        } => {
            let opened = archive_file::open_file(&file)?;
            let bytes = archive_file::read_entry(&opened, &entry)?;
            if is_archive(path, &bytes, options)? {
                return archive::describe(path, &*bytes, options.checked_engines());
            }
            content(path, bytes, options)
        }
    }
}

/// Whether to describe a file as an archive. All files if only archives are expected.
fn is_archive(path: &Path, reader: &impl ReadAt, options: &Options<'_>) -> Result<bool, Failure> {
    let format = detect(reader, path).map_err(ArchiveError::from)?;
    Ok(format.is_some() || options.only_archives)
}

fn content(path: &Path, bytes: Vec<u8>, options: &Options<'_>) -> Result<Description, Failure> {
    if is_manifest(path) {
        return manifest::describe(&bytes, None);
    }
    let format = FileFormat::known(path, &bytes).ok_or_else(|| Failure::unknown_format(&bytes))?;
    let description = match format {
        FileFormat::Abc => abc::describe(&bytes),
        FileFormat::Dtx => abc::describe_texture(&bytes),
        FileFormat::Lgw => lgw::describe(&bytes),
        FileFormat::Mdl => mdl::describe(&bytes, options.checked_engines()),
        FileFormat::Alo => alo::describe(&bytes),
        FileFormat::Ala => alo::describe_animation(&bytes),
        FileFormat::Particles => particles::describe(&bytes, options.times),
    };
    Ok(Description {
        format: Some(format),
        bytes,
        ..description?
    })
}
