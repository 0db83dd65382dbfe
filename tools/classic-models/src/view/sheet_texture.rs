//! Draws textures into the cells of a sheet. It must not read files.

use bevy::prelude::*;
use bevy_classic_models::texture::Pixels;

/// The margin around a texture, in pixels.
const MARGIN: u32 = 6;

/// The height of the name below it, in pixels.
const NAME: u32 = 26;

/// The gray behind transparent texels.
const BEHIND: u64 = 70;

/// The least opacity, of 255. The colors of transparent texels are visible too: in many textures alpha is a mask.
const LEAST: u64 = 90;

/// Draws a texture above the name in a cell, which has 4 bytes per pixel. A texture is enlarged by a whole number, so that its
/// texels are squares.
pub fn draw_texture(cell: &mut Image, texture: &Pixels) {
    let size = cell.size();
    let free = size.saturating_sub(UVec2::new(2 * MARGIN, MARGIN + NAME));
    let source = UVec2::new(texture.width, texture.height);
    if free.min_element() == 0 {
        return;
    }
    let scale = (free.as_vec2() / source.as_vec2()).min_element();
    let scale = if scale >= 1.0 { scale.floor() } else { scale };
    let drawn = (source.as_vec2() * scale).as_uvec2().max(UVec2::ONE);
    let corner = UVec2::splat(MARGIN) + free.saturating_sub(drawn) / 2;
    let Some(data) = &mut cell.data else {
        return;
    };
    for y in 0..drawn.y {
        for x in 0..drawn.x {
            let at = corner + UVec2::new(x, y);
            let start = (at.y as usize * size.x as usize + at.x as usize) * 4;
            if let Some(target) = data.get_mut(start..start + 4) {
                target.copy_from_slice(&color(texture, UVec2::new(x, y), drawn));
            }
        }
    }
}

/// The mean color of the texels that a pixel covers, over gray.
fn color(texture: &Pixels, pixel: UVec2, drawn: UVec2) -> [u8; 4] {
    let first = |pixel: u32, drawn: u32, texels: u32| {
        (u64::from(pixel) * u64::from(texels) / u64::from(drawn)) as usize
    };
    let range = |pixel: u32, drawn: u32, texels: u32| {
        let start = first(pixel, drawn, texels);
        start..first(pixel + 1, drawn, texels).max(start + 1)
    };
    let mut sum = [0_u64; 3];
    let mut count = 0;
    for y in range(pixel.y, drawn.y, texture.height) {
        for x in range(pixel.x, drawn.x, texture.width) {
            let start = (y * texture.width as usize + x) * 4;
            let Some([red, green, blue, alpha]) = texture.rgba.get(start..start + 4) else {
                continue;
            };
            for (sum, channel) in sum.iter_mut().zip([red, green, blue]) {
                let alpha = LEAST + u64::from(*alpha) * (255 - LEAST) / 255;
                *sum += (u64::from(*channel) * alpha + BEHIND * (255 - alpha)) / 255;
            }
            count += 1;
        }
    }
    let [red, green, blue] = sum.map(|sum| (sum / count.max(1)).min(255) as u8);
    [red, green, blue, u8::MAX]
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::render::render_resource::TextureFormat;

    fn texture(width: u32, height: u32, rgba: Vec<u8>) -> Pixels {
        Pixels {
            width,
            height,
            rgba,
        }
    }

    /// A cell of 40 × 50 pixels with a texture, as the red of each pixel.
    fn reds(texture: &Pixels) -> Vec<u8> {
        let mut cell = Image::new_target_texture(40, 50, TextureFormat::Rgba8UnormSrgb, None);
        cell.data = Some(vec![1; 40 * 50 * 4]);
        draw_texture(&mut cell, texture);
        cell.data.unwrap().iter().copied().step_by(4).collect()
    }

    #[test]
    fn small_textures_have_square_texels() {
        let rgba = [[200, 0, 0, 255], [100, 0, 0, 0]].concat();
        let reds = reds(&texture(2, 1, rgba));
        let count = |value: u8| reds.iter().filter(|red| **red == value).count();
        // 14 × 14 pixels each. The second texel is transparent.
        assert_eq!([count(200), count(80)], [196, 196]);
        assert_eq!(count(1), 40 * 50 - 392);
    }

    #[test]
    fn large_textures_are_reduced_to_their_mean() {
        let rgba: Vec<u8> = (0..64 * 64)
            .flat_map(|index| [if index % 2 == 0 { 100 } else { 200 }, 0, 0, 255])
            .collect();
        let reds = reds(&texture(64, 64, rgba));
        // The height is 18 pixels: that of the cell without the name and margins.
        let drawn: Vec<u8> = reds.into_iter().filter(|red| *red != 1).collect();
        assert_eq!(drawn.len(), 18 * 18);
        assert!(drawn.iter().all(|red| (100..=200).contains(red)));
        let mean = drawn.iter().map(|red| u32::from(*red)).sum::<u32>() / drawn.len() as u32;
        assert!((145..=155).contains(&mean), "{mean}");
    }
}
