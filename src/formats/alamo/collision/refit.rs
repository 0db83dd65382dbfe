//! Fits a tree to moved vertices.

use crate::formats::alamo::collision::build::{check_positions, scaled};
use crate::formats::alamo::collision::error::TreeError;
use crate::formats::alamo::collision::grid::Grid;
use crate::formats::alamo::collision::node::{WIDTH, count_and_link};
use crate::formats::alamo::collision::tree::CollisionTree;
use bevy::math::Vec3A;
use core::ops::Range;

impl CollisionTree {
    /// A copy of the tree with other vertex positions, such as a pose of a skinned mesh.
    ///
    /// The boxes are fitted to the new positions in linear time. The hierarchy stays the same, so queries
    /// get slower the more the pose differs from the one that the file's tree was built for.
    ///
    /// Triangles that were left out because they had no area stay left out. Triangles that lose their
    /// area are lines or points: overlap and closest point queries find them; rays don't hit them, except
    /// a line through rounding.
    ///
    /// # Errors
    /// [`TreeError::VertexCount`] if the position count differs from the vertex count,
    /// [`TreeError::NotFinite`] if a position is not finite.
    pub fn with_positions(&self, positions: &[[f32; 3]]) -> Result<Self, TreeError> {
        let (count, expected) = (positions.len(), self.positions.len());
        if count != expected {
            return Err(TreeError::VertexCount { count, expected });
        }
        let scale = check_positions(positions)?;
        let mut tree = Self {
            nodes: self.nodes.clone(),
            corners: self.corners.clone(),
            triangles: self.triangles.clone(),
            positions: scaled(positions, scale),
            scale,
            unscale: scale.recip(),
            grid: self.grid,
            shallow: self.shallow,
        };
        let [min, max] = tree.bounds_of(0..tree.corners.len());
        tree.grid = if tree.triangles.is_empty() {
            Grid::new(Vec3A::ZERO, Vec3A::ZERO)
        } else {
            Grid::new(min, max)
        };
        tree.refit();
        Ok(tree)
    }

    /// Fits the boxes of all nodes.
    fn refit(&mut self) {
        // Children follow their parents, so the reverse order visits them first.
        for index in (0..self.nodes.len()).rev() {
            let Some(mut node) = self.nodes.get(index).copied() else {
                continue;
            };
            for child in 0..WIDTH {
                if node.bounds(child).is_none() {
                    continue;
                }
                let (count, link) = count_and_link(node.child(child));
                let bounds = if count > 0 {
                    let [min, max] = self.bounds_of(link..link + count);
                    self.grid.quantize(min, max)
                } else {
                    // The children are quantized already, so their union needs no rounding.
                    self.nodes.get(link).unwrap_or(&node).union()
                };
                node.set(child, bounds, count as u16, link as u16);
            }
            if let Some(slot) = self.nodes.get_mut(index) {
                *slot = node;
            }
        }
    }

    /// The minimum and maximum corner of the box around a range of triangles, scaled. The range is in the
    /// order of the leaves.
    fn bounds_of(&self, slots: Range<usize>) -> [Vec3A; 2] {
        let triangles = self.corners.get(slots).unwrap_or_default();
        let corners = triangles.as_flattened().iter();
        let positions = corners.filter_map(|index| self.positions.get(usize::from(*index)));
        let extend = |[min, max]: [Vec3A; 2], position: &[f32; 3]| {
            let position = Vec3A::from(*position);
            [min.min(position), max.max(position)]
        };
        positions.fold([Vec3A::INFINITY, Vec3A::NEG_INFINITY], extend)
    }
}
