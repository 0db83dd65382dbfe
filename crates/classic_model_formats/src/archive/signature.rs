//! The signatures of archives: the format of a file by its first bytes, and the error that rejects another format.

use super::Source;
use crate::read::{ErrorKind, Format, ParseError, SIGNATURE_SIZE, file_kind};

/// The signatures of this crate's archives, with their offsets.
const SIGNATURES: [(usize, &[u8], Format); 6] = [
    (0, b"PACK", Format::Pak),
    (0, b"PK\x03\x04", Format::Pk3),
    // An archive without files.
    (0, b"PK\x05\x06", Format::Pk3),
    (4, &[0xA4, 0x70, 0x7D, 0x3F], Format::Meg),
    (0, b"\r\nRezMgr", Format::Rez),
    (0, &[0, 0, 0x80, 0x3F], Format::Vfs),
];

/// The text of a REZ header may differ, but not its end.
const REZ_TEXT: (&[u8], usize, &[u8]) = (b"\r\n", 124, b"\r\n\x1A");

/// The format of this crate whose files begin with these bytes.
pub(crate) fn signature(start: &[u8]) -> Option<Format> {
    let mut signatures = SIGNATURES.iter();
    let found = signatures.find(|(offset, bytes, _)| begins_with(start, *offset, bytes));
    let (first, end, last) = REZ_TEXT;
    let is_rez = begins_with(start, 0, first) && begins_with(start, end, last);
    found
        .map(|(.., format)| *format)
        .or(is_rez.then_some(Format::Rez))
}

/// Whether these bytes are at an offset.
fn begins_with(start: &[u8], offset: usize, bytes: &[u8]) -> bool {
    start
        .get(offset..)
        .is_some_and(|rest| rest.starts_with(bytes))
}

/// The error for a file that is not of the expected format, with a clause that says what it looks like.
pub(crate) fn wrong_magic(looks_like: impl Into<String>) -> ErrorKind {
    let looks_like = looks_like.into();
    ErrorKind::WrongMagic { looks_like }
}

/// The error for a file whose first bytes are not those of its format.
pub(crate) fn unrecognized(source: &Source<'_>, len: usize, expected: &str) -> ParseError {
    let start = match source.start(SIGNATURE_SIZE as u64) {
        Ok(start) => start,
        Err(error) => return error,
    };
    let kind = match file_kind(&start) {
        Some(_) => ErrorKind::unrecognized(&start),
        None => wrong_magic(format!(
            "begins with \"{}\", but must begin with {expected}",
            start.get(..len).unwrap_or(&start).escape_ascii()
        )),
    };
    source.error(0, "first bytes", kind)
}
