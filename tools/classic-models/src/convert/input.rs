//! The files to convert: of the command line, or of a game. It must not read them.

use crate::archive_file::{self, Location, absolute};
use crate::file_name;
use crate::game::{Game, NOT_FOUND};
use crate::path_args::Selected;
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
    /// The path from the folder that stands for the file. `None` for files that are given or match a pattern.
    below: Option<PathBuf>,
    /// The path in the archive. `None` for other files.
    entry: Option<String>,
}

impl Input {
    /// A file on the disk, or an entry of an archive.
    pub fn of(Selected { path, below }: &Selected) -> Self {
        let (stored, entry) = match archive_file::locate(path) {
            Ok(Location::Entry { archive, entry }) => (absolute(&archive), Some(entry)),
            _ => (absolute(path), None),
        };
        Self {
            path: path.clone(),
            stored: Some(stored),
            in_game: None,
            below: below.clone(),
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
            below: None,
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

    /// The path of the result in a folder, without extension. The results of files of a game and of a folder keep their folders.
    ///
    /// # Errors
    /// If the game does not have the file, or it is of a game or an archive, and a name that the result gets is not valid on
    /// every system, such as `..`.
    pub fn name(&self) -> Result<PathBuf, String> {
        let name = || self.path.file_name().map(PathBuf::from).unwrap_or_default();
        let path = match &self.in_game {
            Some(path) => path.clone(),
            None => self.below.clone().unwrap_or_else(name),
        };
        self.check_found()?;
        // Names of files on the disk are valid on this system.
        if self.in_game.is_none() && self.entry.is_none() {
            return Ok(path.with_extension(""));
        }
        let path = path.to_string_lossy().replace('\\', "/");
        path.split('/').try_for_each(file_name::check)?;
        let path: PathBuf = path.split('/').collect();
        Ok(path.with_extension(""))
    }
}
