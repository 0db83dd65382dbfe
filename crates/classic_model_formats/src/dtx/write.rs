//! Writes plain values as bytes: for samples, test fixtures and tools.

use super::file::{DtxFile, DtxTexelFormat, texture_flags};
use crate::read::ErrorKind;
use crate::write::{fail, u32s};

pub use crate::write::WriteError;

/// A texture for [`write`](write()).
#[derive(Clone, Debug, PartialEq)]
pub struct DtxDocument {
    /// The version: −2, −3 or −5.
    pub version: i32,
    /// Width in texels.
    pub width: u16,
    /// Height in texels.
    pub height: u16,
    /// The count of mip levels in the header.
    pub mips: u16,
    /// Not 0 if data follow the texels.
    pub sections: u16,
    /// Flags for rendering: see [`texture_flags`].
    pub flags: u32,
    /// A value for the game, such as the kind of surface for the sound of footsteps.
    pub user_flags: u32,
    /// Bytes of various meanings. The second is the count of mip levels to show, or 0 for all. In version −5, the third is the
    /// [`code`](DtxTexelFormat::code) of the texel format.
    pub extra: [u8; 12],
    /// Commands for the engine, at most 127 bytes. Must be empty in version −2.
    pub command_string: String,
    /// Bytes before the palette. Must be 0 in version −5.
    pub unknown: [u8; 8],
    /// 256 colors: alpha, red, green, blue. Must be empty in version −5.
    pub palette: Vec<[u8; 4]>,
    /// The encoded texels of each mip level, row by row from the top. With a palette there must be 4, except those without
    /// texels.
    pub levels: Vec<Vec<u8>>,
    /// The alpha of each mip level, 4 bits per texel, low half of a byte first. Must be empty without
    /// [`ALPHA`](texture_flags::ALPHA), and in version −5.
    pub alpha_levels: Vec<Vec<u8>>,
    /// The bytes after the texels.
    pub rest: Vec<u8>,
}

