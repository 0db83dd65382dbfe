//! Random vectors of the shapes of a [`Group`](crate::particles::Group).
//!
//! Source of the formulas: `GenerateRandomProperty` of GlyphXTools' particle-editor. The sphere is not filled evenly: it
//! is denser at its poles and its center. Effects were made for that distribution.

use super::angle::sin_cos;
use super::random::{Draws, Purpose};
use super::vector::{direction, scaled};
use crate::particles::file::Shape;
use core::f32::consts::{FRAC_PI_2, PI};

/// Draws a vector. `purpose` has three numbers.
#[inline]
pub fn sample(shape: &Shape, draws: Draws, purpose: Purpose) -> [f32; 3] {
    let between = |offset, a, b| draws.between(purpose, offset, a, b);
    match *shape {
        Shape::Exact(value) => value,
        Shape::Box([a, b, c], [d, e, f]) => [between(0, a, d), between(1, b, e), between(2, c, f)],
        Shape::Cube { side } => [0, 1, 2].map(|axis| between(axis, -0.5 * side, 0.5 * side)),
        Shape::Sphere { radius, surface } => {
            let radius = drawn_radius(radius, surface, draws, (purpose, 2));
            scaled(sphere_direction(draws, purpose), radius)
        }
        Shape::Cylinder {
            radius,
            height,
            surface,
        } => {
            let angle = between(0, -PI, PI);
            let r = drawn_radius(radius, surface, draws, (purpose, 1));
            let [[y, _], [x, _]] = sin_cos([angle; 2]);
            [r * x, r * y, between(2, 0.0, height)]
        }
    }
}

/// Draws a vector as [`sample`], and returns it with its direction, which is 0 if its length is.
#[inline]
pub fn sample_with_direction(shape: &Shape, draws: Draws, purpose: Purpose) -> [[f32; 3]; 2] {
    let Shape::Sphere { radius, surface } = *shape else {
        let vector = sample(shape, draws, purpose);
        return [vector, direction(vector)];
    };
    // Does not wait for the root and the quotient of a direction.
    let outward = sphere_direction(draws, purpose);
    let radius = drawn_radius(radius, surface, draws, (purpose, 2));
    let sign = if radius == 0.0 {
        0.0
    } else {
        1_f32.copysign(radius)
    };
    [scaled(outward, radius), scaled(outward, sign)]
}

/// A direction from the center of a sphere.
#[inline]
fn sphere_direction(draws: Draws, purpose: Purpose) -> [f32; 3] {
    let longitude = draws.between(purpose, 0, -PI, PI);
    let latitude = draws.between(purpose, 1, -FRAC_PI_2, FRAC_PI_2);
    let [[north, y], [equatorial, x]] = sin_cos([latitude, longitude]);
    [equatorial * x, equatorial * y, north]
}

/// A radius up to that of a shape. On the surface it is constant.
#[inline]
fn drawn_radius(radius: f32, surface: bool, draws: Draws, (purpose, offset): (Purpose, u8)) -> f32 {
    match surface {
        true => radius,
        false => radius * draws.unit(purpose, offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::evaluate::random::{InstanceKey, ParticleNumber};

    fn draws(index: u32) -> Draws {
        Draws::new(
            InstanceKey::of_root(1, 0),
            ParticleNumber { round: 0, index },
        )
    }

    #[test]
    fn directions_are_those_of_the_vectors() {
        let sphere = |radius, surface| Shape::Sphere { radius, surface };
        let shapes = [
            sphere(2.0, true),
            sphere(3.0, false),
            sphere(-2.0, true),
            Shape::Exact([3.0, 0.0, -4.0]),
            Shape::Cube { side: 2.0 },
        ];
        for shape in shapes {
            for index in 0..100 {
                let [vector, found] =
                    sample_with_direction(&shape, draws(index), Purpose::Position);
                assert_eq!(vector, sample(&shape, draws(index), Purpose::Position));
                let expected = direction(vector);
                for (found, expected) in found.iter().zip(expected) {
                    assert!(
                        (found - expected).abs() < 3e-7,
                        "{shape:?}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn vectors_without_length_have_no_direction() {
        for shape in [
            Shape::Exact([0.0; 3]),
            Shape::Sphere {
                radius: 0.0,
                surface: true,
            },
        ] {
            let found = sample_with_direction(&shape, draws(0), Purpose::Position);
            assert_eq!(found, [[0.0; 3]; 2]);
        }
    }
}
