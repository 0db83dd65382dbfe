//! Queries on the collision trees of Alamo models: ray casts, box and sphere overlaps, and closest
//! points. Results are exact for the triangles.
//!
//! A collision tree is a bounding volume hierarchy (BVH). [`CollisionTree`] is built from the links of a
//! file's binary tree and the triangles of its sub-mesh. The build validates the links once. It fits the
//! boxes to the triangles, because the boxes of real files lose hits, and collapses the tree to nodes of
//! four boxes. It takes time linear in the size of the file's tree; the hierarchy itself is not rebuilt.
//! Queries neither allocate nor panic, and they terminate for every input.
//!
//! Modules:
//! - `build`: validates, fits and collapses a file's tree.
//! - `refit`: fits a tree to moved vertices.
//! - `grid`: the grid to which boxes are quantized.
//! - `node`: a node of four boxes, and the tests on them.
//! - `tree_ray`: a ray prepared for a tree.
//! - `triangle`: tests on triangles.
//! - `winding`: which side of a triangle is its front.
//! - `tree`: the data that all queries share.
//! - `cast`, `overlap`, `closest`: the queries.
//! - `levels`: boxes by tree level, for drawing.
//! - `error`: why a tree is rejected.
//!
//! Entities, assets and files don't belong here: everything is plain numbers in the space of one mesh.

pub(crate) mod build;
pub(crate) mod cast;
pub(crate) mod closest;
pub(crate) mod error;
pub(crate) mod grid;
pub(crate) mod levels;
pub(crate) mod node;
pub(crate) mod overlap;
pub(crate) mod refit;
pub(crate) mod tree;
pub(crate) mod tree_ray;
pub(crate) mod triangle;
pub(crate) mod winding;

#[cfg(test)]
mod tests;
