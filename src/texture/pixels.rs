//! Decodes image files to plain texels, for programs that store images instead of drawing them. It must not know assets.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits};
use crate::texture::dtx;
use crate::texture::loader::decode_named;
use crate::texture::mips::{Averaging, append_smaller_levels, level_count};
use bevy::image::CompressedImageFormats;
use std::path::Path;

/// The largest width and height in texels of an image that [`Pixels`] decodes.
const MAX_SIDE: u32 = 16384;

const LIMITS: Limits = Limits {
    max_side: MAX_SIDE,
    compressed: CompressedImageFormats::NONE,
};

/// The limits of [`Pixels::check`].
const GPU_LIMITS: Limits = Limits {
    max_side: MAX_SIDE,
    compressed: CompressedImageFormats::BC,
};

/// The texels of an image file in its full size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width in texels, at least 1.
    pub width: u32,
    /// Height in texels, at least 1.
    pub height: u32,
    /// Red, green, blue and alpha, one byte each, row by row from the top, as stored in the file: sRGB for colors.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// Decodes a DDS, TGA, DTX or PNG file, and those of other formats that the app enables in the crate `image`. The format is detected by the first bytes. Only the oldest DTX files need their
    /// extension in `path`.
    ///
    /// The six faces of a cube map are side by side, in the order +X, −X, +Y, −Y, +Z, −Z.
    ///
    /// # Errors
    /// If the file has no supported format, is damaged, or has a side of more than 16384 texels.
    pub fn decode(bytes: &[u8], path: &Path) -> Result<Self, ImageDecodeError> {
        decode_named(bytes, path, LIMITS).map(Self::of)
    }

    /// Checks that a file can be loaded, without decoding the formats that GPUs sample: much faster than
    /// [`decode`](Self::decode).
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn check(bytes: &[u8], path: &Path) -> Result<(), ImageDecodeError> {
        decode_named(bytes, path, GPU_LIMITS).map(drop)
    }

    /// The emissive part of a DTX file: its unlit texels, and opaque black elsewhere. `None` if all texels are lit, or if
    /// the bytes are not a DTX file.
    pub fn decode_emissive(bytes: &[u8]) -> Option<Self> {
        dtx::has_glow(bytes).then(|| Self::of(dtx::glow(bytes, LIMITS)))
    }

    /// The mip levels that the loader gives an image without them: this image, then averages, down to a single texel. Each has half
    /// the width and height of the previous one, rounded down, and at least 1. If the texels are sRGB colors, they are averaged
    /// in linear space.
    pub fn mip_levels(&self, is_srgb: bool) -> Vec<Self> {
        let count = level_count(self.width, self.height);
        let size = [self.width as usize, self.height as usize];
        let mut data = self.rgba.clone();
        let averaging = Averaging::of_colors(is_srgb);
        append_smaller_levels(&mut data, size, count as usize - 1, averaging);
        let mut rest = &data[..];
        let level = |level: u32| {
            let [width, height] = [self.width, self.height].map(|side| (side >> level).max(1));
            let length = width as usize * height as usize * 4;
            let (rgba, smaller) = rest.split_at_checked(length)?;
            rest = smaller;
            Some(Self {
                width,
                height,
                rgba: rgba.to_vec(),
            })
        };
        (0..count).map_while(level).collect()
    }

    /// The largest mip level.
    fn of(decoded: DecodedImage) -> Self {
        let (width, height) = (decoded.width, decoded.height);
        let row = width as usize * 4;
        let faces: Vec<&[u8]> = decoded.faces().collect();
        let mut rgba = Vec::with_capacity(row * height as usize * faces.len());
        for y in 0..height as usize {
            for face in &faces {
                let texels = face.get(y * row..(y + 1) * row);
                rgba.extend_from_slice(texels.unwrap_or_default());
            }
        }
        Self {
            width: width * faces.len() as u32,
            height,
            rgba,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An uncompressed TGA file of 2 × 1 texels, top row first.
    fn tga() -> Vec<u8> {
        let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 32, 0x28];
        [&header[..], &[3, 2, 1, 4, 7, 6, 5, 8]].concat()
    }

    #[test]
    fn texels_are_red_green_blue_and_alpha() {
        let pixels = Pixels::decode(&tga(), Path::new("any.name")).unwrap();
        assert_eq!((pixels.width, pixels.height), (2, 1));
        assert_eq!(pixels.rgba, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(Pixels::decode_emissive(&tga()), None);
        assert!(Pixels::check(&tga(), Path::new("any.name")).is_ok());
    }

    #[test]
    fn mip_levels_end_with_a_single_texel() {
        let image = Pixels {
            width: 5,
            height: 3,
            rgba: [[0, 0, 0, 0], [255; 4], [0; 4], [255; 4], [9; 4]]
                .repeat(3)
                .concat(),
        };
        let levels = image.mip_levels(false);
        let sizes: Vec<_> = levels.iter().map(|it| (it.width, it.height)).collect();
        assert_eq!(sizes, [(5, 3), (2, 1), (1, 1)]);
        assert_eq!(levels[0], image);
        assert_eq!(levels[2].rgba.len(), 4);
        let single = Pixels {
            width: 1,
            height: 1,
            rgba: vec![1, 2, 3, 4],
        };
        assert_eq!(single.mip_levels(true), [single]);
    }

    #[test]
    fn faces_of_cube_maps_are_side_by_side() {
        let face = |value: u8| [value; 2 * 2 * 4];
        let decoded = DecodedImage {
            width: 2,
            height: 2,
            is_cube: true,
            levels: 1,
            format: crate::texture::decoded_image::TexelFormat::Rgba8,
            data: [1, 2, 3, 4, 5, 6].map(face).concat(),
        };
        let pixels = Pixels::of(decoded);
        assert_eq!((pixels.width, pixels.height), (12, 2));
        let reds: Vec<u8> = pixels.rgba.iter().step_by(8).copied().collect();
        assert_eq!(reds, [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn truncated_files_are_errors() {
        let bytes = tga();
        for end in 0..bytes.len() {
            assert!(Pixels::decode(&bytes[..end], Path::new("a.tga")).is_err());
            assert!(Pixels::check(&bytes[..end], Path::new("a.tga")).is_err());
        }
    }
}
