//! An asset source of folders anywhere on the disk, which may become more while the program runs.
//!
//! The asset server knows no folder beside its own, and lists none that it is given by a whole path;
//! but textures are found by listing, in whatever case they are written. Here each folder is listed
//! under a number: `disk://0/Models/tower.alo`. What begins with none is in the first folder that has it, so
//! that manifests may name files from what was the root of their game's assets.

use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, PathStream, Reader, VecReader,
};
use bevy::asset::{AssetApp, AssetPath};
use bevy::prelude::App;
use futures_lite::stream;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Name of the source.
const SOURCE: &str = "disk";

/// The folders by their numbers.
#[derive(Clone, Default)]
pub struct Shelves(Arc<RwLock<Vec<PathBuf>>>);

impl Shelves {
    /// Makes the source known, before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        let shelves = self.clone();
        let source = AssetSourceBuilder::new(move || Box::new(shelves.clone()) as Box<_>);
        app.register_asset_source(SOURCE, source);
    }

    /// The asset path of a file or folder in `folder`, which gets a number if it has none.
    pub fn path(&self, folder: &Path, file: &Path) -> Option<AssetPath<'static>> {
        let within = file.strip_prefix(folder).ok()?;
        let path = Path::new(&self.number(folder).to_string()).join(within);
        Some(AssetPath::from_path_buf(path).with_source(SOURCE))
    }

    /// The number of a folder.
    pub fn number(&self, folder: &Path) -> usize {
        let mut folders = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = folders.iter().position(|known| known == folder) {
            return number;
        }
        folders.push(folder.to_path_buf());
        folders.len() - 1
    }

    /// Where the file of an asset path is, if it is one of these.
    pub fn file(&self, path: &AssetPath) -> Option<PathBuf> {
        let is_ours = path.source().as_str() == Some(SOURCE);
        self.locate(path.path()).ok().filter(|_| is_ours)
    }

    /// Where something is on the disk.
    fn locate(&self, path: &Path) -> Result<PathBuf, AssetReaderError> {
        let mut parts = path.components();
        let number = parts.next().and_then(|part| part.as_os_str().to_str());
        let folders = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let folder = number.and_then(|number| folders.get(number.parse::<usize>().ok()?));
        let numbered = folder.map(|folder| folder.join(parts.as_path()));
        let anywhere = || {
            let mut places = folders.iter().map(|folder| folder.join(path));
            places.find(|place| place.exists())
        };
        numbered
            .or_else(anywhere)
            .ok_or_else(|| AssetReaderError::NotFound(path.to_path_buf()))
    }

    fn bytes(&self, path: &Path) -> Result<VecReader, AssetReaderError> {
        let bytes = std::fs::read(self.locate(path)?).map_err(|error| failure(path, error))?;
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
            std::fs::read_dir(self.locate(path)?).map_err(|error| failure(path, error))?;
        let names = entries.filter_map(|entry| Some(path.join(entry.ok()?.file_name())));
        Ok(names.collect())
    }
}

fn failure(path: &Path, error: std::io::Error) -> AssetReaderError {
    match error.kind() {
        ErrorKind::NotFound => AssetReaderError::NotFound(path.to_path_buf()),
        _ => error.into(),
    }
}

impl AssetReader for Shelves {
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
