//! Describes the contents of a file, which is read with the same code as in the loaders.

use crate::archive_file::{self, ArchiveError, Location};
use crate::engines::{BrokenLimit, ENGINES, Engine};
use crate::file_format::FileFormat;
use crate::game::{Game, NOT_FOUND};
use crate::inspect::abc::AbcDescription;
use crate::inspect::ala::AlaDescription;
use crate::inspect::alo::AloDescription;
use crate::inspect::archive::ArchiveDescription;
use crate::inspect::content::Content;
use crate::inspect::dtx::DtxDescription;
use crate::inspect::failure::Failure;
use crate::inspect::lgw::LgwDescription;
use crate::inspect::mdl::MdlDescription;
use crate::inspect::particles::ParticlesDescription;
use classic_model_formats::archive::{ReadAt, detect};
use serde_json::Value;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The result of reading a file.
pub enum Description {
    /// The description of the file.
    Content(Content),
    /// The error of a file that cannot be read, or that lacks the requested clip.
    Failed(Failure),
}

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
        match self.engines {
            [] => &ENGINES,
            engines => engines,
        }
    }
}

/// Reads a file, or an entry of an archive.
pub fn describe(path: &Path, options: &Options<'_>) -> Description {
    match read(path, options) {
        Ok(content) => Description::Content(content),
        Err(failure) => Description::Failed(failure),
    }
}

/// Reads an archive without its whole content, and other files whole.
fn read(path: &Path, options: &Options<'_>) -> Result<Content, Failure> {
    let (on_disk, location) = locate(path, options.game)?;
    match location {
        Location::File => {
            let file = File::open(&on_disk).map_err(Failure::new)?;
            if is_archive(path, &file, options)? {
                return archive(path, file, options);
            }
            let bytes = std::fs::read(&on_disk).map_err(Failure::new)?;
            content(path, bytes, options)
        }
        Location::Entry {
            archive: file,
            entry,
        } => {
            let opened = archive_file::open_file(&file)?;
            let bytes = archive_file::read_entry(&opened, &entry)?;
            if is_archive(path, &bytes, options)? {
                return archive(path, bytes, options);
            }
            content(path, bytes, options)
        }
    }
}

/// Where a file is stored, with the path of the file or archive on the disk.
fn locate(path: &Path, game: Option<&Game>) -> Result<(PathBuf, Location), Failure> {
    match game {
        Some(game) => {
            let found = game.locate(path);
            found.ok_or_else(|| Failure::new(NOT_FOUND))
        }
        None => {
            let location = archive_file::locate(path).map_err(Failure::new)?;
            Ok((path.to_owned(), location))
        }
    }
}

/// Whether to describe a file as an archive. All files if only archives are expected.
fn is_archive(path: &Path, reader: &impl ReadAt, options: &Options<'_>) -> Result<bool, Failure> {
    let format = detect(reader, path).map_err(ArchiveError::from)?;
    Ok(format.is_some() || options.only_archives)
}

fn archive(path: &Path, reader: impl ReadAt, options: &Options<'_>) -> Result<Content, Failure> {
    let description = ArchiveDescription::load(path, reader, options.checked_engines())?;
    Ok(Content::Archive(Box::new(description)))
}

fn content(path: &Path, bytes: Vec<u8>, options: &Options<'_>) -> Result<Content, Failure> {
    let format = FileFormat::known(path, &bytes).ok_or_else(|| Failure::unknown_format(&bytes))?;
    Ok(match format {
        FileFormat::Abc => Content::Abc(Box::new(AbcDescription::load(bytes)?)),
        FileFormat::Dtx => Content::Dtx(Box::new(DtxDescription::load(&bytes)?)),
        FileFormat::Lgw => Content::Lgw(Box::new(LgwDescription::load(&bytes)?)),
        FileFormat::Mdl => Content::Mdl(Box::new(MdlDescription::load(
            &bytes,
            options.checked_engines(),
        )?)),
        FileFormat::Alo => Content::Alo(Box::new(AloDescription::load(&bytes)?)),
        FileFormat::Ala => Content::Ala(Box::new(AlaDescription::load(&bytes)?)),
        FileFormat::Particles => {
            Content::Particles(Box::new(ParticlesDescription::load(&bytes, options.times)?))
        }
    })
}

impl Description {
    /// The limits of engines that the file exceeds.
    pub fn limits(&self) -> &[BrokenLimit] {
        match self {
            Self::Content(Content::Mdl(model)) => &model.limits,
            Self::Content(Content::Archive(archive)) => &archive.limits,
            _ => &[],
        }
    }

    /// One line of JSON.
    pub fn to_json(&self, file: &str) -> Value {
        let mut object = match self {
            Self::Content(Content::Abc(model)) => model.to_json(),
            Self::Content(Content::Dtx(texture)) => texture.to_json(),
            Self::Content(Content::Lgw(model)) => model.to_json(),
            Self::Content(Content::Mdl(model)) => model.to_json(),
            Self::Content(Content::Alo(model)) => model.to_json(),
            Self::Content(Content::Ala(clip)) => clip.to_json(),
            Self::Content(Content::Particles(system)) => system.to_json(),
            Self::Content(Content::Archive(archive)) => archive.to_json(),
            Self::Failed(failure) => failure.to_json(),
        };
        object["file"] = file.into();
        object["ok"] = matches!(self, Self::Content(_)).into();
        object
    }

    /// A paragraph of text.
    pub fn to_text(&self, file: &str) -> String {
        let mut text = format!("{file}\n");
        // Writing to a string does not fail.
        let _ = match self {
            Self::Content(Content::Abc(model)) => model.write_text(&mut text),
            Self::Content(Content::Dtx(texture)) => texture.write_text(&mut text),
            Self::Content(Content::Lgw(model)) => model.write_text(&mut text),
            Self::Content(Content::Mdl(model)) => model.write_text(&mut text),
            Self::Content(Content::Alo(model)) => model.write_text(&mut text),
            Self::Content(Content::Ala(clip)) => clip.write_text(&mut text),
            Self::Content(Content::Particles(system)) => system.write_text(&mut text),
            Self::Content(Content::Archive(archive)) => archive.write_text(&mut text),
            Self::Failed(failure) => writeln!(text, "  error: {}", failure.message),
        };
        text
    }
}
