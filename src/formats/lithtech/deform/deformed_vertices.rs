//! Selects the vertices that the shader needs to draw a node with vertex animation.

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::formats::lithtech::deform::parts::NodeParts;
use bevy::math::Vec3;
use classic_model_formats::abc::AbcFile;
use std::collections::HashSet;

/// The deformed vertices of a node. Their indices in this list are called slots.
///
/// First come the vertices that the keyframes move, then their neighbors that don't move, then the vertices that levels
/// of detail (LODs) add between two of these. Vertices of other nodes are in other spaces and not part of the list.
pub(crate) struct DeformedVertices<'a> {
    file: &'a AbcFile<'a>,
    parts: &'a NodeParts,
    node: usize,
    /// For each vertex that the keyframes move, its index in the node's `deform_vertices`.
    pub(crate) stored: Vec<usize>,
    /// Positions of the vertices that don't move.
    pub(crate) fixed: Vec<Vec3>,
    /// For each vertex that a LOD adds, the slots of the two vertices that it is between. Both are smaller than its
    /// own.
    pub(crate) between: Vec<[usize; 2]>,
    /// For each vertex of the file, its slot in its own node's list, or [`NO_SLOT`].
    slots: &'a mut [u32],
}

impl<'a> DeformedVertices<'a> {
    pub(crate) fn new(
        file: &'a AbcFile<'a>,
        parts: &'a NodeParts,
        (handedness, node): (Handedness, usize),
        slots: &'a mut [u32],
    ) -> Self {
        let mut deformed = Self {
            file,
            parts,
            node,
            stored: Vec::new(),
            fixed: Vec::new(),
            between: Vec::new(),
            slots,
        };
        deformed.add_stored();
        deformed.add_fixed_neighbors(handedness);
        deformed.add_between();
        deformed
    }

    pub(crate) fn count(&self) -> usize {
        self.stored.len() + self.fixed.len() + self.between.len()
    }

    /// The slot of a vertex of the file; `None` if it is not in the list.
    pub(crate) fn slot(&self, vertex: usize) -> Option<usize> {
        let slot = self.slots.get(vertex).filter(|slot| **slot != NO_SLOT)?;
        self.is_own(vertex).then_some(*slot as usize)
    }

    fn is_own(&self, vertex: usize) -> bool {
        let vertex = self.file.geometry.vertices.get(vertex);
        vertex.is_some_and(|vertex| usize::from(vertex.node) == self.node)
    }

    /// Gives a vertex the next slot unless it has one or belongs to another node. Returns whether it was added.
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
        for (index, vertex) in listed.iter().enumerate() {
            let vertex = vertex.get().into();
            if self.add(vertex) {
                self.stored.push(index);
            } else if let Some(slot) = self.slot(vertex)
                && let Some(stored) = self.stored.get_mut(slot)
            {
                // If a vertex is listed several times, the last entry counts.
                *stored = index;
            }
        }
    }

    /// Adds vertices that share a triangle or a LOD's vertex with a moving vertex. Real models have hardly any.
    fn add_fixed_neighbors(&mut self, handedness: Handedness) {
        let stored = self.stored.len();
        if stored == 0 {
            return;
        }
        let moves =
            |deformed: &Self, vertex| deformed.slot(vertex).is_some_and(|slot| slot < stored);
        for corners in self.triangles() {
            if corners.iter().any(|vertex| moves(self, *vertex)) {
                corners
                    .iter()
                    .for_each(|vertex| self.add_fixed(*vertex, handedness));
            }
        }
        let mut moving_lod_vertices = HashSet::new();
        for (lod_vertex, pair) in self.parts.lod_vertices(self.node) {
            let pair_moves =
                pair.map(|vertex| moves(self, vertex) || moving_lod_vertices.contains(&vertex));
            if pair_moves.contains(&true) {
                for (vertex, moves) in pair.iter().zip(pair_moves) {
                    if !moves {
                        self.add_fixed(*vertex, handedness);
                    }
                }
                moving_lod_vertices.insert(*lod_vertex);
            }
        }
    }

    /// The triangles with a corner of the node, as indices of the file's vertices.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [usize; 3]> + use<'a> {
        let all = self.file.geometry.triangles;
        let node_triangles = self.parts.triangles(self.node).iter();
        let triangles = node_triangles.filter_map(|index| all.get(*index as usize));
        triangles.map(|triangle| triangle.indices().map(|vertex| vertex as usize))
    }

    /// Adds a vertex that doesn't move, unless it is in the list.
    fn add_fixed(&mut self, vertex: usize, handedness: Handedness) {
        if self.add(vertex)
            && let Some(vertex) = self.file.geometry.vertices.get(vertex)
        {
            self.fixed.push(handedness.vector(vertex.clean_position()));
        }
    }

    /// Adds the LODs' vertices between two vertices of the list, which move with them.
    fn add_between(&mut self) {
        for (lod_vertex, pair) in self.parts.lod_vertices(self.node) {
            let [a, b] = pair.map(|vertex| self.slot(vertex));
            if let (Some(a), Some(b)) = (a, b)
                && self.add(*lod_vertex)
            {
                self.between.push([a, b]);
            }
        }
    }
}

/// The slot of a vertex that does not deform.
pub(crate) const NO_SLOT: u32 = u32::MAX;
