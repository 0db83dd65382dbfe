//! The files and folders of an asset source, by names in any case.

use super::folders::list;
use super::frames::FrameWakers;
use super::listings::{FolderId, Listings, Taken};
use super::names::Names;
use crate::scene::file_names::file_key;
use crate::scene::matching::folded;
use bevy::asset::AssetPath;
use bevy::asset::io::ErasedAssetReader;
use bevy::asset::processor::{AssetProcessor, ProcessStatus, ProcessorState};
use bevy::platform::time::Instant;
use futures_lite::future::{or, zip};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An asset source during one search: every folder is listed at most once.
pub(super) struct Disk<'a> {
    /// Reads files.
    pub(super) reader: &'a dyn ErasedAssetReader,
    /// Lists folders. Where an asset processor runs these are the folders of its input, because Bevy's reader of its
    /// output waits until the processor has finished, and the processor may be waiting for the load that searches.
    pub(super) lister: &'a dyn ErasedAssetReader,
    /// Knows which of the listed files become assets.
    pub(super) processor: Option<(&'a AssetProcessor, &'a FrameWakers)>,
    pub(super) listings: &'a Listings,
    /// Whether `lister` lists what the asset processor has made.
    pub(super) is_processed: bool,
    pub(super) model: AssetPath<'static>,
    /// Whether the model was loaded before, or what it took from a listing has turned out to be wrong.
    pub(super) is_reload: bool,
    /// Listings that were begun later need not be doubted.
    pub(super) since: Instant,
    /// By the path of the folder; none for what the source cannot list.
    pub(super) folders: HashMap<PathBuf, Option<Taken>>,
}

/// A folder that the source cannot list.
struct Unlisted;

/// A path under the names that the disk has.
struct Spelled {
    /// `None` if there is no such thing.
    path: Option<PathBuf>,
    /// Whether a listing says so that is older than the load.
    is_old: bool,
    /// Whether all such listings are of folders whose times tell that nothing has changed.
    is_stamped: bool,
}

