//! Tells models of version 6 from everything else of that name.

use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

/// The only version that is read here.
const VERSION: u8 = 6;
/// What the header says before the version.
const FILE_TYPE: &[u8] = b"MonolithExport Model File v";
/// Versions of the format that came after, which begins the same way.
const LATER_VERSIONS: [u32; 6] = [9, 10, 11, 12, 13, 108];

/// Looks at the first chunk's name and what it says of the file's type.
pub(super) fn check(file: &Cursor<'_>) -> Result<(), ParseError> {
    let mut start = file.clone();
    let name: &[u8; 8] = start.record("name of the first chunk")?;
    if name != b"\x06\0Header" {
        let looks_like = looks_like(name);
        return Err(file.error(0, "first chunk", ErrorKind::WrongMagic { looks_like }));
    }
    start.i32("Header / offset of the next chunk")?;
    let offset = start.offset();
    let later = start.clone().u32("Header / file type")?;
    if LATER_VERSIONS.contains(&later) {
        let kind = ErrorKind::UnsupportedVersion {
            found: later.into(),
            supported: VERSION.into(),
            hint: " (this is the ABC of LithTech 2 and later: No One Lives Forever (NOLF) and its kin)",
        };
        return Err(file.error(offset, "Header / version", kind));
    }
    let length: &U16 = start.record("length of Header / file type")?;
    let said = start.take(length.get().into(), "Header / file type")?;
    match version(said) {
        Some(version) if version == i64::from(VERSION) => Ok(()),
        Some(version) => {
            let kind = ErrorKind::UnsupportedVersion {
                found: version,
                supported: VERSION.into(),
                hint: "",
            };
            Err(file.error(offset, "Header / version", kind))
        }
        None => {
            let begin = said.get(..40).unwrap_or(said).escape_ascii();
            let looks_like = format!("says that it is \"{begin}\"");
            let kind = ErrorKind::WrongMagic { looks_like };
            Err(file.error(offset, "Header / file type", kind))
        }
    }
}

/// The number at the end of a file type of this format.
fn version(said: &[u8]) -> Option<i64> {
    let number = said.strip_prefix(FILE_TYPE)?;
    core::str::from_utf8(number).ok()?.parse().ok()
}

/// A clause about what a file with other first bytes is likely to be.
fn looks_like(name: &[u8; 8]) -> String {
    let known = match name {
        [b'O', b'g', b'a', b'w', b'a', ..] => "is an Alembic cache (Ogawa), not a LithTech model",
        [0x89, b'H', b'D', b'F', ..] => "is an Alembic cache (HDF5), not a LithTech model",
        [b'X', b':', ..] | [b'%', b'a', b'b', b'c', ..] => "looks like a tune in ABC notation",
        _ => return format!("begins with \"{}\"", name.escape_ascii()),
    };
    known.to_owned()
}
