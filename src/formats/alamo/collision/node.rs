//! A node of four boxes, and tests of all four at once.

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
