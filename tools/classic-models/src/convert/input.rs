//! The files to convert: of the command line, or of a game. It must not read them.

use crate::archive_file::{self, Location, absolute};
use crate::file_name;
use crate::game::{Game, NOT_FOUND};
use std::path::{Path, PathBuf};

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path of the file, of an entry, or of a file of a game, which begins with the folder of the game.
    pub path: PathBuf,
    /// The absolute path of the file on the disk that has it: itself or an archive. `None` if the game does not have it.
    pub stored: Option<PathBuf>,
    /// The path in the game. `None` for other files.
    in_game: Option<PathBuf>,
    /// The path in the archive. `None` for other files.
    entry: Option<String>,
}

impl Input {
    /// A file on the disk, or an entry of an archive.
    pub fn of(path: &Path) -> Self {
        let (stored, entry) = match archive_file::locate(path) {
            Ok(Location::Entry { archive, entry }) => (absolute(&archive), Some(entry)),
            _ => (absolute(path), None),
        };
        Self {
            path: path.to_path_buf(),
            stored: Some(stored),
            in_game: None,
            entry,
        }
    }

    /// A file of a game, by its path in the game.
    pub fn of_game(game: &Game, path: &Path) -> Self {
        let stored = game.locate(path);
        Self {
            path: game.root.join(path),
            stored: stored.map(|(stored, _)| absolute(&stored)),
            in_game: Some(path.to_path_buf()),
            entry: None,
        }
    }

    /// Checks that the game has the file. Other files are checked when they are read.
    ///
    /// # Errors
    /// If the game does not have it. The path can be that of a file outside of the game then, which must not be read.
    pub fn check_found(&self) -> Result<(), String> {
        match self.stored {
            Some(_) => Ok(()),
            None => Err(NOT_FOUND.to_owned()),
        }
    }

    /// The path of the result in a folder, without extension. The results of a game's files keep their folders.
    ///
    /// # Errors
    /// If the game does not have the file, or it is of a game or an archive, and a name that the result gets is not valid on
    /// every system, such as `..`.
    pub fn name(&self) -> Result<PathBuf, String> {
        if let Some(entry) = &self.entry {
            let (_, name) = entry.rsplit_once('/').unwrap_or(("", entry));
            file_name::check(name)?;
            return Ok(Path::new(name).with_extension(""));
        }
        let Some(path) = &self.in_game else {
            return Ok(self.path.file_stem().unwrap_or_default().into());
        };
        self.check_found()?;
        let path = path.to_string_lossy().replace('\\', "/");
        path.split('/').try_for_each(file_name::check)?;
        let path: PathBuf = path.split('/').collect();
        Ok(path.with_extension(""))
    }
}
