//! The tree: what `build` makes, and queries read.

use super::grid::Grid;
use super::node::Node;
use bevy::math::bounding::Aabb3d;

/// A node of a file's tree, as far as queries need it: its box is fitted to the triangles again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeLink {
    /// Number of triangles of a leaf; 0 for a node with two children.
    pub triangle_count: u16,
    /// First entry of a leaf in the map of triangles; else the first child, which the second follows.
    pub link: u16,
}

/// The triangles of a sub-mesh in a tree of boxes, for queries in the space of the mesh.
///
/// Triangles without area are left out, as are those that no leaf names: no query finds them.
///
/// A triangle's front is the side from which its corners go counterclockwise, as in Bevy.
#[derive(Clone, Debug)]
pub struct CollisionTree {
    /// The first is the root. None if there are no triangles.
    pub(super) nodes: Box<[Node]>,
    /// Corners of the triangles, in the order of the leaves.
    pub(super) corners: Box<[[u16; 3]]>,
    /// The mesh's number of each of those.
    pub(super) triangles: Box<[u16]>,
    /// The mesh's positions times `scale`.
    pub(super) positions: Box<[[f32; 3]]>,
    /// A power of two that brings the mesh to about one unit, so that products of coordinates
    /// neither overflow nor vanish. Both ways are exact.
    pub(super) scale: f32,
    /// One by `scale`.
    pub(super) unscale: f32,
    pub(super) grid: Grid,
    /// Whether a walk needs no more than the short stack.
    pub(super) shallow: bool,
}

impl CollisionTree {
    /// Number of triangles that queries can find.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The box around the triangles, in the mesh's space; `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb3d> {
        (!self.triangles.is_empty()).then(|| Aabb3d {
            min: self.grid.min * self.unscale,
            max: self.grid.max * self.unscale,
        })
    }

    /// Bytes on the heap.
    pub fn heap_size(&self) -> usize {
        size_of_val::<[Node]>(&self.nodes)
            + size_of_val::<[[u16; 3]]>(&self.corners)
            + size_of_val::<[u16]>(&self.triangles)
            + size_of_val::<[[f32; 3]]>(&self.positions)
    }

    /// Corners of a triangle of the leaves, scaled.
    #[inline(always)]
    pub(super) fn corners(&self, slot: usize) -> Option<[&[f32; 3]; 3]> {
        let [a, b, c] = *self.corners.get(slot)?;
        let corner = |index: u16| self.positions.get(usize::from(index));
        Some([corner(a)?, corner(b)?, corner(c)?])
    }
}
