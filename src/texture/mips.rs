//! Levels of a picture: smaller and smaller ones for what is far, or none.

use crate::texture::picture::{Picture, Texels};
use bevy::color::Srgba;

/// A picture with all levels down to a single texel: those of the file if it has any, else averages.
/// Blocks that the GPU decodes stay as they are.
///
/// Colours of the screen are averaged as the light that they are.
pub(super) fn with_levels(picture: &Picture, is_srgb: bool) -> Picture {
    if picture.levels > 1 || picture.texels != Texels::Rgba8 {
        return picture.clone();
    }
    let light = Light::new(is_srgb);
    let mut data = Vec::with_capacity(picture.data.len() / 3 * 4);
    for face in picture.faces() {
        let mut size = [picture.width as usize, picture.height as usize];
        let mut level = face.as_chunks().0.to_vec();
        data.extend_from_slice(face);
        while size != [1, 1] {
            (level, size) = halved(&level, size, &light);
            data.extend_from_slice(level.as_flattened());
        }
    }
    Picture {
        levels: picture.width.max(picture.height).ilog2() + 1,
        data,
        ..*picture
    }
}

/// A picture with the largest of its levels alone.
pub(super) fn without_levels(picture: &Picture) -> Picture {
    let length = picture.texels.length(picture.width, picture.height);
    let firsts = picture.faces().filter_map(|face| face.get(..length));
    Picture {
        levels: 1,
        data: firsts.collect::<Vec<_>>().concat(),
        ..*picture
    }
}

/// How much light bytes stand for.
struct Light {
    of_color: [f32; 256],
    is_srgb: bool,
}

impl Light {
    fn new(is_srgb: bool) -> Self {
        let light = |byte: usize| match byte as f32 / 255.0 {
            value if is_srgb => Srgba::gamma_function(value),
            value => value,
        };
        Self {
            of_color: core::array::from_fn(light),
            is_srgb,
        }
    }

    fn decoded(&self, [r, g, b, a]: [u8; 4]) -> [f32; 4] {
        let [r, g, b] = [r, g, b].map(|byte| self.of_color[usize::from(byte)]);
        [r, g, b, f32::from(a) / 255.0]
    }

    fn encoded(&self, [r, g, b, a]: [f32; 4]) -> [u8; 4] {
        let color = |light: f32| match self.is_srgb {
            true => Srgba::gamma_function_inverse(light),
            false => light,
        };
        [color(r), color(g), color(b), a].map(|value| (value * 255.0).round() as u8)
    }
}

/// The level after one of some width and height, and its own.
fn halved(level: &[[u8; 4]], size: [usize; 2], light: &Light) -> (Vec<[u8; 4]>, [usize; 2]) {
    let half = size.map(|side| (side / 2).max(1));
    let mut texels = Vec::with_capacity(half[0] * half[1]);
    for y in 0..half[1] {
        for x in 0..half[0] {
            let mut sum = [0.0; 4];
            for (row, height) in covered(y, size[1], half[1]) {
                for (column, width) in covered(x, size[0], half[0]) {
                    let texel = light.decoded(level[row * size[0] + column]);
                    for (sum, value) in sum.iter_mut().zip(texel) {
                        *sum += value * width * height;
                    }
                }
            }
            texels.push(light.encoded(sum));
        }
    }
    (texels, half)
}

/// Which texels of a line of `from` one covers in a line of `to` that is as long, and how much of it
/// each of them is. They are two, or three where `from` is odd.
fn covered(place: usize, from: usize, to: usize) -> impl Iterator<Item = (usize, f32)> {
    // In steps of which a texel of the one line has `to` and of the other `from`.
    let (start, end) = (place * from, (place + 1) * from);
    (start / to..end.div_ceil(to)).map(move |texel| {
        let shared = end.min((texel + 1) * to) - start.max(texel * to);
        (texel, shared as f32 / from as f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::assert_sound;

    fn picture(width: u32, height: u32, is_cube: bool, data: &[[u8; 4]]) -> Picture {
        Picture {
            width,
            height,
            is_cube,
            levels: 1,
            texels: Texels::Rgba8,
            data: data.as_flattened().to_vec(),
        }
    }

    fn texels(picture: &Picture) -> &[[u8; 4]] {
        picture.data.as_chunks().0
    }

    const BLACK: [u8; 4] = [0, 0, 0, 0];
    const WHITE: [u8; 4] = [255; 4];

    #[test]
    fn numbers_are_averaged_as_they_are() {
        let made = with_levels(
            &picture(
                2,
                2,
                false,
                &[[0, 10, 0, 4], [100, 20, 0, 8], [0; 4], [0; 4]],
            ),
            false,
        );
        assert_sound(&made);
        assert_eq!(made.levels, 2);
        assert_eq!(texels(&made)[4..], [[25, 8, 0, 3]]);
    }

    #[test]
    fn colors_are_averaged_as_light_and_alpha_is_not() {
        let checkers = [BLACK, WHITE, WHITE, BLACK];
        let made = with_levels(&picture(2, 2, false, &checkers), true);
        // Half the light is the colour 188.
        assert_eq!(texels(&made)[4..], [[188, 188, 188, 128]]);
    }

    #[test]
    fn odd_sides_lose_nothing() {
        // Five texels become two of two and a half each, those one.
        let line = [10, 20, 30, 40, 50].map(|value| [value; 4]);
        let made = with_levels(&picture(5, 1, false, &line), false);
        assert_sound(&made);
        assert_eq!(made.levels, 3);
        assert_eq!(texels(&made)[5..], [[18; 4], [42; 4], [30; 4]]);
        // Whatever the size, light is neither lost nor won.
        for size in [(3, 7), (7, 3), (13, 1), (1, 6), (31, 17)] {
            let all = vec![[200; 4]; (size.0 * size.1) as usize];
            let made = with_levels(&picture(size.0, size.1, false, &all), true);
            assert_sound(&made);
            assert!(texels(&made).iter().all(|texel| *texel == [200; 4]));
        }
    }

    #[test]
    fn faces_do_not_mix() {
        let faces: Vec<[u8; 4]> = (0..24).map(|texel| [texel / 4 * 40; 4]).collect();
        let made = with_levels(&picture(2, 2, true, &faces), false);
        assert_sound(&made);
        for (face, texels) in texels(&made).chunks(5).enumerate() {
            assert_eq!(texels, [[face as u8 * 40; 4]; 5]);
        }
    }

    #[test]
    fn levels_of_the_file_are_kept_or_left_out() {
        let level = |value| [[value; 4]; 4];
        let stored: Vec<[u8; 4]> = (0..6)
            .flat_map(|face| level(face).into_iter().chain([[99; 4]]))
            .collect();
        let stored = Picture {
            levels: 2,
            ..picture(2, 2, true, &stored)
        };
        assert_eq!(with_levels(&stored, true), stored);
        let without = without_levels(&stored);
        assert_sound(&without);
        assert_eq!(texels(&without), (0..6).flat_map(level).collect::<Vec<_>>());
        // Blocks.
        let blocks = Picture {
            texels: Texels::Bc1,
            data: (0..24).collect(),
            levels: 2,
            ..picture(8, 4, false, &[])
        };
        assert_eq!(without_levels(&blocks).data, (0..16).collect::<Vec<u8>>());
        let first = without_levels(&blocks);
        assert_eq!(with_levels(&first, true), first);
    }
}
