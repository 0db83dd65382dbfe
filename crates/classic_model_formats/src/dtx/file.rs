//! The values of a parsed texture, borrowed from its bytes.

use crate::read::Warning;
use std::borrow::Cow;

/// Bits of [`DtxFile::flags`]. Other bits have no known effect on rendering.
pub mod texture_flags {
    /// Texels with palette index 255 are unlit.
    pub const FULL_BRIGHT: u32 = 1;
    /// The file has alpha in addition to the palette's colors.
    pub const ALPHA: u32 = 2;
}

/// The palette index of unlit texels, if the texture has [`texture_flags::FULL_BRIGHT`].
const FULL_BRIGHT_ENTRY: u8 = 255;

/// The encoding of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DtxTexelFormat {
    /// One byte per texel: an index into the palette.
    Indexed,
    /// Four bytes per texel: blue, green, red, alpha.
    Bgra8,
    /// DXT1: blocks of 4 × 4 texels in 8 bytes.
    Bc1,
    /// DXT3: blocks of 4 × 4 texels in 16 bytes.
    Bc2,
    /// DXT5: blocks of 4 × 4 texels in 16 bytes.
    Bc3,
}

impl DtxTexelFormat {
    /// The size in bytes of a mip level with this width and height in texels.
    pub fn level_bytes(self, width: u32, height: u32) -> u64 {
        let texels = u64::from(width) * u64::from(height);
        let blocks = u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4));
        match self {
            Self::Indexed => texels,
            Self::Bgra8 => texels * 4,
            Self::Bc1 => blocks * 8,
            Self::Bc2 | Self::Bc3 => blocks * 16,
        }
    }
}

/// A parsed texture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DtxFile<'a> {
    /// The version: −2, −3 or −5.
    pub version: i32,
    /// Width in texels, at least 1.
    pub width: u32,
    /// Height in texels, at least 1.
    pub height: u32,
    /// The count of mip levels in the header: 4 in all known files with a palette. [`levels`](Self::levels) may have more or fewer.
    pub mips: u16,
    /// Not 0 if data follow the texels. In version −5, the count of data sections.
    pub sections: u16,
    /// Flags for rendering: see [`texture_flags`].
    pub flags: u32,
    /// A value for the game, such as the kind of surface for the sound of footsteps.
    pub user_flags: u32,
    /// Bytes of various meanings. The second is the count of mip levels to show: see [`used_levels`](Self::used_levels). In
    /// version −5, the third is the code of the texel format.
    pub extra: [u8; 12],
    /// Commands of the game's tools for the engine. Empty in version −2, which has no such field.
    pub command_string: Cow<'a, str>,
    /// Bytes before the palette, of unknown meaning. 0 in version −5, which has no such field.
    pub unknown: [u8; 8],
    /// The encoding of the texels.
    pub texel_format: DtxTexelFormat,
    /// The colors of indexed texels: alpha (not used by the games), red, green, blue.
    pub palette: Option<&'a [[u8; 4]; 256]>,
    /// The mip levels, the full size first. Each level has half the width and height of the previous one, rounded down.
    pub levels: Vec<DtxLevel<'a>>,
    /// The alpha of each mip level, 4 bits per texel, low half of a byte first. Empty without
    /// [`ALPHA`](texture_flags::ALPHA) or without a palette.
    pub alpha_levels: Vec<&'a [u8]>,
    /// The bytes after the texels.
    pub rest: &'a [u8],
    /// Warnings about harmless flaws.
    pub warnings: Vec<Warning>,
}

/// A mip level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DtxLevel<'a> {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// The encoded texels, row by row from the top.
    pub bytes: &'a [u8],
}

impl DtxFile<'_> {
    /// The count of mip levels with texels to show, at least 1 unless there are no [`levels`](Self::levels). A reader makes the
    /// others from these.
    ///
    /// A file with a palette always stores 4 levels, but its tools fill only as many as the second byte of
    /// [`extra`](Self::extra) says, or all if it is 0.
    pub fn used_levels(&self) -> usize {
        let stored = self.levels.len();
        let [_, used, ..] = self.extra;
        match self.palette {
            Some(_) => [usize::from(used), self.mips.into()]
                .into_iter()
                .filter(|count| *count > 0)
                .fold(stored, usize::min),
            None => stored,
        }
    }

    /// Whether texels with palette index 255 are unlit: see [`emissive`](Self::emissive).
    pub fn is_full_bright(&self) -> bool {
        self.flags & texture_flags::FULL_BRIGHT != 0 && self.palette.is_some()
    }

    /// The texels of a mip level as red, green, blue and alpha, one byte each, row by row from the top. `None` if the
    /// texels are in compressed blocks, or if the level does not exist.
    pub fn rgba(&self, level: usize) -> Option<Vec<u8>> {
        let bytes = self.levels.get(level)?.bytes;
        match self.texel_format {
            DtxTexelFormat::Indexed => {
                let mut texels = self.palette_colors(bytes, |_| true)?;
                if let Some(alpha) = self.alpha_levels.get(level) {
                    set_alpha(&mut texels, alpha);
                }
                Some(texels)
            }
            DtxTexelFormat::Bgra8 => {
                let texels = bytes.as_chunks::<4>().0.iter();
                Some(texels.flat_map(|&[b, g, r, a]| [r, g, b, a]).collect())
            }
            DtxTexelFormat::Bc1 | DtxTexelFormat::Bc2 | DtxTexelFormat::Bc3 => None,
        }
    }

    /// The emissive colors of a mip level, in the layout of [`rgba`](Self::rgba): the color of unlit texels, opaque black
    /// for all others. `None` if no texels are unlit, or if the level does not exist.
    pub fn emissive(&self, level: usize) -> Option<Vec<u8>> {
        if !self.is_full_bright() {
            return None;
        }
        let bytes = self.levels.get(level)?.bytes;
        self.palette_colors(bytes, |index| index == FULL_BRIGHT_ENTRY)
    }

    /// The opaque palette colors of texels. Texels whose index is not wanted are black.
    fn palette_colors(&self, indices: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
        let palette = self.palette?;
        let color = |&index: &u8| {
            let [_, r, g, b] = match palette.get(usize::from(index)) {
                Some(color) if is_wanted(index) => *color,
                _ => [0; 4],
            };
            [r, g, b, u8::MAX]
        };
        Some(indices.iter().flat_map(color).collect())
    }
}

/// Sets the alpha of RGBA texels from 4 bits per texel, low half of a byte first.
fn set_alpha(texels: &mut [u8], alpha: &[u8]) {
    let halves = alpha.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    for ([_, _, _, alpha], half) in texels.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
        *alpha = half * 17;
    }
}
