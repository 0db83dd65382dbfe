//! Bevy's interface of a source.

use crate::archive::entry_path::EntryPath;
use crate::archive::file_reader::FileReader;
use crate::archive::layer::FoundFile;
use crate::archive::shared::Shared;
use bevy::asset::io::{AssetReader, AssetReaderError, PathStream, Reader};
use futures_lite::stream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the files of a source.
pub(crate) struct ArchiveReader(pub Arc<Shared>);

impl AssetReader for ArchiveReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let entry_path = parse(path)?;
        let find = || self.0.layers.find(&entry_path);
        let (found, report) = self.0.asked.find(path, &entry_path, find);
        match found {
            Some((_, FoundFile::Entry(file, entry))) => {
                FileReader::of_entry(file, entry, report).ok_or_else(|| not_found(path))
            }
            Some((_, FoundFile::Loose(found))) => open_loose(path, found),
            None => Err(not_found(path)),
        }
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        match self.0.layers.find_meta(&parse(path)?) {
            Some(FoundFile::Loose(found)) => open_loose(path, found),
            _ => Err(not_found(path)),
        }
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        let paths = self.0.layers.list(&parse(path)?);
        let paths = paths.ok_or_else(|| not_found(path))?;
        Ok(Box::new(stream::iter(paths)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        let entry_path = parse(path)?;
        if self.0.layers.has_folder(&entry_path) {
            return Ok(true);
        }
        match self.0.layers.find(&entry_path) {
            Some(_) => Ok(false),
            None => Err(not_found(path)),
        }
    }
}

fn not_found(path: &Path) -> AssetReaderError {
    AssetReaderError::NotFound(path.to_owned())
}

fn parse(path: &Path) -> Result<EntryPath, AssetReaderError> {
    EntryPath::new(path).ok_or_else(|| not_found(path))
}

/// Opens a file on disk for the asset with a path.
fn open_loose(path: &Path, found: PathBuf) -> Result<FileReader, AssetReaderError> {
    FileReader::of_loose(found).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => not_found(path),
        _ => error.into(),
    })
}
