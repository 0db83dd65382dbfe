//! Errors of building or posing a tree.

use thiserror::Error;

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
