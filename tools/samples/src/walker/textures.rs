//! The textures that are not painted on the sheet.

use crate::alamo::image::{Image, channel};
use crate::math::{hash, mix, noise, sin, smooth};
use bevy::prelude::*;

/// Glow, star, streak and flare, on black.
pub fn dazzle() -> Image {
    const CELL: u32 = 64;
    Image::new(UVec2::splat(2 * CELL), |at| {
        let cell = at / CELL;
        let pixel = (at % CELL).as_vec2() + 0.5;
        let offset = pixel / CELL as f32 * 2.0 - 1.0;
        let out = offset.length().min(1.0);
        let soft = (1.0 - out) * (1.0 - out);
        let ray = |across: f32, along: f32| {
            (1.0 - across.abs() * 14.0).max(0.0) * (1.0 - along.abs()).max(0.0)
        };
        let level = match (cell.x, cell.y) {
            (0, 0) => soft * 0.9 + smooth(1.0 - out * 2.6) * 0.5,
            (1, 0) => {
                let rays = ray(offset.y, offset.x) + ray(offset.x, offset.y);
                soft * soft * 0.8 + smooth(1.0 - out * 4.0) + rays * 0.55
            }
            (0, 1) => {
                // From the muzzle (below) forward, ragged.
                let up = pixel.y / CELL as f32;
                let wide = mix(0.25, 0.95, up) * (1.0 - up * up * up);
                let flame = (1.0 - offset.x.abs() / wide.max(0.01)).max(0.0);
                flame * up * 1.3 * mix(0.6, 1.2, noise(Vec3::new(pixel.x, pixel.y, 0.0) * 0.14))
            }
            _ => {
                let ring = smooth(1.0 - (out - 0.62).abs() * 9.0) * 0.12;
                soft * 0.7 + smooth(1.0 - out * 3.2) + ray(offset.y * 1.5, offset.x) * 0.5 + ring
            }
        };
        // Black at the border, so that the edge of the square is invisible.
        let edge = smooth((1.0 - offset.abs().max_element()) * 12.0);
        let level = channel(level * edge);
        [level, level, level, 255]
    })
}

/// Heat-stained metal: a texture that tiles; its alpha is the gloss.
pub fn metal() -> Image {
    const SIZE: u32 = 64;
    Image::new(UVec2::splat(SIZE), |at| {
        let grain = hash(at.x as i32 / 2, at.y as i32, 11);
        let ring = sin(at.y as f32 / SIZE as f32 * 4.0);
        let wave = sin(at.x as f32 / SIZE as f32 + 0.2 * sin(at.y as f32 / SIZE as f32));
        let level = 0.4 + 0.07 * grain + 0.05 * ring;
        let heat = 0.5 + 0.5 * wave;
        let color = Vec3::new(
            level,
            level * mix(0.88, 0.97, heat),
            level * mix(0.78, 1.0, heat),
        );
        [color.x, color.y, color.z, 0.45 + 0.4 * grain].map(channel)
    })
}

/// Glass: pale, with a diagonal reflection; its alpha is its opacity.
pub fn glass() -> Image {
    Image::new(UVec2::splat(32), |at| {
        let uv = at.as_vec2() / 31.0;
        let slant = uv.x * 0.8 + uv.y;
        let shine =
            smooth(1.0 - (slant - 0.75).abs() * 5.0) + smooth(1.0 - (slant - 1.15).abs() * 12.0);
        let color = Vec3::new(0.3, 0.44, 0.5) + Vec3::splat(0.35 * shine);
        [color.x, color.y, color.z, 0.62 + 0.35 * shine].map(channel)
    })
}
