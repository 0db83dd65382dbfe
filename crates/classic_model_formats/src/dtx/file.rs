//! What a parsed picture consists of, borrowed from its bytes.

use crate::read::Warning;
use std::borrow::Cow;

/// How a picture is drawn, as bits of [`DtxFile::flags`]. Others have no known effect on it.
pub mod picture_flags {
    /// Texels of the palette's last entry are not lit.
    pub const FULL_BRIGHT: u32 = 1;
    /// There is alpha beside the palette's colours.
    pub const ALPHA: u32 = 2;
}

/// The palette's entry that is not lit in pictures that say so.
const FULL_BRIGHT_ENTRY: u8 = 255;

/// How texels are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DtxTexels {
    /// One byte, an index into the palette.
    Indexed,
    /// Four bytes: blue, green, red, alpha.
    Bgra8,
    /// Blocks of 4 × 4 in 8 bytes: DXT1.
    Bc1,
    /// Blocks of 4 × 4 in 16 bytes: DXT3.
    Bc2,
    /// Blocks of 4 × 4 in 16 bytes: DXT5.
    Bc3,
}

impl DtxTexels {
    /// Bytes of a level of this size.
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

/// A parsed picture.
#[derive(Clone, Debug)]
pub struct DtxFile<'a> {
    /// −2, −3 or −5.
    pub version: i32,
    /// Texels across, at least 1.
    pub width: u32,
    /// Texels down, at least 1.
    pub height: u32,
    /// Levels that the header tells of: 4 in all known files with a palette.
    pub mips: u16,
    /// Whether there is more after the texels, and in version −5 how many parts it has.
    pub sections: u16,
    /// How it is drawn: see [`picture_flags`].
    pub flags: u32,
    /// What the game makes of it, such as the sound of steps on it.
    pub user_flags: u32,
    /// Bytes of mixed meaning. The third says in version −5 how texels are coded.
    pub extra: [u8; 12],
    /// What the game's tools say to the engine; empty in version −2, which has none.
    pub command_string: Cow<'a, str>,
    /// What stands before the palette, without known meaning; 0 in version −5, which has none.
    pub unknown: [u8; 8],
    /// How texels are coded.
    pub texels: DtxTexels,
    /// Colours of indexed texels, each alpha (which no game uses), red, green, blue.
    pub palette: Option<&'a [[u8; 4]; 256]>,
    /// The picture, then each level half as wide and high, down to the last that is there.
    pub levels: Vec<DtxLevel<'a>>,
    /// Alpha of each level in half bytes, the low one first, if there is alpha beside a palette.
    pub alpha_levels: Vec<&'a [u8]>,
    /// What stands after the texels.
    pub rest: &'a [u8],
    /// Flaws that do no harm.
    pub warnings: Vec<Warning>,
}

/// A picture, or a smaller copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DtxLevel<'a> {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Texels row by row from the top.
    pub bytes: &'a [u8],
}

impl DtxFile<'_> {
    /// Whether some texels may be unlit: those that [`glow`](Self::glow) tells of.
    pub fn is_full_bright(&self) -> bool {
        self.flags & picture_flags::FULL_BRIGHT != 0 && self.palette.is_some()
    }

    /// Red, green, blue and alpha of a level's texels. `None` if they are in blocks, or if there is
    /// no such level.
    pub fn rgba(&self, level: usize) -> Option<Vec<u8>> {
        let bytes = self.levels.get(level)?.bytes;
        match self.texels {
            DtxTexels::Indexed => {
                let mut texels = self.indexed(bytes, |_| true)?;
                if let Some(alpha) = self.alpha_levels.get(level) {
                    set_alpha(&mut texels, alpha);
                }
                Some(texels)
            }
            DtxTexels::Bgra8 => {
                let texels = bytes.as_chunks::<4>().0.iter();
                Some(texels.flat_map(|&[b, g, r, a]| [r, g, b, a]).collect())
            }
            DtxTexels::Bc1 | DtxTexels::Bc2 | DtxTexels::Bc3 => None,
        }
    }

    /// Red, green, blue and alpha of what a level's texels give off by themselves: their colour
    /// where they are unlit, and opaque black elsewhere. `None` if all are lit, or if there is no
    /// such level.
    pub fn glow(&self, level: usize) -> Option<Vec<u8>> {
        if !self.is_full_bright() {
            return None;
        }
        let bytes = self.levels.get(level)?.bytes;
        self.indexed(bytes, |index| index == FULL_BRIGHT_ENTRY)
    }

    /// The opaque colours of texels, black where they are not wanted.
    fn indexed(&self, indices: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
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

/// Sets the alpha of texels from half bytes, the low one first.
fn set_alpha(texels: &mut [u8], alpha: &[u8]) {
    let halves = alpha.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    for ([_, _, _, alpha], half) in texels.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
        *alpha = half * 17;
    }
}
