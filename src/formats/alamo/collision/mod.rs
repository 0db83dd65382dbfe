//! Queries on the collision trees of Alamo models: ray casts, box and sphere overlaps, and closest points. Results are exact
//! for the triangles.
//!
//! A collision tree is a bounding volume hierarchy (BVH). [`CollisionTree`] is built in linear time from the links of a
//! file's binary tree, which are validated once. Boxes are fitted to the triangles, because those of real files lose hits,
//! and collapsed to nodes of four. Queries neither allocate nor panic, and they terminate for every input.
//!
//! Entities, assets and files don't belong here: everything is plain numbers in the space of one mesh.

pub(crate) mod build;
pub(crate) mod cast;
pub(crate) mod levels;
pub(crate) mod node;
pub(crate) mod overlap;
pub(crate) mod traverse;
pub(crate) mod tree;
pub(crate) mod tree_ray;
pub(crate) mod triangle;

#[cfg(test)]
mod tests;
