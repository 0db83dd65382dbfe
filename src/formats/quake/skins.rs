//! The images of skins, made from palette indices.

use crate::formats::quake::dependencies::{FIRST_FULLBRIGHT, PANTS_ROW, Palette, SHIRT_ROW};
use crate::formats::quake::settings::{MdlLoaderSettings, SkinFilter};
use crate::root::skins::PlayerColors;
use crate::texture::decoded_image::{DecodedImage, TexelFormat};
use crate::texture::mips::{append_smaller_levels, level_count};
use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use classic_model_formats::mdl::Timing;
use std::sync::Arc;

/// One skin of [`ConvertedMdl`](crate::quake::ConvertedMdl).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedSkin {
    /// Its images: one, or those of a skin group.
    pub images: Vec<ConvertedImage>,
    /// The times at which the images of a group change; `None` for a single image.
    pub timing: Option<Timing>,
}

/// One image of a [`ConvertedSkin`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedImage {
    /// The base colors, sRGB, with all mip levels. Fullbright texels are black, and cut-out texels are transparent.
    pub image: Image,
    /// The fullbright texels, sRGB, on black, with all mip levels. `None` if there are none.
    pub fullbright: Option<Image>,
    /// The palette indices, one byte per texel.
    pub indices: Arc<[u8]>,
}

const BLACK: [u8; 4] = [0, 0, 0, 255];

/// Makes the images of a model's skins from palette indices.
#[derive(Clone, Debug)]
pub(crate) struct SkinConverter {
    /// Width and height of all skins, in texels.
    size: [u32; 2],
    /// The colors of each palette index in the image of base colors.
    base: [[u8; 4]; 256],
    /// The same of fullbright texels.
    fullbright: [[u8; 4]; 256],
    filter: ImageFilterMode,
    asset_usage: RenderAssetUsages,
}

impl SkinConverter {
    pub(crate) fn new(
        size: [u32; 2],
        palette: &Palette,
        hole_index: Option<u8>,
        settings: &MdlLoaderSettings,
    ) -> Self {
        let mut colors = Self {
            size,
            base: [BLACK; 256],
            fullbright: [BLACK; 256],
            filter: match settings.filter {
                SkinFilter::Nearest => ImageFilterMode::Nearest,
                SkinFilter::Linear => ImageFilterMode::Linear,
            },
            asset_usage: settings.asset_usage,
        };
        for (index, color) in palette.0.iter().enumerate() {
            if index < usize::from(FIRST_FULLBRIGHT) {
                colors.base[index] = opaque(*color);
            } else {
                colors.fullbright[index] = opaque(*color);
            }
        }
        if let Some(index) = hole_index {
            colors.base[usize::from(index)] = [0; 4];
            colors.fullbright[usize::from(index)] = BLACK;
        }
        colors
    }

    pub(crate) fn convert(&self, indices: &[u8]) -> ConvertedImage {
        ConvertedImage {
            image: self.image(indices, &self.base),
            fullbright: self.fullbright(indices),
            indices: indices.into(),
        }
    }

    /// The image of base colors with player colors. `None` if they change no texel.
    pub(crate) fn recolored(
        &self,
        indices: &[u8],
        palette: &Palette,
        colors: PlayerColors,
    ) -> Option<Image> {
        // The rows of the second half of the palette are stored from bright to dark.
        const FIRST_REVERSED_ROW: u8 = 8;
        let mut base = self.base;
        for (row, new_row) in [(SHIRT_ROW, colors.shirt), (PANTS_ROW, colors.pants)] {
            let new_row = new_row.min(PlayerColors::LAST_ROW);
            for column in 0..16 {
                let index = usize::from(16 * row + column);
                let is_reversed = new_row >= FIRST_REVERSED_ROW;
                let new_column = if is_reversed { 15 - column } else { column };
                let is_hole = base[index][3] == 0;
                if !is_hole {
                    base[index] = opaque(palette.color(16 * new_row + new_column));
                }
            }
        }
        let is_changed = |index: &u8| base[usize::from(*index)] != self.base[usize::from(*index)];
        let changes = indices.iter().any(is_changed);
        changes.then(|| self.image(indices, &base))
    }

    /// The fullbright texels on black, if there are any.
    fn fullbright(&self, indices: &[u8]) -> Option<Image> {
        let brightest = indices.iter().fold(0, |max, index| max.max(*index));
        (brightest >= FIRST_FULLBRIGHT).then(|| self.image(indices, &self.fullbright))
    }

    /// An image with mip levels. As in GLQuake, smaller levels are blended, and coordinates outside of the skin repeat it.
    fn image(&self, indices: &[u8], colors: &[[u8; 4]; 256]) -> Image {
        let [width, height] = self.size;
        let levels = level_count(width, height);
        // All smaller levels together have at most as many texels.
        let mut data = Vec::with_capacity(8 * indices.len());
        data.extend(indices.iter().flat_map(|index| colors[usize::from(*index)]));
        let sides = self.size.map(|side| side as usize);
        append_smaller_levels(&mut data, sides, levels as usize - 1, true);
        data.shrink_to_fit();
        let decoded = DecodedImage {
            width,
            height,
            is_cube: false,
            levels,
            format: TexelFormat::Rgba8,
            data,
        };
        let sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
            address_mode_u: ImageAddressMode::Repeat,
            address_mode_v: ImageAddressMode::Repeat,
            mag_filter: self.filter,
            min_filter: ImageFilterMode::Linear,
            mipmap_filter: ImageFilterMode::Linear,
            ..ImageSamplerDescriptor::default()
        });
        decoded.into_image(true, sampler, self.asset_usage)
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}
