//! Writes `.pk3` archives: for mods, test fixtures and tools.

use super::records::*;
use crate::archive::{ArchiveFile, check_paths, check_written, not_storable, offset32};
use crate::read::ErrorKind;
use crate::write::fail;
use miniz_oxide::deflate::compress_to_vec;
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// The level of compression, from 0 to 10.
const LEVEL: u8 = 9;
/// Version 2.0, the first one with Deflate.
const VERSION: u16 = 20;
/// The flag of names in UTF-8.
const IS_UTF_8: u16 = 1 << 11;
/// January 1 of 1980, the first date that the format has. So equal files give equal archives.
const DATE: u16 = 1 << 5 | 1;

/// Writes an archive. Files are compressed by Deflate if that makes them smaller. They are in the given order, and their dates
/// are the same, so that equal files give equal archives. [`open`](super::open) reads the same files.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store: paths that are not relative or that differ only in case, a
/// path of more than 65,535 bytes, more than 65,535 files, and more than 4 GiB.
pub fn write(files: &[ArchiveFile]) -> Result<Vec<u8>, WriteError> {
    check_paths(files)?;
    let count = u16::try_from(files.len()).unwrap_or(u16::MAX);
    if usize::from(count) < files.len() {
        let limit = "an archive has at most 65,535 files";
        fail("archive", ErrorKind::LimitExceeded { limit })?;
    }
    let mut out: Vec<u8> = Vec::new();
    let mut directory: Vec<u8> = Vec::new();
    for file in files {
        let name = file.path.as_bytes();
        let name_len = u16::try_from(name.len()).unwrap_or(u16::MAX);
        if usize::from(name_len) < name.len() {
            not_storable(file, "a path has at most 65,535 bytes")?;
        }
        let deflated = compress_to_vec(&file.bytes, LEVEL);
        let (method, data) = match deflated.len() < file.bytes.len() {
            true => (DEFLATED, &deflated),
            false => (STORED, &file.bytes),
        };
        let fields = FileFields {
            version: VERSION.into(),
            flags: if file.path.is_ascii() { 0 } else { IS_UTF_8 }.into(),
            method: method.into(),
            time: 0.into(),
            date: DATE.into(),
            checksum: rawzip::crc32(&file.bytes).into(),
            stored: offset32(data.len())?.into(),
            size: offset32(file.bytes.len())?.into(),
            name_len: name_len.into(),
            extra_len: 0.into(),
        };
        let record = CentralRecord {
            magic: CENTRAL_MAGIC,
            made_by: VERSION.into(),
            fields,
            comment_len: 0.into(),
            disk: 0.into(),
            internal_attributes: 0.into(),
            external_attributes: 0.into(),
            start: offset32(out.len())?.into(),
        };
        let header = LocalHeader {
            magic: LOCAL_MAGIC,
            fields,
        };
        directory.extend(record.as_bytes());
        directory.extend(name);
        out.extend(header.as_bytes());
        out.extend(name);
        out.extend(data);
    }
    let end = EndRecord {
        magic: END_MAGIC,
        disk: 0.into(),
        directory_disk: 0.into(),
        files_of_disk: count.into(),
        files: count.into(),
        size: offset32(directory.len())?.into(),
        start: offset32(out.len())?.into(),
        comment_len: 0.into(),
    };
    out.extend(directory);
    out.extend(end.as_bytes());
    check_written(&super::open(out.as_slice())?, files)?;
    Ok(out)
}
