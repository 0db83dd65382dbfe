//! A ray made ready for a tree.

use super::node::{Met, Node, steps};
use super::{CollisionTree, Winding};
use bevy::math::{DVec3, Ray3d, Vec3, Vec3A, Vec4};

/// How much slower than along its main axis a ray may go along another. Slower ones are taken to go
/// this fast, which moves them by less than a thousandth of a step; so nothing is divided by zero.
const SLOWEST: f32 = 1.0 / (1_u64 << 40) as f32;

/// For each main axis, the axes that a turn about it passes, and it; then for each the turn the other
/// way about, which is that of rays that go down along it.
static TURNS: [[usize; 3]; 6] = [
    [1, 2, 0],
    [2, 0, 1],
    [0, 1, 2],
    [2, 1, 0],
    [0, 2, 1],
    [1, 0, 2],
];

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
    /// The axes, the main one last. The other two are in the order that keeps the sense of turns,
    /// or that reverses it where clockwise ones are wanted.
    pub axes: [usize; 3],
    /// Where it begins, by those axes.
    pub origin: [Vec4; 3],
    /// How far it goes along the first two for each unit along the main one, and the reverse.
    pub shear: [Vec4; 2],
    pub ahead: f32,
    /// Where it begins, and its direction, as they are.
    pub begin: Vec3A,
    pub direction: Vec3A,
    /// The greatest distance.
    pub max: f32,
    /// How far from its origin it begins.
    pub start: f64,
}

impl Node {
    /// The boxes that a ray meets within a distance.
    ///
    /// The slab test of Kay and Kajiya: between the farthest of the near planes and the nearest of
    /// the far ones.
    #[inline(always)]
    pub(super) fn meets_ray(&self, probe: &Probe, far: f32) -> Met {
        let distances = |axis: usize, greatest: usize| {
            steps(&self.planes[greatest & 1][axis]) * probe.per_step[axis] + probe.offset[axis]
        };
        let [x, y, z] = probe.backward;
        let near = distances(0, x)
            .max(distances(1, y))
            .max(distances(2, z))
            .max(Vec4::ZERO);
        let leave = distances(0, x ^ 1)
            .min(distances(1, y ^ 1))
            .min(distances(2, z ^ 1))
            .min(Vec4::splat(far));
        Met {
            mask: near.cmple(leave).bitmask(),
            near: near.to_array(),
        }
    }
}

impl Probe {
    /// `None` if the ray meets no triangle, or is not a ray.
    #[inline(always)]
    pub(super) fn new(
        tree: &CollisionTree,
        ray: Ray3d,
        max: f32,
        winding: Winding,
    ) -> Option<Self> {
        let direction = Vec3A::from(*ray.direction);
        // Other lengths than 1 are as wrong as NaN.
        if !(0.5..2.0).contains(&direction.length_squared()) {
            return None;
        }
        let mut origin = Vec3A::from(ray.origin) * tree.scale;
        let mut start = 0.0;
        // Not near if it is NaN, of infinities.
        let near = (origin - tree.grid.center).length_squared() <= tree.grid.near_squared;
        if !near {
            (origin, start) = moved_up(tree, ray)?;
        }
        let max = (f64::from(max) * f64::from(tree.scale) - start) as f32;
        if max.is_nan() || max < 0.0 {
            return None;
        }
        let axes = main_axis_last(direction, winding);
        Some(Self::near(tree, origin, direction, axes, max, start))
    }

    #[inline(always)]
    fn near(
        tree: &CollisionTree,
        origin: Vec3A,
        direction: Vec3A,
        axes: [usize; 3],
        max: f32,
        start: f64,
    ) -> Self {
        let slowest = SLOWEST * direction.abs().max_element();
        let speed = direction.abs().max(Vec3A::splat(slowest)) * tree.grid.steps_per_unit;
        let per_step = speed.recip().copysign(direction);
        let offset = -tree.grid.place(origin) * per_step;
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

/// Where a ray that begins far away comes near the mesh, and how far from its origin that is.
///
/// There, rounding is a matter of the mesh's size. In double precision, for the way may be long.
#[cold]
fn moved_up(tree: &CollisionTree, ray: Ray3d) -> Option<(Vec3A, f64)> {
    let radius = f64::from(tree.grid.radius);
    let center = DVec3::from(Vec3::from(tree.grid.center));
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

/// The axes of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013).
#[inline(always)]
fn main_axis_last(direction: Vec3A, winding: Winding) -> [usize; 3] {
    // By numbers and a table, since rays in no order would make branches be guessed wrong.
    let size = direction.abs();
    let main = match size.z > size.x.max(size.y) {
        true => 2,
        false => usize::from(size.y > size.x),
    };
    let down = direction.is_negative_bitmask() as usize >> main & 1;
    let turned = down ^ usize::from(winding == Winding::Clockwise);
    TURNS[(main + 3 * turned) % 6]
}
