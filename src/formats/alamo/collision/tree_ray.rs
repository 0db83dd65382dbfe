//! A ray prepared for the traversal of a tree.

use crate::formats::alamo::collision::node::{BoxHits, Node, steps};
use crate::formats::alamo::collision::tree::CollisionTree;
use bevy::math::DVec3;
use bevy::prelude::*;

/// The least size of a direction's component, relative to its greatest. Smaller components are replaced
/// by this size, which avoids a division by zero and moves the ray by less than a thousandth of a step.
const MIN_COMPONENT: f32 = 1.0 / (1_u64 << 40) as f32;

/// For each main axis, the order of axes with the main axis last. The first three keep the orientation,
/// the others reverse it: for rays in the negative direction of the main axis.
static AXIS_ORDERS: [[usize; 3]; 6] = [
    [1, 2, 0],
    [2, 0, 1],
    [0, 1, 2],
    [2, 1, 0],
    [0, 2, 1],
    [1, 0, 2],
];

/// A ray in the space of a tree: scaled, with its origin moved near the mesh, and transformed into the
/// grid.
///
/// Distances are along the ray from the moved origin, in scaled units.
pub(crate) struct TreeRay {
    /// Distance along the ray per step of the grid along each axis.
    pub per_step: [Vec4; 3],
    /// Distance along the ray of the grid's step 0 along each axis.
    pub offset: [Vec4; 3],
    /// 1 for each axis along which the ray goes in the negative direction, otherwise 0.
    pub backward: [usize; 3],
    /// The axes, the main one last. The order of the others keeps the orientation of triangles, or
    /// reverses it if clockwise triangles are front faces.
    pub axes: [usize; 3],
    /// The moved origin, in the order of `axes`.
    pub origin: [Vec4; 3],
    /// Distance along the first two of `axes` per unit along the main axis.
    pub shear: [Vec4; 2],
    /// Distance along the ray per unit along the main axis.
    pub ahead: f32,
    /// The moved origin.
    pub begin: Vec3A,
    pub direction: Vec3A,
    /// The greatest distance.
    pub max: f32,
    /// Distance of the moved origin from the original one.
    pub start: f64,
}

impl Node {
    /// The boxes that a ray hits within a distance.
    ///
    /// The slab test of Kay and Kajiya: the ray is inside between the farthest plane that it enters and the
    /// nearest plane that it leaves.
    #[inline(always)]
    pub(crate) fn ray_hits(&self, ray: &TreeRay, max: f32) -> BoxHits {
        let distances = |axis: usize, greatest: usize| {
            steps(&self.planes[greatest & 1][axis]) * ray.per_step[axis] + ray.offset[axis]
        };
        let [x, y, z] = ray.backward;
        let entry = distances(0, x)
            .max(distances(1, y))
            .max(distances(2, z))
            .max(Vec4::ZERO);
        let exit = distances(0, x ^ 1)
            .min(distances(1, y ^ 1))
            .min(distances(2, z ^ 1))
            .min(Vec4::splat(max));
        BoxHits {
            mask: entry.cmple(exit).bitmask(),
            distances: entry.to_array(),
        }
    }
}

impl TreeRay {
    /// `None` if the ray misses the mesh, or if its origin, direction or `max` is invalid.
    #[inline(always)]
    pub(crate) fn new(
        tree: &CollisionTree,
        ray: Ray3d,
        max: f32,
        winding: Winding,
    ) -> Option<Self> {
        let direction = Vec3A::from(*ray.direction);
        // A direction must have length 1. Rejects NaN as well.
        if !(0.5..2.0).contains(&direction.length_squared()) {
            return None;
        }
        let mut origin = Vec3A::from(ray.origin) * tree.scale;
        let mut start = 0.0;
        // False for NaN, which infinite coordinates give.
        let is_near = (origin - tree.grid.center).length_squared() <= tree.grid.near_squared;
        if !is_near {
            (origin, start) = move_near(tree, ray)?;
        }
        let max = (f64::from(max) * f64::from(tree.scale) - start) as f32;
        if max.is_nan() || max < 0.0 {
            return None;
        }
        let axes = main_axis_last(direction, winding);
        Some(Self::from_near(tree, origin, direction, axes, max, start))
    }

    #[inline(always)]
    fn from_near(
        tree: &CollisionTree,
        origin: Vec3A,
        direction: Vec3A,
        axes: [usize; 3],
        max: f32,
        start: f64,
    ) -> Self {
        let least = MIN_COMPONENT * direction.abs().max_element();
        let speed = direction.abs().max(Vec3A::splat(least)) * tree.grid.steps_per_unit;
        let per_step = speed.recip().copysign(direction);
        let offset = -tree.grid.steps_at(origin) * per_step;
        let backward = direction.is_negative_bitmask() as usize;
        let [first, second, main] = axes.map(|axis| axis & 3);
        let along = direction.extend(0.0).to_array();
        let begin = origin.extend(0.0).to_array();
        let ahead = along[main].recip();
        let splat = |vector: Vec3A| vector.to_array().map(Vec4::splat);
        Self {
            per_step: splat(per_step),
            offset: splat(offset),
            backward: [backward & 1, backward >> 1 & 1, backward >> 2 & 1],
            axes,
            origin: [first, second, main].map(|axis| Vec4::splat(begin[axis])),
            shear: [first, second].map(|axis| Vec4::splat(along[axis] * ahead)),
            ahead,
            begin: origin,
            direction,
            max,
            start,
        }
    }
}

/// Moves a distant origin along its ray to near the mesh. Returns the new origin and its distance from the
/// old one. `None` if the ray misses the mesh.
///
/// Near the mesh, rounding errors are relative to the mesh's size. In double precision, because the
/// distance may be large.
#[cold]
fn move_near(tree: &CollisionTree, ray: Ray3d) -> Option<(Vec3A, f64)> {
    let radius = f64::from(tree.grid.radius);
    let center = DVec3::from(Vec3::from(tree.grid.center));
    let direction = DVec3::from(*ray.direction);
    let origin = DVec3::from(ray.origin) * f64::from(tree.scale) - center;
    let nearest = -origin.dot(direction) / direction.length_squared();
    let start = nearest - 2.0 * radius;
    // In this order, so that adding the large distance does not round off the small one.
    let begin = (origin + direction * nearest) - direction * (2.0 * radius);
    // If `start` is not positive, the mesh is behind the ray. If `begin` is far, the ray misses the mesh.
    (start > 0.0 && begin.length() <= 2.5 * radius)
        .then(|| (Vec3A::from((begin + center).as_vec3()), start))
}

/// The axes of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013).
#[inline(always)]
fn main_axis_last(direction: Vec3A, winding: Winding) -> [usize; 3] {
    // Arithmetic and a table, because branches would be mispredicted for incoherent rays.
    let size = direction.abs();
    let main = if size.z > size.x.max(size.y) {
        2
    } else {
        usize::from(size.y > size.x)
    };
    let down = direction.is_negative_bitmask() as usize >> main & 1;
    let reversed = down ^ usize::from(winding == Winding::Clockwise);
    AXIS_ORDERS[(main + 3 * reversed) % 6]
}

/// The order of corners of a triangle seen from its front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Winding {
    /// Counterclockwise, as in Bevy.
    #[default]
    CounterClockwise,
    /// Clockwise: for mirrored meshes.
    Clockwise,
}
