//! The tree's data, which `build` makes and queries read.

use crate::formats::alamo::collision::grid::Grid;
use crate::formats::alamo::collision::node::Node;
use bevy::math::Vec3;
use bevy::math::bounding::Aabb3d;

/// A node of a file's tree without its box, which is computed from the triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeLink {
    /// The triangle count of a leaf; 0 for a node with two children.
    pub triangle_count: u16,
    /// For a leaf, the first entry in the triangle map. Otherwise the index of the first child; the second
    /// child follows it.
    pub link: u16,
}

/// The triangles of a sub-mesh in a bounding volume hierarchy, for queries in the space of the mesh.
///
/// Triangles without area and triangles that no leaf contains are left out: no query finds them.
///
/// A triangle's front is the side from which its corners go counterclockwise, as in Bevy.
#[derive(Clone, Debug)]
pub struct CollisionTree {
    /// The first is the root. Empty if there are no triangles.
    pub(crate) nodes: Box<[Node]>,
    /// Vertex indices of the triangles, in the order of the leaves.
    pub(crate) corners: Box<[[u16; 3]]>,
    /// Index of each of those triangles in the sub-mesh.
    pub(crate) triangles: Box<[u16]>,
    /// The mesh's positions times `scale`.
    pub(crate) positions: Box<[[f32; 3]]>,
    /// A power of two that scales the mesh to about one unit, so that products of coordinates neither
    /// overflow nor underflow. Scaling and its inverse are exact.
    pub(crate) scale: f32,
    /// `1.0 / scale`.
    pub(crate) unscale: f32,
    pub(crate) grid: Grid,
    /// Whether the short stack is enough for a traversal.
    pub(crate) shallow: bool,
}

impl CollisionTree {
    /// The count of triangles that queries can find.
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

    /// The vertex positions, in the mesh's space.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Vec3> {
        let positions = self.positions.iter();
        positions.map(|position| Vec3::from_array(*position) * self.unscale)
    }

    /// The vertex indices of each triangle that queries can find, in no particular order.
    pub fn corner_indices(&self) -> impl ExactSizeIterator<Item = [u32; 3]> {
        self.corners.iter().map(|corners| corners.map(u32::from))
    }

    /// Size of the tree's heap memory, in bytes.
    pub fn heap_size(&self) -> usize {
        size_of_val::<[Node]>(&self.nodes)
            + size_of_val::<[[u16; 3]]>(&self.corners)
            + size_of_val::<[u16]>(&self.triangles)
            + size_of_val::<[[f32; 3]]>(&self.positions)
    }

    /// The scaled corners of a triangle, by its index in the order of the leaves.
    #[inline(always)]
    pub(crate) fn corners(&self, slot: usize) -> Option<[&[f32; 3]; 3]> {
        let [a, b, c] = *self.corners.get(slot)?;
        let corner = |index: u16| self.positions.get(usize::from(index));
        Some([corner(a)?, corner(b)?, corner(c)?])
    }
}
