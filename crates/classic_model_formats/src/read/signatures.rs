//! What a file is, by its first bytes: for errors about files that are not of the expected format.

use super::ErrorKind;

/// The count of first bytes that [`file_kind`] uses.
pub const SIGNATURE_SIZE: usize = 128;

/// Signatures: the offset, the bytes, and what the file is.
const SIGNATURES: [(usize, &[u8], &str); 52] = [
    (
        0,
        b"version https://git-lfs",
        "a Git LFS pointer in place of the file: install Git LFS and run `git lfs pull`",
    ),
    // Images.
    (0, b"\x89PNG", "a PNG image"),
    (0, b"\xFF\xD8\xFF", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (6, b"\0\0\0\0\x36\0\0\0\x28\0\0\0", "a BMP image"),
    (8, b"WEBP", "a WebP image"),
    (0, b"DDS ", "a DDS image"),
    (0, b"8BPS", "a Photoshop image (PSD)"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, b"\xABKTX", "a KTX image"),
    (0, b"\0\0\0\0\xFE\xFF\xFF\xFF", "a LithTech texture (DTX)"),
    (0, b"\0\0\0\0\xFD\xFF\xFF\xFF", "a LithTech texture (DTX)"),
    (0, b"\0\0\0\0\xFB\xFF\xFF\xFF", "a LithTech texture (DTX)"),
    // Models.
    (0, b"IDPO", "a Quake model (MDL)"),
    (0, b"MD16", "a Quake model (MD16)"),
    (0, b"RAPO", "a Hexen II model (RAPO)"),
    (0, b"IDST", "a Half-Life or Source model (IDST)"),
    (0, b"IDSQ", "a Half-Life sequence file (IDSQ)"),
    (0, b"IDP2", "a Quake II model (MD2)"),
    (0, b"IDP3", "a Quake III model (MD3)"),
    (0, b"IDSP", "a Quake sprite (SPR)"),
    (0, b"MDL2", "a 3D GameStudio model (MDL2)"),
    (0, b"MDL3", "a 3D GameStudio model (MDL3)"),
    (0, b"MDL4", "a 3D GameStudio model (MDL4)"),
    (0, b"MDL5", "a 3D GameStudio model (MDL5)"),
    (0, b"MDL6", "a 3D GameStudio model (MDL6)"),
    (0, b"MDL7", "a 3D GameStudio model (MDL7)"),
    (0, b"\x06\0Header", "a LithTech model (ABC)"),
    (0, b"Ogawa", "an Alembic cache (Ogawa)"),
    (0, b"\x89HDF", "an Alembic cache (HDF5)"),
    (0, b"glTF", "a glTF model (GLB)"),
    (0, b"Kaydara FBX", "an FBX model"),
    (0, b"BLENDER", "a Blender file"),
    // Archives.
    (0, b"PACK", "a Quake archive (PAK)"),
    (4, &[0xA4, 0x70, 0x7D, 0x3F], "a Petroglyph archive (MEG)"),
    (0, b"\r\nRezMgr", "a LithTech archive (REZ)"),
    (0, &[0, 0, 0x80, 0x3F], "a UFO: Aftermath archive (VFS)"),
    (
        0,
        b"SPAK",
        "an archive of the game SiN (SPAK), which is not supported",
    ),
    (0, b"PK\x03\x04", "a ZIP archive (PK3)"),
    (0, b"PK\x05\x06", "an empty ZIP archive (PK3)"),
    (
        0,
        b"BRGR",
        "a Burgerlib archive (Killing Time, SiN and NOLF for Mac), which is not supported",
    ),
    (0, b"Rar!", "a RAR archive, which is not supported"),
    (0, b"7z\xBC\xAF", "a 7-Zip archive, which is not supported"),
    (0, b"\x1F\x8B\x08", "a gzip archive, which is not supported"),
    (
        0,
        b"WAD2",
        "a Quake texture archive (WAD2), which is not supported",
    ),
    (
        0,
        b"WAD3",
        "a Half-Life texture archive (WAD3), which is not supported",
    ),
    // Other files.
    (8, b"WAVE", "a WAV sound"),
    (0, b"OggS", "an Ogg sound"),
    (0, b"PulseWav", "a PulseWaves file of a laser scanner"),
    (0, b"<?xml", "an XML file"),
    (0, b"%PDF", "a PDF document"),
];

/// Types of the first chunk of Alamo files.
const CHUNKS: [(u32, &str); 7] = [
    (0x200, "an Alamo model (ALO)"),
    (0x400, "an Alamo model (ALO)"),
    (0x600, "an Alamo model (ALO)"),
    (0x1300, "an Alamo model (ALO)"),
    (0x900, "an Alamo particle system (version 1)"),
    (
        0x1500,
        "an Alamo particle system (version 2) of Universe at War",
    ),
    (0x1000, "an Alamo animation (ALA)"),
];

/// What a file is, by its first [`SIGNATURE_SIZE`] bytes: a noun such as `a PNG image`. `None` if they are of no known kind.
///
/// Only for messages: a parser accepts some files that have other first bytes, and rejects some that have these.
#[must_use]
pub fn file_kind(start: &[u8]) -> Option<&'static str> {
    if is_html(start) {
        return Some(
            "an HTML page, such as the answer of a web server that does not have the file",
        );
    }
    if let Some(id) = start.first_chunk() {
        let id = u32::from_le_bytes(*id);
        if let Some((_, kind)) = CHUNKS.iter().find(|(chunk, _)| *chunk == id) {
            return Some(kind);
        }
    }
    let is_at = |offset: usize, bytes: &[u8]| {
        let rest = start.get(offset..);
        rest.is_some_and(|rest| rest.starts_with(bytes))
    };
    let mut signatures = SIGNATURES.iter();
    let found = signatures.find(|(offset, bytes, _)| is_at(*offset, bytes));
    found.map(|(.., kind)| *kind)
}

