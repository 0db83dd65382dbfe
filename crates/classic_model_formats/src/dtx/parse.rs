//! Bytes to [`DtxFile`].

use super::file::{DtxFile, DtxLevel, DtxTexels, picture_flags};
use crate::read::{Cursor, ErrorKind, Flaws, Format, ParseError, Quoted};
use std::borrow::Cow;
use zerocopy::little_endian::{I32, U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// What all versions begin with.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    /// 0 for pictures.
    resource: U32,
    version: I32,
    width: U16,
    height: U16,
    mips: U16,
    sections: U16,
    flags: U32,
    user_flags: U32,
    extra: [u8; 12],
}

/// Bytes of what all versions begin with.
pub const HEADER: usize = size_of::<Header>();

/// Whether a picture whose file begins so has texels that are not lit.
pub fn begins_full_bright(start: &[u8]) -> bool {
    let Ok((header, _)) = Header::ref_from_prefix(start) else {
        return false;
    };
    let has_palette = matches!(header.version.get(), -3 | -2);
    let is_full_bright = header.flags.get() & picture_flags::FULL_BRIGHT != 0;
    header.resource.get() == 0 && has_palette && is_full_bright
}

const VERSION: u64 = 4;
const WIDTH: u64 = 8;
const HEIGHT: u64 = 10;
const MIPS: u64 = 12;
const CODING: u64 = 26;

/// Bytes of the command string, padded with zeros.
const COMMAND_STRING: u64 = 128;

/// Reads a whole picture of version −2, −3 or −5.
///
/// # Errors
/// A [`ParseError`] with the offset of the value at fault. Flaws that do no harm end in
/// [`DtxFile::warnings`] instead.
pub fn parse(bytes: &[u8]) -> Result<DtxFile<'_>, ParseError> {
    let mut cursor = Cursor::new(Format::Dtx, bytes);
    check_magic(&cursor)?;
    let header: &Header = cursor.record("header")?;
    let mut flaws = Flaws::default();
    let (width, height, mips) = check_sizes(&cursor, header)?;
    let version = header.version.get();
    let command_string = match version {
        -2 => Cow::default(),
        _ => command_string(&mut cursor, &mut flaws)?,
    };
    let has_palette = version != -5;
    let (texels, unknown, palette) = if has_palette {
        let unknown: &[u8; 8] = cursor.record("bytes before the palette")?;
        let palette: &[[u8; 4]; 256] = cursor.record("palette")?;
        (DtxTexels::Indexed, *unknown, Some(palette))
    } else {
        (coding(&cursor, header)?, [0; 8], None)
    };
    let sizes = sizes(width, height, mips, &mut flaws);
    let mut levels = Vec::with_capacity(sizes.len());
    for (number, (width, height)) in sizes.into_iter().enumerate() {
        let length = texels.level_bytes(width, height);
        let bytes = cursor.take(length, format_args!("level {number}"))?;
        levels.push(DtxLevel {
            width,
            height,
            bytes,
        });
    }
    let mut alpha_levels = Vec::new();
    if has_palette && header.flags.get() & picture_flags::ALPHA != 0 {
        for (number, level) in levels.iter().enumerate() {
            let texels = level.bytes.len() as u64;
            let context = format_args!("alpha of level {number}");
            alpha_levels.push(cursor.take(texels.div_ceil(2), context)?);
        }
    }
    let offset = cursor.offset();
    let rest = cursor.remainder();
    let sections = header.sections.get();
    if sections == 0 && !rest.is_empty() {
        flaws.warn("rest", offset, || {
            format!("{} bytes after the texels are ignored", rest.len())
        });
    }
    Ok(DtxFile {
        version,
        width,
        height,
        mips,
        sections,
        flags: header.flags.get(),
        user_flags: header.user_flags.get(),
        extra: header.extra,
        command_string,
        unknown,
        texels,
        palette,
        levels,
        alpha_levels,
        rest,
        warnings: flaws.into_warnings(),
    })
}

/// Refuses what is no picture of these versions.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    let mut start = cursor.clone();
    let first: &[u8; 4] = start.record("first bytes")?;
    let looks_like = match first {
        [0, 0, 0, 0] => {
            let version = start.i32("version")?;
            if matches!(version, -2 | -3 | -5) {
                return Ok(());
            }
            let kind = ErrorKind::Unsupported {
                value: version.into(),
                hint: " (only -2, -3 and -5 are)",
            };
            return Err(cursor.error(VERSION, "version", kind));
        }
        b"DDS " => "is a DDS picture".to_owned(),
        b"\x89PNG" => "is a PNG picture".to_owned(),
        other => format!(
            "begins with \"{}\" and has no header of the format (the oldest DTX pictures have none, \
             and need the game's master palette)",
            other.escape_ascii()
        ),
    };
    Err(cursor.error(0, "first bytes", ErrorKind::WrongMagic { looks_like }))
}

/// Width, height and number of levels.
fn check_sizes(cursor: &Cursor<'_>, header: &Header) -> Result<(u32, u32, u16), ParseError> {
    let check = |value: U16, offset, context: &str| {
        let max = i32::from(u16::MAX);
        cursor.check_count(value.get().into(), offset, 1, max, context)
    };
    let width = check(header.width, WIDTH, "width")?;
    let height = check(header.height, HEIGHT, "height")?;
    check(header.mips, MIPS, "number of levels")?;
    Ok((width, height, header.mips.get()))
}

/// The text of 128 bytes, up to its first NUL.
fn command_string<'a>(
    cursor: &mut Cursor<'a>,
    flaws: &mut Flaws,
) -> Result<Cow<'a, str>, ParseError> {
    let offset = cursor.offset();
    let bytes = cursor.take(COMMAND_STRING, "command string")?;
    if !bytes.contains(&0) {
        flaws.warn("text without NUL", offset, || {
            "command string has no NUL at its end".to_owned()
        });
    }
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(lossy) = &text {
        flaws.warn("text not UTF-8", offset, || {
            format!("command string is not UTF-8: taken for {}", Quoted(lossy))
        });
    }
    Ok(text)
}

/// How the texels of version −5 are coded.
fn coding(cursor: &Cursor<'_>, header: &Header) -> Result<DtxTexels, ParseError> {
    let [_, _, coding, ..] = header.extra;
    match coding {
        0 | 3 => Ok(DtxTexels::Bgra8),
        4 => Ok(DtxTexels::Bc1),
        5 => Ok(DtxTexels::Bc2),
        6 => Ok(DtxTexels::Bc3),
        other => {
            let kind = ErrorKind::Unsupported {
                value: other.into(),
                hint: " (of version -5, 32 bits, DXT1, DXT3 and DXT5 are)",
            };
            Err(cursor.error(CODING, "coding of texels", kind))
        }
    }
}

/// The sizes of the levels that have texels: each side is halved, and what is left over forgotten.
fn sizes(width: u32, height: u32, mips: u16, flaws: &mut Flaws) -> Vec<(u32, u32)> {
    // Sides have 16 bits, so that more halvings leave nothing.
    let halves = |level| (width >> level, height >> level);
    let has_texels = |size: &(u32, u32)| size.0 > 0 && size.1 > 0;
    let most = u32::from(mips.min(16));
    let sizes: Vec<_> = (0..most).map(halves).take_while(has_texels).collect();
    if sizes.len() < usize::from(mips) {
        flaws.warn("levels without texels", MIPS, || {
            let found = sizes.len();
            format!("of {mips} levels only {found} have texels at {width} × {height}")
        });
    }
    sizes
}
