//! Sums of squared distances from planes, and the vector operations that they need.

use core::ops::AddAssign;

/// A position or a direction, with more precision than the file has.
pub(super) type Vector = [f64; 3];

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn middle(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|axis| (a[axis] + b[axis]) / 2.0)
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The unit direction and the length; a zero vector has a zero direction.
pub(super) fn split(vector: Vector) -> (Vector, f64) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        (vector.map(|value| value / length), length)
    } else {
        ([0.0; 3], 0.0)
    }
}

/// A sum of squared distances from planes, each with a weight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    /// XX, YY, ZZ, XY, XZ, YZ.
    square: [f64; 6],
    linear: Vector,
    constant: f64,
}

impl Quadric {
    /// The plane through a point; `normal` has length 1.
    pub(super) fn plane(through: Vector, normal: Vector, weight: f64) -> Self {
        let [x, y, z] = normal;
        let offset = -dot(through, normal);
        Self {
            square: [x * x, y * y, z * z, x * y, x * z, y * z].map(|value| value * weight),
            linear: normal.map(|value| value * offset * weight),
            constant: offset * offset * weight,
        }
    }

    /// The sum at a position.
    pub(super) fn error_at(&self, position: Vector) -> f64 {
        let [x, y, z] = position;
        let [xx, yy, zz, xy, xz, yz] = self.square;
        let square = xx * x * x + yy * y * y + zz * z * z;
        let mixed = xy * x * y + xz * x * z + yz * y * z;
        let sum = square + 2.0 * (mixed + dot(self.linear, position)) + self.constant;
        sum.max(0.0)
    }
}

impl AddAssign for Quadric {
    fn add_assign(&mut self, other: Self) {
        for (sum, value) in self.square.iter_mut().zip(other.square) {
            *sum += value;
        }
        for (sum, value) in self.linear.iter_mut().zip(other.linear) {
            *sum += value;
        }
        self.constant += other.constant;
    }
}
