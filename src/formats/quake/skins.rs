//! The images of skins, made from palette indices.

use crate::formats::quake::dependencies::{FIRST_FULLBRIGHT, PANTS_ROW, Palette, SHIRT_ROW};
use crate::formats::quake::external_skins::ExternalImage;
use crate::formats::quake::settings::{MdlLoaderSettings, SkinFilter};
use crate::root::skins::PlayerColors;
use crate::texture::decoded_image::{DecodedImage, TexelFormat};
use crate::texture::mips::{Averaging, fill_smaller_levels, level_count, linear_of_srgb};
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
    pub images: Vec<SkinImage>,
    /// The times at which the images of a group change; `None` for a single image.
    pub timing: Option<Timing>,
}

/// One image of a [`ConvertedSkin`].
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "almost all images are of the file"
)]
pub enum SkinImage {
    /// That of the file.
    OfFile(ConvertedImage),
    /// An image in its place: that of the file is not made.
    External(ExternalImage),
}

/// An image of the file.
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

/// In place of a palette index, marks texels of the background.
const BACKGROUND: u16 = 256;

/// The least alpha that is drawn of skins with holes: the threshold of later engines, so that filtered edges match theirs.
pub(crate) const HOLE_CUTOFF: f32 = 0.666;

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
        let marked = self.with_background(indices);
        let brightest = indices.iter().fold(0, |max, index| max.max(*index));
        let fullbright = || self.image(indices, &self.fullbright, &marked);
        ConvertedImage {
            image: self.image(indices, &self.base, &marked),
            fullbright: (brightest >= FIRST_FULLBRIGHT).then(fullbright),
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
        changes.then(|| self.image(indices, &base, &self.with_background(indices)))
    }

    /// Whether palette indices are holes.
    fn has_holes(&self) -> bool {
        self.base.iter().any(|[.., alpha]| *alpha == 0)
    }

    /// The palette indices, with [`BACKGROUND`] in the part of a skin that no triangle uses, as GLQuake finds it
    /// (`Mod_FloodFillSkin`): what is connected with the first texel, unless that is black or has index 255, or if there are
    /// holes.
    fn with_background(&self, indices: &[u8]) -> Vec<u16> {
        let mut texels: Vec<u16> = indices.iter().map(|index| u16::from(*index)).collect();
        let is_black = |index: usize| self.base[index] == BLACK && self.fullbright[index] == BLACK;
        let first = indices.first().copied().unwrap_or(u8::MAX);
        if first < u8::MAX && !is_black(first.into()) && !self.has_holes() {
            mark_connected_with_first(&mut texels, self.size[0] as usize);
        }
        texels
    }

    /// An image with mip levels. Coordinates outside of the skin repeat it, as in GLQuake.
    fn image(&self, indices: &[u8], colors: &[[u8; 4]; 256], marked: &[u16]) -> Image {
        let [width, height] = self.size;
        let sides = self.size.map(|side| side as usize);
        let levels = level_count(width, height);
        let level_texels =
            |level: u32| (width >> level).max(1) as usize * (height >> level).max(1) as usize;
        let total: usize = (0..levels).map(level_texels).sum();
        let mut texels: Vec<[u8; 4]> = Vec::with_capacity(total);
        texels.extend(indices.iter().map(|index| colors[usize::from(*index)]));
        texels.resize(total, BLACK);
        // The background has no part in smaller levels.
        let mut linear = [Vec4::ZERO; BACKGROUND as usize + 1];
        for (linear, [r, g, b, a]) in linear.iter_mut().zip(colors) {
            if *a > 0 {
                let [r, g, b] = [*r, *g, *b].map(linear_of_srgb);
                *linear = Vec4::new(r, g, b, 255.0);
            }
        }
        let linear_color = |index: u16| linear[index.min(BACKGROUND) as usize];
        let (_, smaller) = texels.split_at_mut(indices.len());
        fill_smaller_levels(
            marked,
            linear_color,
            sides,
            smaller,
            Averaging::WeightedSrgb,
        );
        if self.has_holes() {
            keep_coverage(&mut texels, sides);
        } else if marked.first() == Some(&BACKGROUND) {
            fill_background(smaller);
        }
        let data = texels.into_flattened();
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

/// Replaces the texels that have the index of the first texel and are connected with it by [`BACKGROUND`], unless that is the
/// whole skin.
fn mark_connected_with_first(texels: &mut [u16], width: usize) {
    let Some(first) = texels.first().copied() else {
        return;
    };
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if texels.get(at) != Some(&first) {
            continue;
        }
        // The run of such texels in the row, and the starts of those above and below it.
        let row = at / width * width;
        let left = texels[row..at].iter().rposition(|texel| *texel != first);
        let start = left.map_or(row, |left| row + left + 1);
        let right = texels[at..row + width]
            .iter()
            .position(|texel| *texel != first);
        let end = right.map_or(row + width, |right| at + right);
        texels[start..end].fill(BACKGROUND);
        let above = start.checked_sub(width).map(|above| above..end - width);
        let below = (end + width <= texels.len()).then_some(start + width..end + width);
        for beside in above.into_iter().chain(below) {
            let is_first = |at: &usize| {
                texels[*at] == first && (*at == beside.start || texels[*at - 1] != first)
            };
            open.extend(beside.clone().filter(is_first));
        }
    }
    if texels.iter().all(|texel| *texel == BACKGROUND) {
        texels.fill(first);
    }
}

