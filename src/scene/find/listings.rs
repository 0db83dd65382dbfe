//! Listings of folders that loads share.
//!
//! A folder of up to [`FEW`] entries is listed once in each load, so that the listing is never older than the load. That
//! costs no more than a constant. The listing of a larger folder is shared by the loads of one [`MAX_AGE`]. It is read
//! again if
//!
//! - it is older,
//! - the watcher has reported a change in the folder,
//! - the folder on disk has another time of modification, or one so recent that a further change might not show,
//! - a model takes from it for the second time, which is a reload,
//! - a file that is in it is gone, or one that is not in it is there under exactly the name that is looked for.
//!
//! What is left are sources that have no times, as archives, and a file that came under a name in other case less than
//! [`MAX_AGE`] before the load. So each listing that was used by a load which began later is read once more at the end
//! of its age, and models for which a name has changed are loaded again.

use super::folders;
use super::names::Names;
use crate::scene::concurrent_loads::ConcurrentLoads;
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
use std::time::SystemTime;

/// The most entries of a folder that each load lists.
pub(super) const FEW: usize = 128;

/// How long the listing of a larger folder is shared.
pub(super) const MAX_AGE: Duration = Duration::from_secs(1);

/// The coarsest times of modification that file systems have.
const COARSEST: Duration = Duration::from_secs(2);

/// A folder of an asset source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FolderId {
    pub(super) source: AssetSourceId<'static>,
    /// Whether it is of the files that the asset processor has made.
    pub(super) is_processed: bool,
    pub(super) path: PathBuf,
}

/// The listings of an app. All clones are one.
#[derive(Resource, Clone, Debug)]
pub(crate) struct Listings {
    folders: Arc<Mutex<HashMap<FolderId, Arc<Folder>>>>,
    /// Where the files of the default source are on disk, and those that the asset processor has made.
    roots: [Option<PathBuf>; 2],
    loads: ConcurrentLoads,
    /// Whether loads share listings. Otherwise each listing is of one search, and nobody has to read it once more.
    are_shared: bool,
    /// How long a listing is shared.
    pub(super) max_age: Duration,
    /// The sources that cannot be listed, if they are not asked again, as those of the web.
    unlisted: Arc<Mutex<HashSet<AssetSourceId<'static>>>>,
    pub(super) remembers_unlisted: bool,
}

impl Default for Listings {
    fn default() -> Self {
        Self {
            folders: Arc::default(),
            roots: [None, None],
            loads: ConcurrentLoads::default(),
            are_shared: false,
            max_age: MAX_AGE,
            unlisted: Arc::default(),
            // Each time an error would be logged, and no folder of a web server can be listed.
            remembers_unlisted: cfg!(target_arch = "wasm32"),
        }
    }
}

/// A folder that was listed.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// Held while the folder is listed, so that loads which want it at the same time wait for one listing.
    pub(super) turn: async_lock::Mutex<()>,
    listing: Mutex<Option<Listing>>,
}

#[derive(Debug)]
struct Listing {
    names: Arc<Names>,
    begun: Instant,
    stamp: Stamp,
    is_expired: bool,
    /// Whether it is being read once more because of its age.
    is_checked: bool,
    /// The models that have taken it, so that they get another one when they are loaded again.
    takers: HashSet<AssetPath<'static>>,
    /// The models whose loads began after the listing, and the keys of the names that they looked for.
    users: HashMap<AssetPath<'static>, Uses>,
}

/// What a model took from a listing.
#[derive(Debug, Default)]
struct Uses {
    keys: HashSet<String>,
    all: bool,
}

impl Uses {
    fn are_same(&self, a: &Names, b: &Names) -> bool {
        let are_same = self.keys.iter().all(|key| a.has_same(key, b));
        are_same && (!self.all || a.is_same(b))
    }
}

/// The time at which a folder was modified, and whether any later change would show in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    is_settled: bool,
}

impl Stamp {
    fn of(folder: &Path) -> Self {
        let modified = std::fs::metadata(folder).and_then(|of| of.modified()).ok();
        let age = modified.and_then(|time| SystemTime::now().duration_since(time).ok());
        Self {
            modified,
            is_settled: age.is_some_and(|age| age > COARSEST),
        }
    }

    /// Whether it tells that nothing has changed.
    pub(super) fn is_known(&self) -> bool {
        self.modified.is_some()
    }
}

/// The names of a folder, as a load has them.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) names: Arc<Names>,
    /// The folder, if the listing is older than the load.
    pub(super) borrowed: Option<(Arc<Folder>, Stamp)>,
}

impl Listings {
    pub(super) fn new(roots: [Option<PathBuf>; 2], loads: ConcurrentLoads) -> Self {
        Self {
            roots,
            loads,
            are_shared: true,
            ..Self::default()
        }
    }

    /// A listing that need not be read again, for a load of a model that began at a time.
    pub(super) fn take(
        &self,
        folder: &Arc<Folder>,
        id: &FolderId,
        since: Instant,
        model: &AssetPath<'static>,
        is_reload: bool,
    ) -> Option<Taken> {
        let is_new = |listing: &Listing| listing.begun >= since;
        {
            let mut listing = folder.listing();
            let listing = listing.as_mut()?;
            if is_new(listing) {
                return Some(listing.taken(model));
            }
            let may_be_shared = self.are_shared
                && listing.names.len() > FEW
                && listing.begun.elapsed() < self.max_age
                && !(is_reload && listing.takers.contains(model));
            if !may_be_shared {
                return None;
            }
        }
        // The disk is asked only where it matters, and without the lock.
        let stamp = self.stamp(id);
        let mut listing = folder.listing();
        let listing = listing.as_mut()?;
        if is_new(listing) {
            return Some(listing.taken(model));
        }
        listing.is_unchanged(stamp).then(|| {
            listing.users.entry(model.clone()).or_default();
            let borrowed = Some((folder.clone(), stamp));
            Taken {
                borrowed,
                ..listing.taken(model)
            }
        })
    }

