//! Images, and their two file formats in the games.

use super::dxt5::block;
use bevy::math::UVec2;

/// An RGBA image with 8 bits per channel.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its size in texels; powers of two.
    pub size: UVec2,
    /// Its texels, row by row from the upper left.
    pub texels: Vec<[u8; 4]>,
}

impl Image {
    /// Evaluates `paint` for every texel.
    pub fn new(size: UVec2, paint: impl Fn(UVec2) -> [u8; 4]) -> Self {
        let rows = (0..size.y).flat_map(|y| (0..size.x).map(move |x| UVec2::new(x, y)));
        Self {
            size,
            texels: rows.map(paint).collect(),
        }
    }

    /// The next mip level: each texel is the mean of up to four.
    pub fn halved(&self) -> Self {
        let texel = |at: UVec2, channel: usize| {
            let at = at.min(self.size - 1);
            u32::from(self.texels[(at.y * self.size.x + at.x) as usize][channel])
        };
        Self::new((self.size / 2).max(UVec2::ONE), |at| {
            core::array::from_fn(|channel| {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)];
                let sum: u32 = four
                    .map(|(x, y)| texel(at * 2 + UVec2::new(x, y), channel))
                    .iter()
                    .sum();
                ((sum + 2) / 4) as u8
            })
        })
    }

    /// A DDS file with 32 bits per texel and all mip levels.
    pub fn to_dds(&self) -> Vec<u8> {
        const RGBA: u32 = 0x40 | 0x1;
        let masks = [32, 0xff_0000, 0xff00, 0xff, 0xff00_0000];
        let mut bytes = self.dds(|format| {
            format[0] = RGBA;
            format[2..7].copy_from_slice(&masks);
        });
        for level in self.levels() {
            bytes.extend(level.bgra());
        }
        bytes
    }

    /// A TGA file with 32 bits per texel, the lowest row first, as paint programs write it.
    pub fn to_tga(&self) -> Vec<u8> {
        let [width, height] = self.size.to_array().map(|side| (side as u16).to_le_bytes());
        let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(width.into_iter().chain(height));
        bytes.extend([32, 8]);
        for row in self.texels.chunks(self.size.x as usize).rev() {
            bytes.extend(row.iter().flat_map(|[r, g, b, a]| [*b, *g, *r, *a]));
        }
        bytes
    }

    /// A DDS file of DXT5, a byte per texel, with all mip levels.
    pub fn to_dxt5(&self) -> Vec<u8> {
        let mut bytes = self.dds(dxt5_format);
        bytes.extend(self.dxt5_blocks());
        bytes
    }

    /// As [`to_dxt5`](Self::to_dxt5), for the six sides of a cube: +X, −X, +Y, −Y, +Z, −Z.
    pub fn cube_to_dxt5(sides: &[Self; 6]) -> Vec<u8> {
        /// A cube map with all of its sides.
        const CUBE: u32 = 0x200 | 0xfc00;
        let mut bytes = sides[0].dds(|format| {
            dxt5_format(format);
            format[8] = CUBE;
        });
        for side in sides {
            bytes.extend(side.dxt5_blocks());
        }
        bytes
    }

    /// The blocks of all mip levels.
    fn dxt5_blocks(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for level in self.levels() {
            for y in (0..level.size.y).step_by(4) {
                for x in (0..level.size.x).step_by(4) {
                    let texel = |index: u32| {
                        let at = UVec2::new(x + index % 4, y + index / 4).min(level.size - 1);
                        level.texels[(at.y * level.size.x + at.x) as usize]
                    };
                    bytes.extend(block(&core::array::from_fn(|index| texel(index as u32))));
                }
            }
        }
        bytes
    }

    /// The image and its smaller mip levels.
    fn levels(&self) -> Vec<Self> {
        let mut levels = vec![self.clone()];
        while let Some(last) = levels.last().filter(|last| last.size != UVec2::ONE) {
            levels.push(last.halved());
        }
        levels
    }

    /// The header of a DDS file. `format` fills in the fields for the texel format and the kind of
    /// texture, from the 19th word of the header on.
    fn dds(&self, format: impl FnOnce(&mut [u32])) -> Vec<u8> {
        /// The valid fields: sizes, the format, and the mip count.
        const FLAGS: u32 = 0x1 | 0x2 | 0x4 | 0x1000 | 0x2_0000;
        /// A texture of several surfaces.
        const CAPS: u32 = 0x8 | 0x1000 | 0x40_0000;
        let mut header = [0_u32; 31];
        (header[0], header[1]) = (124, FLAGS);
        (header[2], header[3]) = (self.size.y, self.size.x);
        header[6] = self.levels().len() as u32;
        header[18] = 32;
        header[26] = CAPS;
        format(&mut header[19..]);
        let mut bytes = b"DDS ".to_vec();
        bytes.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    fn bgra(&self) -> impl Iterator<Item = u8> + '_ {
        self.texels.iter().flat_map(|[r, g, b, a]| [*b, *g, *r, *a])
    }
}

fn dxt5_format(format: &mut [u32]) {
    const FOUR_CC: u32 = 0x4;
    format[..2].copy_from_slice(&[FOUR_CC, u32::from_le_bytes(*b"DXT5")]);
}

/// Quantizes a channel from 0..=1 to 8 bits.
pub fn channel(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}
