//! What the samples calculate with: rigid places, angles and noise.
//!
//! Everything here gives the same bits on every machine, so that the files do too. That is why
//! there is a sine of our own (that of the standard library is the platform's), and why places
//! turn by [`Mat3`] (quaternions are summed in an order that depends on the processor).

use bevy::math::{Mat3, Vec3};
use core::ops::Mul;

/// A place that a piece of a model can be at: turned, and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// How it is turned; it may also be scaled.
    pub turn: Mat3,
    /// Where its origin is.
    pub at: Vec3,
}

impl Place {
    /// Moved, not turned.
    pub fn at(x: f32, y: f32, z: f32) -> Self {
        Self {
            turn: Mat3::IDENTITY,
            at: Vec3::new(x, y, z),
        }
    }

    /// Turned about its own origin, before anything else happens to it.
    pub fn turned(self, turn: Mat3) -> Self {
        Self {
            turn: self.turn * turn,
            at: self.at,
        }
    }

    /// Where a point of the piece comes to lie.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.at
    }

    /// The same place with its size multiplied.
    pub fn scaled(self, scale: f32) -> Self {
        Self {
            turn: self.turn * scale,
            at: self.at,
        }
    }
}

impl Mul for Place {
    type Output = Self;

    /// `other`, seen from this place.
    fn mul(self, other: Self) -> Self {
        Self {
            turn: self.turn * other.turn,
            at: self.point(other.at),
        }
    }
}

/// Sine of an angle in whole turns.
pub fn sin(turns: f32) -> f32 {
    let turns = f64::from(turns);
    let mut turns = turns - (turns + 0.5).floor();
    if turns > 0.25 {
        turns = 0.5 - turns;
    } else if turns < -0.25 {
        turns = -0.5 - turns;
    }
    let angle = turns * core::f64::consts::TAU;
    // The power series, from its end; on a quarter turn it is exact to the last bit of an f32.
    let series = (1..=8).rev().fold(1.0, |rest, term| {
        let term = f64::from(term) * 2.0;
        1.0 - rest * angle * angle / (term * (term + 1.0))
    });
    (angle * series) as f32
}

/// Cosine of an angle in whole turns.
pub fn cos(turns: f32) -> f32 {
    sin(turns + 0.25)
}

/// A turn about X: right side down.
pub fn roll(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::X, Vec3::new(0.0, cos, sin), Vec3::new(0.0, -sin, cos))
}

/// A turn about Y: nose down.
pub fn pitch(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::Y, Vec3::new(sin, 0.0, cos))
}

/// A turn about Z: nose to the left.
pub fn yaw(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0), Vec3::Z)
}

/// A turn as the X, Y, Z and W of a quaternion.
pub fn quaternion(turn: Mat3) -> [f32; 4] {
    let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis];
    // Four times each number, multiplied by one of them: the greatest can be divided by.
    let by_w = [y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + x.x + y.y + z.z];
    let by_x = [1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y];
    let by_y = [x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y, z.x - x.z];
    let by_z = [z.x + x.z, y.z + z.y, 1.0 - x.x - y.y + z.z, x.y - y.x];
    let candidates = [(by_w, 3), (by_x, 0), (by_y, 1), (by_z, 2)];
    // The first of those that are large enough, so that next to no turn changes which it is.
    let (products, greatest) = candidates
        .into_iter()
        .find(|(products, greatest)| products[*greatest] >= 1.0)
        .unwrap_or(candidates[0]);
    let scale = 0.5 / products[greatest].sqrt();
    products.map(|product| product * scale)
}

/// Turns what points along X so that it points up.
pub fn upright() -> Mat3 {
    pitch(-90.0)
}

/// From 0 to 1 with a gentle start and end.
pub fn smooth(way: f32) -> f32 {
    let way = way.clamp(0.0, 1.0);
    way * way * (3.0 - 2.0 * way)
}

/// From `a` to `b`.
pub fn mix(a: f32, b: f32, way: f32) -> f32 {
    a + (b - a) * way
}

/// Noise from 0 to 1 without any pattern.
pub fn hash(x: i32, y: i32, z: i32) -> f32 {
    let mut bits = (x as u32).wrapping_mul(0x8da6_b343)
        ^ (y as u32).wrapping_mul(0xd816_3841)
        ^ (z as u32).wrapping_mul(0xcb1a_b31f);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ (bits >> 12)).wrapping_mul(0x297a_2d39);
    bits ^= bits >> 15;
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Noise from 0 to 1 in blobs of about one unit.
pub fn noise(at: Vec3) -> f32 {
    let corner = at.floor();
    let way = at - corner;
    let (x, y, z) = (corner.x as i32, corner.y as i32, corner.z as i32);
    let way = [smooth(way.x), smooth(way.y), smooth(way.z)];
    let along_x = |y, z| mix(hash(x, y, z), hash(x + 1, y, z), way[0]);
    let along_y = |z| mix(along_x(y, z), along_x(y + 1, z), way[1]);
    mix(along_y(z), along_y(z + 1), way[2])
}
