//! Decoded images.

use crate::error::{Error, Result};
use image::codecs::tga::TgaEncoder;
use image::{ExtendedColorType, RgbaImage};

/// The texels of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Texels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// sRGB red, green and blue, and alpha: row by row from the top.
    pub rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Decodes a PNG or JPEG file.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let image = image::load_from_memory(bytes).map_err(Error::new)?;
        let image: RgbaImage = image.to_rgba8();
        Ok(Self {
            width: image.width(),
            height: image.height(),
            rgba: image.pixels().map(|pixel| pixel.0).collect(),
        })
    }

    /// The bytes of a TGA file.
    pub(crate) fn to_tga(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let encoder = TgaEncoder::new(&mut bytes);
        let written = encoder.encode(
            self.rgba.as_flattened(),
            self.width,
            self.height,
            ExtendedColorType::Rgba8,
        );
        written.map_err(Error::new)?;
        Ok(bytes)
    }

    /// An image of one color.
    pub(crate) fn plain(width: u32, height: u32, color: [u8; 4]) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            rgba: vec![color; count],
        }
    }

    /// The texel at a column and row inside of the image.
    pub(crate) fn texel(&self, x: u32, y: u32) -> [u8; 4] {
        let index = y as usize * self.width as usize + x as usize;
        self.rgba.get(index).copied().unwrap_or_default()
    }
}

/// The name of a TGA file for an image: of letters, digits, `-` and `_` only, because any other may be no name on some system.
pub(crate) fn file_name(name: &str, index: usize) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let allowed = |it: char| {
        if it.is_ascii_alphanumeric() || it == '-' {
            it
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().map(allowed).collect();
    match stem.as_str() {
        "" => format!("texture{index}.tga"),
        stem => format!("{stem}.tga"),
    }
}
