//! Decodes image files to plain texels, for programs that store images instead of drawing them. It must not know assets.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits};
use crate::texture::dtx;
use crate::texture::loader::decode_named;
use bevy::image::CompressedImageFormats;
use std::path::Path;

/// The largest width and height in texels of an image that [`Pixels`] decodes.
const MAX_SIDE: u32 = 16384;

const LIMITS: Limits = Limits {
    max_side: MAX_SIDE,
    compressed: CompressedImageFormats::NONE,
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
    /// Decodes a DDS, TGA or DTX file. The format is detected by the first bytes. Only the oldest DTX files need their
    /// extension in `path`.
    ///
    /// The six faces of a cube map are side by side, in the order +X, −X, +Y, −Y, +Z, −Z.
    ///
    /// # Errors
    /// If the file has no supported format, is damaged, or has a side of more than 16384 texels.
    pub fn decode(bytes: &[u8], path: &Path) -> Result<Self, ImageDecodeError> {
        decode_named(bytes, path, LIMITS).map(Self::of)
    }

    /// The emissive part of a DTX file: its unlit texels, and opaque black elsewhere. `None` if all texels are lit, or if
    /// the bytes are not a DTX file.
    pub fn decode_emissive(bytes: &[u8]) -> Option<Self> {
        dtx::has_glow(bytes).then(|| Self::of(dtx::glow(bytes, LIMITS)))
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
        }
    }
}
