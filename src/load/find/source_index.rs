//! Case-insensitive lookup of files and folders in an asset source.

use crate::load::find::folder_index::{FolderIndex, SourceFolders};
use crate::load::find::paths::push_part;
use crate::load::names::folded;
use bevy::asset::io::{AssetSourceId, ErasedAssetReader};
use classic_model_formats::read::{SIGNATURE_SIZE, is_html};
use futures_lite::AsyncReadExt;
use futures_lite::future::zip;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
