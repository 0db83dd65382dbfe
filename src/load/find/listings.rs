//! One index of the names in each folder, which all loads share.
//!
//! An index is used again while the folder's modification time is the same and old enough that another change would
//! show. So a folder is listed again once after a file is added, and not once per name that is missing. The watcher drops
//! the index of a changed folder. Folders without times, such as those in archives, are listed again by the first load
//! after a frame in which no model was loading.

use crate::load::concurrent::ConcurrentLoads;
use crate::load::find::folder_stamp::FolderStamp;
use crate::load::find::names::Names;
use bevy::asset::io::{AssetSourceId, ErasedAssetReader};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::Res;
use bevy::platform::time::Instant;
use core::ops::DerefMut;
use futures_lite::StreamExt;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder of an asset source.
type FolderId = (AssetSourceId<'static>, PathBuf);

/// The lock of a folder is held while it is listed, so that concurrent loads wait for one listing.
type Folders = HashMap<FolderId, Arc<async_lock::Mutex<Option<Index>>>>;

/// The indices of an app. Clones share one state.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Listings {
    folders: Arc<Mutex<Folders>>,
    /// The folder on disk of the default source.
    root: Option<PathBuf>,
}

#[derive(Debug)]
struct Index {
    /// `None` if the folder cannot be listed.
    names: Option<Arc<Names>>,
    started: Instant,
    stamp: FolderStamp,
}

impl Listings {
    pub(crate) fn new(root: Option<PathBuf>) -> Self {
        Self {
            folders: Arc::default(),
            root,
        }
    }

    /// The names in a folder, for a load that began at `since`. `None` if the folder cannot be listed.
    pub(crate) async fn get(
        &self,
        lister: &dyn ErasedAssetReader,
        source: &AssetSourceId<'static>,
        path: &Path,
        since: Instant,
    ) -> Option<Arc<Names>> {
        let id = (source.clone(), path.to_path_buf());
        let folder = self.folders().entry(id).or_default().clone();
        let mut index = folder.lock().await;
        let stamp = self.stamp(source, path);
        let is_valid = |index: &Index| index.started >= since || index.stamp.is_same(stamp);
        if let Some(index) = index.as_ref().filter(|index| is_valid(index)) {
            return index.names.clone();
        }
        let started = Instant::now();
        let names = list(lister, path).await.map(Arc::new);
        *index = Some(Index {
            names: names.clone(),
            started,
            stamp,
        });
        names
    }

    /// The modification time of a folder, if it is on disk.
    fn stamp(&self, source: &AssetSourceId<'static>, path: &Path) -> FolderStamp {
        match &self.root {
            Some(root) if *source == AssetSourceId::Default => FolderStamp::of(&root.join(path)),
            _ => FolderStamp::default(),
        }
    }

    /// Drops the index of a folder, so that the next load lists it again.
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    pub(crate) fn remove(&self, source: &AssetSourceId<'static>, folder: &Path) {
        self.folders()
            .remove(&(source.clone(), folder.to_path_buf()));
    }

    fn folders(&self) -> impl DerefMut<Target = Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops the indices of folders without modification times, in a frame in which no model was loading.
pub(crate) fn remove_untimed(listings: Res<Listings>, loads: Res<ConcurrentLoads>) {
    if !loads.were_idle() {
        return;
    }
    // If another task holds the lock, the folder is being listed.
    listings.folders().retain(|_, folder| {
        let index = folder.try_lock();
        index.is_none_or(|index| index.as_ref().is_some_and(Index::is_kept))
    });
}

impl Index {
    /// A web server cannot list folders, and each attempt would log an error.
    fn is_kept(&self) -> bool {
        self.stamp.is_available() || (cfg!(target_arch = "wasm32") && self.names.is_none())
    }
}

/// The names in a folder; `None` if it is empty or if the source cannot list it. A web server cannot list folders.
async fn list(reader: &dyn ErasedAssetReader, folder: &Path) -> Option<Names> {
    let mut entries = reader.read_directory(folder).await.ok()?;
    let mut names = Vec::new();
    while let Some(entry) = entries.next().await {
        if let Some(name) = entry.file_name() {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    (!names.is_empty()).then(|| Names::new(names))
}
