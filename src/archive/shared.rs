//! What the readers, the watcher and the builder of one source share.

use crate::archive::asked::Asked;
use crate::archive::entry_path::EntryPath;
use crate::archive::file_reader::FileReader;
use crate::archive::layer::FoundFile;
use crate::archive::layers::Layers;
use bevy::asset::io::AssetReaderError;
use std::path::{Path, PathBuf};

/// The state of a source in an app.
#[derive(Debug)]
pub(crate) struct Shared {
    pub layers: Layers,
    /// The files that were asked for, if they are watched.
    pub asked: Asked,
    #[cfg(feature = "file_watcher")]
    pub watch: crate::archive::watch::state::WatchState,
}

impl Shared {
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            asked: Default::default(),
            #[cfg(feature = "file_watcher")]
            watch: Default::default(),
        }
    }

    pub fn open(&self, path: &Path) -> Result<FileReader, AssetReaderError> {
        let not_found = || AssetReaderError::NotFound(path.to_owned());
        let entry_path = EntryPath::new(path).ok_or_else(not_found)?;
        let find = || self.layers.find(&entry_path);
        let (found, report) = self.asked.find(path, &entry_path, find);
        let (_, found) = found.ok_or_else(not_found)?;
        match found {
            FoundFile::Entry(file, entry) => {
                FileReader::of_entry(file, entry, report).ok_or_else(not_found)
            }
            FoundFile::Loose(found) => open_loose(path, found),
        }
    }

    /// Opens the settings of an asset.
    pub fn open_meta(&self, path: &Path) -> Result<FileReader, AssetReaderError> {
        let entry_path = EntryPath::new(path);
        match entry_path.and_then(|path| self.layers.find_meta(&path)) {
            Some(FoundFile::Loose(found)) => open_loose(path, found),
            _ => Err(AssetReaderError::NotFound(path.to_owned())),
        }
    }

    /// The paths in a folder.
    pub fn list(&self, path: &Path) -> Result<Vec<PathBuf>, AssetReaderError> {
        let folder = EntryPath::new(path);
        let paths = folder.and_then(|folder| self.layers.list(&folder));
        paths.ok_or_else(|| AssetReaderError::NotFound(path.to_owned()))
    }

    pub fn is_folder(&self, path: &Path) -> Result<bool, AssetReaderError> {
        let not_found = || AssetReaderError::NotFound(path.to_owned());
        let entry_path = EntryPath::new(path).ok_or_else(not_found)?;
        if self.layers.has_folder(&entry_path) {
            return Ok(true);
        }
        match self.layers.find(&entry_path) {
            Some(_) => Ok(false),
            None => Err(not_found()),
        }
    }
}

fn open_loose(path: &Path, found: PathBuf) -> Result<FileReader, AssetReaderError> {
    FileReader::of_loose(found).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => AssetReaderError::NotFound(path.to_owned()),
        _ => error.into(),
    })
}