impl Disk<'_> {
    /// The path under the name that the disk has, if there is such a file.
    pub(super) async fn find(&mut self, path: &Path) -> Option<PathBuf> {
        loop {
            let Ok(spelled) = self.spelled(path).await else {
                return probe(self.reader, path).await;
            };
            match spelled.path {
                Some(found) if is_hidden(&found) => return probe(self.reader, &found).await,
                Some(found) if self.is_folder(&found).await => return None,
                Some(found) if self.is_there(&found, spelled.is_old).await => return Some(found),
                Some(_) if !spelled.is_old => return None,
                None if !spelled.is_old || spelled.is_stamped => return None,
                None if !self.can_read(path).await || self.is_folder(path).await => return None,
                // The old listing does not hold any more: as in a reload, what the model has taken is read again.
                _ => {
                    self.is_reload = true;
                    self.folders.clear();
                }
            }
        }
    }

    /// Whether a file that a listing has is there. New listings are believed, but not of what becomes no asset.
    async fn is_there(&self, path: &Path, is_old: bool) -> bool {
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

    /// Whether the asset processor has made an asset of a file. Waits for this file alone, and no longer than the
    /// processor is at work: files that it ignores have no status.
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
            // The status was given before the processor finished: one more look at it.
            frames.next().await;
            false
        };
        or(has_asset, is_ignored).await
    }

    /// Whether a path, as the disk spells it, is that of a folder.
    pub(super) async fn is_folder(&self, path: &Path) -> bool {
        self.lister.is_directory(path).await.unwrap_or(false)
    }

    /// The files in a folder whose names begin with a prefix, in any case, and have one of some extensions; by name.
    pub(super) async fn files_beginning(
        &mut self,
        folder: &Path,
        prefix: &str,
        extensions: &[&str],
    ) -> Vec<PathBuf> {
        let pick = |names: &Names| names.beginning(prefix, extensions).cloned().collect();
        self.paths(folder, pick).await
    }

    /// The files and folders in a folder that `pick` chooses, by name.
    pub(super) async fn paths(
        &mut self,
        folder: &Path,
        pick: impl Fn(&Names) -> Vec<String>,
    ) -> Vec<PathBuf> {
        let Ok(Spelled {
            path: Some(folder), ..
        }) = self.spelled(folder).await
        else {
            return Vec::new();
        };
        let Some(taken) = self.list(&folder).await else {
            return Vec::new();
        };
        self.listings.note(&taken, &self.model, None);
        let mut names = pick(&taken.names);
        names.sort();
        let path = |name: String| {
            let mut path = folder.to_string_lossy().into_owned();
            push_part(&mut path, &name);
            PathBuf::from(path)
        };
        names.into_iter().map(path).collect()
    }

    /// A path under the names that the disk has.
    async fn spelled(&mut self, path: &Path) -> Result<Spelled, Unlisted> {
        // Bevy lists nothing outside its root, where models are that somebody loaded by a whole path.
        if path.has_root() {
            return Err(Unlisted);
        }
        // With the same separator on every system.
        let mut found = String::new();
        let mut spelled = Spelled {
            path: None,
            is_old: false,
            is_stamped: true,
        };
        for part in path.components() {
            let part = part.as_os_str().to_string_lossy();
            let taken = self.list(Path::new(&found)).await.ok_or(Unlisted)?;
            if let Some((_, stamp)) = &taken.borrowed {
                self.listings
                    .note(&taken, &self.model, Some(&file_key(&part)));
                spelled.is_old = true;
                spelled.is_stamped &= stamp.is_known();
            }
            let entry = match taken.names.entry(&part) {
                Some(entry) => entry.clone(),
                None if is_hidden(Path::new(&*part)) => part.into_owned(),
                None => return Ok(spelled),
            };
            push_part(&mut found, &entry);
        }
        spelled.path = Some(found.into());
        Ok(spelled)
    }

    async fn list(&mut self, folder: &Path) -> Option<Taken> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let taken = self.take(folder).await;
        self.folders.insert(folder.to_path_buf(), taken.clone());
        taken
    }

    /// A listing that other loads have made, or a new one.
    async fn take(&self, path: &Path) -> Option<Taken> {
        let id = FolderId {
            source: self.model.source().clone_owned(),
            is_processed: self.is_processed,
            path: path.to_path_buf(),
        };
        if self.listings.is_unlisted(&id.source) {
            return None;
        }
        let folder = self.listings.folder(&id);
        let take = || {
            let (since, is_reload) = (self.since, self.is_reload);
            self.listings
                .take(&folder, &id, since, &self.model, is_reload)
        };
        if let Some(taken) = take() {
            return Some(taken);
        }
        let _turn = folder.turn.lock().await;
        // Another load may have made it meanwhile.
        if let Some(taken) = take() {
            return Some(taken);
        }
        let (stamp, begun) = (self.listings.stamp(&id), Instant::now());
        let Some(names) = list(self.lister, path).await else {
            self.listings.note_unlisted(&id);
            return None;
        };
        let names = Arc::new(names);
        self.listings
            .put(&folder, names.clone(), begun, stamp, Some(&self.model));
        Some(Taken {
            names,
            borrowed: None,
        })
    }
}

fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// Whether Bevy leaves it out of lists; it may be there all the same.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with('.')
}

/// Asks for the file itself, as named, with its name in lower case, and with its folders as well: at the same time,
/// because a web server may be far away.
async fn probe(reader: &dyn ErasedAssetReader, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    let mut spellings = vec![path.to_path_buf(), path.with_file_name(folded(&name))];
    // Outside the source other folders are none of the model's.
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

/// A path, if it can be read.
async fn readable(reader: &dyn ErasedAssetReader, path: Option<PathBuf>) -> Option<PathBuf> {
    let path = path?;
    let is_there = reader.read(&path).await.is_ok();
    is_there.then_some(path)
}
