//! Ray casts: the nearest hit, or whether there is any.

use crate::formats::alamo::collision::build;
use crate::formats::alamo::collision::node::{BoxHits, count_and_link};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::tree_ray::TreeRay;
use crate::formats::alamo::collision::tree_ray::Winding;
use crate::formats::alamo::collision::triangle::{Intersection, intersect, points, unit_normal};
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;

/// A hit of a ray on a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The point, in the mesh's space. It is on the triangle; rounding may put it slightly off the ray.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless [`Backfaces::Flip`] flipped it.
    pub normal: Vec3,
    /// Index of the triangle in the sub-mesh: its first vertex index is at three times that.
    pub triangle: u32,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
}

/// The nearest intersection found so far.
struct Nearest {
    slot: usize,
    intersection: Intersection,
}

impl CollisionTree {
    /// The nearest hit of a ray within the distance `max`, which may be infinite.
    ///
    /// Edges and corners count as hits, so no ray passes between adjacent triangles. A triangle at the
    /// ray's origin is hit; a triangle seen edge-on is not. If several triangles are equally near, the
    /// result is one of them. A ray that is not finite hits nothing.
    pub fn cast_ray(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> Option<TreeHit> {
        self.cast_ray_with_winding(ray, max, backfaces, Winding::default())
    }

    /// [`cast_ray`](Self::cast_ray) with a given winding of front faces.
    pub(crate) fn cast_ray_with_winding(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        winding: Winding,
    ) -> Option<TreeHit> {
        let tree_ray = TreeRay::new(self, ray, max, winding)?;
        let cull = backfaces == Backfaces::Cull;
        let nearest = if self.shallow {
            self.nearest::<{ build::SHORT_STACK }>(&tree_ray, cull)
        } else {
            self.nearest_deep(&tree_ray, cull)
        };
        let mut hit = self.hit(nearest?, &tree_ray)?;
        if winding == Winding::Clockwise {
            hit.normal = -hit.normal;
        }
        // Through rounding, a ray may hit a triangle without area.
        if hit.normal == Vec3::ZERO {
            hit.normal = -*ray.direction;
        }
        if backfaces == Backfaces::Flip && hit.normal.dot(*ray.direction) > 0.0 {
            hit.normal = -hit.normal;
        }
        Some(hit)
    }

    /// Whether a ray hits a triangle within the distance `max`: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray): it stops at the first hit that it finds.
    /// [`Backfaces::Keep`] and [`Backfaces::Flip`] have the same effect here.
    pub fn any_hit(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> bool {
        self.any_hit_with_winding(ray, max, backfaces, Winding::default())
    }

    /// [`any_hit`](Self::any_hit) with a given winding of front faces.
    pub(crate) fn any_hit_with_winding(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        winding: Winding,
    ) -> bool {
        let Some(tree_ray) = TreeRay::new(self, ray, max, winding) else {
            return false;
        };
        let cull = backfaces == Backfaces::Cull;
        if self.shallow {
            self.hits_any::<{ build::SHORT_STACK }>(&tree_ray, cull)
        } else {
            self.hits_any_deep(&tree_ray, cull)
        }
    }

    // A separate function, so that shallow trees do not reserve the long stack.
    #[cold]
    #[inline(never)]
    fn nearest_deep(&self, ray: &TreeRay, cull: bool) -> Option<Nearest> {
        self.nearest::<{ build::LONG_STACK }>(ray, cull)
    }

    #[cold]
    #[inline(never)]
    fn hits_any_deep(&self, ray: &TreeRay, cull: bool) -> bool {
        self.hits_any::<{ build::LONG_STACK }>(ray, cull)
    }

    #[inline(always)]
    fn nearest<const STACK: usize>(&self, ray: &TreeRay, cull: bool) -> Option<Nearest> {
        // The high 32 bits are the distance, whose bits are ordered like its values; the low ones the child.
        let mut stack = [0_u64; STACK];
        let mut len = 0_usize;
        let mut max = ray.max;
        let mut nearest = None;
        let mut node = self.nodes.first()?;
        loop {
            let BoxHits {
                mut mask,
                distances,
            } = node.ray_hits(ray, max);
            let bottom = len;
            while mask != 0 {
                let child = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let entry =
                    u64::from(distances[child & 3].to_bits()) << 32 | u64::from(node.child(child));
                // The nearest goes on top, the others below it in any order. Without branches, because
                // they would be mispredicted.
                let top = len.saturating_sub(1);
                let below = stack[top % STACK];
                let first = len == bottom;
                let lower = if first { below } else { below.max(entry) };
                let upper = if first { entry } else { below.min(entry) };
                stack[top % STACK] = lower;
                stack[len % STACK] = upper;
                len += 1;
            }
            node = loop {
                if len == 0 {
                    return nearest;
                }
                len -= 1;
                let entry = stack[len % STACK];
                if f32::from_bits((entry >> 32) as u32) > max {
                    continue;
                }
                let (count, link) = count_and_link(entry as u32);
                if count == 0 {
                    break self.nodes.get(link)?;
                }
                for slot in link..link + count {
                    if let Some(intersection) = self.intersect(slot, ray, max, cull) {
                        max = intersection.distance;
                        nearest = Some(Nearest { slot, intersection });
                    }
                }
            };
        }
    }

    #[inline(always)]
    fn hits_any<const STACK: usize>(&self, ray: &TreeRay, cull: bool) -> bool {
        let mut stack = [0_u32; STACK];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (count, link) = count_and_link(stack[len % STACK]);
            if count > 0 {
                let mut slots = link..link + count;
                if slots.any(|slot| self.intersect(slot, ray, ray.max, cull).is_some()) {
                    return true;
                }
                continue;
            }
            let Some(node) = self.nodes.get(link) else {
                return false;
            };
            let mut mask = node.ray_hits(ray, ray.max).mask;
            while mask != 0 {
                stack[len % STACK] = node.child(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                len += 1;
            }
        }
        false
    }

    #[inline(always)]
    fn intersect(&self, slot: usize, ray: &TreeRay, max: f32, cull: bool) -> Option<Intersection> {
        intersect(self.corners(slot)?, ray, max, cull)
    }

    fn hit(&self, nearest: Nearest, ray: &TreeRay) -> Option<TreeHit> {
        let Nearest { slot, intersection } = nearest;
        let corners = points(self.corners(slot)?);
        let [a, b, c] = corners;
        let barycentrics = intersection.areas.xyz() / intersection.area;
        let point = a * barycentrics.x + b * barycentrics.y + c * barycentrics.z;
        let distance = ray.start + f64::from(intersection.distance);
        Some(TreeHit {
            distance: (distance * f64::from(self.unscale)) as f32,
            point: point * self.unscale,
            normal: unit_normal(corners),
            triangle: u32::from(*self.triangles.get(slot)?),
            barycentrics,
        })
    }
}
