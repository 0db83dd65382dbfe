//! Maps images to a palette of 256 colors.

use crate::image_data::Pixels;
use oklab::{Oklab, srgb_to_oklab};
use std::collections::HashMap;

/// Colors by their indices, sRGB.
#[derive(Clone, Debug)]
pub struct Palette(pub [[u8; 3]; 256]);

/// How colors that the palette does not have are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dithering {
    /// To the nearest color.
    #[default]
    None,
    /// So that the mean of neighbors is the color: error diffusion of Floyd and Steinberg.
    FloydSteinberg,
}

/// The first index of the colors that are not shaded: the last two rows of Quake's palette.
const FULLBRIGHT: u8 = 224;

/// An image, its emissive part, and which of its texels are holes.
pub(crate) struct Picture {
    pub base: Pixels,
    /// As large as the base. Texels that are not black are fullbright.
    pub emissive: Option<Pixels>,
    /// Alpha below this is a hole.
    pub cutoff: Option<f32>,
}

impl Palette {
    /// The index of each texel: of the fullbright colors where the emissive part is not black, the hole index in holes, otherwise
    /// of the other colors. Colors are compared in Oklab.
    pub(crate) fn map(&self, picture: &Picture, hole_index: u8, dithering: Dithering) -> Vec<u8> {
        let is_used = |index: u8| picture.cutoff.is_none() || index != hole_index;
        let mut shaded = Nearest::new(self, (0..FULLBRIGHT).filter(|index| is_used(*index)));
        let mut fullbright = Nearest::new(self, (FULLBRIGHT..=255).filter(|index| is_used(*index)));
        let width = picture.base.width as usize;
        // What was lost in the texels before, for this row and the next one. One texel more on both sides.
        let mut errors = [vec![[0.0; 3]; width + 2], vec![[0.0; 3]; width + 2]];
        let mut indices = Vec::with_capacity(picture.base.rgba.len());
        for (index, texel) in picture.base.rgba.iter().enumerate() {
            let column = index % width;
            if column == 0 {
                errors.swap(0, 1);
                errors[1].fill([0.0; 3]);
            }
            let [red, green, blue, alpha] = *texel;
            if picture
                .cutoff
                .is_some_and(|cutoff| f32::from(alpha) / 255.0 < cutoff)
            {
                indices.push(hole_index);
                continue;
            }
            let light = picture.emissive.as_ref().and_then(|it| it.rgba.get(index));
            let light = light.filter(|[red, green, blue, _]| red | green | blue != 0);
            let (color, nearest) = match light {
                Some([red, green, blue, _]) => ([*red, *green, *blue], &mut fullbright),
                None => ([red, green, blue], &mut shaded),
            };
            if dithering == Dithering::None {
                indices.push(nearest.of(color));
                continue;
            }
            let lost = errors[0][column + 1];
            let wanted: [f32; 3] = core::array::from_fn(|axis| f32::from(color[axis]) + lost[axis]);
            let found = nearest.of(wanted.map(|value| value.round() as u8));
            indices.push(found);
            let shown = self.0[usize::from(found)];
            for (row, at, share) in [(0, 2, 7.0), (1, 0, 3.0), (1, 1, 5.0), (1, 2, 1.0)] {
                for axis in 0..3 {
                    let error = wanted[axis] - f32::from(shown[axis]);
                    errors[row][column + at][axis] += error * share / 16.0;
                }
            }
        }
        indices
    }
}

/// Finds the nearest of some colors in Oklab, and remembers what it found.
pub struct Nearest {
    colors: Vec<(u8, Oklab)>,
    found: HashMap<[u8; 3], u8>,
}

impl Nearest {
    /// Of the colors with these indices.
    pub fn new(palette: &Palette, indices: impl Iterator<Item = u8>) -> Self {
        let color = |index: u8| (index, srgb_to_oklab(palette.0[usize::from(index)].into()));
        Self {
            colors: indices.map(color).collect(),
            found: HashMap::new(),
        }
    }

    /// The index of the nearest color; of equal ones the first.
    pub fn of(&mut self, color: [u8; 3]) -> u8 {
        if let Some(found) = self.found.get(&color) {
            return *found;
        }
        let wanted = srgb_to_oklab(color.into());
        let distance = |(_, other): &&(u8, Oklab)| {
            let [l, a, b] = [wanted.l - other.l, wanted.a - other.a, wanted.b - other.b];
            l * l + a * a + b * b
        };
        let nearest = self
            .colors
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let found = nearest.map_or(0, |(index, _)| *index);
        self.found.insert(color, found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gray levels, the same once more at the fullbright indices.
    fn palette() -> Palette {
        Palette(core::array::from_fn(|index| match index {
            224.. => [(index - 224) as u8 * 8, 0, 0],
            _ => [index as u8; 3],
        }))
    }

    fn picture(rgba: Vec<[u8; 4]>, width: u32) -> Picture {
        let height = rgba.len() as u32 / width;
        Picture {
            base: Pixels {
                width,
                height,
                rgba,
            },
            emissive: None,
            cutoff: None,
        }
    }

    #[test]
    fn only_emissive_texels_are_fullbright() {
        let mut picture = picture(vec![[80, 0, 0, 255], [80, 0, 0, 255], [7, 7, 7, 255]], 3);
        picture.emissive = Some(Pixels {
            width: 3,
            height: 1,
            rgba: vec![[0, 0, 0, 255], [81, 0, 0, 255], [0, 0, 0, 0]],
        });
        let indices = palette().map(&picture, 255, Dithering::None);
        assert!(indices[0] < 224, "{indices:?}");
        assert_eq!(indices[1..], [224 + 10, 7]);
    }

    #[test]
    fn holes_have_their_index_and_nothing_else_has() {
        let mut picture = picture(
            vec![
                [0, 0, 0, 0],
                [0, 0, 0, 255],
                [200, 200, 200, 127],
                [200, 200, 200, 128],
            ],
            4,
        );
        picture.cutoff = Some(0.5);
        assert_eq!(
            palette().map(&picture, 255, Dithering::None),
            [255, 0, 255, 200]
        );
        // Hexen II's index of holes.
        assert_eq!(palette().map(&picture, 0, Dithering::None), [0, 1, 0, 200]);
    }

    #[test]
    fn dithering_keeps_the_mean() {
        let two = Palette(core::array::from_fn(|index| {
            [if index == 1 { 255 } else { 0 }; 3]
        }));
        let picture = picture(vec![[64, 64, 64, 255]; 64 * 64], 64);
        let mean = |dithering| {
            let indices = two.map(&picture, 255, dithering);
            indices
                .iter()
                .map(|index| f32::from(two.0[usize::from(*index)][0]))
                .sum::<f32>()
                / 4096.0
        };
        assert!((mean(Dithering::FloydSteinberg) - 64.0).abs() < 2.0);
        assert_eq!(mean(Dithering::None), 0.0);
    }
}
