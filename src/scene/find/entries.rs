//! What is in folders: for patterns of file names.

use super::FileSearch;
use super::names::Names;
use std::path::{Path, PathBuf};

impl FileSearch<'_> {
    /// What is in a folder, from the root of the asset source: files and folders, by name, under the names that
    /// the disk has. Nothing where the source cannot be listed.
    pub(crate) async fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match &mut self.disk {
            Some(disk) => {
                let all = |names: &Names| names.all().cloned().collect();
                disk.paths(folder, all).await
            }
            None => Vec::new(),
        };
        self.inputs.add(&entries);
        entries
    }

    /// Whether something that [`entries`](Self::entries) told is a folder.
    pub(crate) async fn is_folder(&self, path: &Path) -> bool {
        match &self.disk {
            Some(disk) => disk.is_folder(path).await,
            None => false,
        }
    }

    /// Tells that files which come are for the model if what leads to them from a folder fits these patterns, part
    /// by part.
    pub(crate) fn awaits(&mut self, folder: &Path, patterns: &[&str]) {
        if let Some(hopes) = &mut self.hopes {
            hopes.fit(folder, patterns);
        }
    }
}
