//! Case-insensitive lookup of files and folders in an asset source.

use crate::load::find::folders::list;
use crate::load::find::frames::FrameWakers;
use crate::load::find::listings::{FolderId, ListedNames, Listings};
use crate::load::find::names::Names;
use crate::load::names::{file_key, folded};
use bevy::asset::AssetPath;
use bevy::asset::io::ErasedAssetReader;
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
    pub(crate) listings: &'a Listings,
    /// Whether `lister` lists the output of the asset processor.
    pub(crate) is_processed: bool,
    pub(crate) model: AssetPath<'static>,
    /// Whether the model was loaded before, or a shared listing turned out to be outdated.
    pub(crate) is_reload: bool,
    /// The start of the search. Listings that were started later are up to date.
    pub(crate) since: Instant,
    /// Keyed by the path of the folder; `None` if the source cannot list it.
    pub(crate) folders: HashMap<PathBuf, Option<ListedNames>>,
}

/// The error for a folder that the source cannot list.
struct Unlistable;

/// The result of resolving a path to the names as stored on disk.
struct ResolvedPath {
    /// `None` if the path does not exist.
    path: Option<PathBuf>,
    /// Whether a listing was used that is older than the load.
    is_old: bool,
    /// Whether all such listings were confirmed by the modification time of their folder.
    is_stamped: bool,
}

impl SourceIndex<'_> {
    /// The path with the names as stored on disk, if the file exists.
    pub(crate) async fn find(&mut self, path: &Path) -> Option<PathBuf> {
        loop {
            let Ok(resolved) = self.resolve(path).await else {
                return probe(self.reader, path).await;
            };
            match resolved.path {
                Some(found) if is_hidden(&found) => return probe(self.reader, &found).await,
                Some(found) if self.is_folder(&found).await => return None,
                Some(found) if self.exists(&found, resolved.is_old).await => return Some(found),
                Some(_) if !resolved.is_old => return None,
                None if !resolved.is_old || resolved.is_stamped => return None,
                None if !self.can_read(path).await || self.is_folder(path).await => return None,
                // The old listing is outdated: list the folders again, as in a reload.
                _ => {
                    self.is_reload = true;
                    self.folders.clear();
                }
            }
        }
    }

    /// Whether a listed file exists. Checks files of old listings, and whether the asset processor makes an asset of
    /// the file.
    async fn exists(&self, path: &Path, is_old: bool) -> bool {
        match self.processor {
            Some(_) => self.can_read(path).await,
            None => !is_old || self.can_read(path).await,
        }
    }

    async fn can_read(&self, path: &Path) -> bool {
        match self.processor {
            Some((processor, frames)) => self.becomes_asset(processor, frames, path).await,
            None => self.reader.read(path).await.is_ok(),
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
        let path =
            AssetPath::from(path.to_path_buf()).with_source(self.model.source().clone_owned());
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
        let Ok(ResolvedPath {
            path: Some(folder), ..
        }) = self.resolve(folder).await
        else {
            return Vec::new();
        };
        let Some(listed) = self.list(&folder).await else {
            return Vec::new();
        };
        self.listings.note_use(&listed, &self.model, None);
        let mut names = pick(&listed.names);
        names.sort();
        let path = |name: String| {
            let mut path = folder.to_string_lossy().into_owned();
            push_part(&mut path, &name);
            PathBuf::from(path)
        };
        names.into_iter().map(path).collect()
    }

    /// Resolves a path to the names as stored on disk.
    async fn resolve(&mut self, path: &Path) -> Result<ResolvedPath, Unlistable> {
        // Models that were loaded by an absolute path. Bevy does not list folders outside its root.
        if path.has_root() {
            return Err(Unlistable);
        }
        // With `/` as the separator on every system.
        let mut found = String::new();
        let mut resolved = ResolvedPath {
            path: None,
            is_old: false,
            is_stamped: true,
        };
        for part in path.components() {
            let part = part.as_os_str().to_string_lossy();
            let listed = self.list(Path::new(&found)).await.ok_or(Unlistable)?;
            if let Some((_, stamp)) = &listed.shared_from {
                self.listings
                    .note_use(&listed, &self.model, Some(&file_key(&part)));
                resolved.is_old = true;
                resolved.is_stamped &= stamp.is_available();
            }
            let entry = match listed.names.entry(&part) {
                Some(entry) => entry.clone(),
                None if is_hidden(Path::new(&*part)) => part.into_owned(),
                None => return Ok(resolved),
            };
            push_part(&mut found, &entry);
        }
        resolved.path = Some(found.into());
        Ok(resolved)
    }

    async fn list(&mut self, folder: &Path) -> Option<ListedNames> {
        if let Some(listed) = self.folders.get(folder) {
            return listed.clone();
        }
        let listed = self.share_or_list(folder).await;
        self.folders.insert(folder.to_path_buf(), listed.clone());
        listed
    }

    /// A listing that another load has made, or a new one.
    async fn share_or_list(&self, path: &Path) -> Option<ListedNames> {
        let id = FolderId {
            source: self.model.source().clone_owned(),
            is_processed: self.is_processed,
            path: path.to_path_buf(),
        };
        if self.listings.is_unlistable(&id.source) {
            return None;
        }
        let folder = self.listings.folder(&id);
        let shared = || {
            let (since, is_reload) = (self.since, self.is_reload);
            self.listings
                .get(&folder, &id, since, &self.model, is_reload)
        };
        if let Some(listed) = shared() {
            return Some(listed);
        }
        let _guard = folder.list_lock.lock().await;
        // Another load may have listed it while this one waited for the lock.
        if let Some(listed) = shared() {
            return Some(listed);
        }
        let (stamp, started) = (self.listings.stamp(&id), Instant::now());
        let Some(names) = list(self.lister, path).await else {
            self.listings.note_unlistable(&id);
            return None;
        };
        let names = Arc::new(names);
        self.listings
            .replace(&folder, names.clone(), started, stamp, Some(&self.model));
        Some(ListedNames {
            names,
            shared_from: None,
        })
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