    /// Whether a source is known to list nothing.
    pub(super) fn is_unlisted(&self, source: &AssetSourceId<'static>) -> bool {
        self.remembers_unlisted && self.unlisted().contains(source)
    }

    /// Notes that a folder could not be listed.
    pub(super) fn note_unlisted(&self, id: &FolderId) {
        if self.remembers_unlisted && id.path == Path::new("") {
            self.unlisted().insert(id.source.clone());
        }
    }

    fn unlisted(&self) -> impl DerefMut<Target = HashSet<AssetSourceId<'static>>> {
        self.unlisted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn folder(&self, id: &FolderId) -> Arc<Folder> {
        let mut folders = self.folders();
        match folders.get(id) {
            Some(folder) => folder.clone(),
            None => folders.entry(id.clone()).or_default().clone(),
        }
    }

    /// The stamp of a folder that is on disk, as far as that is known.
    pub(super) fn stamp(&self, id: &FolderId) -> Stamp {
        let root = &self.roots[usize::from(id.is_processed)];
        match root {
            Some(root) if id.source == AssetSourceId::Default => Stamp::of(&root.join(&id.path)),
            _ => Stamp::default(),
        }
    }

    /// Puts a listing in the place of the one before, and has the models loaded again for which that makes a
    /// difference.
    pub(super) fn put(
        &self,
        folder: &Folder,
        names: Arc<Names>,
        begun: Instant,
        stamp: Stamp,
        taker: Option<&AssetPath<'static>>,
    ) {
        let new = Listing {
            names: names.clone(),
            begun,
            stamp,
            is_expired: false,
            is_checked: false,
            takers: taker.into_iter().cloned().collect(),
            users: HashMap::new(),
        };
        let Some(old) = folder.listing().replace(new) else {
            return;
        };
        for (model, uses) in old.users {
            if !uses.are_same(&old.names, &names) {
                self.loads.outdate(model);
            }
        }
    }

    /// Notes that a model has looked for a name in a listing that is older than its load; for all names, if it is
    /// `None`.
    pub(super) fn note(&self, taken: &Taken, model: &AssetPath<'static>, name: Option<&str>) {
        let Some((folder, _)) = &taken.borrowed else {
            return;
        };
        let mut listing = folder.listing();
        let Some(listing) = &mut *listing else {
            return;
        };
        let mut uses = Uses::default();
        let noted = match Arc::ptr_eq(&listing.names, &taken.names) {
            true => listing.users.entry(model.clone()).or_default(),
            false => &mut uses,
        };
        match name {
            Some(key) => {
                noted.keys.insert(key.to_owned());
            }
            None => noted.all = true,
        }
        // It may have been listed again since.
        if !uses.are_same(&taken.names, &listing.names) {
            self.loads.outdate(model.clone());
        }
    }

    /// Has a folder of the default source listed again when it is next needed.
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    pub(crate) fn forget(&self, path: &Path) {
        for (id, folder) in &*self.folders() {
            if id.source == AssetSourceId::Default
                && id.path == path
                && let Some(listing) = &mut *folder.listing()
            {
                listing.is_expired = true;
            }
        }
    }

    /// The listings that have to be read once more, and forgets those that are of no use any more.
    fn aged(&self) -> Vec<FolderId> {
        let mut aged = Vec::new();
        self.folders().retain(|id, folder| {
            let mut listing = folder.listing();
            let Some(listing) = &mut *listing else {
                // It is being listed, if anybody has it.
                return Arc::strong_count(folder) > 1;
            };
            if listing.begun.elapsed() < self.max_age {
                return true;
            }
            if !listing.users.is_empty() && !listing.is_checked {
                listing.is_checked = true;
                aged.push(id.clone());
            }
            !listing.users.is_empty() || Arc::strong_count(folder) > 1
        });
        aged
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
    /// For a load that began before it.
    fn taken(&mut self, model: &AssetPath<'static>) -> Taken {
        self.takers.insert(model.clone());
        Taken {
            names: self.names.clone(),
            borrowed: None,
        }
    }

    /// Whether nothing tells of a change.
    fn is_unchanged(&self, stamp: Stamp) -> bool {
        let has_same_time = match self.stamp.modified {
            Some(_) => self.stamp == stamp && stamp.is_settled,
            None => !stamp.is_known(),
        };
        has_same_time && !self.is_expired
    }
}

/// Reads listings once more that were used by loads which began later.
pub(super) fn check_aged_listings(listings: Res<Listings>, server: Res<AssetServer>) {
    for id in listings.aged() {
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
            let _turn = folder.turn.lock().await;
            let (stamp, begun) = (listings.stamp(&id), Instant::now());
            let names = folders::list(reader, &id.path).await;
            let names = Arc::new(names.unwrap_or_default());
            listings.put(&folder, names, begun, stamp, None);
        };
        IoTaskPool::get().spawn(check).detach();
    }
}
