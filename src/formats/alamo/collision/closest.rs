//! The closest point query.

use crate::formats::alamo::collision::build;
use crate::formats::alamo::collision::node::{BoxHits, count_and_link};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::triangle::{nearest, points};
use bevy::math::DVec3;
use bevy::prelude::*;

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
