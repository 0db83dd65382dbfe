//! Parses bytes to a [`DtxFile`].

use super::file::{DtxFile, DtxLevel, DtxTexelFormat, texture_flags};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted, WarningCollector, file_kind};
use std::borrow::Cow;
use zerocopy::little_endian::{I32, U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// The first bytes of a file of any version.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    /// The type of the resource: 0 for textures.
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

/// The size in bytes of the header that [`is_full_bright_header`] needs. All versions have it.
pub const HEADER_SIZE: usize = size_of::<Header>();

/// Whether the first [`HEADER_SIZE`] bytes of a file belong to a texture whose texels of palette index 255 are unlit: see
/// [`DtxFile::is_full_bright`]. Returns false for fewer bytes.
pub fn is_full_bright_header(start: &[u8]) -> bool {
    let Ok((header, _)) = Header::ref_from_prefix(start) else {
        return false;
    };
    let has_palette = matches!(header.version.get(), -3 | -2);
    let is_full_bright = header.flags.get() & texture_flags::FULL_BRIGHT != 0;
    header.resource.get() == 0 && has_palette && is_full_bright
}

// Offsets of header fields, in bytes.
const VERSION: u64 = 4;
const WIDTH: u64 = 8;
const HEIGHT: u64 = 10;
const MIPS: u64 = 12;
const TEXEL_FORMAT: u64 = 26;

/// The count of mip levels in all known files with a palette.
const STORED_LEVELS: u16 = 4;

/// Size of the command string in bytes. It is padded with zeros.
const COMMAND_STRING_SIZE: u64 = 128;

/// Parses a texture of version −2, −3 or −5.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value. Harmless flaws are reported in [`DtxFile::warnings`] instead.
pub fn parse(bytes: &[u8]) -> Result<DtxFile<'_>, ParseError> {
    let mut cursor = Cursor::new(Format::Dtx, bytes);
    check_magic(&cursor, bytes)?;
    let header: &Header = cursor.record("header")?;
    let mut warnings = WarningCollector::default();
    let (width, height, mips) = check_sizes(&cursor, header)?;
    let version = header.version.get();
    let command_string = match version {
        -2 => Cow::default(),
        _ => command_string(&mut cursor, &mut warnings)?,
    };
    let has_palette = version != -5;
    let (texel_format, unknown, palette) = if has_palette {
        let unknown: &[u8; 8] = cursor.record("bytes before the palette")?;
        let palette: &[[u8; 4]; 256] = cursor.record("palette")?;
        (DtxTexelFormat::Indexed, *unknown, Some(palette))
    } else {
        (texel_format(&cursor, header)?, [0; 8], None)
    };
    let has_alpha = has_palette && header.flags.get() & texture_flags::ALPHA != 0;
    let count = match has_palette {
        true => stored_levels((width, height), mips, has_alpha, cursor.remaining()),
        false => mips,
    };
    if count != mips {
        warnings.warn("level count", MIPS, || {
            format!("the header declares {mips} mip levels, but the file has {count}")
        });
    }
    let sizes = level_sizes(width, height, count, &mut warnings);
    let mut levels = Vec::with_capacity(sizes.len());
    for (index, (width, height)) in sizes.into_iter().enumerate() {
        let length = texel_format.level_bytes(width, height);
        let bytes = cursor.take(length, format_args!("mip level {index}"))?;
        levels.push(DtxLevel {
            width,
            height,
            bytes,
        });
    }
    let mut alpha_levels = Vec::new();
    if has_alpha {
        for (index, level) in levels.iter().enumerate() {
            let texels = level.bytes.len() as u64;
            let context = format_args!("alpha of mip level {index}");
            alpha_levels.push(cursor.take(texels.div_ceil(2), context)?);
        }
    }
    let offset = cursor.offset();
    let rest = cursor.remainder();
    let sections = header.sections.get();
    if sections == 0 && !rest.is_empty() {
        warnings.warn("rest", offset, || {
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
        texel_format,
        palette,
        levels,
        alpha_levels,
        rest,
        warnings: warnings.into_warnings(),
    })
}

/// Checks that the file is a texture of a supported version.
fn check_magic(cursor: &Cursor<'_>, bytes: &[u8]) -> Result<(), ParseError> {
    let mut start = cursor.clone();
    let first: &[u8; 4] = start.record("first bytes")?;
    if *first == [0; 4] {
        let version = start.i32("version")?;
        if matches!(version, -2 | -3 | -5) {
            return Ok(());
        }
        let kind = ErrorKind::Unsupported {
            value: version.into(),
            hint: " (supported: -2, -3 and -5)",
        };
        return Err(cursor.error(VERSION, "version", kind));
    }
    if file_kind(bytes).is_some() {
        return Err(cursor.unrecognized("first bytes"));
    }
    let looks_like = format!(
        "begins with \"{}\" and has no DTX header (the oldest DTX textures have none, and need the game's master palette)",
        first.escape_ascii()
    );
    Err(cursor.error(0, "first bytes", ErrorKind::WrongMagic { looks_like }))
}

/// Reads width, height and count of mip levels. Only textures with a palette may have the count 0.
fn check_sizes(cursor: &Cursor<'_>, header: &Header) -> Result<(u32, u32, u16), ParseError> {
    let check = |value: U16, offset, context: &str| {
        let max = i32::from(u16::MAX);
        cursor.check_count(value.get().into(), offset, 1, max, context)
    };
    let width = check(header.width, WIDTH, "width")?;
    let height = check(header.height, HEIGHT, "height")?;
    if header.version.get() == -5 {
        check(header.mips, MIPS, "mip level count")?;
    }
    Ok((width, height, header.mips.get()))
}

/// Reads the command string up to its first NUL.
fn command_string<'a>(
    cursor: &mut Cursor<'a>,
    warnings: &mut WarningCollector,
) -> Result<Cow<'a, str>, ParseError> {
    let offset = cursor.offset();
    let bytes = cursor.take(COMMAND_STRING_SIZE, "command string")?;
    if !bytes.contains(&0) {
        warnings.warn("text without NUL", offset, || {
            "command string has no NUL terminator".to_owned()
        });
    }
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(lossy) = &text {
        warnings.warn("text not UTF-8", offset, || {
            format!("command string is not UTF-8, read as {}", Quoted(lossy))
        });
    }
    Ok(text)
}

