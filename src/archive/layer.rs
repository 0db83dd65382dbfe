//! A layer of a source: an archive or a folder.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::entry_path::EntryPath;
use crate::archive::folder::Folder;
use classic_model_formats::read::Format;
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
