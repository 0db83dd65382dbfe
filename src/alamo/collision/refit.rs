//! A tree whose vertices lie elsewhere.

use super::build::{check_positions, scaled};
use super::grid::Grid;
use super::node::{WIDTH, count_and_link};
use super::{CollisionTree, TreeError};
use bevy::math::Vec3A;
use core::ops::Range;

impl CollisionTree {
    /// The same triangles with their vertices elsewhere, such as those of a pose of a skinned mesh.
    ///
    /// There must be as many positions as before. Boxes are fitted anew, in linear time; which
    /// triangles they hold stays as it is, so that queries take longer the less the pose is like the
    /// one that the file's tree was made for.
    ///
    /// Triangles that were left out for want of area stay left out, even if they have some now.
    /// Those that lose theirs are the lines or points that they have become: boxes, balls and nearest
    /// points find them, and rays do not, unless rounding has it that they meet a line.
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
        let [min, max] = tree.around(0..tree.corners.len());
        tree.grid = match tree.triangles.is_empty() {
            true => Grid::new(Vec3A::ZERO, Vec3A::ZERO),
            false => Grid::new(min, max),
        };
        tree.refit();
        Ok(tree)
    }

    /// Fits the boxes of all nodes.
    fn refit(&mut self) {
        // Children stand behind their parents, so they come first here.
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
                    let [min, max] = self.around(link..link + count);
                    self.grid.quantize(min, max)
                } else {
                    // What each child's corners were rounded to is what those of all are.
                    self.nodes.get(link).unwrap_or(&node).around()
                };
                node.set(child, bounds, count as u16, link as u16);
            }
            if let Some(slot) = self.nodes.get_mut(index) {
                *slot = node;
            }
        }
    }

    /// The least and the greatest corner of the box around triangles of the leaves, scaled.
    fn around(&self, slots: Range<usize>) -> [Vec3A; 2] {
        let triangles = self.corners.get(slots).unwrap_or_default();
        let corners = triangles.as_flattened().iter();
        let positions = corners.filter_map(|index| self.positions.get(usize::from(*index)));
        let around = |[min, max]: [Vec3A; 2], position: &[f32; 3]| {
            let position = Vec3A::from(*position);
            [min.min(position), max.max(position)]
        };
        positions.fold([Vec3A::INFINITY, Vec3A::NEG_INFINITY], around)
    }
}
