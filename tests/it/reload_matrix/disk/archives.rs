//! An asset source with an archive for each cell, below a folder.

use super::put;
use crate::reload_matrix::edits::FileChange;
use crate::reload_matrix::matrix::Cell;
use crate::support::archives::packed;
use crate::support::prelude::*;

pub struct Archives {
    root: TempDir,
    /// The folder that wins over the archives.
    folder: PathBuf,
}

impl Archives {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        Self { root, folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The archive of a cell. The path contains the cell's folder, so that warnings are found by it.
    fn path(&self, cell: &Cell) -> PathBuf {
        let path = format!("{}.{}", cell.folder, cell.archive);
        self.root.path().join("archives").join(path)
    }

    /// The bytes of the archive of a cell in which the edited file has a version.
    fn bytes(&self, cell: &Cell, version: Option<u8>) -> Vec<u8> {
        let files = cell.files(version);
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, it)| (&**path, &**it)).collect();
        packed(&format!("a.{}", cell.archive), &files)
    }

    pub fn fill(&self, cell: &Cell) {
        put(&self.path(cell), &self.bytes(cell, cell.first));
    }

    pub fn register(&self, app: &mut App, cells: &[Cell]) -> Loads {
        let source = ArchiveSource::new();
        let source = cells.iter().fold(source, |source, cell| {
            source.archive(self.path(cell)).unwrap()
        });
        let source = source.folder(&self.folder);
        Loads::from_source(app, source.into_builder(), &self.folder)
    }

    pub fn apply(&self, cell: &Cell, change: FileChange) {
        let path = self.path(cell);
        match change {
            FileChange::WriteEntry(version) => put(&path, &self.bytes(cell, Some(version))),
            FileChange::ReplaceArchive(version) => {
                let new = path.with_extension("new");
                put(&new, &self.bytes(cell, Some(version)));
                std::fs::rename(new, path).unwrap();
            }
            FileChange::WriteHalfArchive(version) => {
                let bytes = self.bytes(cell, Some(version));
                put(&path, &bytes[..bytes.len() / 2]);
            }
            other => panic!("{other:?} is no change of an archive"),
        }
    }
}
