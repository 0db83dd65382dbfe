//! Draws textures into images, without a renderer.

use bevy::math::UVec2;
use bevy_classic_models::texture::Pixels;

/// The least opacity, of 255. The colors of transparent texels are visible too: in many textures alpha is a mask.
const LEAST: u64 = 90;

/// The size of a texture in an area. It is enlarged by a whole number, so that its texels are squares.
pub fn size_in(texture: &Pixels, area: UVec2) -> UVec2 {
    let source = UVec2::new(texture.width, texture.height);
    let scale = (area.as_vec2() / source.as_vec2()).min_element();
    let scale = if scale >= 1.0 { scale.floor() } else { scale };
    (source.as_vec2() * scale).as_uvec2().max(UVec2::ONE)
}

/// An image of this size with a texture in its middle. The rest is transparent.
pub fn scaled(texture: &Pixels, size: UVec2) -> Pixels {
    let drawn = size_in(texture, size);
    let corner = size.saturating_sub(drawn) / 2;
    let mut rgba = vec![0; size.x as usize * size.y as usize * 4];
    for y in 0..drawn.y {
        for x in 0..drawn.x {
            let at = corner + UVec2::new(x, y);
            let start = (at.y as usize * size.x as usize + at.x as usize) * 4;
            if let Some(target) = rgba.get_mut(start..start + 4) {
                target.copy_from_slice(&color(texture, UVec2::new(x, y), drawn));
            }
        }
    }
    Pixels {
        width: size.x,
        height: size.y,
        rgba,
    }
}

/// The mean color of the texels that a pixel covers, with straight alpha. `drawn` is the size of the whole texture.
pub fn color(texture: &Pixels, pixel: UVec2, drawn: UVec2) -> [u8; 4] {
    let first = |pixel: u32, drawn: u32, texels: u32| {
        (u64::from(pixel) * u64::from(texels) / u64::from(drawn)) as usize
    };
    let range = |pixel: u32, drawn: u32, texels: u32| {
        let start = first(pixel, drawn, texels);
        start..first(pixel + 1, drawn, texels).max(start + 1)
    };
    let (mut sum, mut alphas, mut count) = ([0_u64; 3], 0, 0);
    for y in range(pixel.y, drawn.y, texture.height) {
        for x in range(pixel.x, drawn.x, texture.width) {
            let start = (y * texture.width as usize + x) * 4;
            let Some([red, green, blue, alpha]) = texture.rgba.get(start..start + 4) else {
                continue;
            };
            let alpha = LEAST + u64::from(*alpha) * (255 - LEAST) / 255;
            for (sum, channel) in sum.iter_mut().zip([red, green, blue]) {
                *sum += u64::from(*channel) * alpha;
            }
            alphas += alpha;
            count += 1;
        }
    }
    let [red, green, blue] = sum.map(|sum| (sum / alphas.max(1)).min(255) as u8);
    [red, green, blue, (alphas / count.max(1)).min(255) as u8]
}

#[cfg(test)]
mod tests {
    use super::scaled;
    use bevy::math::UVec2;
    use bevy_classic_models::texture::Pixels;

    #[test]
    fn textures_are_in_the_middle_of_transparent_images() {
        let texture = Pixels {
            width: 2,
            height: 1,
            rgba: [[200, 0, 0, 255], [0, 100, 0, 0]].concat(),
        };
        let image = scaled(&texture, UVec2::new(7, 5));
        let at = |x: usize, y: usize| image.rgba.as_chunks::<4>().0[y * 7 + x];
        // 6 × 3 pixels.
        assert_eq!(at(0, 1), [200, 0, 0, 255]);
        assert_eq!(at(2, 3), [200, 0, 0, 255]);
        assert_eq!(at(3, 1), [0, 100, 0, 90]);
        for (x, y) in [(0, 0), (6, 1), (0, 4)] {
            assert_eq!(at(x, y), [0; 4], "{x} {y}");
        }
    }
}
