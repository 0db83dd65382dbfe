//! Indices of the names in folders, which all searches share, and case-insensitive lookup in an asset source.
//!
//! An index is used again while the folder's modification time is the same and so old that another change would show. The
//! watcher drops the index of a changed folder. Folders without times, such as those in archives, are listed again by the
//! first load after a frame in which no model was loading.

use crate::load::concurrent::ConcurrentLoads;
use crate::load::find::paths::push_part;
use crate::load::names::{file_key, folded, has_extension};
use bevy::asset::io::{AssetSourceId, ErasedAssetReader};
use bevy::prelude::*;
use classic_model_formats::read::{SIGNATURE_SIZE, is_html};
use core::hash::Hash;
use core::ops::DerefMut;
use core::time::Duration;
use futures_lite::future::zip;
use futures_lite::{AsyncReadExt, StreamExt};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The coarsest resolution of modification times in file systems.
const COARSEST_TIMESTAMP: Duration = Duration::from_secs(2);

/// The names in a folder.
#[derive(Debug)]
pub(crate) struct FolderIndex(Vec<FolderEntry>);

/// A file or a folder in a folder. Sorted by key.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FolderEntry {
    key: String,
    pub(crate) name: String,
    /// `None` if the source does not list it.
    pub(crate) is_folder: Option<bool>,
}

impl FolderEntry {
    pub(crate) fn new(name: String, is_folder: Option<bool>) -> Self {
        Self {
            key: file_key(&name),
            name,
            is_folder,
        }
    }
}

impl FolderIndex {
    pub(crate) fn new(mut entries: Vec<FolderEntry>) -> Self {
        entries.sort_unstable();
        Self(entries)
    }

    pub(crate) fn entries(&self) -> &[FolderEntry] {
        &self.0
    }

    /// The entries that match a name, the best first: the exact name, then names that differ only in case, then names with
    /// the same key. Equal matches are in sort order.
    pub(crate) fn matching(&self, name: &str) -> Vec<&FolderEntry> {
        let key = file_key(name);
        let from_key = self.from(&key);
        let mut same: Vec<_> = from_key.take_while(|entry| entry.key == key).collect();
        if same.len() > 1 {
            same.sort_by_key(|entry| (entry.name != name, folded(&entry.name) != folded(name)));
        }
        same
    }

    /// The names that begin with a prefix and have one of these extensions (case-insensitive).
    pub(crate) fn beginning(&self, prefix: &str, extensions: &[impl AsRef<str>]) -> Vec<String> {
        let prefix = folded(prefix);
        let names = self.from(&prefix);
        let names = names.take_while(|entry| entry.key.starts_with(&prefix));
        let names = names.filter(|entry| has_extension(Path::new(&entry.name), extensions));
        names.map(|entry| entry.name.clone()).collect()
    }

    /// The entries from a key on.
    fn from(&self, key: &str) -> impl Iterator<Item = &FolderEntry> {
        let start = self.0.partition_point(|entry| *entry.key < *key);
        self.0.iter().skip(start)
    }
}

/// The lock of a folder is held while it is listed, so that concurrent loads wait for one listing.
type Slot = Arc<async_lock::Mutex<Option<Listed>>>;

#[derive(Debug)]
struct Listed {
    /// `None` if the folder cannot be listed.
    index: Option<Arc<FolderIndex>>,
    modified: Option<SystemTime>,
    /// Whether another change of the folder results in another time.
    is_settled: bool,
}

/// The indices of folders. Clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct FolderIndices<K>(Arc<Mutex<HashMap<K, Slot>>>);

impl<K> Default for FolderIndices<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash> FolderIndices<K> {
    /// The index of a folder, which `list` makes unless there is one of the same modification time. `None` if the folder
    /// cannot be listed. `on_disk` is the folder's path, if it is on disk.
    pub(crate) async fn get(
        &self,
        folder: K,
        on_disk: Option<&Path>,
        list: impl Future<Output = Option<FolderIndex>>,
    ) -> Option<Arc<FolderIndex>> {
        let slot = self.lock().entry(folder).or_default().clone();
        let mut listed = slot.lock().await;
        let metadata = on_disk.and_then(|path| std::fs::metadata(path).ok());
        let modified = metadata.and_then(|of| of.modified().ok());
        if let Some(listed) = &*listed
            && listed.is_settled
            && listed.modified == modified
        {
            return listed.index.clone();
        }
        let age = |time| SystemTime::now().duration_since(time).unwrap_or_default();
        let is_settled = modified.is_none_or(|time| age(time) > COARSEST_TIMESTAMP);
        let index = list.await.map(Arc::new);
        *listed = Some(Listed {
            index: index.clone(),
            modified,
            is_settled,
        });
        index
    }

