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
}

impl Input {
    /// A file on the disk, or an entry of an archive.
    pub fn of(path: &Path) -> Self {
        let stored = match archive_file::locate(path) {
            Ok(Location::Entry { archive, .. }) => absolute(&archive),
            _ => absolute(path),
        };
        Self {
            path: path.to_path_buf(),
            stored: Some(stored),
            in_game: None,
        }
    }

    /// A file of a game, by its path in the game.
    pub fn of_game(game: &Game, path: &Path) -> Self {
        let stored = game.locate(path);
        Self {
            path: game.root.join(path),
            stored: stored.map(|(stored, _)| absolute(&stored)),
            in_game: Some(path.to_path_buf()),
        }
    }

    /// The path of the result in a folder, without extension. The results of a game's files keep their folders.
    ///
    /// # Errors
    /// If the game does not have the file, or its path has names that are not valid on every system, such as `..`.
    pub fn name(&self) -> Result<PathBuf, String> {
        let Some(path) = &self.in_game else {
            return Ok(self.path.file_stem().unwrap_or_default().into());
        };
        if self.stored.is_none() {
            return Err(NOT_FOUND.to_owned());
        }
        let path = path.to_string_lossy().replace('\\', "/");
        path.split('/').try_for_each(file_name::check)?;
        let path: PathBuf = path.split('/').collect();
        Ok(path.with_extension(""))
    }
}
