//! The image of a soft disc, for dazzles and particles whose texture is missing. It must not choose how it is blended.

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::math::Vec2;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};

/// The width and height of the image, in texels.
const SIZE: u32 = 32;

/// An image of 32 × 32 texels, sRGB. `texel` makes the texel of a level: 255 in the middle, 0 at the edge.
pub(super) fn disc(texel: impl Fn(u8) -> [u8; 4]) -> Image {
    let middle = (SIZE - 1) as f32 / 2.0;
    let level = |index: u32| {
        let position = Vec2::new((index % SIZE) as f32, (index / SIZE) as f32);
        let from_edge = (1.0 - position.distance(Vec2::splat(middle)) / middle).max(0.0);
        (255.0 * from_edge * from_edge * (3.0 - 2.0 * from_edge)) as u8
    };
    let size = Extent3d {
        width: SIZE,
        height: SIZE,
        depth_or_array_layers: 1,
    };
    Image::new(
        size,
        TextureDimension::D2,
        (0..SIZE * SIZE)
            .flat_map(|index| texel(level(index)))
            .collect(),
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::RENDER_WORLD,
    )
}

#[cfg(test)]
mod tests {
    use super::{SIZE, disc};

    #[test]
    fn disc_is_bright_in_the_middle_and_dark_at_the_edge() {
        let data = disc(|level| [level, 0, 0, 255]).data.unwrap();
        let level = |x: usize, y: usize| data[4 * (y * SIZE as usize + x)];
        assert!(level(15, 16) > 240);
        assert!((0..32).all(|texel| level(texel, 0) == 0 && level(31, texel) == 0));
    }
}
