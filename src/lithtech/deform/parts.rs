//! Which triangles and which vertices of levels of detail are of which node.

use crate::lithtech::abc::Geometry;

/// Nodes that vertices can follow: the file has a byte for that.
const MOST_NODES: usize = 256;

/// The parts of a model by their nodes, so that nobody has to look through all of them for each.
pub(super) struct Parts {
    /// For each node the triangles that have a corner of it, in order.
    triangles: Vec<Vec<u32>>,
    /// For each node what levels of detail add to it, in order: the vertex and the two that it replaces.
    extras: Vec<Vec<(usize, [usize; 2])>>,
}

impl Parts {
    pub(super) fn new(geometry: &Geometry<'_>) -> Self {
        let mut parts = Self {
            triangles: vec![Vec::new(); MOST_NODES],
            extras: vec![Vec::new(); MOST_NODES],
        };
        let node = |vertex: u32| {
            let vertex = geometry.vertices.get(vertex as usize);
            vertex.map_or(0, |vertex| usize::from(vertex.node))
        };
        for (index, triangle) in (0..).zip(geometry.triangles) {
            for of in triangle.indices().map(node) {
                if let Some(triangles) = parts.triangles.get_mut(of)
                    && triangles.last() != Some(&index)
                {
                    triangles.push(index);
                }
            }
        }
        for (index, vertex, pair) in geometry.lod_vertices() {
            if let Some(extras) = parts.extras.get_mut(usize::from(vertex.node)) {
                extras.push((index, pair));
            }
        }
        parts
    }

    pub(super) fn triangles(&self, node: usize) -> &[u32] {
        self.triangles.get(node).map_or(&[], Vec::as_slice)
    }

    pub(super) fn extras(&self, node: usize) -> &[(usize, [usize; 2])] {
        self.extras.get(node).map_or(&[], Vec::as_slice)
    }
}
