//! Absolute paths of files. It must not know archives.
//!
//! Symbolic links are kept, unlike by [`archive_file::absolute`](crate::archive_file::absolute), because the files beside a
//! link count, not those beside its target.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The absolute path of a file or a folder without `..`, which asset paths cannot contain.
///
/// # Errors
/// If the path contains `..` and the folder does not exist, or the current folder is not known.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    if !path.components().any(|part| part == Component::ParentDir) {
        return Ok(path);
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(folder.canonicalize()?.join(name)),
        // It ends with `..`.
        _ => path.canonicalize(),
    }
}
