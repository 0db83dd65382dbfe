//! Case-insensitive lookup of files and folders in an asset source.

use crate::load::find::frames::FrameWakers;
use crate::load::find::listings::Listings;
use crate::load::find::names::Names;
use crate::load::names::folded;
use bevy::asset::AssetPath;
use bevy::asset::io::{AssetSourceId, ErasedAssetReader};
use bevy::asset::processor::{AssetProcessor, ProcessStatus, ProcessorState};
use bevy::platform::time::Instant;
use classic_model_formats::read::{SIGNATURE_SIZE, is_html};
use futures_lite::AsyncReadExt;
use futures_lite::future::{or, zip};
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
    /// Decides which of the listed files become assets.
    pub(crate) processor: Option<(&'a AssetProcessor, &'a FrameWakers)>,
    pub(crate) listings: Listings,
    pub(crate) source: AssetSourceId<'static>,
    /// The start of the search. Listings that were started later are up to date.
    pub(crate) since: Instant,
    /// Keyed by the path of the folder; `None` if the source cannot list it.
    pub(crate) folders: HashMap<PathBuf, Option<Arc<Names>>>,
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
        let is_file = !self.is_folder(&found).await && self.is_asset(&found).await;
        is_file.then_some(found)
    }

    /// Whether a listed file can be loaded: not if the asset processor makes no asset of it.
    async fn is_asset(&self, path: &Path) -> bool {
        match self.processor {
            Some((processor, frames)) => self.becomes_asset(processor, frames, path).await,
            None => true,
        }
    }

    /// Whether the asset processor has made an asset of a file.
    ///
    /// Waits only for this file, and only until the processor has finished: ignored files have no status.
    async fn becomes_asset(
        &self,
        processor: &AssetProcessor,
        frames: &FrameWakers,
        path: &Path,
    ) -> bool {
        let path = AssetPath::from(path.to_path_buf()).with_source(self.source.clone());
        let status = processor.data().wait_until_processed(path);
        let has_asset = async { status.await == ProcessStatus::Processed };
        let is_ignored = async {
            while processor.get_state().await != ProcessorState::Finished {
                frames.next().await;
            }
            // The processor sets the status before it finishes. Wait one frame, so that `has_asset` is polled once
            // more.
            frames.next().await;
            false
        };
        or(has_asset, is_ignored).await
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
        extensions: &[&str],
    ) -> Vec<PathBuf> {
        let pick = |names: &Names| names.beginning(prefix, extensions).cloned().collect();
        self.paths(folder, pick).await
    }

    /// The files and folders in a folder that `pick` selects, sorted by name.
    pub(crate) async fn paths(
        &mut self,
        folder: &Path,
        pick: impl Fn(&Names) -> Vec<String>,
    ) -> Vec<PathBuf> {
        let Ok(Some(folder)) = self.resolve(folder).await else {
            return Vec::new();
        };
        let Some(names) = self.list(&folder).await else {
            return Vec::new();
        };
        let mut names = pick(&names);
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
            let names = self.list(Path::new(&found)).await.ok_or(Unlistable)?;
            let entry = match names.entry(&part) {
                Some(entry) => entry.clone(),
                None if is_hidden(Path::new(&*part)) => part.into_owned(),
                None => return Ok(None),
            };
            push_part(&mut found, &entry);
        }
        Ok(Some(found.into()))
    }

    async fn list(&mut self, folder: &Path) -> Option<Arc<Names>> {
        if let Some(names) = self.folders.get(folder) {
            return names.clone();
        }
        let names = self
            .listings
            .get(self.lister, &self.source, folder, self.since);
        let names = names.await;
        self.folders.insert(folder.to_path_buf(), names.clone());
        names
    }
}

fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
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
