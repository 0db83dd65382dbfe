//! Lists the files of a folder that was added while the app runs. It must not depend on assets.

use std::path::{Path, PathBuf};

/// The maximum count of files that are processed when a whole folder is added.
const MAX_FILES: usize = 10_000;

/// The files in a folder and its subfolders. Paths are relative to `root`.
pub(crate) fn files_below(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            // Symbolic links are not followed, because they can be circular.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) if files.len() < MAX_FILES => files.push(path),
                _ => {}
            }
        }
    }
    files
}
