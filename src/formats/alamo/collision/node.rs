//! A node of four boxes, tests of all four at once, and the grid to which boxes are quantized.

use bevy::math::Vec3A;
use bevy::prelude::*;

/// Boxes per node.
pub(crate) const WIDTH: usize = 4;

/// Four boxes, one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Minimum and maximum corners in steps of the grid: by axis, then by box. An unused box has its
    /// minimum above its maximum, so nothing hits it.
    pub planes: [[[u16; WIDTH]; 3]; 2],
    /// The first triangle of a leaf, or the index of an inner node.
    pub links: [u16; WIDTH],
    /// The triangle count of a leaf; 0 for an inner node.
    pub counts: [u16; WIDTH],
}

/// The boxes of a node that a query hits, as a bit mask, and their distances.
pub(crate) struct BoxHits {
    pub mask: u32,
    pub distances: [f32; WIDTH],
}

impl Node {
    pub(crate) const EMPTY: Self = Self {
        planes: [[[u16::MAX; WIDTH]; 3], [[0; WIDTH]; 3]],
        links: [0; WIDTH],
        counts: [0; WIDTH],
    };

    pub(crate) fn set(&mut self, child: usize, bounds: [[u16; 3]; 2], count: u16, link: u16) {
        for (planes, corner) in self.planes.iter_mut().zip(bounds) {
            for (axis, step) in planes.iter_mut().zip(corner) {
                axis[child] = step;
            }
        }
        self.counts[child] = count;
        self.links[child] = link;
    }

    /// The minimum and maximum corner of a box. `None` if the box is unused.
    pub(crate) fn bounds(&self, child: usize) -> Option<[[u16; 3]; 2]> {
        let planes = |planes: [[u16; WIDTH]; 3]| planes.map(|steps| steps[child % WIDTH]);
        let [least, greatest] = self.planes.map(planes);
        (least[0] <= greatest[0]).then_some([least, greatest])
    }

    /// The minimum and maximum corner of the box around all four boxes.
    pub(crate) fn union(&self) -> [[u16; 3]; 2] {
        let [least, greatest] = self.planes;
        [
            least.map(|steps| steps.into_iter().fold(u16::MAX, u16::min)),
            greatest.map(|steps| steps.into_iter().fold(0, u16::max)),
        ]
    }

    /// A child packed in one integer; [`count_and_link`] unpacks it.
    #[inline(always)]
    pub(crate) fn child(&self, child: usize) -> u32 {
        let child = child % WIDTH;
        u32::from(self.counts[child]) << 16 | u32::from(self.links[child])
    }

    /// The bit mask of the boxes that a box overlaps. Its corners are in steps of the grid.
    #[inline(always)]
    pub(crate) fn overlapping(&self, min: Vec3A, max: Vec3A) -> u32 {
        let overlaps = |axis: usize| {
            steps(&self.planes[0][axis]).cmple(Vec4::splat(max[axis]))
                & steps(&self.planes[1][axis]).cmpge(Vec4::splat(min[axis]))
        };
        (overlaps(0) & overlaps(1) & overlaps(2)).bitmask()
    }

    /// The boxes within a squared distance of a point, and their squared distances; all in steps.
    #[inline(always)]
    pub(crate) fn near_point(&self, point: Vec3A, squared: f32) -> BoxHits {
        let gap = |axis: usize| {
            let coordinate = Vec4::splat(point[axis]);
            let below = steps(&self.planes[0][axis]) - coordinate;
            below
                .max(coordinate - steps(&self.planes[1][axis]))
                .max(Vec4::ZERO)
        };
        let [x, y, z] = [gap(0), gap(1), gap(2)];
        let squares = x * x + y * y + z * z;
        let is_used = steps(&self.planes[0][0]).cmple(steps(&self.planes[1][0]));
        BoxHits {
            mask: (squares.cmple(Vec4::splat(squared)) & is_used).bitmask(),
            distances: squares.to_array(),
        }
    }
}

/// The triangle count (0 for an inner node) and the link of a packed child.
#[inline(always)]
pub(crate) fn count_and_link(child: u32) -> (usize, usize) {
    ((child >> 16) as usize, (child & 0xffff) as usize)
}

/// Coordinates of four boxes as floats.
#[inline(always)]
pub(crate) fn steps(steps: &[u16; WIDTH]) -> Vec4 {
    Vec4::from_array(steps.map(f32::from))
}

/// Unused steps around the mesh, so that padded boxes stay within the grid.
const MARGIN: f32 = 2.0;

/// Steps by which boxes exceed their triangles on each side, before they are rounded outward.
///
/// A ray's origin is at most [`NEAR`] radii from the center: 65 536 · 4 · √3 / 2 steps. 24 bits of
/// mantissa represent that with an error of at most 0.02, and the errors of triangle tests are as small.
/// So half a step keeps all hits. It also keeps planes off the origins of rays: no distance is 0 · ∞.
const PAD: f32 = 0.5;

/// The greatest distance of a ray's origin from the center, in radii of the mesh. Farther origins are
/// moved along their rays.
const NEAR: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub min: Vec3A,
    pub max: Vec3A,
    pub steps_per_unit: f32,
    pub center: Vec3A,
    /// Radius of a sphere around the center that contains the mesh.
    pub radius: f32,
    /// Square of the greatest distance of a ray's origin from the center.
    pub near_squared: f32,
}

impl Grid {
    pub(crate) fn new(min: Vec3A, max: Vec3A) -> Self {
        let reach = min.abs().max(max.abs()).max_element();
        // Avoids an extent of zero, unless the mesh is a point at the origin.
        let extent = (max - min).max_element().max(reach * f32::EPSILON);
        let steps = f32::from(u16::MAX) - 2.0 * MARGIN;
        let steps_per_unit = if extent > 0.0 { steps / extent } else { 1.0 };
        let radius = 0.5
            * (max - min)
                .length()
                .max(f32::from(u16::MAX) / steps_per_unit);
        Self {
            min,
            max,
            steps_per_unit,
            center: 0.5 * (min + max),
            radius,
            near_squared: (NEAR * radius) * (NEAR * radius),
        }
    }

    /// A scaled position in steps of the grid.
    #[inline(always)]
    pub(crate) fn steps_at(&self, point: Vec3A) -> Vec3A {
        (point - self.min) * self.steps_per_unit + MARGIN
    }

    /// The scaled position of a box's corner, clamped to the bounds of the mesh.
    pub(crate) fn position(&self, steps: [u16; 3]) -> Vec3A {
        let steps = Vec3A::from(steps.map(f32::from)) - MARGIN;
        (self.min + steps / self.steps_per_unit).clamp(self.min, self.max)
    }

    /// The corners of a box in steps, limited so that the box does not overlap the empty boxes of nodes.
    pub(crate) fn steps_of_box(&self, min: Vec3A, max: Vec3A) -> [Vec3A; 2] {
        let last = Vec3A::splat(f32::from(u16::MAX) - 1.0);
        [self.steps_at(min), self.steps_at(max).min(last)]
    }

    /// The smallest box of whole steps that contains a box padded by [`PAD`].
    pub(crate) fn quantize(&self, min: Vec3A, max: Vec3A) -> [[u16; 3]; 2] {
        // Casts round towards zero and saturate.
        let [x, y, z] = (self.steps_at(min) - PAD).to_array();
        let lower = [x as u16, y as u16, z as u16];
        let [x, y, z] = (self.steps_at(max) + PAD + 1.0).to_array();
        [lower, [x as u16, y as u16, z as u16]]
    }
}
