//! Absolute paths of files. It must not know archives.
//!
//! Symbolic links are kept, unlike by [`archive_file::absolute`](crate::paths::archive_file::absolute), because the files beside a
//! link count, not those beside its target.

use std::fs::DirEntry;
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
        (Some(folder), Some(name)) => Ok(dunce::canonicalize(folder)?.join(name)),
        // It ends with `..`.
        _ => dunce::canonicalize(path),
    }
}

/// The folder of the samples: `assets` beside the program, where `scripts/package` puts it, otherwise that of the repository.
pub fn samples() -> PathBuf {
    let program = std::env::current_exe().ok();
    let packed = program.map(|program| program.with_file_name("assets"));
    let packed = packed.filter(|folder| folder.is_dir());
    packed.unwrap_or_else(classic_models_support::samples)
}

/// A folder in a folder, in any case.
pub fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries = folder.read_dir().ok()?.flatten();
    let is_named = |entry: &DirEntry| entry.file_name().eq_ignore_ascii_case(name);
    let found = entries.find(|entry| is_named(entry) && entry.path().is_dir());
    found.map(|entry| entry.path())
}

/// The files in a folder and its folders, by their paths from it, sorted; and the folders that cannot be read. Without hidden
/// ones, special files, and links to folders, which can be cyclic.
pub fn files_below(folder: &Path) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let current = folder.join(&below);
        let entries = match current.read_dir() {
            Ok(entries) => entries,
            Err(error) => {
                unreadable.push((current, error));
                continue;
            }
        };
        let entries = entries.flatten();
        for entry in entries.filter(|entry| !is_hidden(Path::new(&entry.file_name()))) {
            let path = below.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() || kind.is_symlink() && entry.path().is_file() => {
                    files.push(path)
                }
                _ => {}
            }
        }
    }
    files.sort();
    (files, unreadable)
}

/// Whether the name of a file or folder begins with a dot.
pub fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
