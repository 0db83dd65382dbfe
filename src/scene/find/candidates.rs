//! Where a file may be, and under which names.

use crate::scene::file_names::{has_extension, path_part};
use bevy::image::ImageLoader;
use std::path::{Path, PathBuf};

/// Where a file may be, in the order of trying; `variants` are the names it may have there.
pub(super) fn candidates(
    model: &Path,
    name: &str,
    folders: &[String],
    variants: fn(&Path) -> Vec<PathBuf>,
) -> Vec<PathBuf> {
    let own = model.parent().unwrap_or(Path::new("")).to_path_buf();
    let sibling = own.parent().map(|parent| parent.join("Textures"));
    let folders = folders.iter().map(|folder| clean_path(folder));
    let names = names(name, variants);
    let mut candidates = Vec::new();
    for folder in [own]
        .into_iter()
        .chain(sibling)
        .chain(folders)
        .chain([PathBuf::new()])
    {
        in_folder(&folder, &names, &mut candidates);
    }
    candidates
}

/// What a file may be called in a folder: with its own folders, then without.
pub(super) fn names(name: &str, variants: fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let whole = clean_path(name);
    let bare = whole.file_name().map(PathBuf::from).unwrap_or_default();
    [whole, bare]
        .iter()
        .filter(|name| name.file_name().is_some())
        .flat_map(|name| variants(name))
        .collect()
}

/// Adds names in a folder to candidates, each once.
pub(super) fn in_folder(folder: &Path, names: &[PathBuf], candidates: &mut Vec<PathBuf>) {
    for name in names {
        let candidate = folder.join(name);
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
}

pub(super) fn as_named(name: &Path) -> Vec<PathBuf> {
    vec![name.to_path_buf()]
}

/// Games shipped one kind of picture and named the other. What follows a dot may be a part of the name.
pub(super) fn as_picture(name: &Path) -> Vec<PathBuf> {
    in_kinds(name, &["dds", "tga"])
}

/// A name as it is if it has the extension of an image, else with each of `kinds`; then with each of
/// `kinds` in place of its extension.
pub(crate) fn in_kinds(name: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let added = kinds.iter().map(|kind| name.with_added_extension(kind));
    let mut names: Vec<_> = match has_loader(name) {
        true => vec![name.to_path_buf()],
        false => added.collect(),
    };
    names.extend(kinds.iter().map(|kind| name.with_extension(kind)));
    names
}

/// Whether a picture's extension is one that this crate or Bevy, with the features that the app has,
/// loads.
fn has_loader(name: &Path) -> bool {
    has_extension(name, &["dds", "tga"])
        || cfg!(feature = "lithtech") && has_extension(name, &["dtx"])
        || has_extension(name, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}

/// A path in the manner of Windows as one that stays inside the asset source.
pub(crate) fn clean_path(name: &str) -> PathBuf {
    let parts = name.split(['/', '\\']).map(path_part);
    parts.filter(|part| !part.is_empty()).collect()
}
