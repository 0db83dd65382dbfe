//! The asset source of the reload matrix, and the edits of its files.

mod archives;

use crate::reload_matrix::edits::{FileChange, METAS};
use crate::reload_matrix::matrix::Cell;
use crate::support::prelude::*;
pub use archives::Archives;

/// A watched folder, watched archives, or files in memory.
pub enum Disk {
    Folder { root: TempDir, outside: TempDir },
    Archives(Archives),
    Memory(Dir),
}

impl Disk {
    /// Writes the files of a cell before its first step.
    pub fn fill(&self, cell: &Cell) {
        match self {
            Self::Archives(archives) => archives.fill(cell),
            _ => {
                for (path, bytes) in cell.files(cell.first) {
                    self.put(&path, &bytes);
                }
            }
        }
        self.prepare(cell);
    }

    /// Makes the files the app's default asset source.
    pub fn register(&self, app: &mut App, cells: &[Cell]) -> Loads {
        match self {
            Self::Memory(files) => Loads::from_memory(app, files),
            Self::Folder { root, .. } => Loads::from_folder(app, root.path(), true),
            Self::Archives(archives) => archives.register(app, cells),
        }
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        match self {
            Self::Folder { .. } | Self::Archives(_) => put(&self.root().join(path), bytes),
            Self::Memory(files) => match path.strip_suffix(".meta") {
                Some(path) => files.insert_meta(Path::new(path), bytes.to_vec()),
                None => files.insert_asset(Path::new(path), bytes.to_vec()),
            },
        }
    }

    fn remove(&self, path: &str) {
        match self {
            Self::Folder { .. } | Self::Archives(_) => {
                std::fs::remove_file(self.root().join(path)).unwrap()
            }
            Self::Memory(files) => {
                let _ = match path.strip_suffix(".meta") {
                    Some(path) => files.remove_metadata(Path::new(path)),
                    None => files.remove_asset(Path::new(path)),
                };
            }
        }
    }

    /// Writes the files that later steps rename.
    fn prepare(&self, cell: &Cell) {
        let Self::Folder { root, outside } = self else {
            return;
        };
        for (change, ..) in &cell.steps {
            let (folder, version) = match change {
                FileChange::RenameInside(version) => (root.path(), version),
                FileChange::RenameFromOutside(version) => (outside.path(), version),
                _ => continue,
            };
            // Keep `.meta` at the end, so that Bevy does not treat the file as an asset.
            let end = if METAS.contains(&cell.kind) {
                ".meta"
            } else {
                ""
            };
            let path = folder.join(&cell.folder).join(format!("saved{end}"));
            put(&path, &cell.format.contents(cell.kind, *version));
        }
    }

    pub fn apply(&self, cell: &Cell, change: FileChange) {
        let path = cell.path(cell.kind);
        let contents = |version| cell.format.contents(cell.kind, version);
        let end = if METAS.contains(&cell.kind) {
            ".meta"
        } else {
            ""
        };
        let rename = |from: &Path, version| match self {
            Self::Folder { root, .. } => {
                let from = from.join(&cell.folder).join(format!("saved{end}"));
                std::fs::rename(from, root.path().join(&path)).unwrap();
            }
            _ => self.put(&path, &contents(version)),
        };
        match change {
            FileChange::Write(version)
            | FileChange::WriteInFirstFolder(version)
            | FileChange::Override(version) => self.put(&path, &contents(version)),
            FileChange::WriteHalf(version) => {
                let whole = contents(version);
                self.put(&path, &whole[..whole.len() / 2]);
            }
            FileChange::WriteInvalid => self.put(&path, b"nonsense"),
            FileChange::Remove | FileChange::RemoveOverride => self.remove(&path),
            FileChange::Replace(version) => {
                self.remove(&path);
                self.put(&path, &contents(version));
            }
            FileChange::BackUp(version) => {
                if let Self::Folder { root, .. } = self {
                    let original = root.path().join(&path);
                    let backup = root.path().join(&cell.folder).join(format!("backup{end}"));
                    std::fs::rename(original, backup).unwrap();
                }
                self.put(&path, &contents(version));
            }
            FileChange::RenameInside(version) => rename(self.root(), version),
            FileChange::RenameFromOutside(version) => rename(self.outside(), version),
            FileChange::WriteEntry(_)
            | FileChange::ReplaceArchive(_)
            | FileChange::WriteHalfArchive(_) => {
                if let Self::Archives(archives) = self {
                    archives.apply(cell, change);
                }
            }
        }
    }

    pub fn root(&self) -> &Path {
        match self {
            Self::Folder { root, .. } => root.path(),
            Self::Archives(archives) => archives.folder(),
            Self::Memory(_) => Path::new(""),
        }
    }

    fn outside(&self) -> &Path {
        match self {
            Self::Folder { outside, .. } => outside.path(),
            _ => Path::new(""),
        }
    }
}

fn put(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
