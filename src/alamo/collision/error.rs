//! What can be wrong with a tree.

use thiserror::Error;

/// Why a tree cannot be queried.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// A node's children are not behind it, so that walks might not end.
    #[error("node {node} has as its child node {child}, which is not behind it")]
    BackwardLink {
        /// The node.
        node: usize,
        /// Its first child.
        child: usize,
    },
    /// A node's children are not there.
    #[error("node {node} has as its child node {child} of {count}")]
    ChildOutOfRange {
        /// The node.
        node: usize,
        /// The child that is not there.
        child: usize,
        /// Number of nodes.
        count: usize,
    },
    /// A node is the child of two nodes.
    #[error("node {node} has as its child node {child}, which another node has too")]
    SharedChild {
        /// The second of the two.
        node: usize,
        /// The child.
        child: usize,
    },
    /// A leaf reaches past the end of the map of triangles.
    #[error("leaf {node} ends at entry {end} of a triangle map of {count}")]
    LeafOutOfRange {
        /// The leaf.
        node: usize,
        /// Where it ends.
        end: usize,
        /// Number of entries of the map.
        count: usize,
    },
    /// Two leaves reach over the same entry of the map of triangles.
    #[error("leaf {node} has entry {entry} of the triangle map, which another leaf has too")]
    SharedEntry {
        /// The second of the two.
        node: usize,
        /// The entry.
        entry: usize,
    },
    /// An entry of the map names a triangle that is not there.
    #[error("entry {entry} of the triangle map names triangle {triangle} of {count}")]
    TriangleOutOfRange {
        /// The entry.
        entry: usize,
        /// The triangle.
        triangle: usize,
        /// Number of triangles.
        count: usize,
    },
    /// A triangle is named twice.
    #[error("entry {entry} of the triangle map names triangle {triangle}, which another names too")]
    SharedTriangle {
        /// The second of the entries.
        entry: usize,
        /// The triangle.
        triangle: usize,
    },
    /// A triangle has a corner that is not there.
    #[error("triangle {triangle} names vertex {vertex} of {count}")]
    VertexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// A vertex lies nowhere.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// There are more vertices than indices can tell apart.
    #[error("{count} vertices are more than 65536")]
    TooManyVertices {
        /// Number of vertices.
        count: usize,
    },
    /// A pose has more or fewer vertices than the tree that it is for.
    #[error("{count} positions for a tree of {expected} vertices")]
    VertexCount {
        /// Number of positions.
        count: usize,
        /// Number of the tree's vertices.
        expected: usize,
    },
    /// The tree is a chain rather than a tree, and walks would need to remember too much.
    #[error("the tree is too deep: a walk must remember {need} nodes")]
    TooDeep {
        /// Number of nodes to remember.
        need: usize,
    },
}
