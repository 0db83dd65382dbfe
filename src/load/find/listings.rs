//! Folder listings, which loads share.
//!
//! A folder of up to [`MAX_UNSHARED_ENTRIES`] entries is listed once in each load. Its listing is never older than the
//! load, and the cost is bounded by a constant. Loads share the listing of a larger folder for up to [`MAX_AGE`]. The
//! folder is listed again earlier if
//!
//! - the watcher has reported a change in the folder,
//! - the folder's modification time on disk has changed, or is so recent that it may not show another change,
//! - a model uses the listing for the second time, which means that it is reloaded,
//! - a listed file no longer exists, or an unlisted file exists with exactly the requested name.
//!
//! Two cases remain undetected: sources without modification times, such as archives, and a file that was added less
//! than [`MAX_AGE`] before the load with a name in different case. Therefore a listing that was used by later loads is
//! read once more when it expires. Models for which a name has changed are reloaded.

use crate::load::concurrent::ConcurrentLoads;
use crate::load::find::folder_stamp::FolderStamp;
use crate::load::find::folders;
use crate::load::find::names::Names;
use bevy::asset::io::AssetSourceId;
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::Res;
use bevy::platform::time::Instant;
use bevy::tasks::IoTaskPool;
use core::ops::DerefMut;
use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum count of entries of a folder that each load lists itself.
pub(crate) const MAX_UNSHARED_ENTRIES: usize = 128;

/// The time for which the listing of a larger folder is shared.
pub(crate) const MAX_AGE: Duration = Duration::from_secs(1);

/// A folder of an asset source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FolderId {
    pub(crate) source: AssetSourceId<'static>,
    /// Whether the folder is in the output of the asset processor.
    pub(crate) is_processed: bool,
    pub(crate) path: PathBuf,
}

/// The listings of an app. Clones share one state.
#[derive(Resource, Clone, Debug)]
pub(crate) struct Listings {
    folders: Arc<Mutex<HashMap<FolderId, Arc<Folder>>>>,
    /// The folders on disk of the default source's files and of the asset processor's output.
    roots: [Option<PathBuf>; 2],
    loads: ConcurrentLoads,
    /// Whether loads share listings. Otherwise each listing belongs to one search and is not read again.
    are_shared: bool,
    /// The time for which a listing is shared.
    pub(crate) max_age: Duration,
    /// The sources that cannot be listed, such as web servers. Used only if `caches_unlistable` is set.
    unlistable: Arc<Mutex<HashSet<AssetSourceId<'static>>>>,
    pub(crate) caches_unlistable: bool,
}

impl Default for Listings {
    fn default() -> Self {
        Self {
            folders: Arc::default(),
            roots: [None, None],
            loads: ConcurrentLoads::default(),
            are_shared: false,
            max_age: MAX_AGE,
            unlistable: Arc::default(),
            // A web server cannot list folders, and each attempt would log an error.
            caches_unlistable: cfg!(target_arch = "wasm32"),
        }
    }
}

/// A folder and its listing.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// Held while the folder is listed, so that concurrent loads wait for one listing.
    pub(crate) list_lock: async_lock::Mutex<()>,
    listing: Mutex<Option<Listing>>,
}

#[derive(Debug)]
struct Listing {
    names: Arc<Names>,
    started: Instant,
    stamp: FolderStamp,
    is_expired: bool,
    /// Whether it is being read again because it has expired.
    is_rechecked: bool,
    /// The models that have used the listing, so that a reload lists the folder again.
    models: HashSet<AssetPath<'static>>,
    /// The models whose loads began after the listing, and the names that they searched for.
    late_users: HashMap<AssetPath<'static>, Uses>,
}

/// The names that a model searched for in a listing.
#[derive(Debug, Default)]
struct Uses {
    keys: HashSet<String>,
    /// Whether the model used all names.
    all: bool,
}

