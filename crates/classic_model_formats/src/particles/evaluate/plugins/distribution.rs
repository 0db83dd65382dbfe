//! Random vectors of a [`PropertyGroup`].
//!
//! Source of the formulas: GlyphXTools' alo-viewer. As in the first format, spheres are denser at their poles.

use crate::particles::evaluate::angle::sin_cos;
use crate::particles::evaluate::random::{Draws, Purpose};
use crate::particles::evaluate::vector::{direction, scaled};
use crate::particles::file::Shape;
use crate::particles::plugins::PropertyGroup;
use core::f32::consts::{FRAC_PI_2, PI};

/// A distribution of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Distribution {
    pub(super) group: PropertyGroup,
    /// Whether all vectors are on the surface of the shape.
    pub(super) is_hollow: bool,
}

impl Distribution {
    /// All directions, with a length between two.
    pub(super) fn sphere(radius: [f32; 2], is_hollow: bool) -> Self {
        let group = PropertyGroup {
            shape: 2,
            radius,
            ..PropertyGroup::default()
        };
        Self { group, is_hollow }
    }

    /// Draws a vector. `purpose` has five numbers.
    pub(super) fn sample(&self, draws: Draws, purpose: Purpose) -> [f32; 3] {
        let group = &self.group;
        let unit = |offset| draws.unit(purpose, offset);
        let within = |offset, [a, b]: [f32; 2]| draws.between(purpose, offset, a, b);
        let angle = |offset| draws.between(purpose, offset, -PI, PI);
        match group.shape {
            1 => {
                let [min, max] = group.magnitude;
                let magnitude = match (self.is_hollow, unit(0) < 0.5) {
                    (false, _) => within(0, group.magnitude),
                    (true, true) => min,
                    (true, false) => max,
                };
                scaled(direction(group.direction), magnitude)
            }
            2 => {
                let [_, max] = group.radius;
                let radius = match self.is_hollow {
                    true => max,
                    false => within(0, group.radius),
                };
                let latitude = draws.between(purpose, 1, -FRAC_PI_2, FRAC_PI_2);
                spherical(angle(2), latitude, radius)
            }
            3 => {
                let [[a, b, c], [d, e, f]] = [group.min, group.max];
                [within(0, [a, d]), within(1, [b, e]), within(2, [c, f])]
            }
            4 => {
                let [inner, outer] = group.sphere_radius;
                let [first, last] = group.sphere_angle;
                let (mut radius, mut quarter) = (
                    within(0, group.sphere_radius),
                    within(1, group.sphere_angle),
                );
                if self.is_hollow {
                    // The surface has two spheres and two cones, of which that around +Z may be a point.
                    let parts = if first == 0.0 { 3.0 } else { 4.0 };
                    match (unit(3) * parts) as u32 {
                        0 => radius = outer,
                        1 => radius = inner,
                        2 => quarter = last,
                        _ => quarter = first,
                    }
                }
                spherical(angle(2), FRAC_PI_2 * (1.0 - quarter), radius)
            }
            5 => {
                let radius = match self.is_hollow {
                    true => group.cylinder_radius,
                    false => group.cylinder_radius * unit(0),
                };
                let [[y, _], [x, _]] = sin_cos([angle(2); 2]);
                [radius * x, radius * y, within(1, group.cylinder_height)]
            }
            6 => {
                let radius = match self.is_hollow {
                    true => group.tube_radius,
                    false => group.tube_radius * unit(0),
                };
                let [[up, y], [outward, x]] = sin_cos([angle(1), angle(2)]);
                let around = group.torus_radius + radius * outward;
                [around * x, around * y, radius * up]
            }
            _ => group.point,
        }
    }

    /// The shape of the first format with the same distribution. Otherwise one that contains it.
    pub(super) fn shape(&self) -> Shape {
        let group = &self.group;
        let surface = self.is_hollow;
        let sphere = |[a, b]: [f32; 2]| a.abs().max(b.abs());
        match group.shape {
            1 => {
                let [min, max] = group.magnitude;
                let ends = [min, max].map(|it| scaled(direction(group.direction), it));
                Shape::Box(ends[0], ends[1])
            }
            2 => Shape::Sphere {
                radius: match surface {
                    true => group.radius[1],
                    false => sphere(group.radius),
                },
                surface,
            },
            3 => Shape::Box(group.min, group.max),
            4 => Shape::Sphere {
                radius: sphere(group.sphere_radius),
                surface: false,
            },
            5 if group.cylinder_height[0] == 0.0 => Shape::Cylinder {
                radius: group.cylinder_radius,
                height: group.cylinder_height[1],
                surface,
            },
            5 => {
                let [low, high] = group.cylinder_height;
                let radius = group.cylinder_radius.abs();
                Shape::Box([-radius, -radius, low], [radius, radius, high])
            }
            6 => {
                let tube = group.tube_radius.abs();
                let outer = group.torus_radius.abs() + tube;
                Shape::Box([-outer, -outer, -tube], [outer, outer, tube])
            }
            _ => Shape::Exact(group.point),
        }
    }
}

/// The vector of a length at a longitude and a latitude.
fn spherical(longitude: f32, latitude: f32, radius: f32) -> [f32; 3] {
    let [[north, y], [equatorial, x]] = sin_cos([latitude, longitude]);
    scaled([equatorial * x, equatorial * y, north], radius)
}
