//! The layers of a preset while they are collected.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::error::{ArchiveSourceError, SourceWarning};
use crate::archive::folder::Folder;
use crate::archive::layer::{ArchiveLayer, Layer};
use crate::archive::layers::Layers;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

/// Collects the layers of a preset.
#[derive(Debug, Default)]
pub(crate) struct Preset {
    pub layers: Layers,
    pub warnings: Vec<SourceWarning>,
    /// Archives that are already open.
    opened: Layers,
}

impl Preset {
    /// A preset that does not open the archives of these layers again.
    pub fn reusing(opened: Layers) -> Self {
        Self {
            opened,
            ..Self::default()
        }
    }

    /// Adds an archive. One that cannot be opened is skipped with a warning.
    pub fn archive(&mut self, path: PathBuf) {
        let mut opened = self.opened.0.iter();
        let opened = opened.find_map(|layer| match &**layer {
            Layer::Archive(archive) if archive.path == path => Some((layer, archive.current())),
            _ => None,
        });
        if let Some((layer, file)) = opened {
            self.warnings.extend(archive_warnings(&file));
            self.layers.0.push(layer.clone());
            return;
        }
        match ArchiveFile::open(&path) {
            Ok(file) => {
                self.warnings.extend(archive_warnings(&file));
                let layer = Layer::Archive(ArchiveLayer::new(file));
                self.layers.0.push(Arc::new(layer));
            }
            Err(error) => self.warnings.push(SourceWarning::Skipped(error)),
        }
    }

    /// Adds a folder. If `only` is set, only files below the folder of this name are found. `only` is in lower case.
    pub fn folder(&mut self, path: PathBuf, only: Option<&'static str>) {
        let layer = Layer::Folder(Folder::new(path, only));
        self.layers.0.push(Arc::new(layer));
    }

    pub fn warn(&mut self, warning: SourceWarning) {
        self.warnings.push(warning);
    }
}

pub(crate) fn archive_warnings(file: &ArchiveFile) -> impl Iterator<Item = SourceWarning> {
    let warnings = file.archive.warnings().iter();
    warnings.map(|warning| SourceWarning::Archive {
        path: file.path.clone(),
        warning: warning.clone(),
    })
}

pub(crate) fn absolute_path(path: &Path) -> Result<PathBuf, ArchiveSourceError> {
    absolute(path).map_err(|error| ArchiveSourceError::io(path.to_owned(), &error))
}

/// The absolute path of a folder, which must exist.
pub(crate) fn existing_folder(path: &Path) -> Result<PathBuf, ArchiveSourceError> {
    let path = absolute_path(path)?;
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => {
            let error = std::io::ErrorKind::NotADirectory.into();
            Err(ArchiveSourceError::io(path, &error))
        }
        Err(error) => Err(ArchiveSourceError::io(path, &error)),
    }
}
