//! An opened archive with an index of its folders. It must not know other layers.

use crate::archive::entry_path::is_listable;
use crate::archive::error::ArchiveSourceError;
use crate::load::names::folded;
use classic_model_formats::archive::{Archive, Entry, detect};
use classic_model_formats::read::{Format, ParseError};
use classic_model_formats::{meg, pak, pk3, rez, vfs};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The maximum length in bytes of a path that is listed: that of Windows, so the games had no longer ones. A damaged archive
/// can repeat a long folder name in every path, and listing all of them would take memory without bound.
const MAX_LISTED_PATH: usize = 260;

/// An archive as it was when it was opened. It can be read as long as this value exists, even if another file replaces it.
#[derive(Debug)]
pub(crate) struct ArchiveFile {
    pub path: PathBuf,
    pub archive: Archive<File>,
    /// How often the archive was opened before in its layer.
    pub generation: u64,
    /// The indices of the listed entries, by their paths in lower case. Built on first use.
    by_path: OnceLock<Vec<u32>>,
}

impl ArchiveFile {
    /// Opens the archive of a layer for the first time.
    pub fn open(path: &Path) -> Result<Self, ArchiveSourceError> {
        Self::reopen(path, 0)
    }

    pub fn reopen(path: &Path, generation: u64) -> Result<Self, ArchiveSourceError> {
        let io_error = |error| ArchiveSourceError::io(path.to_owned(), &error);
        let file = File::open(path).map_err(io_error)?;
        if file.metadata().map_err(io_error)?.is_dir() {
            let error = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(io_error(error));
        }
        let format = detect(&file, path).map_err(io_error)?;
        let archive = open_as(format, file).map_err(|error| ArchiveSourceError::Archive {
            path: path.to_owned(),
            error,
        })?;
        Ok(Self {
            path: path.to_owned(),
            archive,
            generation,
            by_path: OnceLock::new(),
        })
    }

    /// Finds the entry with a path in any case; the one with the same spelling, if there is one.
    pub fn find(&self, path: &str) -> Option<Entry<'_>> {
        self.archive.find_any_case(path)
    }

    /// The names in a folder, in lower case. `None` if there is no such folder. `folder` is in lower case.
    pub fn list(&self, folder: &str) -> Option<Vec<String>> {
        let mut prefix = folder.to_owned();
        if !prefix.is_empty() {
            prefix.push('/');
        }
        let indices = self.by_path();
        let mut rest = indices.get(self.start_of(indices, &prefix)..)?;
        let mut names = Vec::new();
        let mut exists = folder.is_empty();
        while let Some(path) = rest.first().map(|index| self.key(*index)) {
            let Some(below) = path.strip_prefix(&prefix) else {
                break;
            };
            exists = true;
            let skipped = match below.split_once('/') {
                Some((name, _)) => {
                    names.push(name.to_owned());
                    let end = format!("{prefix}{name}/");
                    rest.partition_point(|index| {
                        let key = self.key(*index);
                        key < end || key.starts_with(&end)
                    })
                }
                None => {
                    names.push(below.to_owned());
                    1
                }
            };
            rest = rest.get(skipped..).unwrap_or_default();
        }
        // Entries are sorted, so equal names are next to each other. A folder can have the name of a file.
        names.dedup();
        names.retain(|name| is_listable(name));
        exists.then_some(names)
    }

    /// Whether there is a folder. `folder` is in lower case.
    pub fn has_folder(&self, folder: &str) -> bool {
        if folder.is_empty() {
            return true;
        }
        let prefix = format!("{folder}/");
        let indices = self.by_path();
        let first = indices.get(self.start_of(indices, &prefix));
        first.is_some_and(|index| self.key(*index).starts_with(&prefix))
    }

    /// The paths of all entries that are listed, in lower case and sorted.
    pub fn listed_paths(&self) -> impl Iterator<Item = String> {
        let is_listed = |path: &String| path.split('/').all(is_listable);
        let paths = self.by_path().iter().map(|index| self.key(*index));
        paths.filter(is_listed)
    }

    fn start_of(&self, indices: &[u32], prefix: &str) -> usize {
        indices.partition_point(|index| &*self.key(*index) < prefix)
    }

    /// The path of an entry in lower case.
    fn key(&self, index: u32) -> String {
        let entry = self.archive.entry(index as usize);
        entry.map_or_else(String::new, |entry| folded(&entry.path()))
    }

    fn by_path(&self) -> &[u32] {
        self.by_path.get_or_init(|| {
            let entries = (0..).zip(self.archive.entries());
            let listed = entries
                .filter(|(_, entry)| !entry.is_shadowed() && entry.path_len() <= MAX_LISTED_PATH);
            let mut indices: Vec<u32> = listed.map(|(index, _)| index).collect();
            indices.sort_by_cached_key(|index| self.key(*index));
            indices
        })
    }
}

fn open_as(format: Option<Format>, file: File) -> Result<Archive<File>, ParseError> {
    match format {
        Some(Format::Pak) => pak::open(file),
        Some(Format::Pk3) => pk3::open(file),
        Some(Format::Rez) => rez::open(file),
        Some(Format::Vfs) => vfs::open(file),
        // The error for a file of no known format names what it looks like.
        _ => meg::open(file),
    }
}
