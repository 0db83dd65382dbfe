//! A folder on disk as a layer. Names are found in any case on every system.

use crate::archive::entry_path::{EntryPath, is_listable};
use crate::load::find::folder_index::{FolderEntry, FolderIndex, FolderIndices};
use crate::load::names::folded;
use bevy::tasks::block_on;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder, whose files are found with the path from it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The absolute path.
    root: PathBuf,
    /// If this is set, only files below the folder of this name are found. In lower case.
    only: Option<&'static str>,
    /// Keyed by the absolute paths of the folders.
    indices: FolderIndices<PathBuf>,
}

impl Folder {
    /// A layer of an absolute path, which need not exist yet.
    pub fn new(root: PathBuf, only: Option<&'static str>) -> Self {
        Self {
            root,
            only,
            indices: FolderIndices::default(),
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
            let index = self.index(&folder)?;
            let same = index.matching(name).into_iter();
            let mut paths = same.map(|entry| folder.join(&entry.name));
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
    pub fn list(&self, path: &EntryPath) -> Option<Vec<String>> {
        let folders = self.folders_of(path);
        if folders.is_empty() {
            return None;
        }
        let only = self.only.filter(|_| path.key().is_empty());
        let is_found = |entry: &&FolderEntry| {
            is_listable(&entry.name)
                && only.is_none_or(|only| is_folder(entry) && folded(&entry.name) == only)
        };
        let indices = folders.iter().filter_map(|folder| self.index(folder));
        let indices: Vec<Arc<FolderIndex>> = indices.collect();
        let entries = indices.iter().flat_map(|index| index.entries());
        let mut entries: Vec<&FolderEntry> = entries.filter(is_found).collect();
        entries.sort();
        // Folders that differ in case have the same content: that of both.
        let mut known = HashSet::new();
        entries.retain(|entry| !is_folder(entry) || known.insert(folded(&entry.name)));
        Some(entries.iter().map(|entry| entry.name.clone()).collect())
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
                let index = self.index(&folder);
                let same = index.iter().flat_map(|index| index.matching(part));
                let same = same.filter(|entry| is_folder(entry));
                let paths = same.map(|entry| folder.join(&entry.name));
                paths.collect::<Vec<_>>()
            };
            folders = folders.into_iter().flat_map(below).collect();
        }
        folders
    }

    /// The names in a folder on disk. `None` if it does not exist.
    fn index(&self, folder: &Path) -> Option<Arc<FolderIndex>> {
        let list = async { Some(FolderIndex::new(read(folder)?)) };
        block_on(self.indices.get(folder.to_owned(), Some(folder), list))
    }
}

fn is_folder(entry: &FolderEntry) -> bool {
    entry.is_folder == Some(true)
}

/// Reads the files and folders in a folder. `None` if it cannot be read.
fn read(folder: &Path) -> Option<Vec<FolderEntry>> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let known = entries.filter_map(|entry| {
        // An asset path is Unicode.
        let name = entry.file_name().into_string().ok()?;
        let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
        let kind = kind.or_else(|| Some(entry.path().metadata().ok()?.file_type()))?;
        // Links without a target and special files are as missing, so that lower layers win. Reading a pipe could block.
        let is_known = kind.is_dir() || kind.is_file();
        is_known.then(|| FolderEntry::new(name, Some(kind.is_dir())))
    });
    Some(known.collect())
}