/// Makes all texels of smaller levels opaque. Those in which only the background is get the mean color of the skin, so that they
/// do not darken the texels beside them.
fn fill_background(smaller: &mut [[u8; 4]]) {
    // Of the smallest level in which the weight of used texels is not rounded to 0.
    let mean = smaller.iter().rev().find(|[.., weight]| *weight > 0);
    let mean = mean.copied().unwrap_or(BLACK);
    for texel in smaller {
        if texel[3] == 0 {
            *texel = mean;
        }
        texel[3] = u8::MAX;
    }
}

/// Scales the alpha of each smaller level, so that the same share of texels is drawn in all levels. Otherwise, models with many
/// holes would disappear at a distance.
fn keep_coverage(texels: &mut [[u8; 4]], [mut width, mut height]: [usize; 2]) {
    const CUTOFF: u8 = (HOLE_CUTOFF * 255.0) as u8;
    let (first, mut rest) = texels.split_at_mut(width * height);
    let drawn = first.iter().filter(|[.., alpha]| *alpha > CUTOFF).count();
    let coverage = drawn as f32 / first.len().max(1) as f32;
    while !rest.is_empty() {
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
        let (level, smaller) = rest.split_at_mut(width * height);
        rest = smaller;
        let mut alphas: Vec<u8> = level.iter().map(|[.., alpha]| *alpha).collect();
        alphas.sort_unstable_by_key(|alpha| core::cmp::Reverse(*alpha));
        let count = (coverage * level.len() as f32).ceil() as usize;
        let least = count.checked_sub(1).and_then(|last| alphas.get(last));
        let Some(least) = least.filter(|least| **least > 0) else {
            continue;
        };
        let scale = f32::from(CUTOFF + 1) / f32::from(*least);
        for [.., alpha] in level {
            *alpha = (f32::from(*alpha) * scale).round().min(255.0) as u8;
        }
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_of_one_color_are_connected_by_their_sides() {
        // A ring of color 1, which encloses a 0.
        let indices = [
            0, 0, 0, 0, 0, //
            0, 1, 1, 1, 0, //
            0, 1, 0, 1, 0, //
            0, 1, 1, 1, 2, //
            0, 0, 0, 1, 0,
        ];
        let mut found = indices;
        mark_connected_with_first(&mut found, 5);
        let expected = indices.iter().enumerate().map(|(at, index)| match index {
            0 if at != 12 && at != 24 => BACKGROUND,
            index => *index,
        });
        assert!(found.iter().copied().eq(expected), "{found:?}");
        let mut whole = [7; 6];
        mark_connected_with_first(&mut whole, 3);
        assert_eq!(whole, [7; 6]);
        mark_connected_with_first(&mut [], 1);
    }

    fn converter(size: [u32; 2], hole_index: Option<u8>) -> SkinConverter {
        let settings = MdlLoaderSettings::default();
        SkinConverter::new(size, &Palette::default(), hole_index, &settings)
    }

    fn texels(image: &Image) -> &[[u8; 4]] {
        image.data.as_ref().unwrap().as_chunks().0
    }

    #[test]
    fn background_has_no_part_in_smaller_levels() {
        let palette = Palette::default();
        let (red, background) = (opaque(palette.color(0x4f)), opaque(palette.color(0x0f)));
        let mut indices = [0x0f; 16];
        indices[10] = 0x4f;
        let image = converter([4, 4], None).convert(&indices).image;
        let (first, smaller) = texels(&image).split_at(16);
        assert_eq!((first[0], first[10]), (background, red));
        assert_eq!(smaller, [red; 5]);
    }

    #[test]
    fn black_is_no_background() {
        let mut indices = [0; 16];
        indices[10] = 0x4f;
        let image = converter([4, 4], None).convert(&indices).image;
        let last = texels(&image).last().copied().unwrap();
        assert!(
            last[0] < opaque(Palette::default().color(0x4f))[0],
            "{last:?}"
        );
    }

    #[test]
    fn levels_of_a_single_used_texel_have_its_color() {
        let mut indices = vec![0x0f; 256 * 256];
        indices[300] = 0x4f;
        let image = converter([256, 256], None).convert(&indices).image;
        let red = opaque(Palette::default().color(0x4f));
        assert!(
            texels(&image)[256 * 256..]
                .iter()
                .all(|texel| *texel == red)
        );
    }

    #[test]
    fn holes_keep_their_share_of_smaller_levels() {
        let is_drawn = |texel: &&[u8; 4]| f32::from(texel[3]) / 255.0 > HOLE_CUTOFF;
        for holes in [2, 3, 5] {
            let index = |at: u32| if at.is_multiple_of(holes) { 0x4f } else { 255 };
            let indices: Vec<u8> = (0..64 * 64).map(|at: u32| index(at + at / 64)).collect();
            let image = converter([64, 64], Some(255)).convert(&indices).image;
            let mut rest = texels(&image);
            let mut size = 64;
            while size > 0 {
                let (level, smaller) = rest.split_at(size * size);
                let drawn = level.iter().filter(is_drawn).count() as f32 / level.len() as f32;
                assert!(
                    drawn >= 1.0 / holes as f32 - 0.01,
                    "{holes}: {drawn} at {size}"
                );
                let color = Palette::default().color(0x4f);
                assert!(
                    level
                        .iter()
                        .filter(is_drawn)
                        .all(|texel| texel[..3] == color)
                );
                (rest, size) = (smaller, size / 2);
            }
        }
    }
}
