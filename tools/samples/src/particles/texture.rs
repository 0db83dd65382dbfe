//! The texture of all particles: 4 × 4 tiles of 64 × 64 texels, fading to black and to alpha 0 at their borders.
//!
//! It is not compressed: the steps of DXT5 are visible as edges of dark, large glows.

use crate::alamo::image::{Image, channel};
use crate::math::{mix, noise, smooth};
use bevy::prelude::*;

/// The name in the systems.
pub const TEXTURE: &str = "p_particle_master.tga";
/// Tiles in each row and column.
pub const TILES: u32 = 4;
/// Edge length of a tile in texels.
const SIDE: u32 = 64;

/// A soft disc.
pub const GLOW: u8 = 0;
/// A star of rays.
pub const STAR: u8 = 1;
/// A dot with a streak towards the upper left corner, which a tail stretches.
pub const STREAK: u8 = 2;
/// A thin ring.
pub const RING: u8 = 3;
/// The first and the last image of a ball of fire that burns out.
pub const FIRE: core::ops::RangeInclusive<u8> = 4..=7;
/// The first and the last image of a cloud of smoke that dissolves.
pub const SMOKE: core::ops::RangeInclusive<u8> = 8..=11;
/// A splinter of metal.
pub const SPLINTER: u8 = 12;
/// A jagged flame in all directions.
pub const FLAME: u8 = 13;

/// The texture. Its alpha is the opacity of particles that cover the background.
pub fn atlas() -> Image {
    Image::new(UVec2::splat(TILES * SIDE), |at| {
        let tile = at / SIDE;
        let pixel = (at % SIDE).as_vec2() + 0.5;
        let offset = pixel / SIDE as f32 * 2.0 - 1.0;
        let (level, opacity) = texel(tile.y * TILES + tile.x, offset);
        let edge = smooth((1.0 - offset.abs().max_element()) * 8.0);
        let level = level * edge;
        [level, level, level, opacity * edge].map(channel)
    })
}

/// Brightness and opacity of a tile. `offset` is from −1 to 1, from the left and from the top.
fn texel(tile: u32, offset: Vec2) -> (f32, f32) {
    let out = offset.length();
    let soft = (1.0 - out).max(0.0);
    let both = |level: f32| (level, level);
    match u8::try_from(tile).unwrap_or_default() {
        GLOW => both(soft * soft * 0.9 + smooth(1.0 - out * 3.0) * 0.4),
        STAR => both(star(offset)),
        STREAK => both(streak(offset)),
        RING => both(smooth(1.0 - (out - 0.78).abs() * 7.0) * 0.9 + soft * 0.1),
        tile if FIRE.contains(&tile) => fire(f32::from(tile - FIRE.start()) / 3.0, offset),
        tile if SMOKE.contains(&tile) => smoke(f32::from(tile - SMOKE.start()) / 3.0, offset),
        SPLINTER => splinter(offset),
        FLAME => both(flame(offset)),
        _ => (0.0, 0.0),
    }
}

fn star(offset: Vec2) -> f32 {
    let soft = (1.0 - offset.length()).max(0.0);
    let ray = |across: f32, along: f32| {
        (1.0 - across.abs() * 12.0).max(0.0) * (1.0 - along.abs()).max(0.0)
    };
    let (sum, difference) = (offset.x + offset.y, offset.x - offset.y);
    let straight = ray(offset.x, offset.y) + ray(offset.y, offset.x);
    let diagonal = ray(sum, difference) + ray(difference, sum);
    soft * soft * 0.8 + straight * 0.7 + diagonal * 0.4
}

fn streak(offset: Vec2) -> f32 {
    let head = smooth(1.0 - offset.length() * 3.2);
    // Along the diagonal: 0 in the center, 1 in the upper left corner.
    let along = -(offset.x + offset.y) / 2.0;
    let across = (offset.x - offset.y).abs() / 2.0;
    let wide = 0.16 * (1.0 - along).max(0.0);
    let tail = smooth(1.0 - across / wide.max(0.01)) * (1.0 - along).max(0.0);
    let tail = if along > 0.0 { tail } else { 0.0 };
    head.max(tail)
}

/// Rough clouds, from 0 to 1: three octaves of noise. `seed` selects one of many.
fn billows(offset: Vec2, seed: f32) -> f32 {
    // Off the corners of the noise, at which all octaves agree.
    let at = |scale: f32| {
        noise(Vec3::new(
            offset.x * scale + 20.3,
            offset.y * scale + 11.6,
            seed,
        ))
    };
    at(2.3) * 0.55 + at(5.1) * 0.3 + at(11.0) * 0.15
}

/// A ball of fire at a share of its time.
fn fire(time: f32, offset: Vec2) -> (f32, f32) {
    let billows = billows(offset, 3.0 + time * 0.8);
    let ball = smooth((1.05 - offset.length()) * 1.7);
    let heat = ball * mix(1.0, 0.62, time) + (billows - 0.5) * mix(1.5, 2.2, time);
    let level = smooth(heat) * ball;
    (level, level)
}

/// A cloud of smoke at a share of its time: it is lit from above.
fn smoke(time: f32, offset: Vec2) -> (f32, f32) {
    let density = |at: Vec2| {
        let ball = smooth((1.0 - at.length()) * 1.5);
        let cloud = smooth((billows(at, 17.0 + time * 0.7) - mix(0.2, 0.34, time)) * 2.8);
        ball * mix(mix(0.5, 0.05, time), 1.0, cloud)
    };
    let here = density(offset);
    let light = here - density(offset - Vec2::new(0.12, 0.22));
    let level = 0.62 + 0.3 * light + 0.16 * (billows(offset, 40.0) - 0.5);
    (level, here)
}

fn splinter(offset: Vec2) -> (f32, f32) {
    // A triangle with uneven sides, and a bright edge.
    let sides = [(0.2, 0.98, 0.34), (-0.96, -0.28, 0.3), (0.75, -0.66, 0.42)];
    let inside = sides
        .map(|(x, y, distance)| distance - offset.dot(Vec2::new(x, y)))
        .into_iter()
        .fold(f32::INFINITY, f32::min);
    let level = mix(0.8, 0.35, smooth(inside * 6.0)) * mix(0.7, 1.1, billows(offset, 5.0));
    (level, smooth(inside * 24.0))
}

fn flame(offset: Vec2) -> f32 {
    let out = offset.length();
    let rough = billows(offset / out.max(0.05) * 0.8, 9.0);
    let reach = mix(0.25, 1.2, rough);
    smooth(1.0 - out / reach) * 1.1
}
