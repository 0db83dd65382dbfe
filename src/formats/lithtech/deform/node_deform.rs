//! The vertex animation of a node on the CPU, for crowds.

use crate::crowd::deformed::PosedVertex;
use crate::formats::lithtech::asset::AbcDeformInfo;
use crate::formats::lithtech::deform::mean_normal;
use crate::formats::lithtech::materials::material::AbcDeformUniform;
use crate::gpu::pose_table::PosePair;
use bevy::prelude::*;

/// The vertex animation of a node, copied from its data textures.
#[derive(Clone, Debug)]
pub(crate) struct NodeDeform {
    pub(crate) node: usize,
    uniform: AbcDeformUniform,
    texels: Box<[u8]>,
    vertex_adjacency: Box<[u8]>,
    /// The normals of vertices whose triangles have none.
    pub(crate) mesh_normals: Vec<Vec3>,
}

impl NodeDeform {
    /// `None` if the data textures are not in the main world.
    pub(crate) fn new(info: &AbcDeformInfo, images: &Assets<Image>) -> Option<Self> {
        let data = |image: &Handle<Image>| images.get(image)?.data.as_ref();
        Some(Self {
            node: info.node,
            uniform: info.uniform,
            texels: data(&info.poses)?.as_slice().into(),
            vertex_adjacency: data(&info.vertex_adjacency)?.as_slice().into(),
            mesh_normals: vec![Vec3::Z; info.uniform.vertex_count as usize],
        })
    }

    /// The count of its vertices.
    pub(crate) fn count(&self) -> usize {
        self.mesh_normals.len()
    }

    /// Writes the positions of all vertices in the node's space, and their normals if they are needed, as the shader of a
    /// scene computes them.
    pub(crate) fn pose(&self, shown: PosePair, needs_normals: bool, vertices: &mut [PosedVertex]) {
        for (index, vertex) in (0..).zip(vertices.iter_mut()) {
            let position = self.uniform.position(&self.texels, shown, index);
            vertex.position = position.unwrap_or(self.uniform.origin);
        }
        if !needs_normals {
            return;
        }
        for (index, mesh_normal) in self.mesh_normals.iter().enumerate() {
            let position = |vertex: u32| Some(vertices.get(vertex as usize)?.position);
            let normal = mean_normal(&self.vertex_adjacency, index as u32, position).flatten();
            if let Some(vertex) = vertices.get_mut(index) {
                vertex.normal = normal.unwrap_or(*mesh_normal);
            }
        }
    }
}
