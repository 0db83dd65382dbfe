//! Folder contents, for the patterns of file names in manifests.

use crate::load::find::FileSearch;
use crate::load::find::names::Names;
use std::path::{Path, PathBuf};

impl FileSearch<'_> {
    /// The files and folders in a folder, sorted by name, with the names as stored on disk. Paths are relative to the
    /// root of the asset source. Empty if the source cannot be listed.
    pub(crate) async fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match &mut self.index {
            Some(index) => {
                let all = |names: &Names| names.all().cloned().collect();
                index.paths(folder, all).await
            }
            None => Vec::new(),
        };
        self.inputs.add(&entries);
        entries
    }

    /// Whether a path that [`entries`](Self::entries) returned is a folder.
    pub(crate) async fn is_folder(&self, path: &Path) -> bool {
        match &self.index {
            Some(index) => index.is_folder(path).await,
            None => false,
        }
    }

    /// Reloads the model when a file is added whose path relative to `folder` matches these patterns, component by
    /// component.
    pub(crate) fn watch_patterns(&mut self, folder: &Path, patterns: &[&str]) {
        if let Some(queries) = &mut self.queries {
            queries.add_patterns(folder, patterns);
        }
    }
}