    fn lock(&self) -> impl DerefMut<Target = HashMap<K, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The indices of the folders of an app's asset sources. Clones share one state.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct SourceFolders {
    indices: FolderIndices<(AssetSourceId<'static>, PathBuf)>,
    /// The folder on disk of the default source.
    root: Option<PathBuf>,
}

impl SourceFolders {
    pub(crate) fn new(root: Option<PathBuf>) -> Self {
        Self {
            indices: FolderIndices::default(),
            root,
        }
    }

    /// The names in a folder. `None` if the source cannot list it.
    pub(crate) async fn get(
        &self,
        reader: &dyn ErasedAssetReader,
        source: &AssetSourceId<'static>,
        folder: &Path,
    ) -> Option<Arc<FolderIndex>> {
        let root = self.root.as_ref();
        let root = root.filter(|_| *source == AssetSourceId::Default);
        let on_disk = root.map(|root| root.join(folder));
        let id = (source.clone(), folder.to_path_buf());
        let list = list(reader, folder);
        self.indices.get(id, on_disk.as_deref(), list).await
    }

    /// Drops the index of a folder, so that the next load lists it again.
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    pub(crate) fn remove(&self, source: &AssetSourceId<'static>, folder: &Path) {
        let id = (source.clone(), folder.to_path_buf());
        self.indices.lock().remove(&id);
    }
}

/// Drops the indices of folders without modification times, in a frame in which no model was loading.
pub(crate) fn remove_untimed(folders: Res<SourceFolders>, loads: Res<ConcurrentLoads>) {
    if !loads.were_idle() {
        return;
    }
    // A web server cannot list folders, and each attempt would log an error.
    let is_kept = |listed: &Listed| {
        listed.modified.is_some() || cfg!(target_arch = "wasm32") && listed.index.is_none()
    };
    // If another task holds the lock, the folder is being listed.
    folders.indices.lock().retain(|_, slot| {
        let listed = slot.try_lock();
        listed.is_none_or(|listed| listed.as_ref().is_some_and(is_kept))
    });
}

/// The names in a folder; `None` if it is empty or if the source cannot list it. A web server cannot list folders.
async fn list(reader: &dyn ErasedAssetReader, folder: &Path) -> Option<FolderIndex> {
    let mut paths = reader.read_directory(folder).await.ok()?;
    let mut entries = Vec::new();
    while let Some(path) = paths.next().await {
        if let Some(name) = path.file_name() {
            entries.push(FolderEntry::new(name.to_string_lossy().into_owned(), None));
        }
    }
    (!entries.is_empty()).then(|| FolderIndex::new(entries))
}

/// An index of an asset source for one search. Each folder is listed at most once.
pub(crate) struct SourceIndex<'a> {
    /// Reads files.
    pub(crate) reader: &'a dyn ErasedAssetReader,
    /// Lists folders. If the app has an asset processor, these are the folders of its input. Bevy's reader of the
    /// output waits for the processor, and the processor may wait for the load of this search: a deadlock.
    pub(crate) lister: &'a dyn ErasedAssetReader,
    pub(crate) shared: SourceFolders,
    pub(crate) source: AssetSourceId<'static>,
    /// Keyed by the path of the folder; `None` if the source cannot list it.
    pub(crate) folders: HashMap<PathBuf, Option<Arc<FolderIndex>>>,
}

/// The error for a folder that the source cannot list.
struct Unlistable;

