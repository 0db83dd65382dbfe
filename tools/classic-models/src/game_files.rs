//! Reads and lists the files of a game, the one of the layer that wins. It must not select files.

use crate::game::Game;
use bevy::asset::io::ErasedAssetReader;
use futures_lite::StreamExt;
use futures_lite::future::block_on;
use std::path::{Path, PathBuf};

/// The files of a game, with paths that begin with the game's root. Its archives are read once.
pub struct GameFiles {
    root: PathBuf,
    reader: Box<dyn ErasedAssetReader>,
}

impl GameFiles {
    pub fn of(game: &Game) -> Self {
        let mut builder = game.source.clone().into_builder();
        Self {
            root: game.root.clone(),
            reader: (builder.reader)(),
        }
    }

    /// The content of a file. `None` if the game does not have it, or it cannot be read.
    pub fn read(&self, path: &Path) -> Option<Result<Vec<u8>, String>> {
        let inside = self.inside(path)?;
        block_on(async {
            let mut reader = self.reader.read(inside).await.ok()?;
            let mut bytes = Vec::new();
            let read = reader.read_to_end(&mut bytes).await;
            Some(read.map(|_| bytes).map_err(|error| error.to_string()))
        })
    }

    /// The names of the files and folders in a folder. `None` if the game does not have it.
    pub fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let inside = self.inside(folder)?;
        block_on(async {
            let paths = self.reader.read_directory(inside).await.ok()?;
            let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_owned());
            Some(paths.filter_map(name).collect().await)
        })
    }

    /// Whether a path begins with the root of the game.
    pub fn contains(&self, path: &Path) -> bool {
        self.inside(path).is_some()
    }

    /// A path from the root of the game. `None` if it is a path of the disk.
    fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.root).ok()
    }
}