/// Whether a file begins like an HTML page. Web servers send one, often with the status 200, in place of a missing file.
#[must_use]
pub fn is_html(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let text = start.trim_ascii_start();
    let begins_with = |tag: &[u8]| {
        let begin = text.get(..tag.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(tag))
    };
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
        .into_iter()
        .any(begins_with)
}

impl ErrorKind {
    /// The kind of an error about a file of another format, by its first bytes.
    pub(crate) fn unrecognized(start: &[u8]) -> Self {
        let looks_like = match file_kind(start) {
            Some(kind) => format!("is {kind}"),
            None if start.len() >= 8 && start.iter().all(|byte| *byte == 0) => {
                "begins with zero bytes only, as after an interrupted download".to_owned()
            }
            None => {
                let start = start.get(..8).unwrap_or(start);
                format!("begins with \"{}\"", start.escape_ascii())
            }
        };
        Self::WrongMagic { looks_like }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_the_first_bytes() {
        for (start, expected) in [
            (
                &b"version https://git-lfs.github.com/spec/v1\noid"[..],
                Some("a Git LFS pointer"),
            ),
            (b"\x89PNG\r\n\x1A\n", Some("a PNG image")),
            (
                b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
                Some("a BMP image"),
            ),
            (b"RIFF\x24\0\0\0WAVEfmt ", Some("a WAV sound")),
            (b"\n <!DOCTYPE HTML><html>", Some("an HTML page")),
            (b"\xEF\xBB\xBF<html lang", Some("an HTML page")),
            (b"<?xml version", Some("an XML file")),
            (
                b"\xFF\xFF\xFF\xFF\xA4\x70\x7D\x3F",
                Some("a Petroglyph archive (MEG)"),
            ),
            (b"\0\x04\0\0\x10\0\0\x80", Some("an Alamo model (ALO)")),
            (b"\0\x15\0\0", Some("an Alamo particle system (version 2)")),
            (b"\0\0\0\0", None),
            (b"", None),
            (b"MODEL", None),
        ] {
            let found = file_kind(start);
            let is_expected = match (found, expected) {
                (Some(found), Some(expected)) => found.starts_with(expected),
                (found, expected) => found == expected,
            };
            assert!(is_expected, "{found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn signatures_are_within_the_documented_size_and_none_hides_another() {
        for (index, (offset, bytes, kind)) in SIGNATURES.iter().enumerate() {
            assert!(offset + bytes.len() <= SIGNATURE_SIZE);
            let mut start = vec![1; *offset];
            start.extend_from_slice(bytes);
            assert_eq!(file_kind(&start), Some(*kind), "row {index}");
        }
    }
}
