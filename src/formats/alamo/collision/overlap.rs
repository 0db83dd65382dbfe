//! Overlap queries: the triangles that intersect a box or a sphere; and the closest point query.

use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::triangle::{nearest, overlaps_box, points};
use bevy::math::DVec3;
use bevy::math::bounding::{Aabb3d, BoundingSphere};
use bevy::prelude::*;
use core::ops::ControlFlow;

impl CollisionTree {
    /// Calls `visit` with the index of each triangle that overlaps a box, until it breaks. The order is
    /// unspecified; no triangle is visited twice.
    ///
    /// Triangles that touch the box or are inside it overlap it. A box whose minimum exceeds its maximum
    /// or with a NaN overlaps nothing.
    pub fn query_aabb<B>(
        &self,
        bounds: &Aabb3d,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // Clamped to just outside the mesh, because infinite corners would give NaN below.
        let min = (bounds.min * self.scale).max(self.grid.min - 1.0);
        let max = (bounds.max * self.scale).min(self.grid.max + 1.0);
        if !bounds.min.cmple(bounds.max).all() || !min.cmple(max).all() {
            return ControlFlow::Continue(());
        }
        let [lower, upper] = self.grid.steps_of_box(min, max);
        let center = Vec3::from(0.5 * (min + max));
        let half = Vec3::from(0.5 * (max - min));
        self.traverse(
            |node| node.overlapping(lower, upper),
            |slot| match self.triangle(slot) {
                Some((corners, triangle)) if overlaps_box(corners, center, half) => visit(triangle),
                _ => ControlFlow::Continue(()),
            },
        )
    }

    /// Calls `visit` with the index of each triangle that overlaps a sphere, until it breaks. The order
    /// is unspecified; no triangle is visited twice.
    ///
    /// Triangles that touch the sphere or are inside it overlap it. A sphere with a negative or NaN radius
    /// or a center that is not finite overlaps nothing.
    pub fn query_sphere<B>(
        &self,
        sphere: &BoundingSphere,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let radius = sphere.radius() * self.scale;
        if radius.is_nan() || radius < 0.0 || !sphere.center.is_finite() {
            return ControlFlow::Continue(());
        }
        let steps = self.grid.steps_at(sphere.center * self.scale);
        let reach = self.squared_steps(steps, radius);
        let unscaled = DVec3::from(Vec3::from(sphere.center));
        let center = unscaled * f64::from(self.scale);
        let radius = f64::from(sphere.radius()) * f64::from(self.scale);
        self.traverse(
            |node| node.near_point(steps, reach).mask,
            |slot| {
                let is_near =
                    |corners| nearest(corners, center).distance_squared(center) <= radius * radius;
                match self.triangle(slot) {
                    Some((corners, triangle)) if is_near(corners) => visit(triangle),
                    _ => ControlFlow::Continue(()),
                }
            },
        )
    }

    /// The square of a scaled distance in steps of the grid. Rounded up by more than the rounding errors
    /// of the distance and of the point it is measured from, which is in steps.
    pub(crate) fn squared_steps(&self, point: Vec3A, distance: f32) -> f32 {
        const ROUNDING: f32 = 8.0 * f32::EPSILON;
        let exact = distance * self.grid.steps_per_unit;
        let steps = exact * (1.0 + ROUNDING) + point.abs().max_element() * ROUNDING + 1.0;
        steps * steps
    }

    /// The corners of the triangle in a slot, and its index in the sub-mesh.
    fn triangle(&self, slot: usize) -> Option<([Vec3; 3], u32)> {
        let triangle = self.triangles.get(slot)?;
        Some((points(self.corners(slot)?), u32::from(*triangle)))
    }
}

/// The closest point of a tree's triangles to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestPoint {
    /// Distance from the given point, in the mesh's units.
    pub distance: f32,
    /// The point, in the mesh's space.
    pub point: Vec3,
    /// Index of the triangle in the sub-mesh.
    pub triangle: u32,
}

impl CollisionTree {
    /// The closest point of the triangles to a point, if it is within `max_distance`, which may be
    /// infinite. `None` if the point is not finite.
    pub fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<ClosestPoint> {
        if !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let scale = f64::from(self.scale);
        let steps = self.grid.steps_at(Vec3A::from(point) * self.scale);
        let reach = self.squared_steps(steps, max_distance * self.scale);
        let point = DVec3::from(point) * scale;
        let max = f64::from(max_distance) * scale;
        let mut squared = max * max;
        let mut best = None;
        self.traverse_nearest_first(
            reach,
            |node, reach| node.near_point(steps, reach),
            |slot, _| {
                let (corners, triangle) = self.triangle(slot)?;
                let candidate = nearest(corners, point);
                let distance = candidate.distance_squared(point);
                if distance > squared || (distance == squared && best.is_some()) {
                    return None;
                }
                squared = distance;
                best = Some((candidate, triangle));
                Some(self.squared_steps(steps, squared.sqrt() as f32))
            },
        );
        let (point, triangle) = best?;
        Some(ClosestPoint {
            distance: (squared.sqrt() / scale) as f32,
            point: (point / scale).as_vec3(),
            triangle,
        })
    }
}
