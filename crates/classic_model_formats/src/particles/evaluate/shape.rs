//! Random vectors of the shapes of a [`Group`](crate::particles::Group).
//!
//! Source of the formulas: `GenerateRandomProperty` of GlyphXTools' particle-editor. The sphere is not filled evenly: it
//! is denser at its poles and its center. Effects were made for that distribution.

use super::angle::sin_cos;
use super::random::{Draws, Purpose};
use crate::particles::file::Shape;
use core::f32::consts::{FRAC_PI_2, PI};

/// Draws a vector. `purpose` has three numbers.
#[inline]
pub fn sample(shape: &Shape, draws: Draws, purpose: Purpose) -> [f32; 3] {
    let between = |offset, a, b| draws.between(purpose, offset, a, b);
    // On the surface, the radius is constant.
    let radius = |offset, radius: f32, surface: bool| {
        if surface {
            radius
        } else {
            radius * draws.unit(purpose, offset)
        }
    };
    match *shape {
        Shape::Exact(value) => value,
        Shape::Box([a, b, c], [d, e, f]) => [between(0, a, d), between(1, b, e), between(2, c, f)],
        Shape::Cube { side } => [0, 1, 2].map(|axis| between(axis, -0.5 * side, 0.5 * side)),
        Shape::Sphere { radius: r, surface } => {
            let longitude = between(0, -PI, PI);
            let latitude = between(1, -FRAC_PI_2, FRAC_PI_2);
            let r = radius(2, r, surface);
            let [[north, y], [equatorial, x]] = sin_cos([latitude, longitude]);
            [r * equatorial * x, r * equatorial * y, r * north]
        }
        Shape::Cylinder {
            radius: r,
            height,
            surface,
        } => {
            let angle = between(0, -PI, PI);
            let r = radius(1, r, surface);
            let [[y, _], [x, _]] = sin_cos([angle; 2]);
            [r * x, r * y, between(2, 0.0, height)]
        }
    }
}
