//! The layers of a source together: later layers win.

use super::archive_file::joined;
use super::entry_path::EntryPath;
use super::layer::{FoundFile, Layer};
use super::listed_name::ListedName;
use crate::scene::folded;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Layers, lowest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers(pub Vec<Arc<Layer>>);

/// Where a file of a source is stored: see [`ArchiveSource::locate`](super::ArchiveSource::locate).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocatedFile {
    /// The index of the layer. Layers of higher indices win.
    pub layer: usize,
    /// The absolute path of the archive or folder.
    pub layer_path: PathBuf,
    /// The path from the root of the archive, as it is stored, or the path from the folder, as it is on disk. With `/`.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
}

impl Layers {
    /// The file that wins, with the index of its layer.
    pub fn find(&self, path: &EntryPath) -> Option<(usize, FoundFile)> {
        let mut layers = self.0.iter().enumerate().rev();
        layers.find_map(|(index, layer)| Some((index, layer.find(path)?)))
    }

    /// The file with the settings of an asset.
    pub fn find_meta(&self, path: &EntryPath) -> Option<FoundFile> {
        let mut layers = self.0.iter().rev();
        layers.find_map(|layer| layer.find_meta(path))
    }

    pub fn has_folder(&self, folder: &EntryPath) -> bool {
        folder.key().is_empty() || self.0.iter().any(|layer| layer.has_folder(folder))
    }

    /// The paths of the files and folders in a folder. `None` if no layer has it.
    ///
    /// Names of folders on disk replace those of archives that differ only in case.
    pub fn list(&self, folder: &EntryPath) -> Option<Vec<PathBuf>> {
        if !self.has_folder(folder) {
            return None;
        }
        let (loose, archived): (Vec<_>, Vec<_>) = self
            .0
            .iter()
            .rev()
            .partition(|layer| matches!(***layer, Layer::Folder(_)));
        let mut names = Vec::new();
        let mut known = HashSet::new();
        for layer in loose.into_iter().chain(archived) {
            let listed = layer.list(folder).unwrap_or_default();
            let is_new = |it: &ListedName| !known.contains(&folded(&it.name));
            let new: Vec<_> = listed
                .into_iter()
                .filter(is_new)
                .map(|it| it.name)
                .collect();
            known.extend(new.iter().map(|name| folded(name)));
            names.extend(new);
        }
        names.sort();
        names.dedup();
        let path = |name: String| PathBuf::from(joined(folder.text(), &name));
        Some(names.into_iter().map(path).collect())
    }

    /// Where the file that wins is stored.
    pub fn locate(&self, path: &EntryPath) -> Option<LocatedFile> {
        let (index, found) = self.find(path)?;
        let layer_path = self.0.get(index)?.path().to_owned();
        let (path, size) = match found {
            FoundFile::Entry(file, entry) => {
                let entry = file.archive.entry(entry)?;
                (entry.path().into_owned(), entry.size())
            }
            FoundFile::Loose(path) => {
                let below = path.strip_prefix(&layer_path).unwrap_or(&path);
                let size = path.metadata().map_or(0, |it| it.len());
                (with_slashes(below), size)
            }
        };
        Some(LocatedFile {
            layer: index,
            layer_path,
            path,
            size,
        })
    }
}

/// A path with `/` on every system.
pub(super) fn with_slashes(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
