//! An asset source that is registered before the app starts, and filled with an archive or a game while it runs.
//!
//! Bevy takes asset sources only before its asset plugin is added.

use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, ErasedAssetReader, PathStream, Reader,
};
use bevy_classic_models::archive::ArchiveSource;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A source that has no files until it is filled.
#[derive(Clone, Default)]
pub struct Slot(Arc<OnceLock<Box<dyn ErasedAssetReader>>>);

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot")
            .field(&self.0.get().is_some())
            .finish()
    }
}

impl Slot {
    /// Gives the source the files of an archive or a game. Only the first call has an effect.
    pub fn fill(&self, source: ArchiveSource) {
        let mut builder = source.into_builder();
        self.0.get_or_init(|| (builder.reader)());
    }

    /// The builder of the source.
    pub fn builder(&self) -> AssetSourceBuilder {
        let slot = self.clone();
        AssetSourceBuilder::new(move || Box::new(slot.clone()) as Box<_>)
    }

    fn reader(&self, path: &Path) -> Result<&dyn ErasedAssetReader, AssetReaderError> {
        let reader = self.0.get().map(Box::as_ref);
        reader.ok_or_else(|| AssetReaderError::NotFound(path.to_path_buf()))
    }
}

impl AssetReader for Slot {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.reader(path)?.read(path).await
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.reader(path)?.read_meta(path).await
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        self.reader(path)?.read_directory(path).await
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        self.reader(path)?.is_directory(path).await
    }
}

#[cfg(test)]
mod tests {
    use super::Slot;
    use bevy::asset::io::{AssetReader, AssetReaderError, Reader};
    use bevy_classic_models::archive::ArchiveSource;
    use classic_models_fixtures::archives::sample_pak;
    use futures_lite::future::block_on;
    use std::path::Path;

    #[test]
    fn a_slot_has_the_files_of_its_archive_once_it_is_filled() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("pak0.pak");
        std::fs::write(&archive, sample_pak().bytes).unwrap();
        let slot = Slot::default();
        let path = Path::new("progs/player.mdl");
        let empty = block_on(slot.read(path)).err();
        assert!(matches!(empty, Some(AssetReaderError::NotFound(_))));
        slot.fill(ArchiveSource::new().archive(&archive).unwrap());
        let mut bytes = Vec::new();
        let mut reader = block_on(slot.read(path)).unwrap();
        block_on(reader.read_to_end(&mut bytes)).unwrap();
        assert!(!bytes.is_empty());
        drop(reader);
        assert!(block_on(slot.is_directory(Path::new("progs"))).unwrap());
    }
}
