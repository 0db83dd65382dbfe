//! Selects the vertices that the shader needs to draw a node with vertex animation, and lists the triangles at each of
//! them, from which the shader computes normals.

use crate::formats::lithtech::convert::handedness::Handedness;
use bevy::math::Vec3;
use classic_model_formats::abc::{AbcFile, Geometry};
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

/// Maximum count of nodes with vertices: the file stores a vertex's node in one byte.
const MAX_NODES: usize = 256;

/// The triangles and LOD vertices of each node, so that no node needs a search through all of them.
pub(crate) struct NodeParts {
    /// For each node, ascending indices of the triangles with at least one corner of the node.
    triangles: Vec<Vec<u32>>,
    /// For each node, the vertices that LODs add to it, in order: each with the two vertices that it replaces.
    lod_vertices: Vec<Vec<(usize, [usize; 2])>>,
}

impl NodeParts {
    pub(crate) fn new(geometry: &Geometry<'_>) -> Self {
        let mut parts = Self {
            triangles: vec![Vec::new(); MAX_NODES],
            lod_vertices: vec![Vec::new(); MAX_NODES],
        };
        let node = |vertex: u32| {
            let vertex = geometry.vertices.get(vertex as usize);
            vertex.map_or(0, |vertex| usize::from(vertex.node))
        };
        for (index, triangle) in (0..).zip(geometry.triangles) {
            for node in triangle.indices().map(node) {
                if let Some(triangles) = parts.triangles.get_mut(node)
                    && triangles.last() != Some(&index)
                {
                    triangles.push(index);
                }
            }
        }
        for (index, vertex, pair) in geometry.lod_vertices() {
            if let Some(lod_vertices) = parts.lod_vertices.get_mut(usize::from(vertex.node)) {
                lod_vertices.push((index, pair));
            }
        }
        parts
    }

    pub(crate) fn triangles(&self, node: usize) -> &[u32] {
        self.triangles.get(node).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn lod_vertices(&self, node: usize) -> &[(usize, [usize; 2])] {
        self.lod_vertices.get(node).map_or(&[], Vec::as_slice)
    }
}

/// Maximum count of triangles per vertex, which limits the shader's time. Vertices of real models have about twelve.
const MAX_TRIANGLES: usize = 24;

/// Maximum count of triangles that a LOD's vertex takes from each of the two vertices that it is between.
const MAX_TRIANGLES_OF_PAIR: usize = 4;

/// Makes the entries of [`ConvertedDeform::vertex_adjacency`].
///
/// [`ConvertedDeform::vertex_adjacency`]: crate::lithtech::ConvertedDeform::vertex_adjacency
pub(crate) fn build_adjacency(
    handedness: Handedness,
    deformed: &DeformedVertices<'_>,
) -> Vec<[u16; 4]> {
    let triangles = triangles(handedness, deformed);
    let mut counts = vec![0_usize; deformed.count()];
    for slot in triangles.as_flattened() {
        if let Some(count) = counts.get_mut(usize::from(*slot)) {
            *count = (*count + 1).min(MAX_TRIANGLES);
        }
    }
    for (index, pair) in deformed.between.iter().enumerate() {
        let taken = |slot: usize| {
            counts
                .get(slot)
                .copied()
                .unwrap_or(0)
                .min(MAX_TRIANGLES_OF_PAIR)
        };
        let count = pair.map(taken).iter().sum();
        let slot = deformed.stored.len() + deformed.fixed.len() + index;
        if let Some(own) = counts.get_mut(slot) {
            *own = count;
        }
    }
    let mut firsts = Vec::with_capacity(counts.len());
    let mut end = counts.len();
    let mut entries = Vec::with_capacity(end + counts.iter().sum::<usize>());
    for count in &counts {
        entries.push([end as u16, (end >> 16) as u16, *count as u16, 0]);
        firsts.push(end);
        end += count;
    }
    entries.resize(end, [0; 4]);
    fill(&mut entries, &firsts, &triangles);
    fill_lod_vertices(&mut entries, &firsts, &counts, deformed);
    entries
}

/// The triangles of the full model whose corners are all deformed vertices, as indices into the deformed vertices.
fn triangles(handedness: Handedness, deformed: &DeformedVertices<'_>) -> Vec<[u16; 3]> {
    let corners = deformed.triangles().filter_map(|corners| {
        let slot = |vertex: usize| deformed.slot(vertex)?.try_into().ok();
        let [a, b, c]: [Option<u16>; 3] = handedness.corners(corners).map(slot);
        Some([a?, b?, c?])
    });
    corners.collect()
}

/// Writes each triangle to the entries of its corners.
fn fill(entries: &mut [[u16; 4]], firsts: &[usize], triangles: &[[u16; 3]]) {
    let mut filled = vec![0_usize; firsts.len()];
    for [a, b, c] in triangles {
        for slot in [a, b, c].map(|slot| usize::from(*slot)) {
            let (Some(filled), Some(first)) = (filled.get_mut(slot), firsts.get(slot)) else {
                continue;
            };
            if *filled < MAX_TRIANGLES
                && let Some(entry) = entries.get_mut(first + *filled)
            {
                *entry = [*a, *b, *c, 0];
                *filled += 1;
            }
        }
    }
}

/// Gives each LOD vertex the triangles of the two vertices that it is between.
fn fill_lod_vertices(
    entries: &mut [[u16; 4]],
    firsts: &[usize],
    counts: &[usize],
    deformed: &DeformedVertices<'_>,
) {
    for (index, pair) in deformed.between.iter().enumerate() {
        let slot = deformed.stored.len() + deformed.fixed.len() + index;
        let Some(mut end) = firsts.get(slot).copied() else {
            continue;
        };
        for source in pair {
            let (Some(from), Some(count)) = (firsts.get(*source), counts.get(*source)) else {
                continue;
            };
            let count = (*count).min(MAX_TRIANGLES_OF_PAIR);
            if end + count <= entries.len() && from + count <= entries.len() {
                entries.copy_within(*from..from + count, end);
                end += count;
            }
        }
    }
}
