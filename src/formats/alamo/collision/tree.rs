//! The tree's data, which `build` makes and queries read, and the errors of making it.

use crate::formats::alamo::collision::node::{Grid, Node};
use bevy::math::Vec3;
use bevy::math::bounding::Aabb3d;
use thiserror::Error;

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

/// Why a collision tree is rejected.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// A node's children do not follow it, so a traversal might not end.
    #[error("child index {child} must be greater than its parent's index {node}")]
    BackwardLink {
        /// The node.
        node: usize,
        /// Its first child.
        child: usize,
    },
    /// A child index is out of range.
    #[error("node {node}: child index {child} is out of range for {count} nodes")]
    ChildOutOfRange {
        /// The node.
        node: usize,
        /// The index of the child.
        child: usize,
        /// The count of nodes.
        count: usize,
    },
    /// A node is the child of two nodes.
    #[error("node {node}: child {child} already has another parent")]
    SharedChild {
        /// The second of the two.
        node: usize,
        /// The child.
        child: usize,
    },
    /// A leaf's range exceeds the triangle map.
    #[error("leaf {node}: its range ends at entry {end}, but the triangle map has {count} entries")]
    LeafOutOfRange {
        /// The leaf.
        node: usize,
        /// The end of its range, exclusive.
        end: usize,
        /// The count of map entries.
        count: usize,
    },
    /// Two leaves contain the same entry of the triangle map.
    #[error("leaf {node}: entry {entry} of the triangle map already belongs to another leaf")]
    SharedEntry {
        /// The second of the two.
        node: usize,
        /// The entry.
        entry: usize,
    },
    /// An entry of the triangle map is out of range.
    #[error(
        "entry {entry} of the triangle map: triangle index {triangle} is out of range for {count} triangles"
    )]
    TriangleOutOfRange {
        /// The entry.
        entry: usize,
        /// The triangle.
        triangle: usize,
        /// The count of triangles.
        count: usize,
    },
    /// Two entries of the triangle map have the same triangle.
    #[error("entry {entry} of the triangle map: triangle {triangle} already has another entry")]
    SharedTriangle {
        /// The second of the entries.
        entry: usize,
        /// The triangle.
        triangle: usize,
    },
    /// A vertex index is out of range.
    #[error("triangle {triangle}: vertex index {vertex} is out of range for {count} vertices")]
    VertexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex.
        vertex: usize,
        /// The count of vertices.
        count: usize,
    },
    /// A vertex position is infinite or NaN.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// There are more vertices than 16-bit indices can address.
    #[error("{count} vertices exceed the limit of 65536")]
    TooManyVertices {
        /// The count of vertices.
        count: usize,
    },
    /// A pose has more or fewer positions than the tree has vertices.
    #[error("expected {expected} positions, one per vertex of the tree, found {count}")]
    VertexCount {
        /// The count of positions.
        count: usize,
        /// The count of the tree's vertices.
        expected: usize,
    },
    /// The tree is too deep to traverse, for example a long chain.
    #[error("the tree is too deep: a traversal needs a stack of {need} nodes, the limit is 1024")]
    TooDeep {
        /// Stack entries that a traversal needs.
        need: usize,
    },
}
