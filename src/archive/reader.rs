//! Bevy's interface of a source.

use crate::archive::shared::Shared;
use bevy::asset::io::{AssetReader, AssetReaderError, PathStream, Reader};
use futures_lite::stream;
use std::path::Path;
use std::sync::Arc;

/// Reads the files of a source.
pub(crate) struct ArchiveReader(pub Arc<Shared>);

impl AssetReader for ArchiveReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.0.open(path)
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.0.open_meta(path)
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        let paths = self.0.list(path)?;
        Ok(Box::new(stream::iter(paths)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        self.0.is_folder(path)
    }
}
