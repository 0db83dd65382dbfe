//! Which vertices the shader has to know to draw a node that deforms.

use crate::lithtech::abc::AbcFile;
use crate::lithtech::deform::NO_SLOT;
use crate::lithtech::space::Space;
use bevy::math::Vec3;

/// The vertices of a node that deforms, in this order: those that the keyframes move, those that stand
/// still beside them, and those that levels of detail put between two of them.
pub(super) struct Members {
    /// How many are moved by the keyframes.
    pub(super) stored: usize,
    /// Where the next ones stand.
    pub(super) still: Vec<Vec3>,
    /// Between which of the members before them the others are.
    pub(super) between: Vec<[usize; 2]>,
    /// For each vertex of the file, its place among the members.
    pub(super) slots: Vec<u32>,
}

impl Members {
    pub(super) fn new(file: &AbcFile<'_>, space: Space, node: usize) -> Self {
        let geometry = &file.geometry;
        let node = file.nodes.get(node);
        let stored = node.map_or(&[][..], |node| node.deform_vertices);
        let mut slots = vec![NO_SLOT; geometry.vertices.len()];
        for (slot, vertex) in (0..).zip(stored) {
            if let Some(found) = slots.get_mut(usize::from(vertex.get())) {
                *found = slot;
            }
        }
        let mut members = Self {
            stored: stored.len(),
            still: Vec::new(),
            between: Vec::new(),
            slots,
        };
        members.add_still(file, space);
        members.add_between(file);
        members
    }

    pub(super) fn count(&self) -> usize {
        self.stored + self.still.len() + self.between.len()
    }

    pub(super) fn slot(&self, vertex: usize) -> Option<usize> {
        let slot = self.slots.get(vertex).filter(|slot| **slot != NO_SLOT)?;
        Some(*slot as usize)
    }

    /// Those that share a triangle or a level's vertex with some that move. Real models have hardly
    /// any.
    fn add_still(&mut self, file: &AbcFile<'_>, space: Space) {
        let geometry = &file.geometry;
        let mut moves: Vec<bool> = self.slots.iter().map(|slot| *slot != NO_SLOT).collect();
        let is_set = |moves: &[bool], vertex: usize| moves.get(vertex) == Some(&true);
        for triangle in geometry.triangles {
            let corners = triangle.indices().map(|vertex| vertex as usize);
            if corners.iter().any(|vertex| is_set(&moves, *vertex)) {
                corners
                    .iter()
                    .for_each(|vertex| self.stand(*vertex, file, space));
            }
        }
        for (extra, _, pair) in geometry.extras() {
            if pair.iter().any(|vertex| is_set(&moves, *vertex)) {
                for vertex in pair.iter().filter(|vertex| !is_set(&moves, **vertex)) {
                    self.stand(*vertex, file, space);
                }
                if let Some(moves) = moves.get_mut(extra) {
                    *moves = true;
                }
            }
        }
    }

    /// Has a vertex stand where it is, unless it is a member already.
    fn stand(&mut self, vertex: usize, file: &AbcFile<'_>, space: Space) {
        let next = (self.stored + self.still.len()) as u32;
        let of_file = file.geometry.vertices.get(vertex);
        if let (Some(slot), Some(of_file)) = (self.slots.get_mut(vertex), of_file)
            && *slot == NO_SLOT
        {
            *slot = next;
            self.still.push(space.vector(of_file.clean_position()));
        }
    }

    /// What levels of detail put between vertices that deform deforms with them.
    fn add_between(&mut self, file: &AbcFile<'_>) {
        for (extra, _, pair) in file.geometry.extras() {
            let [Some(a), Some(b)] = pair.map(|vertex| self.slot(vertex)) else {
                continue;
            };
            let next = self.count() as u32;
            if let Some(slot) = self.slots.get_mut(extra)
                && *slot == NO_SLOT
            {
                *slot = next;
                self.between.push([a, b]);
            }
        }
    }
}
