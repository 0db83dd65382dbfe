//! Writes `.meg` archives: for mods, test fixtures and tools.

use super::checksum::{MAX_PATH, checksum};
use super::records::*;
use crate::archive::{ArchiveFile, check_paths, check_written, encode, not_storable, offset32};
use crate::read::ErrorKind;
use crate::write::fail;
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// Writes an archive of version 1, 2 or 3, not encrypted. Empire at War reads version 1.
///
/// Paths are stored in upper case with `\`, as the games need them, and sorted by their checksums. [`open`](super::open) reads
/// the same files.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store: other versions, paths that are not relative, that are longer than
/// 259 bytes, or that have characters outside of Windows-1252, two paths with the same checksum, more than 4 GiB, and in version
/// 3 more than 65,536 files.
pub fn write(version: u32, files: &[ArchiveFile]) -> Result<Vec<u8>, WriteError> {
    check_paths(files)?;
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        let path = file.path.to_ascii_uppercase().replace('/', "\\");
        let name = encode(encoding_rs::WINDOWS_1252, &path, file)?;
        if name.len() > MAX_PATH {
            not_storable(file, "the games do not find paths of more than 259 bytes")?;
        }
        named.push((checksum(&name), name, file));
    }
    named.sort_by_key(|(checksum, ..)| *checksum);
    for ((a, ..), (b, _, file)) in named.iter().zip(named.iter().skip(1)) {
        if a == b {
            not_storable(
                file,
                "two paths cannot have the same checksum; rename one of them",
            )?;
        }
    }
    if version == 3 && files.len() > usize::from(u16::MAX) + 1 {
        let limit = "version 3 has at most 65,536 files";
        fail("archive", ErrorKind::LimitExceeded { limit })?;
    }
    let names_size: usize = named.iter().map(|(_, name, ..)| 2 + name.len()).sum();
    let count = offset32(files.len())?;
    let header = |start| HeaderV2 {
        flags: PLAIN.into(),
        magic: MAGIC.into(),
        data_start: start,
        names: count.into(),
        files: count.into(),
    };
    let tables_size = names_size + RECORD_SIZE as usize * files.len();
    let mut out = Vec::new();
    match version {
        1 => out.extend([count; 2].map(u32::to_le_bytes).as_flattened()),
        2 => out.extend(header(offset32(20 + tables_size)?.into()).as_bytes()),
        3 => {
            out.extend(header(offset32(24 + tables_size)?.into()).as_bytes());
            out.extend(offset32(names_size)?.to_le_bytes());
        }
        _ => fail("version", unsupported(version))?,
    }
    for (_, name, ..) in &named {
        // At most 259.
        out.extend((name.len() as u16).to_le_bytes());
        out.extend(name);
    }
    let mut start = out.len() + RECORD_SIZE as usize * files.len();
    for (index, (checksum, .., file)) in (0..).zip(&named) {
        let (size, offset) = (offset32(file.bytes.len())?, offset32(start)?);
        start += file.bytes.len();
        match version {
            3 => out.extend(
                RecordV3 {
                    flags: 0.into(),
                    checksum: (*checksum).into(),
                    index: index.into(),
                    size: size.into(),
                    start: offset.into(),
                    // At most 65,535.
                    name: (index as u16).into(),
                }
                .as_bytes(),
            ),
            _ => out.extend(
                RecordV1 {
                    checksum: (*checksum).into(),
                    index: index.into(),
                    size: size.into(),
                    start: offset.into(),
                    name: index.into(),
                }
                .as_bytes(),
            ),
        }
    }
    for (.., file) in &named {
        out.extend(&file.bytes);
    }
    check_written(&super::open(out.as_slice())?, files)?;
    Ok(out)
}

fn unsupported(version: u32) -> ErrorKind {
    ErrorKind::Unsupported {
        value: version.into(),
        hint: " (supported: 1, 2 and 3)",
    }
}
