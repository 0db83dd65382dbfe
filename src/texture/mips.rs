//! Adds mip levels to an image, or removes them.

use crate::texture::decoded_image::{DecodedImage, TexelFormat};
use bevy::color::Srgba;
use bevy::math::Vec4;
use std::sync::LazyLock;

/// An image with mip levels: those of the file if it has any, otherwise generated ones down to a single
/// texel. Compressed images are not changed.
///
/// Levels are averages. sRGB colors are averaged in linear space.
pub(crate) fn with_mip_levels(image: &DecodedImage, is_srgb: bool) -> DecodedImage {
    if image.levels > 1 || image.format != TexelFormat::Rgba8 {
        return image.clone();
    }
    let levels = level_count(image.width, image.height);
    let size = [image.width as usize, image.height as usize];
    let mut data = Vec::with_capacity(image.data.len() / 3 * 4);
    for face in image.faces() {
        data.extend_from_slice(face);
        let averaging = Averaging::of_colors(is_srgb);
        append_smaller_levels(&mut data, size, levels as usize - 1, averaging);
    }
    DecodedImage {
        levels,
        data,
        ..*image
    }
}

/// An image with only its largest level.
pub(crate) fn with_first_level_only(image: &DecodedImage) -> DecodedImage {
    let length = image.format.length(image.width, image.height);
    let firsts = image.faces().filter_map(|face| face.get(..length));
    DecodedImage {
        levels: 1,
        data: firsts.collect::<Vec<_>>().concat(),
        ..*image
    }
}

/// The count of levels down to a single texel, at least 1.
pub(crate) fn level_count(width: u32, height: u32) -> u32 {
    width.max(height).max(1).ilog2() + 1
}

/// How texels are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Averaging {
    /// All components are linear.
    Linear,
    /// Colors are sRGB.
    Srgb,
    /// Colors are sRGB, and alpha is their weight.
    WeightedSrgb,
}

impl Averaging {
    pub(crate) fn of_colors(is_srgb: bool) -> Self {
        if is_srgb { Self::Srgb } else { Self::Linear }
    }
}

/// Appends `count` smaller levels to RGBA data, which end with the level of this size.
pub(crate) fn append_smaller_levels(
    data: &mut Vec<u8>,
    size: [usize; 2],
    count: usize,
    averaging: Averaging,
) {
    let start = data.len().saturating_sub(size[0] * size[1] * 4);
    let sizes = core::iter::successors(Some(size), |size| Some(half(*size)));
    let smaller: usize = sizes.skip(1).take(count).map(|[w, h]| w * h).sum();
    data.resize(data.len() + smaller * 4, 0);
    let levels = data.get_mut(start..).unwrap_or_default().as_chunks_mut().0;
    let (first, smaller) = levels.split_at_mut(levels.len() - smaller);
    let conversion = ColorConversion::new(averaging);
    let decoded = |texel| conversion.decoded(texel);
    fill_smaller_levels(first, decoded, size, smaller, averaging);
}

/// Fills the levels that are smaller than a first level of this size. Its texels need not be RGBA: `decoded` returns their
/// linear color and, from 0 to 255, their alpha. If alpha is a weight, colors are multiplied by it.
pub(crate) fn fill_smaller_levels<T: Copy>(
    first: &[T],
    decoded: impl Fn(T) -> Vec4,
    mut size: [usize; 2],
    smaller: &mut [[u8; 4]],
    averaging: Averaging,
) {
    let conversion = &ColorConversion::new(averaging);
    let [width, height] = half(size);
    let Some((mut level, mut rest)) = smaller.split_at_mut_checked(width * height) else {
        return;
    };
    let mean = |[a, b, c, d]: [T; 4]| {
        let sum = (decoded(a) + decoded(b)) + (decoded(c) + decoded(d));
        conversion.encoded(sum * 0.25)
    };
    halve(first, size, level, &decoded, mean, conversion);
    size = [width, height];
    while !rest.is_empty() {
        let [width, height] = half(size);
        let Some((next, others)) = rest.split_at_mut_checked(width * height) else {
            return;
        };
        let decoded = |texel| conversion.decoded(texel);
        let mean = |block| conversion.mean(block);
        halve(level, size, next, decoded, mean, conversion);
        (level, rest, size) = (next, others, [width, height]);
    }
}

/// The size of the next smaller level. Sizes are width and height.
fn half(size: [usize; 2]) -> [usize; 2] {
    size.map(|side| (side / 2).max(1))
}

/// Converts between texels and linear values.
struct ColorConversion {
    tables: &'static Tables,
    /// Whether colors are multiplied by alpha.
    is_weighted: bool,
}

struct Tables {
    /// The linear value of each byte.
    to_linear: [f32; 256],
    /// The byte of each linear value from 0 to 1, in [`Tables::LAST`] equal steps, and a margin for rounding. The steps are a
    /// tenth of a byte where bytes are closest.
    from_linear: [u8; 1 << 15],
}

