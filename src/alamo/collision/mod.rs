//! Queries on the collision box trees of Alamo models: rays, boxes, balls and nearest points, exact
//! on the triangles.
//!
//! [`CollisionTree`] is made from the links of a file's tree and the triangles of its sub-mesh:
//! checked once, its boxes fitted to the triangles again (those of real files lose hits), and four
//! boxes folded into one node. All of it takes time linear in the file's tree; nothing is sorted or
//! built anew. Queries neither allocate nor panic, and they end, whatever they are asked.
//!
//! The modules: `build` checks, fits and folds; `refit` fits to vertices that moved; `grid` is the
//! lattice that boxes are kept in; `node` is four boxes and the tests on them; `probe` is a ray made
//! ready; `triangle` is the tests on triangles; `winding` is the order of their corners; `tree` is what
//! all of them share; `cast`, `overlap` and `closest` walk the tree; `levels` has its boxes by levels;
//! `error` is why a tree is refused.
//!
//! What may not enter: entities, assets, files. All here is plain numbers in the space of one mesh.

mod build;
mod cast;
mod closest;
mod error;
mod grid;
mod levels;
mod node;
mod overlap;
mod probe;
mod refit;
mod tree;
mod triangle;
mod winding;

#[cfg(test)]
mod tests;

pub use cast::{Backfaces, TreeHit};
pub use closest::ClosestPoint;
pub use error::TreeError;
pub use tree::{CollisionTree, TreeLink};
pub(in crate::alamo) use winding::Winding;
