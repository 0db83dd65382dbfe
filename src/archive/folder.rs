//! A folder on disk as a layer. Names are found in any case on every system.

use crate::archive::entry_path::{EntryPath, ListedName, is_listable};
use crate::load::find::folder_stamp::FolderStamp;
use crate::load::names::folded;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder, whose files are found with the path from it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The absolute path.
    root: PathBuf,
    /// If this is set, only files below the folder of this name are found. In lower case.
    only: Option<&'static str>,
    /// The listed folders, keyed by their absolute paths.
    listings: Mutex<HashMap<PathBuf, Arc<Listing>>>,
}

/// The names in a folder on disk.
#[derive(Debug)]
struct Listing {
    stamp: FolderStamp,
    /// Keyed by the name in lower case. Sorted by name.
    names: HashMap<String, Vec<ListedName>>,
}

impl Folder {
    /// A layer of an absolute path, which need not exist yet.
    pub fn new(root: PathBuf, only: Option<&'static str>) -> Self {
        Self {
            root,
            only,
            listings: Mutex::default(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path can be in this layer. `key` is in lower case.
    pub fn contains(&self, key: &str) -> bool {
        let Some(only) = self.only else {
            return true;
        };
        key.split('/').next() == Some(only)
    }

    /// The absolute path of a file: with the same spelling if there is one, otherwise in any case.
    pub fn find(&self, path: &EntryPath) -> Option<PathBuf> {
        if !self.contains(path.key()) {
            return None;
        }
        // A colon can mean a drive or a stream on Windows.
        let exact = self.root.join(path.text());
        if !path.text().contains(':') && exact.is_file() {
            return Some(exact);
        }
        self.find_listed(path)
    }

    /// The absolute path of a file, with the names as on disk on every system.
    pub fn find_listed(&self, path: &EntryPath) -> Option<PathBuf> {
        let (folder, name) = path.text().rsplit_once('/').unwrap_or(("", path.text()));
        let folders = self.folders(folder.split('/'));
        folders.into_iter().find_map(|folder| {
            let listing = self.listing(&folder);
            let mut paths = listing.files(name).into_iter().map(|it| folder.join(it));
            // The target of a link can be gone.
            paths.find(|path| path.is_file())
        })
    }

    /// The absolute path of a folder, with the names as on disk on every system.
    pub fn find_folder(&self, path: &EntryPath) -> Option<PathBuf> {
        self.folders_of(path).into_iter().next()
    }

    /// The name of a file or folder as on disk.
    pub fn name(&self, path: &EntryPath) -> Option<String> {
        let file = || self.find_listed(path).filter(|_| self.contains(path.key()));
        let found = self.find_folder(path).or_else(file)?;
        Some(found.file_name()?.to_str()?.to_owned())
    }

    /// The names in a folder as on disk. `None` if the folder does not exist.
    pub fn list(&self, path: &EntryPath) -> Option<Vec<ListedName>> {
        let folders = self.folders_of(path);
        let mut names = Vec::new();
        for folder in &folders {
            names.extend(self.listing(folder).all());
        }
        names.sort();
        // Folders that differ in case have the same content: that of both.
        let mut known = HashSet::new();
        names.retain(|it| !it.is_folder || known.insert(folded(&it.name)));
        if let Some(only) = self.only.filter(|_| path.key().is_empty()) {
            names.retain(|it| it.is_folder && folded(&it.name) == only);
        }
        (!folders.is_empty()).then_some(names)
    }

    pub fn has_folder(&self, path: &EntryPath) -> bool {
        path.key().is_empty() || !self.folders_of(path).is_empty()
    }

    fn folders_of(&self, path: &EntryPath) -> Vec<PathBuf> {
        if path.key().is_empty() || self.contains(path.key()) {
            self.folders(path.parts())
        } else {
            Vec::new()
        }
    }

    /// The absolute paths of the folders whose paths are equal except for case. Usually there is at most one.
    fn folders<'a>(&self, parts: impl Iterator<Item = &'a str>) -> Vec<PathBuf> {
        let mut folders = vec![self.root.clone()];
        for part in parts.filter(|part| !part.is_empty()) {
            let below = |folder: PathBuf| {
                let listing = self.listing(&folder);
                let mut names = listing.same(part, true);
                names.sort_by_key(|name| *name != part);
                let paths = names.into_iter().map(|name| folder.join(name));
                paths.collect::<Vec<_>>()
            };
            folders = folders.into_iter().flat_map(below).collect();
        }
        folders
    }

    /// The names in a folder on disk, which is read again if its modification time has changed.
    fn listing(&self, folder: &Path) -> Arc<Listing> {
        let stamp = FolderStamp::of(folder);
        let listings = || self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = listings().get(folder)
            && listing.stamp.is_unchanged(stamp)
        {
            return listing.clone();
        }
        let listing = Arc::new(Listing::read(folder, stamp));
        if stamp.is_available() {
            listings().insert(folder.to_owned(), listing.clone())
        } else {
            listings().remove(folder)
        };
        listing
    }
}

impl Listing {
    /// Reads the names in a folder. Empty if it cannot be read.
    fn read(folder: &Path, stamp: FolderStamp) -> Self {
        let mut names = HashMap::<_, Vec<_>>::new();
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            // An asset path is Unicode.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
            let kind = kind.or_else(|| Some(entry.path().metadata().ok()?.file_type()));
            // Links without a target and special files are as missing, so that lower layers win. Reading a pipe could block.
            let Some(kind) = kind.filter(|kind| kind.is_dir() || kind.is_file()) else {
                continue;
            };
            let is_folder = kind.is_dir();
            let same: &mut Vec<ListedName> = names.entry(folded(&name)).or_default();
            same.push(ListedName { name, is_folder });
        }
        for same in names.values_mut() {
            same.sort_by(|a, b| a.name.cmp(&b.name));
        }
        Self { stamp, names }
    }

    /// The names of files or of folders that are equal except for case.
    fn same(&self, name: &str, is_folder: bool) -> Vec<&str> {
        let same = self.names.get(&folded(name)).into_iter().flatten();
        let same = same.filter(|it| it.is_folder == is_folder);
        same.map(|it| &*it.name).collect()
    }

    /// The files that are equal except for case. The one with the same spelling is the first.
    fn files(&self, name: &str) -> Vec<&str> {
        let mut same = self.same(name, false);
        same.sort_by_key(|it| *it != name);
        same
    }

    /// The names that are listed.
    fn all(&self) -> impl Iterator<Item = ListedName> {
        let names = self.names.values().flatten();
        names.filter(|it| is_listable(&it.name)).cloned()
    }
}
