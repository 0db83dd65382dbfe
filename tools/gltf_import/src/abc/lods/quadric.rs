//! Sums of squared distances from planes.

use core::ops::{Add, AddAssign};
use glam::DVec3;

/// A sum of squared distances from planes, each with a weight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quadric {
    /// XX, YY, ZZ, and XY, XZ, YZ.
    square: [DVec3; 2],
    linear: DVec3,
    constant: f64,
}

impl Quadric {
    /// The plane through a point. `normal` has length 1.
    pub fn plane(through: DVec3, normal: DVec3, weight: f64) -> Self {
        let offset = -through.dot(normal);
        let mixed = DVec3::new(
            normal.x * normal.y,
            normal.x * normal.z,
            normal.y * normal.z,
        );
        Self {
            square: [normal * normal * weight, mixed * weight],
            linear: normal * (offset * weight),
            constant: offset * offset * weight,
        }
    }

    /// The sum at a position.
    pub fn error_at(&self, at: DVec3) -> f64 {
        let mixed = DVec3::new(at.x * at.y, at.x * at.z, at.y * at.z);
        let [square, products] = self.square;
        let sum = square.dot(at * at) + 2.0 * (products.dot(mixed) + self.linear.dot(at));
        (sum + self.constant).max(0.0)
    }
}

impl Add for Quadric {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Quadric {
    fn add_assign(&mut self, other: Self) {
        self.square[0] += other.square[0];
        self.square[1] += other.square[1];
        self.linear += other.linear;
        self.constant += other.constant;
    }
}
