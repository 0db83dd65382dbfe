//! Overlap queries: the triangles that intersect a box or a sphere.

use crate::formats::alamo::collision::build;
use crate::formats::alamo::collision::node::{Node, count_and_link};
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
            |corners, triangle| {
                if overlaps_box(corners, center, half) {
                    visit(triangle)
                } else {
                    ControlFlow::Continue(())
                }
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
            |corners, triangle| {
                let distance = nearest(corners, center).distance_squared(center);
                if distance <= radius * radius {
                    visit(triangle)
                } else {
                    ControlFlow::Continue(())
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

    fn traverse<B>(
        &self,
        overlapping: impl Fn(&Node) -> u32,
        visit: impl FnMut([Vec3; 3], u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.shallow {
            self.traverse_with_stack::<{ build::SHORT_STACK }, B>(overlapping, visit)
        } else {
            self.traverse_with_stack::<{ build::LONG_STACK }, B>(overlapping, visit)
        }
    }

    fn traverse_with_stack<const STACK: usize, B>(
        &self,
        overlapping: impl Fn(&Node) -> u32,
        mut visit: impl FnMut([Vec3; 3], u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut stack = [0_u32; STACK];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (count, link) = count_and_link(stack[len % STACK]);
            for slot in link..link + count {
                if let (Some(corners), Some(triangle)) =
                    (self.corners(slot), self.triangles.get(slot))
                {
                    visit(points(corners), u32::from(*triangle))?;
                }
            }
            let (0, Some(node)) = (count, self.nodes.get(link)) else {
                continue;
            };
            let mut mask = overlapping(node);
            while mask != 0 {
                stack[len % STACK] = node.child(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                len += 1;
            }
        }
        ControlFlow::Continue(())
    }
}
