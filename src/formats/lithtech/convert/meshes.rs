//! Makes the meshes of levels of detail (LODs).
//!
//! A LOD has one mesh that is skinned to all nodes, or one mesh per node. Nodes that deform or have
//! [`surface_flags`] always have their own mesh.

use crate::formats::lithtech::convert::lods::{Corner, Level, SplitVertices};
use crate::formats::lithtech::convert::vertices::Vertices;
use crate::formats::lithtech::deform::Deforms;
use crate::formats::lithtech::deform::deformed_vertices::NO_SLOT;
use crate::formats::lithtech::materials::material::surface_flags;
use crate::geometry::vertices::{NO_POINTS, expanded, is_position_in_range, skinned_bounds};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use classic_model_formats::abc::{AbcFile, Vertex};

/// Maximum count of nodes with vertices: the file stores a vertex's node in one byte.
const MAX_JOINTS: usize = 256;

/// Marks a corner that is not yet in the mesh.
const NONE: u32 = u32::MAX;

/// A mesh of a level of detail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedMesh {
    /// Index of the node whose space the vertices are in. `None` for the skinned mesh, which is in model space.
    pub node: Option<usize>,
    /// The mesh.
    pub mesh: Mesh,
    /// Bounding box of the vertices in the bind pose, in the same space.
    pub bounds: Aabb3d,
}

/// The nodes that have vertices, numbered as the joints of a skinned mesh.
#[derive(Clone, Debug)]
pub(crate) struct Joints {
    /// Index of the node of each joint.
    pub(crate) nodes: Vec<usize>,
    /// Joint index of each node.
    joints: [u16; MAX_JOINTS],
}

impl Joints {
    pub(crate) fn new(vertices: &[Vertex]) -> Self {
        let mut is_used = [false; MAX_JOINTS];
        for vertex in vertices {
            if let Some(is_used) = is_used.get_mut(usize::from(vertex.node)) {
                *is_used = true;
            }
        }
        let mut nodes = Vec::new();
        let mut joints = [0; MAX_JOINTS];
        let used = is_used.iter().zip(&mut joints).enumerate();
        for (node, (_, joint)) in used.filter(|(_, (is_used, _))| **is_used) {
            *joint = nodes.len() as u16;
            nodes.push(node);
        }
        Self { nodes, joints }
    }

    fn joint(&self, node: u8) -> u16 {
        self.joints.get(usize::from(node)).copied().unwrap_or(0)
    }
}

/// Whether each node needs its own mesh in addition to the skinned one.
pub(crate) fn nodes_with_own_mesh(file: &AbcFile<'_>, deforms: &Deforms) -> [bool; MAX_JOINTS] {
    let mut own = [false; MAX_JOINTS];
    for (own, node) in own.iter_mut().zip(&file.nodes) {
        *own = surface_flags(node.flags) != 0;
    }
    for deform in &deforms.nodes {
        if let Some(own) = own.get_mut(deform.node) {
            *own = true;
        }
    }
    own
}

