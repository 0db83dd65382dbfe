//! The layers of a source, archives and folders. Later layers win.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::entry_path::EntryPath;
use crate::archive::folder::Folder;
use crate::load::find::paths::push_part;
use crate::load::names::folded;
use classic_model_formats::read::Format;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// A layer. Sources that were cloned share it.
#[derive(Debug)]
pub(crate) enum Layer {
    Archive(ArchiveLayer),
    Folder(Folder),
}

/// An archive, which can be replaced while the app runs.
#[derive(Debug)]
pub(crate) struct ArchiveLayer {
    /// The absolute path.
    pub path: PathBuf,
    current: RwLock<Arc<ArchiveFile>>,
}

impl ArchiveLayer {
    pub fn new(file: ArchiveFile) -> Self {
        Self {
            path: file.path.clone(),
            current: RwLock::new(Arc::new(file)),
        }
    }

    /// The archive as it was opened last.
    pub fn current(&self) -> Arc<ArchiveFile> {
        self.current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the opened archive.
    pub fn replace(&self, file: Arc<ArchiveFile>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = file;
    }
}

/// A file in a layer.
#[derive(Clone, Debug)]
pub(crate) enum FoundFile {
    /// The entry with this index.
    Entry(Arc<ArchiveFile>, usize),
    /// The absolute path of a file on disk.
    Loose(PathBuf),
}

impl Layer {
    /// The path of the archive or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Archive(archive) => &archive.path,
            Self::Folder(folder) => folder.root(),
        }
    }

    /// The format of an archive. `None` for a folder.
    pub fn format(&self) -> Option<Format> {
        match self {
            Self::Archive(archive) => Some(archive.current().archive.format()),
            Self::Folder(_) => None,
        }
    }

    pub fn find(&self, path: &EntryPath) -> Option<FoundFile> {
        match self {
            Self::Archive(archive) => {
                let file = archive.current();
                let index = file.find(path.text())?.index();
                Some(FoundFile::Entry(file, index))
            }
            Self::Folder(folder) => folder.find(path).map(FoundFile::Loose),
        }
    }

    /// Finds a file with settings. They can only be in folders.
    pub fn find_meta(&self, path: &EntryPath) -> Option<FoundFile> {
        match self {
            Self::Archive(_) => None,
            Self::Folder(folder) => folder.find(&path.meta()).map(FoundFile::Loose),
        }
    }

    /// The names in a folder. `None` if the layer does not have it.
    pub fn list(&self, folder: &EntryPath) -> Option<Vec<String>> {
        match self {
            Self::Archive(archive) => archive.current().list(folder.key()),
            Self::Folder(layer) => layer.list(folder),
        }
    }

    /// The name of a file or folder as the layer lists it. `None` if the layer does not have it.
    pub fn name(&self, path: &EntryPath) -> Option<String> {
        match self {
            Self::Archive(archive) => {
                let file = archive.current();
                let exists = file.has_folder(path.key()) || file.find(path.text()).is_some();
                let name = path.key().rsplit('/').next().filter(|_| exists)?;
                Some(name.to_owned())
            }
            Self::Folder(folder) => folder.name(path),
        }
    }

    pub fn has_folder(&self, folder: &EntryPath) -> bool {
        match self {
            Self::Archive(archive) => archive.current().has_folder(folder.key()),
            Self::Folder(layer) => layer.has_folder(folder),
        }
    }
}

/// Layers, lowest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers(pub Vec<Arc<Layer>>);

/// Where a file of a source is stored: see [`ArchiveSource::locate`](crate::archive::ArchiveSource::locate).
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
    /// Of names that differ only in case, those of archives are listed, otherwise those of the lowest folder on disk. So a
    /// file that overrides another one does not change its path.
    pub fn list(&self, folder: &EntryPath) -> Option<Vec<PathBuf>> {
        if !self.has_folder(folder) {
            return None;
        }
        let mut names = Vec::new();
        let mut known = HashSet::new();
        for layer in self.by_spelling() {
            let mut new = layer.list(folder).unwrap_or_default();
            new.retain(|name| !known.contains(&folded(name)));
            known.extend(new.iter().map(|name| folded(name)));
            names.extend(new);
        }
        names.sort();
        names.dedup();
        let path = |name: String| {
            let mut path = folder.text().to_owned();
            push_part(&mut path, &name);
            PathBuf::from(path)
        };
        Some(names.into_iter().map(path).collect())
    }

    /// The layers whose names are listed, first those whose spelling wins.
    fn by_spelling(&self) -> impl Iterator<Item = &Layer> {
        let layers = || self.0.iter().map(|layer| &**layer);
        let is_folder = |layer: &&Layer| matches!(layer, Layer::Folder(_));
        let archives = layers().filter(move |layer| !is_folder(layer));
        archives.chain(layers().filter(is_folder))
    }

    /// A path with each name as [`list`](Self::list) spells it. Names that are not found stay as they are.
    pub fn listed(&self, path: &EntryPath) -> PathBuf {
        let (mut asked, mut listed) = (String::new(), String::new());
        for part in path.parts() {
            push_part(&mut asked, part);
            let here = EntryPath::parse(&asked);
            let name = here.and_then(|here| {
                let mut layers = self.by_spelling();
                layers.find_map(|layer| layer.name(&here))
            });
            push_part(&mut listed, name.as_deref().unwrap_or(part));
        }
        PathBuf::from(listed)
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
pub(crate) fn with_slashes(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
