//! Plain values back to bytes: for samples, fixtures and tools that make pictures.

use super::file::{DtxFile, DtxTexels, picture_flags};
use crate::read::ErrorKind;
use crate::write::{fail, u32s};

pub use crate::write::WriteError;

/// A picture to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct DtxDocument {
    /// −2, −3 or −5.
    pub version: i32,
    /// Texels across.
    pub width: u16,
    /// Texels down.
    pub height: u16,
    /// Levels that the header tells of.
    pub mips: u16,
    /// Whether there is more after the texels.
    pub sections: u16,
    /// How it is drawn: see [`picture_flags`].
    pub flags: u32,
    /// What the game makes of it.
    pub user_flags: u32,
    /// Bytes of mixed meaning; the third says in version −5 how texels are coded.
    pub extra: [u8; 12],
    /// What the game's tools say to the engine, at most 127 bytes; version −2 has none.
    pub command_string: String,
    /// What stands before the palette; version −5 has none.
    pub unknown: [u8; 8],
    /// 256 colours, each alpha, red, green, blue; version −5 has none.
    pub palette: Vec<[u8; 4]>,
    /// The texels of each level, row by row from the top.
    pub levels: Vec<Vec<u8>>,
    /// Alpha of each level in half bytes, the low one first; none without
    /// [`ALPHA`](picture_flags::ALPHA), or in version −5.
    pub alpha_levels: Vec<Vec<u8>>,
    /// What stands after the texels.
    pub rest: Vec<u8>,
}

impl DtxDocument {
    /// A picture of version −3 with four levels, made of the indices of its texels. A texel of a
    /// smaller level is one of the four that it stands for, because colours of a palette cannot be
    /// mixed.
    ///
    /// Sides should be at least 8, so that every level has texels.
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
            // All known pictures have this bit.
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

    /// The picture with alpha, a byte for each texel, of which the upper half is kept.
    pub fn with_alpha(mut self, alpha: &[u8]) -> Self {
        self.flags |= picture_flags::ALPHA;
        let size = (self.width.into(), self.height.into());
        let packed = |level: &Vec<u8>| {
            let pairs = level.chunks(2);
            let pack = |pair: &[u8]| {
                let half = |slot| pair.get(slot).map_or(0, |alpha| alpha >> 4);
                half(0) | half(1) << 4
            };
            pairs.map(pack).collect()
        };
        self.alpha_levels = levels(size, alpha).iter().map(packed).collect();
        self
    }
}

/// Levels of all known pictures with a palette.
const MIPS: u16 = 4;

fn levels((width, height): (usize, usize), texels: &[u8]) -> Vec<Vec<u8>> {
    let level = |level: u16| {
        let rows = (0..height >> level).map(|row| (row << level) * width);
        let places = rows.flat_map(|row| (0..width >> level).map(move |at| row + (at << level)));
        let texel = |at| texels.get(at).copied().unwrap_or_default();
        places.map(texel).collect()
    };
    let has_texels = |level: &Vec<u8>| !level.is_empty();
    (0..MIPS).map(level).filter(has_texels).collect()
}

impl From<&DtxFile<'_>> for DtxDocument {
    fn from(file: &DtxFile<'_>) -> Self {
        Self {
            version: file.version,
            // The parser knows no longer sides.
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

/// The bytes of a picture, which [`parse`](super::parse) reads as the same picture.
///
/// # Errors
/// A [`WriteError`] for what the format cannot say, such as a level of another length than its size
/// asks for.
pub fn write(picture: &DtxDocument) -> Result<Vec<u8>, WriteError> {
    let bytes = write_unchecked(picture);
    let read = DtxDocument::from(&super::parse(&bytes)?);
    let parts: [(&str, bool); 7] = [
        (
            "command string",
            read.command_string == picture.command_string,
        ),
        ("bytes before the palette", read.unknown == picture.unknown),
        ("palette", read.palette == picture.palette),
        ("levels", read.levels == picture.levels),
        ("alpha of levels", read.alpha_levels == picture.alpha_levels),
        ("rest", read.rest == picture.rest),
        ("picture", read == *picture),
    ];
    if let Some((what, _)) = parts.iter().find(|(_, is_same)| !is_same) {
        let limit = "it would be read as another than it is";
        fail(*what, ErrorKind::LimitExceeded { limit })?;
    }
    Ok(bytes)
}

/// The bytes of a picture, sensible or not: for tests of bad files.
pub fn write_unchecked(picture: &DtxDocument) -> Vec<u8> {
    let mut out = Vec::new();
    u32s(&mut out, [0, picture.version as u32]);
    let sizes = [
        picture.width,
        picture.height,
        picture.mips,
        picture.sections,
    ];
    for size in sizes {
        out.extend_from_slice(&size.to_le_bytes());
    }
    u32s(&mut out, [picture.flags, picture.user_flags]);
    out.extend_from_slice(&picture.extra);
    if picture.version != -2 {
        let mut text = [0; 128];
        // The last byte stays the NUL that ends the text.
        for (byte, from) in text
            .iter_mut()
            .take(127)
            .zip(picture.command_string.bytes())
        {
            *byte = from;
        }
        out.extend_from_slice(&text);
    }
    if picture.version != -5 {
        out.extend_from_slice(&picture.unknown);
        out.extend_from_slice(picture.palette.as_flattened());
    }
    for level in picture.levels.iter().chain(&picture.alpha_levels) {
        out.extend_from_slice(level);
    }
    out.extend_from_slice(&picture.rest);
    out
}

impl DtxTexels {
    /// The third of a picture's extra bytes in version −5.
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