impl Uses {
    /// Whether two listings have the same names as far as the model searched for them.
    fn are_same(&self, a: &Names, b: &Names) -> bool {
        let are_same = self.keys.iter().all(|key| a.has_same(key, b));
        are_same && (!self.all || a.is_same(b))
    }
}

/// The names in a folder, as used by a load.
#[derive(Clone, Debug)]
pub(crate) struct ListedNames {
    pub(crate) names: Arc<Names>,
    /// The folder, if the listing is older than the load.
    pub(crate) shared_from: Option<(Arc<Folder>, FolderStamp)>,
}

impl Listings {
    pub(crate) fn new(roots: [Option<PathBuf>; 2], loads: ConcurrentLoads) -> Self {
        Self {
            roots,
            loads,
            are_shared: true,
            ..Self::default()
        }
    }

    /// A listing that is valid for a load of `model` that began at `since`; `None` if the folder must be listed.
    pub(crate) fn get(
        &self,
        folder: &Arc<Folder>,
        id: &FolderId,
        since: Instant,
        model: &AssetPath<'static>,
        is_reload: bool,
    ) -> Option<ListedNames> {
        let is_new = |listing: &Listing| listing.started >= since;
        let may_be_shared = |listing: &Listing| {
            self.are_shared
                && listing.names.len() > MAX_UNSHARED_ENTRIES
                && listing.started.elapsed() < self.max_age
                && !(is_reload && listing.models.contains(model))
        };
        {
            let mut listing = folder.listing();
            let listing = listing.as_mut()?;
            if is_new(listing) {
                return Some(listing.listed(model));
            }
            if !may_be_shared(listing) {
                return None;
            }
        }
        // Access the disk only if necessary, and without holding the lock. Another load may replace the listing
        // meanwhile.
        let stamp = self.stamp(id);
        let mut listing = folder.listing();
        let listing = listing.as_mut()?;
        if is_new(listing) {
            return Some(listing.listed(model));
        }
        let is_valid = may_be_shared(listing) && listing.is_unchanged(stamp);
        is_valid.then(|| {
            listing.late_users.entry(model.clone()).or_default();
            let shared_from = Some((folder.clone(), stamp));
            ListedNames {
                shared_from,
                ..listing.listed(model)
            }
        })
    }

    /// Whether it is known that a source cannot be listed.
    pub(crate) fn is_unlistable(&self, source: &AssetSourceId<'static>) -> bool {
        self.caches_unlistable && self.unlistable().contains(source)
    }

    /// Records that a folder could not be listed.
    pub(crate) fn note_unlistable(&self, id: &FolderId) {
        if self.caches_unlistable && id.path == Path::new("") {
            self.unlistable().insert(id.source.clone());
        }
    }

    fn unlistable(&self) -> impl DerefMut<Target = HashSet<AssetSourceId<'static>>> {
        self.unlistable
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of a folder. Adds it if it is missing.
    pub(crate) fn folder(&self, id: &FolderId) -> Arc<Folder> {
        let mut folders = self.folders();
        match folders.get(id) {
            Some(folder) => folder.clone(),
            None => folders.entry(id.clone()).or_default().clone(),
        }
    }

    /// The modification time of a folder, if it is on disk.
    pub(crate) fn stamp(&self, id: &FolderId) -> FolderStamp {
        let root = &self.roots[usize::from(id.is_processed)];
        match root {
            Some(root) if id.source == AssetSourceId::Default => {
                FolderStamp::of(&root.join(&id.path))
            }
            _ => FolderStamp::default(),
        }
    }

    /// Replaces the listing of a folder, and schedules reloads of the models that the changes affect.
    pub(crate) fn replace(
        &self,
        folder: &Folder,
        names: Arc<Names>,
        started: Instant,
        stamp: FolderStamp,
        for_model: Option<&AssetPath<'static>>,
    ) {
        let new = Listing {
            names: names.clone(),
            started,
            stamp,
            is_expired: false,
            is_rechecked: false,
            models: for_model.into_iter().cloned().collect(),
            late_users: HashMap::new(),
        };
        let Some(old) = folder.listing().replace(new) else {
            return;
        };
        for (model, uses) in old.late_users {
            if !uses.are_same(&old.names, &names) {
                self.loads.outdate(model);
            }
        }
    }