impl DtxDocument {
    /// A texture of version −3 with four mip levels, from at most 256 colors (red, green, blue) and one index per texel,
    /// row by row from the top.
    ///
    /// Smaller mip levels take every second texel, because indices cannot be averaged. Width and height should be at
    /// least 8, so that every level has texels.
    #[must_use]
    pub fn indexed(width: u16, height: u16, colors: &[[u8; 3]], indices: &[u8]) -> Self {
        let mut palette: Vec<[u8; 4]> = colors.iter().map(|&[r, g, b]| [255, r, g, b]).collect();
        palette.resize(256, [255, 0, 0, 0]);
        let size = (width.into(), height.into());
        Self {
            version: -3,
            width,
            height,
            mips: MIPS,
            sections: 0,
            // All known textures have this bit.
            flags: 8,
            user_flags: 0,
            extra: [0; 12],
            command_string: String::new(),
            unknown: [0; 8],
            palette,
            levels: levels(size, indices),
            alpha_levels: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// Adds alpha, one byte per texel: see [`packed_alpha`].
    #[must_use]
    pub fn with_alpha(mut self, alpha: &[u8]) -> Self {
        self.flags |= texture_flags::ALPHA;
        let size = (self.width.into(), self.height.into());
        self.alpha_levels = levels(size, alpha)
            .iter()
            .map(|level| packed_alpha(level))
            .collect();
        self
    }
}

/// The alpha of a mip level, one byte per texel, as [`alpha_levels`](DtxDocument::alpha_levels) store it: rounded to 4 bits.
#[must_use]
pub fn packed_alpha(alpha: &[u8]) -> Vec<u8> {
    let pack = |pair: &[u8]| {
        // 4 bits from 0 to 15 are read as multiples of 17.
        let half = |slot| {
            pair.get(slot)
                .map_or(0, |alpha| (alpha / 17) + u8::from(alpha % 17 > 8))
        };
        half(0) | half(1) << 4
    };
    alpha.chunks(2).map(pack).collect()
}

/// The count of mip levels in all known textures with a palette.
const MIPS: u16 = 4;

fn levels((width, height): (usize, usize), texels: &[u8]) -> Vec<Vec<u8>> {
    let level = |level: u16| {
        let rows = (0..height >> level).map(|row| (row << level) * width);
        let indices =
            rows.flat_map(|row| (0..width >> level).map(move |column| row + (column << level)));
        let texel = |index| texels.get(index).copied().unwrap_or_default();
        indices.map(texel).collect()
    };
    let has_texels = |level: &Vec<u8>| !level.is_empty();
    (0..MIPS).map(level).filter(has_texels).collect()
}

impl From<&DtxFile<'_>> for DtxDocument {
    fn from(file: &DtxFile<'_>) -> Self {
        Self {
            version: file.version,
            // The parser reads 16 bits.
            width: file.width as u16,
            height: file.height as u16,
            mips: file.mips,
            sections: file.sections,
            flags: file.flags,
            user_flags: file.user_flags,
            extra: file.extra,
            command_string: file.command_string.clone().into_owned(),
            unknown: file.unknown,
            palette: file
                .palette
                .map(|palette| palette.to_vec())
                .unwrap_or_default(),
            levels: file
                .levels
                .iter()
                .map(|level| level.bytes.to_vec())
                .collect(),
            alpha_levels: file
                .alpha_levels
                .iter()
                .map(|level| level.to_vec())
                .collect(),
            rest: file.rest.to_vec(),
        }
    }
}

/// Writes a texture. [`parse`](super::parse) reads the bytes as the same texture.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store, such as a mip level of the wrong length.
pub fn write(texture: &DtxDocument) -> Result<Vec<u8>, WriteError> {
    let bytes = write_unchecked(texture);
    let read = DtxDocument::from(&super::parse(&bytes)?);
    let parts: [(&str, bool); 7] = [
        (
            "command string",
            read.command_string == texture.command_string,
        ),
        ("bytes before the palette", read.unknown == texture.unknown),
        ("palette", read.palette == texture.palette),
        ("mip levels", read.levels == texture.levels),
        (
            "alpha of mip levels",
            read.alpha_levels == texture.alpha_levels,
        ),
        ("bytes after the texels", read.rest == texture.rest),
        ("texture", read == *texture),
    ];
    if let Some((what, _)) = parts.iter().find(|(_, is_same)| !is_same) {
        let reason = "a reader of the file would get other values than given";
        fail(*what, ErrorKind::NotStorable { reason })?;
    }
    Ok(bytes)
}

/// Writes a texture without checks, for tests of malformed files.
pub fn write_unchecked(texture: &DtxDocument) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, [0, texture.version as u32]);
    let sizes = [
        texture.width,
        texture.height,
        texture.mips,
        texture.sections,
    ];
    for size in sizes {
        out.extend_from_slice(&size.to_le_bytes());
    }
    u32s(&mut out, [texture.flags, texture.user_flags]);
    out.extend_from_slice(&texture.extra);
    if texture.version != -2 {
        let mut text = [0; 128];
        // The last byte stays NUL and terminates the string.
        for (byte, from) in text
            .iter_mut()
            .take(127)
            .zip(texture.command_string.bytes())
        {
            *byte = from;
        }
        out.extend_from_slice(&text);
    }
    if texture.version != -5 {
        out.extend_from_slice(&texture.unknown);
        out.extend_from_slice(texture.palette.as_flattened());
    }
    for level in texture.levels.iter().chain(&texture.alpha_levels) {
        out.extend_from_slice(level);
    }
    out.extend_from_slice(&texture.rest);
    out
}

impl DtxTexelFormat {
    /// The code of the format in version −5: the third byte of [`DtxDocument::extra`].
    pub fn code(self) -> u8 {
        match self {
            Self::Indexed => 0,
            Self::Bgra8 => 3,
            Self::Bc1 => 4,
            Self::Bc2 => 5,
            Self::Bc3 => 6,
        }
    }
}
