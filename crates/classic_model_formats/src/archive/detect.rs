//! Detects the format of an archive. It must not parse archives.

use super::ReadAt;
use super::signature::signature;
use crate::read::Format;
use std::io;
use std::path::Path;

/// The count of first bytes that are compared: up to the end of the text in the header of a REZ archive.
const START: usize = 127;

/// The least bytes of a file in a MEG archive: a record, and the length of a name.
const MEG_FILE_SIZE: u64 = 22;

/// The archive format of a file: [`Meg`](Format::Meg), [`Pak`](Format::Pak), [`Pk3`](Format::Pk3), [`Rez`](Format::Rez) or [`Vfs`](Format::Vfs).
///
/// The first bytes decide, so a file with a wrong extension has the format of its content. The extension of `name` decides
/// only if the bytes do not, for example for an empty or damaged file. `None` if neither is known.
///
/// A MEG archive of version 1 has no signature. It is recognized by its two counts, which are equal and fit into the file.
///
/// # Errors
/// If the length or the first bytes cannot be read.
pub fn detect(reader: &(impl ReadAt + ?Sized), name: &Path) -> io::Result<Option<Format>> {
    let length = reader.length()?;
    let mut start = [0; START];
    let count = usize::try_from(length).map_or(START, |length| length.min(START));
    let start = start.get_mut(..count).unwrap_or_default();
    reader.read_exact_at(start, 0)?;
    let found = signature(start).or_else(|| is_meg(start, length).then_some(Format::Meg));
    Ok(found.or_else(|| by_extension(name)))
}

/// Whether a file begins like a MEG archive of version 1 that has files.
fn is_meg(start: &[u8], length: u64) -> bool {
    let (counts, _) = start.as_chunks::<4>();
    let [names, files, ..] = counts else {
        return false;
    };
    let count = u64::from(u32::from_le_bytes(*names));
    names == files && count > 0 && 8 + MEG_FILE_SIZE * count <= length
}

fn by_extension(name: &Path) -> Option<Format> {
    let extension = name.extension()?.to_ascii_lowercase();
    match extension.to_str()? {
        "meg" => Some(Format::Meg),
        "pak" => Some(Format::Pak),
        "pk3" | "kpf" => Some(Format::Pk3),
        "rez" => Some(Format::Rez),
        "vfs" => Some(Format::Vfs),
        _ => None,
    }
}