/// Makes the meshes of a model.
pub(crate) struct Builder<'a> {
    file: &'a AbcFile<'a>,
    split: &'a SplitVertices,
    vertices: &'a Vertices,
    deforms: &'a Deforms,
    /// Whether each node needs its own mesh.
    own: [bool; MAX_JOINTS],
    usage: RenderAssetUsages,
    /// The boxes of the vertices of each joint, at the level and those that are finer: rays hit the finest whichever is drawn.
    joint_boxes: [[[f32; 3]; 2]; MAX_JOINTS],
    /// For each corner of `split`, its index in the current mesh, or [`NONE`].
    mesh_indices: Vec<u32>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        file: &'a AbcFile<'a>,
        split: &'a SplitVertices,
        vertices: &'a Vertices,
        deforms: &'a Deforms,
        usage: RenderAssetUsages,
    ) -> Self {
        Self {
            file,
            split,
            vertices,
            deforms,
            own: nodes_with_own_mesh(file, deforms),
            usage,
            joint_boxes: [NO_POINTS; MAX_JOINTS],
            mesh_indices: vec![NONE; split.corners.len()],
        }
    }

    /// Makes the meshes of a LOD: one that is skinned to `joints`, and one for each node that needs its own. Without
    /// `joints`, one for each node. `nodes` are the bind poses.
    ///
    /// A triangle belongs to the node of its first corner. In a node's mesh, corners of other nodes keep their bind
    /// pose; no real model has such triangles.
    pub(crate) fn meshes(
        &mut self,
        level: &Level,
        joints: Option<&Joints>,
        nodes: &[Isometry3d],
    ) -> Vec<ConvertedMesh> {
        let mut skinned = Vec::new();
        let mut node_triangles = vec![Vec::new(); nodes.len().min(MAX_JOINTS)];
        for triangle in &level.triangles {
            let node = self.node(triangle);
            match node_triangles.get_mut(node) {
                Some(triangles) if joints.is_none() || self.own.get(node) == Some(&true) => {
                    triangles.push(*triangle);
                }
                _ => skinned.push(*triangle),
            }
        }
        let mut meshes: Vec<ConvertedMesh> = Vec::new();
        meshes.extend(joints.and_then(|joints| self.skinned(&skinned, joints)));
        for (node, (triangles, pose)) in node_triangles.iter().zip(nodes).enumerate() {
            meshes.extend(self.node_mesh(node, triangles, *pose));
        }
        meshes
    }

    fn deforms(&self, node: usize) -> bool {
        let mut nodes = self.deforms.nodes.iter();
        nodes.any(|deform| deform.node == node)
    }

    /// The node of a triangle's first corner.
    fn node(&self, [first, ..]: &[u32; 3]) -> usize {
        let corner = self.split.corners.get(*first as usize);
        let vertex = corner.map(|corner| corner.vertex as usize);
        let vertex = vertex.and_then(|vertex| self.file.geometry.vertices.get(vertex));
        vertex.map_or(0, |vertex| vertex.node.into())
    }

    /// Makes the skinned mesh; `None` without triangles.
    fn skinned(&mut self, triangles: &[[u32; 3]], joints: &Joints) -> Option<ConvertedMesh> {
        let arrays = self.arrays(triangles, Isometry3d::IDENTITY);
        let joint = |vertex: &u32| {
            let vertex = self.file.geometry.vertices.get(*vertex as usize);
            vertex.map_or(0, |vertex| joints.joint(vertex.node))
        };
        let vertex_joints: Vec<u16> = arrays.vertices.iter().map(joint).collect();
        // The same as Bevy's own computation, but faster.
        for (position, joint) in arrays.positions.iter().zip(&vertex_joints) {
            if let Some(bounds) = self.joint_boxes.get_mut(usize::from(*joint)) {
                *bounds = expanded(*bounds, position);
            }
        }
        let bounds = skinned_bounds(self.joint_boxes);
        let mut converted = arrays.mesh(None, self.usage)?;
        let mesh = &mut converted.mesh;
        let weights = vec![[1.0_f32, 0.0, 0.0, 0.0]; vertex_joints.len()];
        let joints = vertex_joints.into_iter().map(|joint| [joint, 0, 0, 0]);
        let joints = VertexAttributeValues::Uint16x4(joints.collect());
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints);
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights);
        mesh.set_skinned_mesh_bounds(Some(bounds));
        Some(converted)
    }

    /// Makes the mesh of a node in the node's space; `None` without triangles.
    ///
    /// If the node deforms, `UV_1.x` is each vertex's index in [`ConvertedDeform`], or −1 for a vertex that doesn't
    /// deform.
    ///
    /// [`ConvertedDeform`]: crate::lithtech::ConvertedDeform
    fn node_mesh(
        &mut self,
        node: usize,
        triangles: &[[u32; 3]],
        pose: Isometry3d,
    ) -> Option<ConvertedMesh> {
        let arrays = self.arrays(triangles, pose.inverse());
        let slots = self.deforms(node).then(|| {
            let slot = |vertex: &u32| self.slot(*vertex, node);
            let slot = |vertex| [slot(vertex).map_or(-1.0, |slot| slot as f32), 0.0];
            arrays.vertices.iter().map(slot).collect::<Vec<_>>()
        });
        let mut converted = arrays.mesh(Some(node), self.usage)?;
        if let Some(slots) = slots {
            converted.mesh.insert_attribute(Mesh::ATTRIBUTE_UV_1, slots);
        }
        Some(converted)
    }

    /// The index of a vertex among the deformed vertices of a node.
    fn slot(&self, vertex: u32, node: usize) -> Option<u32> {
        let vertex_node = self.file.geometry.vertices.get(vertex as usize)?.node;
        let slot = self.deforms.slots.get(vertex as usize).copied();
        slot.filter(|slot| *slot != NO_SLOT && usize::from(vertex_node) == node)
    }

    /// Collects the vertices of triangles in order of first use, transformed by `transform`.
    fn arrays(&mut self, triangles: &[[u32; 3]], transform: Isometry3d) -> Arrays {
        let mut indices = Vec::with_capacity(triangles.len() * 3);
        let mut used = Vec::new();
        for index in triangles.as_flattened() {
            let Some(mesh_index) = self.mesh_indices.get_mut(*index as usize) else {
                continue;
            };
            if *mesh_index == NONE {
                *mesh_index = used.len() as u32;
                used.push(*index);
            }
            indices.push(*mesh_index);
        }
        for index in &used {
            if let Some(mesh_index) = self.mesh_indices.get_mut(*index as usize) {
                *mesh_index = NONE;
            }
        }
        // Iterators of known length allocate exactly.
        let corners = used
            .iter()
            .map(|index| self.split.corners.get(*index as usize));
        let corner = |corner: Option<&Corner>| corner.copied().unwrap_or_default();
        let mut arrays = Arrays {
            vertices: corners.clone().map(|found| corner(found).vertex).collect(),
            uvs: corners.map(|found| corner(found).uv).collect(),
            indices,
            ..Arrays::default()
        };
        let Vertices { positions, normals } = self.vertices;
        let vector = |vectors: &[Vec3], vertex: &u32| {
            let value = vectors.get(*vertex as usize);
            value.copied().unwrap_or_default()
        };
        let vertices = arrays.vertices.iter();
        let position = |vertex| {
            let position = Vec3::from(transform.transform_point(vector(positions, vertex)));
            // A node's position may be near the limits of `f32`.
            let position = if is_position_in_range(position) {
                position
            } else {
                Vec3::ZERO
            };
            position.to_array()
        };
        arrays.positions = vertices.clone().map(position).collect();
        let normal = |vertex| (transform.rotation * vector(normals, vertex)).to_array();
        arrays.normals = vertices.map(normal).collect();
        arrays
    }
}

/// The attributes of a mesh.
#[derive(Default)]
struct Arrays {
    /// Index of each vertex in the file.
    vertices: Vec<u32>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl Arrays {
    /// The mesh; `None` without triangles.
    fn mesh(self, node: Option<usize>, usage: RenderAssetUsages) -> Option<ConvertedMesh> {
        let bounds = bounding_box(&self.positions)?;
        let indices = if self.positions.len() <= usize::from(u16::MAX) {
            Indices::U16(self.indices.iter().map(|index| *index as u16).collect())
        } else {
            Indices::U32(self.indices)
        };
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, usage)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals)
            .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, self.uvs)
            .with_inserted_indices(indices);
        Some(ConvertedMesh { node, mesh, bounds })
    }
}

/// The bounding box of positions; `None` if there are none.
fn bounding_box(positions: &[[f32; 3]]) -> Option<Aabb3d> {
    let mut positions = positions.iter().copied().map(Vec3A::from_array);
    let first = positions.next()?;
    let (min, max) = positions.fold((first, first), |(min, max), position| {
        (min.min(position), max.max(position))
    });
    Some(Aabb3d { min, max })
}