static SRGB: LazyLock<Tables> =
    LazyLock::new(|| Tables::new(Srgba::gamma_function, Srgba::gamma_function_inverse));
static LINEAR: LazyLock<Tables> = LazyLock::new(|| Tables::new(|value| value, |value| value));

/// The linear value of a byte of an sRGB color.
pub(crate) fn linear_of_srgb(byte: u8) -> f32 {
    SRGB.to_linear[usize::from(byte)]
}

impl Tables {
    /// The index of 1 in `from_linear`.
    const LAST: f32 = 32_640.0;

    fn new(to_linear: fn(f32) -> f32, from_linear: fn(f32) -> f32) -> Self {
        let byte = |value: f32| (value * 255.0).round() as u8;
        Self {
            to_linear: core::array::from_fn(|byte| to_linear(byte as f32 / 255.0)),
            from_linear: core::array::from_fn(|step| byte(from_linear(step as f32 / Self::LAST))),
        }
    }
}

/// Added to a number below it, this rounds it to an integer, in the lowest bits.
const ROUNDER: f32 = (1 << 23) as f32;

impl ColorConversion {
    fn new(averaging: Averaging) -> Self {
        Self {
            tables: if averaging == Averaging::Linear {
                &LINEAR
            } else {
                &SRGB
            },
            is_weighted: averaging == Averaging::WeightedSrgb,
        }
    }

    fn decoded(&self, [r, g, b, a]: [u8; 4]) -> Vec4 {
        let [r, g, b] = [r, g, b].map(|byte| self.tables.to_linear[usize::from(byte)]);
        let color = Vec4::new(r, g, b, 255.0);
        if a == u8::MAX {
            return color;
        }
        let weight = f32::from(a) / 255.0;
        if self.is_weighted {
            color * weight
        } else {
            color.with_w(f32::from(a))
        }
    }

    /// The mean of four texels.
    fn mean(&self, texels: [[u8; 4]; 4]) -> [u8; 4] {
        let [a, b, c, d] = texels;
        if a == b && a == c && a == d {
            return a;
        }
        if a[3] == b[3] && a[3] == c[3] && a[3] == d[3] {
            let byte = |at: usize| {
                let [a, b, c, d] =
                    texels.map(|texel| self.tables.to_linear[usize::from(texel[at])]);
                self.byte(((a + b) + (c + d)) * 0.25 * Tables::LAST + ROUNDER)
            };
            return [byte(0), byte(1), byte(2), a[3]];
        }
        let [a, b, c, d] = texels.map(|texel| self.decoded(texel));
        self.encoded(((a + b) + (c + d)) * 0.25)
    }

    fn byte(&self, rounded: f32) -> u8 {
        self.tables.from_linear[(rounded.to_bits() & 0x7fff) as usize]
    }

    fn encoded(&self, texel: Vec4) -> [u8; 4] {
        let alpha = texel.w;
        if texel.cmpeq(Vec4::ZERO).bitmask() & 0b111 == 0b111 {
            return [0, 0, 0, (alpha + 0.5) as u8];
        }
        let mut scale = Tables::LAST;
        if self.is_weighted && alpha < 255.0 {
            core::hint::cold_path();
            scale *= 255.0 / alpha;
        }
        let steps = texel * Vec4::splat(scale).with_w(1.0) + ROUNDER;
        let [r, g, b, a] = steps.to_array();
        [self.byte(r), self.byte(g), self.byte(b), a.to_bits() as u8]
    }
}

/// Fills the next smaller level of a level of this size. If both sides are even, its texels are the `mean` of four.
fn halve<T: Copy>(
    level: &[T],
    size: [usize; 2],
    smaller: &mut [[u8; 4]],
    decoded: impl Fn(T) -> Vec4,
    mean: impl Fn([T; 4]) -> [u8; 4],
    conversion: &ColorConversion,
) {
    let [width, height] = half(size);
    if size.iter().all(|side| side % 2 == 0) {
        let rows = level.chunks_exact(2 * size[0]);
        for (rows, smaller) in rows.zip(smaller.chunks_exact_mut(width)) {
            let (upper, lower) = rows.split_at(size[0]);
            let pairs = upper.as_chunks::<2>().0.iter();
            let pairs = pairs.zip(lower.as_chunks::<2>().0);
            for (texel, (upper, lower)) in smaller.iter_mut().zip(pairs) {
                let ([a, b], [c, d]) = (*upper, *lower);
                *texel = mean([a, b, c, d]);
            }
        }
        return;
    }
    let covered = |from: usize, to| (0..to).map(move |at| covered(at, from, to).collect());
    let columns: Vec<Vec<_>> = covered(size[0], width).collect();
    let rows: Vec<Vec<_>> = covered(size[1], height).collect();
    let mut sums = vec![Vec4::ZERO; size[0]];
    for (rows, smaller) in rows.iter().zip(smaller.chunks_exact_mut(width)) {
        sums.fill(Vec4::ZERO);
        for (row, weight) in rows {
            let texels = level.iter().skip(row * size[0]);
            for (sum, texel) in sums.iter_mut().zip(texels) {
                *sum += decoded(*texel) * *weight;
            }
        }
        for (columns, texel) in columns.iter().zip(smaller) {
            let weighted = columns
                .iter()
                .map(|(column, weight)| sums[*column] * *weight);
            *texel = conversion.encoded(weighted.sum());
        }
    }
}

