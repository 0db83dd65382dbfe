//! A node of four boxes, and tests of all four at once.

use bevy::math::{Vec3A, Vec4};

/// Boxes of a node.
pub(super) const WIDTH: usize = 4;

/// Four boxes, one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Least and greatest corners in steps of the grid: by axis, then by box. A box that is not
    /// there is inside out, and so nothing meets it.
    pub planes: [[[u16; WIDTH]; 3]; 2],
    /// First triangle of a leaf, else a node.
    pub links: [u16; WIDTH],
    /// Number of triangles of a leaf; 0 of a node.
    pub counts: [u16; WIDTH],
}

/// Which boxes something meets, a bit each, and how near they are.
pub(super) struct Met {
    pub mask: u32,
    pub near: [f32; WIDTH],
}

impl Node {
    pub(super) const EMPTY: Self = Self {
        planes: [[[u16::MAX; WIDTH]; 3], [[0; WIDTH]; 3]],
        links: [0; WIDTH],
        counts: [0; WIDTH],
    };

    pub(super) fn set(&mut self, child: usize, bounds: [[u16; 3]; 2], count: u16, link: u16) {
        for (planes, corner) in self.planes.iter_mut().zip(bounds) {
            for (axis, step) in planes.iter_mut().zip(corner) {
                axis[child] = step;
            }
        }
        self.counts[child] = count;
        self.links[child] = link;
    }

    /// Least and greatest corner of a box, if it is there.
    pub(super) fn bounds(&self, child: usize) -> Option<[[u16; 3]; 2]> {
        let planes = |planes: [[u16; WIDTH]; 3]| planes.map(|steps| steps[child % WIDTH]);
        let [least, greatest] = self.planes.map(planes);
        (least[0] <= greatest[0]).then_some([least, greatest])
    }

    /// Those of the box around all four.
    pub(super) fn around(&self) -> [[u16; 3]; 2] {
        let [least, greatest] = self.planes;
        [
            least.map(|steps| steps.into_iter().fold(u16::MAX, u16::min)),
            greatest.map(|steps| steps.into_iter().fold(0, u16::max)),
        ]
    }

    /// A child as one number, which [`count_and_link`] takes apart.
    #[inline(always)]
    pub(super) fn child(&self, child: usize) -> u32 {
        let child = child % WIDTH;
        u32::from(self.counts[child]) << 16 | u32::from(self.links[child])
    }

    /// The boxes that a box meets; its corners are places in the grid.
    #[inline(always)]
    pub(super) fn meets_box(&self, min: Vec3A, max: Vec3A) -> u32 {
        let meets = |axis: usize| {
            steps(&self.planes[0][axis]).cmple(Vec4::splat(max[axis]))
                & steps(&self.planes[1][axis]).cmpge(Vec4::splat(min[axis]))
        };
        (meets(0) & meets(1) & meets(2)).bitmask()
    }

    /// The boxes within a distance of a point, and their squared distances; all in steps.
    #[inline(always)]
    pub(super) fn near_point(&self, point: Vec3A, squared: f32) -> Met {
        let gap = |axis: usize| {
            let place = Vec4::splat(point[axis]);
            let below = steps(&self.planes[0][axis]) - place;
            below
                .max(place - steps(&self.planes[1][axis]))
                .max(Vec4::ZERO)
        };
        let [x, y, z] = [gap(0), gap(1), gap(2)];
        let near = x * x + y * y + z * z;
        // A box that is not there is near nothing.
        let there = steps(&self.planes[0][0]).cmple(steps(&self.planes[1][0]));
        Met {
            mask: (near.cmple(Vec4::splat(squared)) & there).bitmask(),
            near: near.to_array(),
        }
    }
}

/// Number of triangles, or 0, and link of a child.
#[inline(always)]
pub(super) fn count_and_link(child: u32) -> (usize, usize) {
    ((child >> 16) as usize, (child & 0xffff) as usize)
}

/// Coordinates of four boxes as numbers.
#[inline(always)]
pub(super) fn steps(steps: &[u16; WIDTH]) -> Vec4 {
    Vec4::from_array(steps.map(f32::from))
}
