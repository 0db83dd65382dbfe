//! Queries on the collision box trees of Alamo models: rays, boxes, balls and nearest points, exact
//! on the triangles.
//!
//! [`CollisionTree`] is made from the links of a file's tree and the triangles of its sub-mesh:
//! checked once, its boxes fitted to the triangles again (those of real files lose hits), and four
//! boxes folded into one node. All of it takes time linear in the file's tree; nothing is sorted or
//! built anew. Queries neither allocate nor panic, and they end, whatever they are asked.
//!
//! The rooms: `build` checks, fits and folds; `refit` fits to vertices that moved; `grid` is the
//! lattice that boxes are kept in; `node` is four boxes and the tests on them; `probe` is a ray made
//! ready; `triangle` is the tests on triangles; `cast`, `overlap` and `closest` walk the tree;
//! `levels` tells its boxes.
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
mod triangle;

#[cfg(test)]
mod tests;

pub(in crate::alamo) use cast::Winding;
pub use cast::{Backfaces, TreeHit};
pub use closest::ClosestPoint;
pub use error::TreeError;

use bevy::math::bounding::Aabb3d;
use grid::Grid;
use node::Node;

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
    nodes: Box<[Node]>,
    /// Corners of the triangles, in the order of the leaves.
    corners: Box<[[u16; 3]]>,
    /// The mesh's number of each of those.
    triangles: Box<[u16]>,
    /// The mesh's positions times `scale`.
    positions: Box<[[f32; 3]]>,
    /// A power of two that brings the mesh to about one unit, so that products of coordinates
    /// neither overflow nor vanish. Both ways are exact.
    scale: f32,
    /// One by `scale`.
    unscale: f32,
    grid: Grid,
    /// Whether a walk needs no more than the short stack.
    shallow: bool,
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
    fn corners(&self, slot: usize) -> Option<[&[f32; 3]; 3]> {
        let [a, b, c] = *self.corners.get(slot)?;
        let corner = |index: u16| self.positions.get(usize::from(index));
        Some([corner(a)?, corner(b)?, corner(c)?])
    }
}
