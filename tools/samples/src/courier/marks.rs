//! Letters that are painted on with stencils.

use crate::alamo::sheet::Texel;
use crate::maths::{mix, smooth};
use bevy::math::{Vec2, Vec3};

/// Rows of five dots from the top.
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

/// Where something is on a side of the vehicle, as one who reads it sees it: to the right, and up.
pub fn reading(texel: &Texel<'_>) -> Vec2 {
    let (at, normal) = (texel.at, texel.normal);
    let right = if normal.x.abs() > normal.y.abs() {
        at.y * normal.x.signum()
    } else {
        -at.x * normal.y.signum()
    };
    Vec2::new(right, at.z)
}

/// How much paint of a line of letters there is at a point, 0 to 1. `height` is that of the letters,
/// whose middle is at 0.
pub fn lettering(text: &str, at: Vec2, height: f32) -> f32 {
    let dot = height / 7.0;
    let columns = (text.len() * 6 - 1) as f32;
    let place = Vec2::new(at.x / dot + columns / 2.0, 3.5 - at.y / dot);
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
    // Between dots, so that letters get round.
    let corner = (place - 0.5).floor();
    let way = place - 0.5 - corner;
    let row = |row: f32| mix(is_set(corner.x, row), is_set(corner.x + 1.0, row), way.x);
    let level = mix(row(corner.y), row(corner.y + 1.0), way.y);
    smooth((level - 0.36) * 4.0 + 0.5)
}

/// How much of a ring with a number in it there is at a point.
pub fn roundel(text: &str, at: Vec2, radius: f32) -> f32 {
    let ring = smooth((radius * 0.1 - (at.length() - radius).abs()) / (radius * 0.06));
    ring.max(lettering(text, at, radius * 1.15))
}

/// Slanting stripes, 0 or 1.
pub fn is_stripe(at: Vec3, width: f32) -> bool {
    let way = (at.x + at.y + at.z) / (2.0 * width);
    way - way.floor() < 0.5
}
