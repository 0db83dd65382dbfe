//! Stenciled letters.

use crate::alamo::sheet::Texel;
use crate::math::{mix, smooth};
use bevy::prelude::*;

/// A glyph of seven rows from the top, with five dots each.
fn glyph(letter: u8) -> [u8; 7] {
    match letter {
        b'C' => [
            0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110,
        ],
        b'E' => [
            0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111,
        ],
        b'I' => [
            0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110,
        ],
        b'K' => [
            0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001,
        ],
        b'O' => [
            0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110,
        ],
        b'R' => [
            0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001,
        ],
        b'U' => [
            0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110,
        ],
        b'2' => [
            0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111,
        ],
        b'7' => [
            0b11111, 0b00001, 0b00010, 0b00100, 0b00100, 0b00100, 0b00100,
        ],
        b'-' => [0, 0, 0, 0b01110, 0, 0, 0],
        _ => [0; 7],
    }
}

/// The position of a texel on a side of the vehicle in reading direction: to the right, and up.
pub fn reading(texel: &Texel<'_>) -> Vec2 {
    let (at, normal) = (texel.at, texel.normal);
    let right = if normal.x.abs() > normal.y.abs() {
        at.y * normal.x.signum()
    } else {
        -at.x * normal.y.signum()
    };
    Vec2::new(right, at.z)
}

/// The paint coverage of a line of text at a point, 0 to 1. `height` is the height of the letters,
/// which are vertically centered on 0.
pub fn lettering(text: &str, at: Vec2, height: f32) -> f32 {
    let dot = height / 7.0;
    let columns = (text.len() * 6 - 1) as f32;
    let offset = Vec2::new(at.x / dot + columns / 2.0, 3.5 - at.y / dot);
    let is_set = |column: f32, row: f32| {
        let letter = text
            .as_bytes()
            .get((column / 6.0).floor().max(0.0) as usize);
        let inside = (0.0..columns).contains(&column) && (0.0..7.0).contains(&row);
        let bits = glyph(letter.copied().unwrap_or(b' '))[row.clamp(0.0, 6.0) as usize];
        let column = column.rem_euclid(6.0) as u32;
        f32::from(u8::from(
            inside && column < 5 && bits >> (4 - column) & 1 == 1,
        ))
    };
    // Interpolates between dots, so that letters have round shapes.
    let corner = (offset - 0.5).floor();
    let fraction = offset - 0.5 - corner;
    let row = |row: f32| {
        mix(
            is_set(corner.x, row),
            is_set(corner.x + 1.0, row),
            fraction.x,
        )
    };
    let level = mix(row(corner.y), row(corner.y + 1.0), fraction.y);
    smooth((level - 0.36) * 4.0 + 0.5)
}

/// The paint coverage of a ring around a number at a point.
pub fn roundel(text: &str, at: Vec2, radius: f32) -> f32 {
    let ring = smooth((radius * 0.1 - (at.length() - radius).abs()) / (radius * 0.06));
    ring.max(lettering(text, at, radius * 1.15))
}

/// Whether a point is on a slanted stripe.
pub fn is_stripe(at: Vec3, width: f32) -> bool {
    let phase = (at.x + at.y + at.z) / (2.0 * width);
    phase - phase.floor() < 0.5
}