    /// Records that a model has searched for a name in a shared listing. `None` means all names.
    pub(crate) fn note_use(
        &self,
        listed: &ListedNames,
        model: &AssetPath<'static>,
        name: Option<&str>,
    ) {
        let Some((folder, _)) = &listed.shared_from else {
            return;
        };
        let mut listing = folder.listing();
        let Some(listing) = &mut *listing else {
            return;
        };
        let mut uses = Uses::default();
        let recorded = match Arc::ptr_eq(&listing.names, &listed.names) {
            true => listing.late_users.entry(model.clone()).or_default(),
            false => &mut uses,
        };
        match name {
            Some(key) => {
                recorded.keys.insert(key.to_owned());
            }
            None => recorded.all = true,
        }
        // The folder may have been listed again since the load got its names.
        if !uses.are_same(&listed.names, &listing.names) {
            self.loads.outdate(model.clone());
        }
    }

    /// Expires the listing of a folder, so that the next load lists it again.
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    pub(crate) fn expire(&self, source: &AssetSourceId<'static>, path: &Path) {
        for (id, folder) in &*self.folders() {
            if id.source == *source
                && id.path == path
                && let Some(listing) = &mut *folder.listing()
            {
                listing.is_expired = true;
            }
        }
    }

    /// The expired listings that must be read again. Removes unused listings.
    fn listings_to_recheck(&self) -> Vec<FolderId> {
        let mut listings_to_recheck = Vec::new();
        self.folders().retain(|id, folder| {
            let mut listing = folder.listing();
            let Some(listing) = &mut *listing else {
                // If another task holds the folder, it is being listed.
                return Arc::strong_count(folder) > 1;
            };
            if listing.started.elapsed() < self.max_age {
                return true;
            }
            if !listing.late_users.is_empty() && !listing.is_rechecked {
                listing.is_rechecked = true;
                listings_to_recheck.push(id.clone());
            }
            !listing.late_users.is_empty() || Arc::strong_count(folder) > 1
        });
        listings_to_recheck
    }

    fn folders(&self) -> impl DerefMut<Target = HashMap<FolderId, Arc<Folder>>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Folder {
    fn listing(&self) -> impl DerefMut<Target = Option<Listing>> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listing {
    /// The names, for a load that began before the listing. Records the model.
    fn listed(&mut self, model: &AssetPath<'static>) -> ListedNames {
        self.models.insert(model.clone());
        ListedNames {
            names: self.names.clone(),
            shared_from: None,
        }
    }

    /// Whether neither the watcher nor the modification time indicates a change.
    fn is_unchanged(&self, stamp: FolderStamp) -> bool {
        let has_same_time = match self.stamp.is_available() {
            true => self.stamp.is_unchanged(stamp),
            false => !stamp.is_available(),
        };
        has_same_time && !self.is_expired
    }
}

/// Reads expired listings again that were used by later loads.
pub(crate) fn recheck_old_listings(listings: Res<Listings>, server: Res<AssetServer>) {
    for id in listings.listings_to_recheck() {
        let (listings, server) = (Listings::clone(&listings), AssetServer::clone(&server));
        let check = async move {
            let Ok(source) = server.get_source(&id.source) else {
                return;
            };
            let reader = match id.is_processed {
                true => source.processed_reader().ok(),
                false => Some(source.reader()),
            };
            let Some(reader) = reader else {
                return;
            };
            let folder = listings.folder(&id);
            let _guard = folder.list_lock.lock().await;
            let (stamp, started) = (listings.stamp(&id), Instant::now());
            let names = folders::list(reader, &id.path).await;
            let names = Arc::new(names.unwrap_or_default());
            listings.replace(&folder, names, started, stamp, None);
        };
        IoTaskPool::get().spawn(check).detach();
    }
}
