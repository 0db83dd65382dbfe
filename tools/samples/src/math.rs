//! Math of the samples: rigid transforms, angles and noise.
//!
//! Every result is the same on every machine, down to the last bit, so the files are too. So the
//! module has its own sine (that of the standard library depends on the platform), and rotations
//! are [`Mat3`] (the order of sums in quaternion products depends on the processor).

use bevy::prelude::*;
use core::ops::Mul;

/// A transform of a part: a rotation, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Its rotation; it may also have a scale.
    pub rotation: Mat3,
    /// Its translation.
    pub translation: Vec3,
}

impl Transform {
    /// A translation.
    pub fn from_xyz(x: f32, y: f32, z: f32) -> Self {
        Self {
            rotation: Mat3::IDENTITY,
            translation: Vec3::new(x, y, z),
        }
    }

    /// Returns the transform with a rotation about its own origin, applied first.
    pub fn rotated(self, rotation: Mat3) -> Self {
        Self {
            rotation: self.rotation * rotation,
            translation: self.translation,
        }
    }

    /// Transforms a point.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.translation
    }

    /// Returns the transform with its scale multiplied.
    pub fn scaled(self, scale: f32) -> Self {
        Self {
            rotation: self.rotation * scale,
            translation: self.translation,
        }
    }
}

impl Mul for Transform {
    type Output = Self;

    /// The composition: `other` is relative to this transform.
    fn mul(self, other: Self) -> Self {
        Self {
            rotation: self.rotation * other.rotation,
            translation: self.point(other.translation),
        }
    }
}

/// Sine of an angle in full turns.
pub fn sin(turns: f32) -> f32 {
    let turns = f64::from(turns);
    let mut turns = turns - (turns + 0.5).floor();
    if turns > 0.25 {
        turns = 0.5 - turns;
    } else if turns < -0.25 {
        turns = -0.5 - turns;
    }
    let angle = turns * core::f64::consts::TAU;
    // The power series, summed from its last term; at a quarter turn the result is exact to the
    // last bit of an f32.
    let series = (1..=8).rev().fold(1.0, |rest, term| {
        let term = f64::from(term) * 2.0;
        1.0 - rest * angle * angle / (term * (term + 1.0))
    });
    (angle * series) as f32
}

/// Cosine of an angle in full turns.
pub fn cos(turns: f32) -> f32 {
    sin(turns + 0.25)
}

/// A rotation about X: right side down.
pub fn roll(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::X, Vec3::new(0.0, cos, sin), Vec3::new(0.0, -sin, cos))
}

/// A rotation about Y: nose down.
pub fn pitch(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::Y, Vec3::new(sin, 0.0, cos))
}

/// A rotation about Z: nose to the left.
pub fn yaw(degrees: f32) -> Mat3 {
    let (sin, cos) = (sin(degrees / 360.0), cos(degrees / 360.0));
    Mat3::from_cols(Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0), Vec3::Z)
}

/// A rotation as the X, Y, Z and W of a quaternion.
pub fn quaternion(rotation: Mat3) -> [f32; 4] {
    let [x, y, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    // Each row is the quaternion times four times one of its components. Dividing by the largest
    // component is stable.
    let by_w = [y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + x.x + y.y + z.z];
    let by_x = [1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y];
    let by_y = [x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y, z.x - x.z];
    let by_z = [z.x + x.z, y.z + z.y, 1.0 - x.x - y.y + z.z, x.y - y.x];
    let candidates = [(by_w, 3), (by_x, 0), (by_y, 1), (by_z, 2)];
    // Takes the first row whose component is large enough, so that rounding errors do not change
    // the choice.
    let (products, greatest) = candidates
        .into_iter()
        .find(|(products, greatest)| products[*greatest] >= 1.0)
        .unwrap_or(candidates[0]);
    let scale = 0.5 / products[greatest].sqrt();
    products.map(|product| product * scale)
}

/// Rotates +X to up.
pub fn upright() -> Mat3 {
    pitch(-90.0)
}

/// Smoothstep from 0 to 1.
pub fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Linear interpolation from `a` to `b`.
pub fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// White noise from 0 to 1.
pub fn hash(x: i32, y: i32, z: i32) -> f32 {
    let mut bits = (x as u32).wrapping_mul(0x8da6_b343)
        ^ (y as u32).wrapping_mul(0xd816_3841)
        ^ (z as u32).wrapping_mul(0xcb1a_b31f);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ (bits >> 12)).wrapping_mul(0x297a_2d39);
    bits ^= bits >> 15;
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Value noise from 0 to 1 with features of about one unit.
pub fn noise(at: Vec3) -> f32 {
    let corner = at.floor();
    let fraction = at - corner;
    let (x, y, z) = (corner.x as i32, corner.y as i32, corner.z as i32);
    let fraction = [smooth(fraction.x), smooth(fraction.y), smooth(fraction.z)];
    let along_x = |y, z| mix(hash(x, y, z), hash(x + 1, y, z), fraction[0]);
    let along_y = |z| mix(along_x(y, z), along_x(y + 1, z), fraction[1]);
    mix(along_y(z), along_y(z + 1), fraction[2])
}
