//! Paths as games write them: those of Windows, with either slash, drives and `..`. They are not trusted. And the candidate paths
//! of a file.

use crate::load::names::{ENDINGS, has_extension, path_part};
use bevy::image::ImageLoader;
use std::path::{Path, PathBuf};

/// A component of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathPart<'a> {
    /// The name of a file or a folder, as written.
    Name(&'a str),
    /// A component that can leave the folder: a drive, a leading slash, `..`.
    Outside,
}

/// The components of a path, without `.` and empty ones.
pub(crate) fn path_parts(path: &str) -> impl Iterator<Item = PathPart<'_>> {
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let is_absolute = has_drive || path.starts_with(['/', '\\']);
    let rest = if has_drive { &path[2..] } else { path };
    let parts = rest.split(['/', '\\']);
    let parts = parts.filter(|part| !matches!(*part, "" | "."));
    // Windows ignores dots and spaces at the end, so other forms can mean the parent folder too.
    let parts = parts.map(|part| match part.trim_end_matches(ENDINGS) {
        "" => PathPart::Outside,
        _ => PathPart::Name(part),
    });
    let outside = is_absolute.then_some(PathPart::Outside);
    outside.into_iter().chain(parts)
}

/// Converts a path of a game to a relative path inside the asset source: without drives, leading slashes, `.` and `..`, and
/// without dots and spaces at the end of a name.
pub(crate) fn clean_path(path: &str) -> PathBuf {
    let names = path_parts(path).filter_map(|part| match part {
        PathPart::Name(name) => Some(path_part(name)),
        PathPart::Outside => None,
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Splits the asset source off a path of a manifest: `arc://models/x.abc` is `models/x.abc` in the source `arc`. A single
/// letter is a drive.
pub(crate) fn split_source(path: &str) -> Option<(&str, &str)> {
    let (source, rest) = path.split_once("://")?;
    (source.len() > 1 && !source.contains(['/', '\\'])).then_some((source, rest))
}

/// Like [`clean_path`], for a path of a manifest, which can begin with an asset source.
pub(crate) fn clean_source_path(path: &str) -> PathBuf {
    match split_source(path) {
        Some((source, rest)) => in_source(source, &clean_path(rest)),
        None => clean_path(path),
    }
}

pub(crate) fn in_source(source: &str, path: &Path) -> PathBuf {
    format!("{source}://{}", path.display()).into()
}

/// Appends a component to a path with `/` on every system.
pub(crate) fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// The candidate paths of a file, in search order: in the folder `first`, then in those of [`FileSearch::find`].
/// `variants` returns the names to try for a name.
///
/// [`FileSearch::find`]: crate::load::find::FileSearch::find
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
    let folders = folders.iter().map(|folder| clean_source_path(folder));
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
pub(crate) fn has_loader(name: &Path) -> bool {
    has_extension(name, &["dds", "tga"])
        || has_extension(name, &["dtx"])
        || has_extension(name, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}