/// The source texels that a target texel covers, and their weights, when a line of `from` texels is scaled
/// to `to` texels. There are two, or three if `from` is odd.
fn covered(target: usize, from: usize, to: usize) -> impl Iterator<Item = (usize, f32)> {
    // In units in which a source texel has length `to` and a target texel has length `from`.
    let (start, end) = (target * from, (target + 1) * from);
    (start / to..end.div_ceil(to)).map(move |texel| {
        let shared = end.min((texel + 1) * to) - start.max(texel * to);
        (texel, shared as f32 / from as f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::assert_valid;

    fn image(width: u32, height: u32, is_cube: bool, data: &[[u8; 4]]) -> DecodedImage {
        DecodedImage {
            width,
            height,
            is_cube,
            levels: 1,
            format: TexelFormat::Rgba8,
            data: data.as_flattened().to_vec(),
        }
    }

    fn texels(image: &DecodedImage) -> &[[u8; 4]] {
        image.data.as_chunks().0
    }

    const BLACK: [u8; 4] = [0, 0, 0, 0];
    const WHITE: [u8; 4] = [255; 4];

    #[test]
    fn linear_data_is_averaged_directly() {
        let leveled = with_mip_levels(
            &image(
                2,
                2,
                false,
                &[[0, 10, 0, 4], [100, 20, 0, 8], [0; 4], [0; 4]],
            ),
            false,
        );
        assert_valid(&leveled);
        assert_eq!(leveled.levels, 2);
        assert_eq!(texels(&leveled)[4..], [[25, 8, 0, 3]]);
    }

    #[test]
    fn srgb_colors_are_averaged_in_linear_space_and_alpha_directly() {
        let checkers = [BLACK, WHITE, WHITE, BLACK];
        let leveled = with_mip_levels(&image(2, 2, false, &checkers), true);
        // Half the linear intensity is 188 in sRGB.
        assert_eq!(texels(&leveled)[4..], [[188, 188, 188, 128]]);
    }

    #[test]
    fn odd_sizes_are_averaged_with_weights() {
        // Five texels become two, of 2.5 texels each; those become one.
        let line = [10, 20, 30, 40, 50].map(|value| [value; 4]);
        let leveled = with_mip_levels(&image(5, 1, false, &line), false);
        assert_valid(&leveled);
        assert_eq!(leveled.levels, 3);
        assert_eq!(texels(&leveled)[5..], [[18; 4], [42; 4], [30; 4]]);
        // At any size, the total intensity is unchanged.
        for size in [(3, 7), (7, 3), (13, 1), (1, 6), (31, 17)] {
            let all = vec![[200; 4]; (size.0 * size.1) as usize];
            let leveled = with_mip_levels(&image(size.0, size.1, false, &all), true);
            assert_valid(&leveled);
            assert!(texels(&leveled).iter().all(|texel| *texel == [200; 4]));
        }
    }

    #[test]
    fn cube_faces_are_averaged_separately() {
        let faces: Vec<[u8; 4]> = (0..24).map(|texel| [texel / 4 * 40; 4]).collect();
        let leveled = with_mip_levels(&image(2, 2, true, &faces), false);
        assert_valid(&leveled);
        for (face, texels) in texels(&leveled).chunks(5).enumerate() {
            assert_eq!(texels, [[face as u8 * 40; 4]; 5]);
        }
    }

    #[test]
    fn stored_mip_levels_are_kept_or_removed() {
        let level = |value| [[value; 4]; 4];
        let stored: Vec<[u8; 4]> = (0..6)
            .flat_map(|face| level(face).into_iter().chain([[99; 4]]))
            .collect();
        let stored = DecodedImage {
            levels: 2,
            ..image(2, 2, true, &stored)
        };
        assert_eq!(with_mip_levels(&stored, true), stored);
        let without = with_first_level_only(&stored);
        assert_valid(&without);
        assert_eq!(texels(&without), (0..6).flat_map(level).collect::<Vec<_>>());
        // Compressed blocks.
        let blocks = DecodedImage {
            format: TexelFormat::Bc1,
            data: (0..24).collect(),
            levels: 2,
            ..image(8, 4, false, &[])
        };
        assert_eq!(
            with_first_level_only(&blocks).data,
            (0..16).collect::<Vec<u8>>()
        );
        let first = with_first_level_only(&blocks);
        assert_eq!(with_mip_levels(&first, true), first);
    }
}