impl SourceIndex<'_> {
    /// The path with the names as stored on disk, if the file exists.
    pub(crate) async fn find(&mut self, path: &Path) -> Option<PathBuf> {
        let Ok(found) = self.resolve(path).await else {
            return probe(self.reader, path).await;
        };
        let found = found?;
        if is_hidden(&found) {
            return probe(self.reader, &found).await;
        }
        (!self.is_folder(&found).await).then_some(found)
    }

    /// Whether a path is a folder. Its names must be as stored on disk.
    pub(crate) async fn is_folder(&self, path: &Path) -> bool {
        self.lister.is_directory(path).await.unwrap_or(false)
    }

    /// The files in a folder that begin with a prefix and have one of these extensions (case-insensitive), sorted by
    /// name.
    pub(crate) async fn files_beginning(
        &mut self,
        folder: &Path,
        prefix: &str,
        extensions: &[impl AsRef<str>],
    ) -> Vec<PathBuf> {
        let pick = |index: &FolderIndex| index.beginning(prefix, extensions);
        self.paths(folder, pick).await
    }

    /// The files and folders in a folder that `pick` selects, sorted by name.
    pub(crate) async fn paths(
        &mut self,
        folder: &Path,
        pick: impl Fn(&FolderIndex) -> Vec<String>,
    ) -> Vec<PathBuf> {
        let Ok(Some(folder)) = self.resolve(folder).await else {
            return Vec::new();
        };
        let Some(index) = self.list(&folder).await else {
            return Vec::new();
        };
        let mut names = pick(&index);
        names.sort();
        let path = |name: String| {
            let mut path = folder.to_string_lossy().into_owned();
            push_part(&mut path, &name);
            PathBuf::from(path)
        };
        names.into_iter().map(path).collect()
    }

    /// Resolves a path to the names as stored on disk. `None` if it does not exist.
    async fn resolve(&mut self, path: &Path) -> Result<Option<PathBuf>, Unlistable> {
        // Models that were loaded by an absolute path. Bevy does not list folders outside its root.
        if path.has_root() {
            return Err(Unlistable);
        }
        // With `/` as the separator on every system.
        let mut found = String::new();
        for part in path.components() {
            let part = part.as_os_str().to_string_lossy();
            let index = self.list(Path::new(&found)).await.ok_or(Unlistable)?;
            let name = match index.matching(&part).first() {
                Some(entry) => &*entry.name,
                None if is_hidden(Path::new(&*part)) => &part,
                None => return Ok(None),
            };
            push_part(&mut found, name);
        }
        Ok(Some(found.into()))
    }

    async fn list(&mut self, folder: &Path) -> Option<Arc<FolderIndex>> {
        if let Some(index) = self.folders.get(folder) {
            return index.clone();
        }
        let index = self.shared.get(self.lister, &self.source, folder).await;
        self.folders.insert(folder.to_path_buf(), index.clone());
        index
    }
}

/// Whether Bevy omits a path from listings. The file can still exist.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with('.')
}

/// Tries to read a file without a listing: as spelled, with its name in lower case, and with its folders in lower case
/// too.
///
/// All requests run concurrently, because a web server may have a high latency.
async fn probe(reader: &dyn ErasedAssetReader, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    let mut spellings = vec![path.to_path_buf(), path.with_file_name(folded(&name))];
    // For an absolute path, other folders do not belong to the model.
    if !path.has_root() {
        spellings.push(folded(&path.to_string_lossy()).into());
    }
    spellings.dedup();
    let mut spellings = spellings.into_iter();
    let (first, second, third) = (spellings.next(), spellings.next(), spellings.next());
    let others = zip(readable(reader, second), readable(reader, third));
    let (first, (second, third)) = zip(readable(reader, first), others).await;
    first.or(second).or(third)
}

/// The path, if the file can be read and is no HTML page. Many web servers send a page with the status 200 for files that they do
/// not have.
async fn readable(reader: &dyn ErasedAssetReader, path: Option<PathBuf>) -> Option<PathBuf> {
    let path = path?;
    let mut start = Vec::new();
    let file = reader.read(&path).await.ok()?;
    let read = file
        .take(SIGNATURE_SIZE as u64)
        .read_to_end(&mut start)
        .await;
    let exists = read.is_ok() && !is_html(&start);
    exists.then_some(path)
}
