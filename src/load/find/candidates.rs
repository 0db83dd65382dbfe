//! The candidate paths of a file.

use crate::load::find::paths::clean_path;
use crate::load::names::has_extension;
use bevy::image::ImageLoader;
use std::path::{Path, PathBuf};

/// The candidate paths of a file, in search order: in the folder `first`, then in those of [`FileFinder::find`].
/// `variants` returns the names to try for a name.
///
/// [`FileFinder::find`]: crate::load::FileFinder::find
pub(crate) fn candidates(
    model: &Path,
    first: Option<&str>,
    name: &str,
    folders: &[String],
    variants: fn(&Path) -> Vec<PathBuf>,
) -> Vec<PathBuf> {
    let first = first.map(clean_path);
    let own = model.parent().unwrap_or(Path::new("")).to_path_buf();
    let sibling = own.parent().map(|parent| parent.join("Textures"));
    let folders = folders.iter().map(|folder| clean_path(folder));
    let names = names(name, variants);
    let mut candidates = Vec::new();
    for folder in first
        .into_iter()
        .chain([own])
        .chain(sibling)
        .chain(folders)
        .chain([PathBuf::new()])
    {
        in_folder(&folder, &names, &mut candidates);
    }
    candidates
}

/// The candidate names of a file within a folder: with the directories of `name`, then without.
fn names(name: &str, variants: fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let whole = clean_path(name);
    let bare = whole.file_name().map(PathBuf::from).unwrap_or_default();
    [whole, bare]
        .iter()
        .filter(|name| name.file_name().is_some())
        .flat_map(|name| variants(name))
        .collect()
}

/// Adds the names in a folder to the candidates, without duplicates.
fn in_folder(folder: &Path, names: &[PathBuf], candidates: &mut Vec<PathBuf>) {
    for name in names {
        let candidate = folder.join(name);
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
}

pub(crate) fn as_named(name: &Path) -> Vec<PathBuf> {
    vec![name.to_path_buf()]
}

/// The names of a texture. Games shipped one image format and named another one, and a dot can be part of the name.
pub fn as_texture(name: &Path) -> Vec<PathBuf> {
    with_extensions(name, &["dds", "tga"])
}

/// The name itself if it has the extension of an image, otherwise the name with each of `extensions` appended. Then the
/// name with its extension replaced by each of `extensions`.
pub(crate) fn with_extensions(name: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let added = extensions
        .iter()
        .map(|extension| name.with_added_extension(extension));
    let mut names: Vec<_> = if has_loader(name) {
        vec![name.to_path_buf()]
    } else {
        added.collect()
    };
    names.extend(
        extensions
            .iter()
            .map(|extension| name.with_extension(extension)),
    );
    names
}

/// Whether this crate or Bevy, with the enabled features, loads images with this extension.
fn has_loader(name: &Path) -> bool {
    has_extension(name, &["dds", "tga"])
        || has_extension(name, &["dtx"])
        || has_extension(name, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}
