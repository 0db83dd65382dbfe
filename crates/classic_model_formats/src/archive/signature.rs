//! The signatures of archives: the format of a file by its first bytes, and the error that rejects another format.

use crate::read::{ErrorKind, Format};

/// The known signatures: the offset, the bytes, the format if this crate reads it, and a clause for the error.
const SIGNATURES: [(usize, &[u8], Option<Format>, &str); 12] = [
    (0, b"PACK", Some(Format::Pak), "is a Quake archive (PAK)"),
    (
        4,
        &[0xA4, 0x70, 0x7D, 0x3F],
        Some(Format::Meg),
        "is a Petroglyph archive (MEG)",
    ),
    (
        0,
        b"\r\nRezMgr",
        Some(Format::Rez),
        "is a LithTech archive (REZ)",
    ),
    (
        0,
        &[0, 0, 0x80, 0x3F],
        Some(Format::Vfs),
        "is a UFO: Aftermath archive (VFS)",
    ),
    (
        0,
        b"SPAK",
        None,
        "is an archive of the game SiN (SPAK), which is not supported",
    ),
    (
        0,
        b"PK\x03\x04",
        None,
        "is a ZIP archive (PK3), which is not supported",
    ),
    (
        0,
        b"PK\x05\x06",
        None,
        "is an empty ZIP archive (PK3), which is not supported",
    ),
    (
        0,
        b"BRGR",
        None,
        "is a Burgerlib archive (Killing Time, SiN and NOLF for Mac), which is not supported",
    ),
    (0, b"Rar!", None, "is a RAR archive, which is not supported"),
    (
        0,
        b"7z\xBC\xAF",
        None,
        "is a 7-Zip archive, which is not supported",
    ),
    (
        0,
        b"WAD2",
        None,
        "is a Quake texture archive (WAD2), which is not supported",
    ),
    (
        0,
        b"WAD3",
        None,
        "is a Half-Life texture archive (WAD3), which is not supported",
    ),
];

/// The text of a REZ header may differ, but not its end.
const REZ_TEXT: (&[u8], usize, &[u8]) = (b"\r\n", 124, b"\r\n\x1A");

/// The format of this crate whose files begin with these bytes.
pub(crate) fn signature(start: &[u8]) -> Option<Format> {
    let found = SIGNATURES.iter().find_map(|(offset, bytes, format, _)| {
        format.filter(|_| begins_with(start, *offset, bytes))
    });
    let (first, end, last) = REZ_TEXT;
    let is_rez = begins_with(start, 0, first) && begins_with(start, end, last);
    found.or(is_rez.then_some(Format::Rez))
}

/// Whether these bytes are at an offset.
fn begins_with(start: &[u8], offset: usize, bytes: &[u8]) -> bool {
    start
        .get(offset..)
        .is_some_and(|rest| rest.starts_with(bytes))
}

/// The error for a file that begins like an archive of another format. `None` if its first bytes are of this format, or of
/// no known format. A file can begin like several formats: numbers of a valid file can be the signature of another format.
pub(crate) fn other_format(start: &[u8], format: Format) -> Option<ErrorKind> {
    let matches = SIGNATURES
        .iter()
        .filter(|(offset, bytes, ..)| begins_with(start, *offset, bytes));
    let mut first = None;
    for (.., found, clause) in matches {
        if *found == Some(format) {
            return None;
        }
        first = first.or(Some(*clause));
    }
    first.map(wrong_magic)
}

/// The error for a file that is not of the expected format, with a clause that says what it looks like.
pub(crate) fn wrong_magic(looks_like: impl Into<String>) -> ErrorKind {
    let looks_like = looks_like.into();
    ErrorKind::WrongMagic { looks_like }
}

/// The error for first bytes of no known format.
pub(crate) fn unknown_format(start: &[u8], len: usize, expected: &str) -> ErrorKind {
    let start = start.get(..len).unwrap_or(start);
    wrong_magic(format!(
        "begins with \"{}\", but must begin with {expected}",
        start.escape_ascii()
    ))
}
