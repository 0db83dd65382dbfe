//! Which vertices the shader has to know to draw a node that deforms.

use crate::lithtech::abc::AbcFile;
use crate::lithtech::deform::parts::Parts;
use crate::lithtech::handedness::Handedness;
use bevy::math::Vec3;
use std::collections::HashSet;

/// The vertices of a node that deforms, in this order: those that the keyframes move, those that stand
/// still beside them, and those that levels of detail put between two of them. Vertices of other nodes
/// are in other spaces, and none of them.
pub(super) struct DeformedVertices<'a> {
    file: &'a AbcFile<'a>,
    parts: &'a Parts,
    node: usize,
    /// For each that the keyframes move, its place in the node's list.
    pub(super) stored: Vec<usize>,
    /// Where the next ones stand.
    pub(super) still: Vec<Vec3>,
    /// Between which of the members before them the others are.
    pub(super) between: Vec<[usize; 2]>,
    /// For each vertex of the file, its place among the members of its node.
    slots: &'a mut [u32],
}

impl<'a> DeformedVertices<'a> {
    pub(super) fn new(
        file: &'a AbcFile<'a>,
        parts: &'a Parts,
        (space, node): (Handedness, usize),
        slots: &'a mut [u32],
    ) -> Self {
        let mut members = Self {
            file,
            parts,
            node,
            stored: Vec::new(),
            still: Vec::new(),
            between: Vec::new(),
            slots,
        };
        members.add_stored();
        members.add_still(space);
        members.add_between();
        members
    }

    pub(super) fn count(&self) -> usize {
        self.stored.len() + self.still.len() + self.between.len()
    }

    /// The place of a vertex of the file among the members.
    pub(super) fn slot(&self, vertex: usize) -> Option<usize> {
        let slot = self.slots.get(vertex).filter(|slot| **slot != NO_SLOT)?;
        self.is_own(vertex).then_some(*slot as usize)
    }

    fn is_own(&self, vertex: usize) -> bool {
        let vertex = self.file.geometry.vertices.get(vertex);
        vertex.is_some_and(|vertex| usize::from(vertex.node) == self.node)
    }

    /// Makes a vertex the next member, unless it is one or cannot be; whether it has become one.
    fn add(&mut self, vertex: usize) -> bool {
        let next = self.count() as u32;
        let is_new = self.is_own(vertex) && self.slot(vertex).is_none();
        if is_new && let Some(slot) = self.slots.get_mut(vertex) {
            *slot = next;
        }
        is_new
    }

    fn add_stored(&mut self) {
        let node = self.file.nodes.get(self.node);
        let listed = node.map_or(&[][..], |node| node.deform_vertices);
        for (place, vertex) in listed.iter().enumerate() {
            let vertex = vertex.get().into();
            if self.add(vertex) {
                self.stored.push(place);
            } else if let Some(slot) = self.slot(vertex)
                && let Some(stored) = self.stored.get_mut(slot)
            {
                // It is listed twice: the last counts.
                *stored = place;
            }
        }
    }

    /// Those that share a triangle or a level's vertex with some that move. Real models have hardly
    /// any.
    fn add_still(&mut self, space: Handedness) {
        let stored = self.stored.len();
        if stored == 0 {
            return;
        }
        let moves = |members: &Self, vertex| members.slot(vertex).is_some_and(|slot| slot < stored);
        for corners in self.triangles() {
            if corners.iter().any(|vertex| moves(self, *vertex)) {
                corners.iter().for_each(|vertex| self.stand(*vertex, space));
            }
        }
        let mut extras_move = HashSet::new();
        for (extra, pair) in self.parts.extras(self.node) {
            let pair_moves =
                pair.map(|vertex| moves(self, vertex) || extras_move.contains(&vertex));
            if pair_moves.contains(&true) {
                for (vertex, moves) in pair.iter().zip(pair_moves) {
                    if !moves {
                        self.stand(*vertex, space);
                    }
                }
                extras_move.insert(*extra);
            }
        }
    }

    /// The corners of the node's triangles.
    pub(super) fn triangles(&self) -> impl Iterator<Item = [usize; 3]> + use<'a> {
        let all = self.file.geometry.triangles;
        let of_node = self.parts.triangles(self.node).iter();
        let triangles = of_node.filter_map(|index| all.get(*index as usize));
        triangles.map(|triangle| triangle.indices().map(|vertex| vertex as usize))
    }

    /// Has a vertex stand where it is, unless it is a member already.
    fn stand(&mut self, vertex: usize, space: Handedness) {
        if self.add(vertex)
            && let Some(vertex) = self.file.geometry.vertices.get(vertex)
        {
            self.still.push(space.vector(vertex.clean_position()));
        }
    }

    /// What levels of detail put between vertices that deform deforms with them.
    fn add_between(&mut self) {
        for (extra, pair) in self.parts.extras(self.node) {
            let [a, b] = pair.map(|vertex| self.slot(vertex));
            if let (Some(a), Some(b)) = (a, b)
                && self.add(*extra)
            {
                self.between.push([a, b]);
            }
        }
    }
}

/// What stands for a vertex that does not deform.
pub(in crate::lithtech) const NO_SLOT: u32 = u32::MAX;
