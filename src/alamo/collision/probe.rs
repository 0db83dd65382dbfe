//! A ray made ready for a tree.

use super::CollisionTree;
use super::grid::NEAR;
use bevy::math::{DVec3, Ray3d, Vec3, Vec3A, Vec4};

/// How much slower than along its main axis a ray may go along another. Slower ones are taken to go
/// this fast, which moves them by less than a thousandth of a step; so nothing is divided by zero.
const SLOWEST: f32 = 1.0 / (1_u64 << 40) as f32;

/// A ray in the space of a tree: scaled, begun near the mesh, and brought into the grid.
///
/// Distances are along the ray from its new beginning, in scaled units.
pub(super) struct Probe {
    /// Distance along the ray per step of the grid along each axis.
    pub per_step: [Vec4; 3],
    /// Distance along the ray of the grid's step 0 along each axis.
    pub offset: [Vec4; 3],
    /// 1 for each axis that the ray goes down along, else 0.
    pub backward: [usize; 3],
    /// Where it begins.
    pub origin: Vec3,
    /// Ways whose products with a way from the origin tell how far to the side of the ray it leads,
    /// by two axes across it, and how far along it.
    pub across: Vec3,
    pub up: Vec3,
    pub along: Vec3,
    /// The greatest distance.
    pub max: f32,
    /// How far from its origin it begins.
    pub start: f64,
}

impl Probe {
    /// `None` if the ray meets no triangle, or is not a ray.
    #[inline]
    pub(super) fn new(tree: &CollisionTree, ray: Ray3d, max: f32) -> Option<Self> {
        let direction = Vec3A::from(*ray.direction);
        // Other lengths than 1 are as wrong as NaN.
        if !(0.5..2.0).contains(&direction.length_squared()) {
            return None;
        }
        let mut origin = Vec3A::from(ray.origin) * tree.scale;
        let mut start = 0.0;
        let reach = NEAR * tree.grid.radius();
        // Not near if it is NaN, of infinities.
        let near = (origin - tree.grid.center()).length_squared() <= reach * reach;
        if !near {
            (origin, start) = moved_up(tree, ray)?;
        }
        let max = (f64::from(max) * f64::from(tree.scale) - start) as f32;
        if max.is_nan() || max < 0.0 {
            return None;
        }
        Some(Self::near(tree, origin, direction, max, start))
    }

    fn near(tree: &CollisionTree, origin: Vec3A, direction: Vec3A, max: f32, start: f64) -> Self {
        let slowest = SLOWEST * direction.abs().max_element();
        let speed = direction.abs().max(Vec3A::splat(slowest)) * tree.grid.steps_per_unit;
        let per_step = speed.recip().copysign(direction);
        let offset = -tree.grid.place(origin) * per_step;
        let backward = direction.is_negative_bitmask() as usize;
        let [across, up, along] = sheared(direction);
        let splat = |vector: Vec3A| vector.to_array().map(Vec4::splat);
        Self {
            per_step: splat(per_step),
            offset: splat(offset),
            backward: [backward & 1, backward >> 1 & 1, backward >> 2 & 1],
            origin: origin.into(),
            across,
            up,
            along,
            max,
            start,
        }
    }
}

/// Where a ray that begins far away comes near the mesh, and how far from its origin that is.
///
/// There, rounding is a matter of the mesh's size. In double precision, for the way may be long.
#[cold]
fn moved_up(tree: &CollisionTree, ray: Ray3d) -> Option<(Vec3A, f64)> {
    let radius = f64::from(tree.grid.radius());
    let center = DVec3::from(Vec3::from(tree.grid.center()));
    let direction = DVec3::from(*ray.direction);
    let origin = DVec3::from(ray.origin) * f64::from(tree.scale) - center;
    let nearest = -origin.dot(direction) / direction.length_squared();
    let start = nearest - 2.0 * radius;
    // In this order, lest a long way rounds off a short one.
    let begin = (origin + direction * nearest) - direction * (2.0 * radius);
    // It began inside this if it is not ahead; and it passes the mesh if it is not within reach.
    (start > 0.0 && begin.length() <= 2.5 * radius)
        .then(|| (Vec3A::from((begin + center).as_vec3()), start))
}

/// The space of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013), in which the
/// ray goes along the main axis of its direction: the other two axes are sheared, and so exact for
/// rays along an axis.
fn sheared(direction: Vec3A) -> [Vec3; 3] {
    let size = direction.abs();
    let main = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (mut first, mut second) = ((main + 1) % 3, (main + 2) % 3);
    // In the order that keeps the sense of turns.
    if direction[main] < 0.0 {
        (first, second) = (second, first);
    }
    let ahead = direction[main].recip();
    let side = |axis: usize| Vec3::AXES[axis] - Vec3::AXES[main] * (direction[axis] * ahead);
    [side(first), side(second), Vec3::AXES[main] * ahead]
}