/// The texel format of version −5.
fn texel_format(cursor: &Cursor<'_>, header: &Header) -> Result<DtxTexelFormat, ParseError> {
    let [_, _, code, ..] = header.extra;
    match code {
        0 | 3 => Ok(DtxTexelFormat::Bgra8),
        4 => Ok(DtxTexelFormat::Bc1),
        5 => Ok(DtxTexelFormat::Bc2),
        6 => Ok(DtxTexelFormat::Bc3),
        other => {
            let kind = ErrorKind::Unsupported {
                value: other.into(),
                hint: " (supported in version -5: 0 or 3 for 32 bits, 4 for DXT1, 5 for DXT3, 6 for DXT5)",
            };
            Err(cursor.error(TEXEL_FORMAT, "texel format", kind))
        }
    }
}

/// The count of mip levels in a file with a palette: at least 4, even if the header declares fewer. Only if the file has exactly
/// the bytes of the declared count, it is that.
fn stored_levels(size: (u32, u32), declared: u16, has_alpha: bool, bytes: u64) -> u16 {
    let level_bytes = |level: u32| {
        let texels = u64::from(size.0 >> level) * u64::from(size.1 >> level);
        texels + if has_alpha { texels.div_ceil(2) } else { 0 }
    };
    let declared_bytes: u64 = (0..u32::from(declared.min(STORED_LEVELS)))
        .map(level_bytes)
        .sum();
    match declared {
        1..STORED_LEVELS if declared_bytes == bytes => declared,
        _ => declared.max(STORED_LEVELS),
    }
}

/// The sizes of the mip levels that have texels. Each level has half the width and height of the previous one, rounded
/// down.
fn level_sizes(
    width: u32,
    height: u32,
    mips: u16,
    warnings: &mut WarningCollector,
) -> Vec<(u32, u32)> {
    // Width and height have 16 bits, so level 16 and later ones have no texels.
    let level_size = |level| (width >> level, height >> level);
    let has_texels = |size: &(u32, u32)| size.0 > 0 && size.1 > 0;
    let max = u32::from(mips.min(16));
    let sizes: Vec<_> = (0..max).map(level_size).take_while(has_texels).collect();
    if sizes.len() < usize::from(mips) {
        warnings.warn("levels without texels", MIPS, || {
            let found = sizes.len();
            format!(
                "the header declares {mips} mip levels, but only {found} have texels at \
                 {width} × {height}"
            )
        });
    }
    sizes
}
