//! Writes `.pak` archives: for mods, test fixtures and tools.

use super::records::*;
use crate::archive::{
    ArchiveFile, check_paths, check_written, not_storable, offset32, write_header,
};
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// Writes an archive. The data follow the header, and the directory is at the end. [`open`](super::open) reads the same files.
///
/// Quake needs paths in lower case; this function does not change them.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store: no files, paths that are not relative, that are longer than 55
/// bytes in UTF-8, or that differ only in case, and more than 4 GiB.
pub fn write(files: &[ArchiveFile]) -> Result<Vec<u8>, WriteError> {
    check_paths(files)?;
    let mut out = vec![0; size_of::<Header>()];
    let mut records = Vec::new();
    for file in files {
        let mut name = [0; NAME_SIZE];
        // Engines need a NUL.
        match name
            .get_mut(..file.path.len())
            .filter(|it| it.len() < NAME_SIZE)
        {
            Some(name) => name.copy_from_slice(file.path.as_bytes()),
            None => not_storable(file, "a path has at most 55 bytes")?,
        }
        records.push(RawRecord {
            name,
            start: offset32(out.len())?.into(),
            size: offset32(file.bytes.len())?.into(),
        });
        out.extend(&file.bytes);
    }
    let header = Header {
        magic: MAGIC,
        start: offset32(out.len())?.into(),
        size: offset32(size_of_val(&*records))?.into(),
    };
    write_header(&mut out, header.as_bytes());
    out.extend(records.as_bytes());
    check_written(&super::open(out.as_slice())?, files)?;
    Ok(out)
}
