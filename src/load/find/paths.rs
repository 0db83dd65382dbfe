//! Paths as games write them: those of Windows, with either slash, drives and `..`. They are not trusted.

use crate::load::names::{ENDINGS, path_part};
use std::path::PathBuf;

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

/// Appends a component to a path with `/` on every system.
pub(crate) fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}
