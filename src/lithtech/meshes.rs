//! The meshes of levels of detail: one for all nodes that is skinned to them, or one for each node.

use crate::lithtech::abc::{AbcFile, Vertex};
use crate::lithtech::shape::{Level, Shape};
use crate::lithtech::vertices::Vertices;
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Isometry3d, Vec3, Vec3A};
use bevy::mesh::skinning::{JointAabb, JointIndex, SkinnedMeshBounds};
use bevy::mesh::{Indices, Mesh, PrimitiveTopology, VertexAttributeValues};

/// Nodes that vertices can follow: the file has a byte for that.
const MOST_JOINTS: usize = 256;

/// Where no vertex is.
const NONE: u32 = u32::MAX;

/// A mesh of a level of detail.
#[derive(Clone, Debug)]
pub struct MeshContents {
    /// Index of the node in whose space it is; `None` if it is skinned, and in the model's.
    pub node: Option<usize>,
    /// The mesh.
    pub mesh: Mesh,
    /// The box around its vertices as the model was built.
    pub bounds: Aabb3d,
}

/// Nodes that vertices follow, numbered as the joints of a skinned mesh.
#[derive(Clone, Debug)]
pub(super) struct Joints {
    /// Index of the node of each joint.
    pub(super) nodes: Vec<usize>,
    /// The joint of each node.
    joints: [u16; MOST_JOINTS],
}

impl Joints {
    pub(super) fn of(vertices: &[Vertex]) -> Self {
        let mut is_used = [false; MOST_JOINTS];
        for vertex in vertices {
            if let Some(is_used) = is_used.get_mut(usize::from(vertex.node)) {
                *is_used = true;
            }
        }
        let mut nodes = Vec::new();
        let mut joints = [0; MOST_JOINTS];
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

/// Makes the meshes of a model.
pub(super) struct Builder<'a> {
    pub(super) file: &'a AbcFile<'a>,
    shape: &'a Shape,
    vertices: &'a Vertices,
    usage: RenderAssetUsages,
    /// For each corner of the shape, its vertex in the mesh that is being made.
    made: Vec<u32>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        file: &'a AbcFile<'a>,
        shape: &'a Shape,
        vertices: &'a Vertices,
        usage: RenderAssetUsages,
    ) -> Self {
        Self {
            file,
            shape,
            vertices,
            usage,
            made: vec![NONE; shape.corners.len()],
        }
    }

    /// One mesh for all nodes; none without triangles.
    pub(super) fn skinned(&mut self, level: &Level, joints: &Joints) -> Option<MeshContents> {
        let arrays = self.arrays(&level.triangles, Isometry3d::IDENTITY);
        let of_vertex = |vertex: &u32| {
            let vertex = self.file.geometry.vertices.get(*vertex as usize);
            vertex.map_or(0, |vertex| joints.joint(vertex.node))
        };
        let of_vertices: Vec<u16> = arrays.vertices.iter().map(of_vertex).collect();
        let bounds = skinned_bounds(&arrays.positions, &of_vertices);
        let mut contents = arrays.mesh(None, self.usage)?;
        let mesh = &mut contents.mesh;
        let weights = vec![[1.0_f32, 0.0, 0.0, 0.0]; of_vertices.len()];
        let joints = of_vertices.into_iter().map(|joint| [joint, 0, 0, 0]);
        let joints = VertexAttributeValues::Uint16x4(joints.collect());
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints);
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights);
        mesh.set_skinned_mesh_bounds(Some(bounds));
        Some(contents)
    }

    /// A mesh for each node that has triangles. What triangles have of other nodes stays as the model
    /// was built; no real model has such.
    pub(super) fn rigid(&mut self, level: &Level, nodes: &[Isometry3d]) -> Vec<MeshContents> {
        let mut of_nodes = vec![Vec::new(); nodes.len().min(MOST_JOINTS)];
        for triangle in &level.triangles {
            let [first, ..] = *triangle;
            let corner = self.shape.corners.get(first as usize);
            let vertex =
                corner.and_then(|corner| self.file.geometry.vertices.get(corner.vertex as usize));
            let of_node = vertex.and_then(|vertex| of_nodes.get_mut(usize::from(vertex.node)));
            if let Some(of_node) = of_node {
                of_node.push(*triangle);
            }
        }
        let of_nodes = of_nodes.iter().zip(nodes).enumerate();
        of_nodes
            .filter_map(|(node, (triangles, pose))| {
                let arrays = self.arrays(triangles, pose.inverse());
                arrays.mesh(Some(node), self.usage)
            })
            .collect()
    }

    /// The vertices that triangles need, moved, in the order in which they come.
    fn arrays(&mut self, triangles: &[[u32; 3]], moved: Isometry3d) -> Arrays {
        let mut arrays = Arrays::default();
        let mut corners = Vec::new();
        arrays.indices.reserve_exact(triangles.len() * 3);
        for index in triangles.as_flattened() {
            let (Some(corner), Some(made)) = (
                self.shape.corners.get(*index as usize),
                self.made.get_mut(*index as usize),
            ) else {
                continue;
            };
            if *made == NONE {
                *made = corners.len() as u32;
                corners.push(*index);
                arrays.vertices.push(corner.vertex);
                arrays.uvs.push(corner.uv);
            }
            arrays.indices.push(*made);
        }
        for index in corners {
            if let Some(made) = self.made.get_mut(index as usize) {
                *made = NONE;
            }
        }
        let Vertices { positions, normals } = self.vertices;
        let of = |all: &[Vec3], vertex: &u32| {
            let value = all.get(*vertex as usize);
            value.copied().unwrap_or_default()
        };
        let vertices = arrays.vertices.iter();
        let position = |vertex| moved.transform_point(of(positions, vertex)).into();
        arrays.positions = vertices.clone().map(position).collect();
        let normal = |vertex| (moved.rotation * of(normals, vertex)).to_array();
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
    /// The mesh; none without triangles.
    fn mesh(self, node: Option<usize>, usage: RenderAssetUsages) -> Option<MeshContents> {
        let bounds = around(&self.positions)?;
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
        Some(MeshContents { node, mesh, bounds })
    }
}

/// The box around some positions; none if there are none.
fn around(positions: &[[f32; 3]]) -> Option<Aabb3d> {
    let mut positions = positions.iter().copied().map(Vec3A::from_array);
    let first = positions.next()?;
    let (min, max) = positions.fold((first, first), |(min, max), position| {
        (min.min(position), max.max(position))
    });
    Some(Aabb3d { min, max })
}

/// The box around what follows each joint, as Bevy would find it out, in less time.
fn skinned_bounds(positions: &[[f32; 3]], joints: &[u16]) -> SkinnedMeshBounds {
    let mut boxes: [Option<(Vec3, Vec3)>; MOST_JOINTS] = [None; MOST_JOINTS];
    for (position, joint) in positions.iter().zip(joints) {
        let position = Vec3::from_array(*position);
        if let Some(bounds) = boxes.get_mut(usize::from(*joint)) {
            let (min, max) = bounds.unwrap_or((position, position));
            *bounds = Some((min.min(position), max.max(position)));
        }
    }
    let mut bounds = SkinnedMeshBounds::default();
    for (joint, corners) in (0..).zip(boxes) {
        if let Some((min, max)) = corners {
            bounds.aabbs.push(JointAabb {
                center: (min + max) / 2.0,
                half_size: (max - min) / 2.0,
            });
            bounds.aabb_index_to_joint_index.push(JointIndex(joint));
        }
    }
    bounds
}
