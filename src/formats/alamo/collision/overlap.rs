//! Overlap queries: the triangles that intersect a box or a sphere; and the closest point query.

use crate::formats::alamo::collision::build;
use crate::formats::alamo::collision::node::{BoxHits, Node, count_and_link};
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

/// The nearest point found so far, in scaled units.
struct Nearest {
    slot: usize,
    point: DVec3,
    squared: f64,
}

impl CollisionTree {
    /// The closest point of the triangles to a point, if it is within `max_distance`, which may be
    /// infinite. `None` if the point is not finite.
    pub fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<ClosestPoint> {
        if !point.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let scale = f64::from(self.scale);
        let nearest = if self.shallow {
            self.nearest_point::<{ build::SHORT_STACK }>(point, max_distance)
        } else {
            self.nearest_point::<{ build::LONG_STACK }>(point, max_distance)
        }?;
        Some(ClosestPoint {
            distance: (nearest.squared.sqrt() / scale) as f32,
            point: (nearest.point / scale).as_vec3(),
            triangle: u32::from(*self.triangles.get(nearest.slot)?),
        })
    }

    fn nearest_point<const STACK: usize>(&self, point: Vec3, max: f32) -> Option<Nearest> {
        let steps = self.grid.steps_at(Vec3A::from(point) * self.scale);
        let mut reach = self.squared_steps(steps, max * self.scale);
        let point = DVec3::from(point) * f64::from(self.scale);
        let max = f64::from(max) * f64::from(self.scale);
        let mut squared = max * max;
        let mut best = None;
        let mut stack = [0_u64; STACK];
        let mut len = 0;
        let mut node = self.nodes.first()?;
        loop {
            let BoxHits {
                mut mask,
                distances,
            } = node.near_point(steps, reach);
            let bottom = len;
            while mask != 0 {
                let child = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let entry =
                    u64::from(distances[child & 3].to_bits()) << 32 | u64::from(node.child(child));
                // The nearest goes on top.
                let mut index = len;
                while index > bottom && stack[(index - 1) % STACK] < entry {
                    stack[index % STACK] = stack[(index - 1) % STACK];
                    index -= 1;
                }
                stack[index % STACK] = entry;
                len += 1;
            }
            node = loop {
                if len == 0 {
                    return best;
                }
                len -= 1;
                let entry = stack[len % STACK];
                if f32::from_bits((entry >> 32) as u32) > reach {
                    continue;
                }
                let (count, link) = count_and_link(entry as u32);
                if count == 0 {
                    break self.nodes.get(link)?;
                }
                for slot in link..link + count {
                    let candidate = nearest(points(self.corners(slot)?), point);
                    let distance = candidate.distance_squared(point);
                    if distance < squared || (best.is_none() && distance <= squared) {
                        squared = distance;
                        reach = self.squared_steps(steps, squared.sqrt() as f32);
                        best = Some(Nearest {
                            slot,
                            point: candidate,
                            squared,
                        });
                    }
                }
            };
        }
    }
}
