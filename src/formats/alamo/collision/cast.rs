//! Ray casts: the nearest hit, or whether there is any.

use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::tree_ray::{TreeRay, Winding};
use crate::formats::alamo::collision::triangle::{Intersection, intersect, points, unit_normal};
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;
use core::ops::ControlFlow;

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
        let mut nearest = None;
        self.traverse_nearest_first(
            tree_ray.max,
            |node, max| node.ray_hits(&tree_ray, max),
            |slot, max| {
                let intersection = self.intersect(slot, &tree_ray, max, cull)?;
                nearest = Some(Nearest { slot, intersection });
                Some(intersection.distance)
            },
        );
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
        let hit = self.traverse(
            |node| node.ray_hits(&tree_ray, tree_ray.max).mask,
            |slot| match self.intersect(slot, &tree_ray, tree_ray.max, cull) {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            },
        );
        hit.is_break()
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
