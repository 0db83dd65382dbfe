//! Boxes and balls: the triangles that they meet.

use super::node::{Node, count_and_link};
use super::triangle::{meets_box, nearest, points};
use super::{CollisionTree, build};
use bevy::math::bounding::{Aabb3d, BoundingSphere};
use bevy::math::{DVec3, Vec3, Vec3A};
use core::ops::ControlFlow;

impl CollisionTree {
    /// Visits the triangles that a box meets, in no order, each once, until the visitor breaks.
    ///
    /// A triangle that touches the box from outside or lies within it meets it. A box that is inside
    /// out or not a number meets nothing.
    pub fn query_aabb<B>(
        &self,
        bounds: &Aabb3d,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // What is far outside the mesh is of no matter, and infinities are.
        let min = (bounds.min * self.scale).max(self.grid.min - 1.0);
        let max = (bounds.max * self.scale).min(self.grid.max + 1.0);
        if !bounds.min.cmple(bounds.max).all() || !min.cmple(max).all() {
            return ControlFlow::Continue(());
        }
        let [lower, upper] = self.grid.places(min, max);
        let center = Vec3::from(0.5 * (min + max));
        let half = Vec3::from(0.5 * (max - min));
        self.walk(
            |node| node.meets_box(lower, upper),
            |corners, triangle| match meets_box(corners, center, half) {
                true => visit(triangle),
                false => ControlFlow::Continue(()),
            },
        )
    }

    /// Visits the triangles that a ball meets, in no order, each once, until the visitor breaks.
    ///
    /// A triangle that touches the ball or lies within it meets it. A ball whose radius is negative,
    /// or that is not a number, meets nothing.
    pub fn query_sphere<B>(
        &self,
        sphere: &BoundingSphere,
        mut visit: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let radius = sphere.radius() * self.scale;
        if radius.is_nan() || radius < 0.0 || !sphere.center.is_finite() {
            return ControlFlow::Continue(());
        }
        let place = self.grid.place(sphere.center * self.scale);
        let reach = self.reach(place, radius);
        let unscaled = DVec3::from(Vec3::from(sphere.center));
        let center = unscaled * f64::from(self.scale);
        let radius = f64::from(sphere.radius()) * f64::from(self.scale);
        self.walk(
            |node| node.near_point(place, reach).mask,
            |corners, triangle| {
                let distance = nearest(corners, center).distance_squared(center);
                match distance <= radius * radius {
                    true => visit(triangle),
                    false => ControlFlow::Continue(()),
                }
            },
        )
    }

    /// The square of a distance in steps that is certainly not less than a scaled distance from a
    /// place, however both were rounded.
    pub(super) fn reach(&self, place: Vec3A, distance: f32) -> f32 {
        const ROUNDING: f32 = 8.0 * f32::EPSILON;
        let exact = distance * self.grid.steps_per_unit;
        let reach = exact * (1.0 + ROUNDING) + place.abs().max_element() * ROUNDING + 1.0;
        reach * reach
    }

    fn walk<B>(
        &self,
        meets: impl Fn(&Node) -> u32,
        visit: impl FnMut([Vec3; 3], u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.shallow {
            self.walk_within::<{ build::SHORT_STACK }, B>(meets, visit)
        } else {
            self.walk_within::<{ build::LONG_STACK }, B>(meets, visit)
        }
    }

    fn walk_within<const STACK: usize, B>(
        &self,
        meets: impl Fn(&Node) -> u32,
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
            let mut mask = meets(node);
            while mask != 0 {
                stack[len % STACK] = node.child(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                len += 1;
            }
        }
        ControlFlow::Continue(())
    }
}
