//! Groups triangles and the vertices of levels of detail (LODs) by node.

use classic_model_formats::abc::Geometry;

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
