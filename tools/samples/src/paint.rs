//! Paint: converts the material and brightness of a texel to an index of Quake's palette.

use super::atlas::{Atlas, Texel};
use super::math::{hash, noise};
use bevy::prelude::*;

/// Sixteen colors of the palette with increasing brightness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp {
    darkest: u8,
    brightest: u8,
}

impl Ramp {
    const fn row(row: u8) -> Self {
        let (first, last) = (row * 16, row * 16 + 15);
        // From row 8 on the palette is stored from bright to dark, except for the last two rows.
        if row < 8 || row >= 14 {
            Self {
                darkest: first,
                brightest: last,
            }
        } else {
            Self {
                darkest: last,
                brightest: first,
            }
        }
    }

    /// Bare metal.
    pub const GRAY: Self = Self::row(0);
    /// The shirt color of a player.
    pub const SHIRT: Self = Self::row(1);
    /// Cold steel.
    pub const STEEL: Self = Self::row(2);
    /// The pants color of a player.
    pub const PANTS: Self = Self::row(6);
    /// Warm and light: sand, stone.
    pub const SAND: Self = Self::row(7);
    /// Gray and a little warm: stone, bone.
    pub const STONE: Self = Self::row(10);
    /// Gray and a little green: army paint.
    pub const DRAB: Self = Self::row(11);
    /// Warning signs.
    pub const YELLOW: Self = Self::row(12);
    /// Deep blue.
    pub const BLUE: Self = Self::row(13);
    /// Fullbright: embers and flames.
    pub const FIRE: Self = Self::row(14);

    /// The color of a brightness from 0 to 1; values between two colors are dithered.
    pub fn shade(self, level: f32, at: UVec2) -> u8 {
        const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
        let threshold = f32::from(BAYER[at.y as usize % 4][at.x as usize % 4]) / 16.0;
        // Only a part of the step is dithered, so that surfaces are less noisy.
        let step = (level.clamp(0.0, 1.0) * 15.0 + 0.5 + (threshold - 0.47) * 0.55).floor();
        let step = step.clamp(0.0, 15.0) as u8;
        if self.darkest < self.brightest {
            self.darkest + step
        } else {
            self.darkest - step
        }
    }
}

/// Fullbright colors of lamps.
pub mod lamp {
    /// Ice, from the rim to the center.
    pub const ICE: [u8; 3] = [244, 245, 246];
    /// Red hot, from the rim to the center.
    pub const RED: [u8; 3] = [249, 251, 252];
    /// Pale yellow to white.
    pub const WHITE: [u8; 3] = [252, 253, 254];
}

/// Selects the edges of a texel's face that are grooves.
#[derive(Clone, Copy, Debug)]
pub struct Grooves {
    /// The edge towards the front.
    pub left: bool,
    /// The edge towards the back.
    pub right: bool,
    /// The edge towards the top.
    pub top: bool,
    /// The edge towards the bottom.
    pub bottom: bool,
}

impl Grooves {
    /// None.
    pub const NONE: Self = Self {
        left: false,
        right: false,
        top: false,
        bottom: false,
    };
    /// All edges.
    pub const ALL: Self = Self {
        left: true,
        right: true,
        top: true,
        bottom: true,
    };
    /// Only the front and the back edge.
    pub const ENDS: Self = Self {
        left: true,
        right: true,
        top: false,
        bottom: false,
    };
}

/// The brightness of worn metal at a texel, for a face of the given brightness.
///
/// It combines ambient occlusion, light from above, stains, scratches, and a bevel beside each
/// groove.
pub fn worn_metal(texel: &Texel, brightness: f32, grooves: Grooves) -> f32 {
    let at = texel.at;
    let hidden = 0.3 + 0.7 * texel.visibility;
    let facing = 0.88 + 0.14 * texel.normal.z;
    let stains = 0.86 + 0.28 * noise(texel.position * 0.35 + Vec3::splat(40.0));
    let grain = (hash(at.x as i32, at.y as i32, 7) - 0.5) * 0.07;
    let level = brightness * hidden * facing * stains + grain;
    level * bevel(texel, grooves)
}

fn bevel(texel: &Texel, grooves: Grooves) -> f32 {
    let near = |groove: bool, distance: i32| if groove { distance } else { i32::MAX };
    let lit = near(grooves.left, texel.from.x).min(near(grooves.top, texel.from.y));
    let unlit = near(grooves.right, texel.to.x).min(near(grooves.bottom, texel.to.y));
    match (lit, unlit) {
        (..=0, _) | (_, ..=0) => 0.42,
        (1, _) => 1.28,
        (_, 1) => 0.78,
        _ => 1.0,
    }
}

/// The rivets in the corners of a face: 1 on the head of one, -1 in its shadow, otherwise 0.
pub fn rivet(texel: &Texel, inset: i32) -> i32 {
    let nearest = texel.from.min(texel.to) - inset;
    match (nearest.x, nearest.y) {
        (0, 0) => 1,
        (0 | 1, 0 | 1) => -1,
        _ => 0,
    }
}

/// Whether a texel belongs to a number of two digits, 7 × 5 texels, whose upper left is at (0, 0).
pub fn is_in_number(number: usize, x: i32, y: i32) -> bool {
    const DIGITS: [[u8; 5]; 10] = [
        [0b111, 0b101, 0b101, 0b101, 0b111],
        [0b010, 0b110, 0b010, 0b010, 0b111],
        [0b111, 0b001, 0b111, 0b100, 0b111],
        [0b111, 0b001, 0b011, 0b001, 0b111],
        [0b101, 0b101, 0b111, 0b001, 0b001],
        [0b111, 0b100, 0b111, 0b001, 0b111],
        [0b111, 0b100, 0b111, 0b101, 0b111],
        [0b111, 0b001, 0b010, 0b010, 0b010],
        [0b111, 0b101, 0b111, 0b101, 0b111],
        [0b111, 0b101, 0b111, 0b001, 0b111],
    ];
    let (digit, column) = match x {
        0..=2 => (number / 10 % 10, x),
        4..=6 => (number % 10, x - 4),
        _ => return false,
    };
    (0..5).contains(&y) && DIGITS[digit][y as usize] & (0b100 >> column) != 0
}

/// Paints the whole skin with `ink`, and extends each island by one texel.
pub fn paint_skin(atlas: &Atlas, texels: &[Texel], ink: impl Fn(&Texel) -> u8) -> Vec<u8> {
    const BACKGROUND: u8 = 0;
    let (width, height) = (atlas.size.x as usize, atlas.size.y as usize);
    let mut painted = vec![None::<u8>; width * height];
    for texel in texels {
        painted[texel.at.y as usize * width + texel.at.x as usize] = Some(ink(texel));
    }
    // Texture filters mix the edge of an island with its surroundings.
    let neighbor = |index: usize| {
        let (x, y) = ((index % width) as i32, (index / width) as i32);
        let beside = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        beside.into_iter().find_map(|(dx, dy)| {
            let inside =
                (0..width as i32).contains(&(x + dx)) && (0..height as i32).contains(&(y + dy));
            let index = (y + dy) * width as i32 + x + dx;
            painted[if inside { index as usize } else { return None }]
        })
    };
    let texel = |index: usize| {
        painted[index]
            .or_else(|| neighbor(index))
            .unwrap_or(BACKGROUND)
    };
    (0..painted.len()).map(texel).collect()
}
