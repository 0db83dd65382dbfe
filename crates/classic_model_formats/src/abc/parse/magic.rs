//! Recognizes models of version 6, and other files with the extension `.abc`.

use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

/// The supported version.
const VERSION: u8 = 6;
/// The start of the file type in the header. The version follows.
const FILE_TYPE: &[u8] = b"MonolithExport Model File v";
/// Versions of the later format, whose first chunk has the same name.
const LATER_VERSIONS: [u32; 6] = [9, 10, 11, 12, 13, 108];

/// Checks the first chunk's name and the file type in it.
pub(super) fn check(file: &Cursor<'_>) -> Result<(), ParseError> {
    let mut start = file.clone();
    let name: &[u8; 8] = start.record("name of the first chunk")?;
    if name != b"\x06\0Header" {
        if name.starts_with(b"X:") || name.starts_with(b"%abc") {
            let looks_like = "looks like music in ABC notation".to_owned();
            return Err(file.error(0, "first chunk", ErrorKind::WrongMagic { looks_like }));
        }
        return Err(file.unrecognized("first chunk"));
    }
    start.i32("Header / offset of the next chunk")?;
    let offset = start.offset();
    let later = start.clone().u32("Header / file type")?;
    if LATER_VERSIONS.contains(&later) {
        let kind = ErrorKind::UnsupportedVersion {
            found: later.into(),
            supported: VERSION.into(),
            hint: " (this is the ABC format of LithTech 2 and later, such as No One Lives Forever (NOLF))",
        };
        return Err(file.error(offset, "Header / version", kind));
    }
    let length: &U16 = start.record("length of Header / file type")?;
    let file_type = start.take(length.get().into(), "Header / file type")?;
    match version(file_type) {
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
            let shown = file_type.get(..40).unwrap_or(file_type).escape_ascii();
            let looks_like = format!("has the file type \"{shown}\"");
            let kind = ErrorKind::WrongMagic { looks_like };
            Err(file.error(offset, "Header / file type", kind))
        }
    }
}

/// The version at the end of a file type.
fn version(file_type: &[u8]) -> Option<i64> {
    let version = file_type.strip_prefix(FILE_TYPE)?;
    core::str::from_utf8(version).ok()?.parse().ok()
}
