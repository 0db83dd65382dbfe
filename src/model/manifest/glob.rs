//! Names with `*` and `?` in them.

use crate::scene::{FileSearch, fits};
use bevy::asset::AssetPath;
use std::path::{Path, PathBuf};

/// Whether a name stands for others.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The files that fit a pattern, whose folders may have stars as well, by name: those below `folder`, and if there
/// are none, those below the root of the asset source. No more than `limit` and one.
pub(super) async fn matching(
    search: &mut FileSearch<'_>,
    folder: &Path,
    pattern: &str,
    limit: usize,
) -> Vec<AssetPath<'static>> {
    let parts = pattern.split(['/', '\\']);
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    let Some((last, folders)) = parts.split_last() else {
        return Vec::new();
    };
    for begin in [folder, Path::new("")] {
        search.awaits(begin, &parts);
        let mut found = vec![begin.to_path_buf()];
        for part in folders {
            found = entries(search, &found, part, limit, true).await;
        }
        let found = entries(search, &found, last, limit, false).await;
        if !found.is_empty() {
            let asset = |path| search.asset(path);
            return found.into_iter().map(asset).collect();
        }
    }
    Vec::new()
}

/// The folders, or files, within some folders whose names fit.
async fn entries(
    search: &mut FileSearch<'_>,
    folders: &[PathBuf],
    part: &str,
    limit: usize,
    are_folders: bool,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        for entry in search.entries(folder).await {
            let name = entry.file_name().unwrap_or_default();
            if fits(part, &name.to_string_lossy()) && search.is_folder(&entry).await == are_folders
            {
                found.push(entry);
                if found.len() > limit {
                    return found;
                }
            }
        }
    }
    found
}
