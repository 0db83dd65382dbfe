//! An asset source for folders anywhere on the disk. Folders can be added while the program runs.
//!
//! The asset server lists only folders inside its sources, not absolute paths, and textures are found by listing
//! folders, so that the case of their names does not matter. In this source each folder has a number:
//! `disk://0/Models/tower.alo`. A path without a number refers to the first folder that contains it. Manifests can
//! therefore use paths that are relative to the root of their game's assets.

use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, PathStream, Reader, VecReader,
};
use bevy::asset::{AssetApp, AssetPath};
use bevy::prelude::App;
use futures_lite::stream;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The name of the asset source.
const SOURCE: &str = "disk";

/// The folders, indexed by their numbers.
#[derive(Clone, Default)]
pub struct DiskSource(Arc<RwLock<Vec<PathBuf>>>);

impl DiskSource {
    /// Registers the source. Call it before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        let reader = self.clone();
        let source = AssetSourceBuilder::new(move || Box::new(reader.clone()) as Box<_>);
        app.register_asset_source(SOURCE, source);
    }

    /// The asset path of a file or folder in `folder`. Adds `folder` if it is new.
    pub fn path(&self, folder: &Path, file: &Path) -> Option<AssetPath<'static>> {
        let within = file.strip_prefix(folder).ok()?;
        let path = Path::new(&self.number(folder).to_string()).join(within);
        Some(AssetPath::from_path_buf(path).with_source(SOURCE))
    }

    /// The number of a folder. Adds the folder if it is new.
    pub fn number(&self, folder: &Path) -> usize {
        let mut folders = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = folders.iter().position(|listed| listed == folder) {
            return number;
        }
        folders.push(folder.to_path_buf());
        folders.len() - 1
    }

    /// The file of an asset path, if the path belongs to this source.
    pub fn file(&self, path: &AssetPath) -> Option<PathBuf> {
        let is_ours = path.source().as_str() == Some(SOURCE);
        self.locate(path.path()).ok().filter(|_| is_ours)
    }

    /// The path on the disk of a path of this source.
    fn locate(&self, path: &Path) -> Result<PathBuf, AssetReaderError> {
        let mut parts = path.components();
        let number = parts.next().and_then(|part| part.as_os_str().to_str());
        let folders = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let folder = number.and_then(|number| folders.get(number.parse::<usize>().ok()?));
        let numbered = folder.map(|folder| folder.join(parts.as_path()));
        let anywhere = || {
            let mut candidates = folders.iter().map(|folder| folder.join(path));
            candidates.find(|candidate| candidate.exists())
        };
        numbered
            .or_else(anywhere)
            .ok_or_else(|| AssetReaderError::NotFound(path.to_path_buf()))
    }

    fn bytes(&self, path: &Path) -> Result<VecReader, AssetReaderError> {
        let bytes = std::fs::read(self.locate(path)?).map_err(|error| reader_error(path, error))?;
        Ok(VecReader::new(bytes))
    }

    fn list(&self, path: &Path) -> Result<Vec<PathBuf>, AssetReaderError> {
        if path.as_os_str().is_empty() {
            let folders = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let numbers = (0..folders.len()).map(|number| PathBuf::from(number.to_string()));
            let entries = folders.iter().filter_map(|folder| folder.read_dir().ok());
            let names = entries
                .flatten()
                .filter_map(|entry| Some(entry.ok()?.file_name()));
            let mut all: Vec<PathBuf> = numbers.chain(names.map(PathBuf::from)).collect();
            all.sort();
            all.dedup();
            return Ok(all);
        }
        let entries =
            std::fs::read_dir(self.locate(path)?).map_err(|error| reader_error(path, error))?;
        let names = entries.filter_map(|entry| Some(path.join(entry.ok()?.file_name())));
        Ok(names.collect())
    }
}

fn reader_error(path: &Path, error: std::io::Error) -> AssetReaderError {
    match error.kind() {
        ErrorKind::NotFound => AssetReaderError::NotFound(path.to_path_buf()),
        _ => error.into(),
    }
}

impl AssetReader for DiskSource {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.bytes(path)
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let mut meta = path.as_os_str().to_owned();
        meta.push(".meta");
        self.bytes(Path::new(&meta))
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        Ok(Box::new(stream::iter(self.list(path)?)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(path.as_os_str().is_empty() || self.locate(path)?.is_dir())
    }
}
