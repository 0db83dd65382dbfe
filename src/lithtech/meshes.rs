//! The meshes of levels of detail: one for all nodes that is skinned to them, or one for each node, as
//! those have that deform or whose surface is not plain.

use crate::lithtech::abc::{AbcFile, Vertex};
use crate::lithtech::deform::{Deforms, NO_SLOT};
use crate::lithtech::material::surface_flags;
use crate::lithtech::split_vertices::{Corner, Level, Shape};
use crate::lithtech::vertices::Vertices;
use crate::scene::is_near;
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
pub struct ConvertedMesh {
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

/// Whether each node has a mesh of its own even where there is a skinned one.
pub(super) fn own_meshes(file: &AbcFile<'_>, deforms: &Deforms) -> [bool; MOST_JOINTS] {
    let mut own = [false; MOST_JOINTS];
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
pub(super) struct Builder<'a> {
    file: &'a AbcFile<'a>,
    shape: &'a Shape,
    vertices: &'a Vertices,
    deforms: &'a Deforms,
    /// Whether each node has a mesh of its own.
    own: [bool; MOST_JOINTS],
    usage: RenderAssetUsages,
    /// For each corner of the shape, its vertex in the mesh that is being made.
    made: Vec<u32>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        file: &'a AbcFile<'a>,
        shape: &'a Shape,
        vertices: &'a Vertices,
        deforms: &'a Deforms,
        usage: RenderAssetUsages,
    ) -> Self {
        Self {
            file,
            shape,
            vertices,
            deforms,
            own: own_meshes(file, deforms),
            usage,
            made: vec![NONE; shape.corners.len()],
        }
    }

    /// The meshes of a level: one that is skinned to `joints`, and one for each node that deforms or whose
    /// surface is not plain. Without joints one for each node.
    ///
    /// What triangles have of other nodes stays as the model was built; no real model has such.
    pub(super) fn meshes(
        &mut self,
        level: &Level,
        joints: Option<&Joints>,
        nodes: &[Isometry3d],
    ) -> Vec<ConvertedMesh> {
        let mut skinned = Vec::new();
        let mut of_nodes = vec![Vec::new(); nodes.len().min(MOST_JOINTS)];
        for triangle in &level.triangles {
            let node = self.node(triangle);
            match of_nodes.get_mut(node) {
                Some(of_node) if joints.is_none() || self.own.get(node) == Some(&true) => {
                    of_node.push(*triangle);
                }
                _ => skinned.push(*triangle),
            }
        }
        let mut meshes: Vec<ConvertedMesh> = Vec::new();
        meshes.extend(joints.and_then(|joints| self.skinned(&skinned, joints)));
        for (node, (triangles, pose)) in of_nodes.iter().zip(nodes).enumerate() {
            meshes.extend(self.of_node(node, triangles, *pose));
        }
        meshes
    }

    fn deforms(&self, node: usize) -> bool {
        let mut nodes = self.deforms.nodes.iter();
        nodes.any(|deform| deform.node == node)
    }

    /// The node that a triangle is of.
    fn node(&self, [first, ..]: &[u32; 3]) -> usize {
        let corner = self.shape.corners.get(*first as usize);
        let vertex = corner.map(|corner| corner.vertex as usize);
        let vertex = vertex.and_then(|vertex| self.file.geometry.vertices.get(vertex));
        vertex.map_or(0, |vertex| vertex.node.into())
    }

    /// One mesh for all nodes; none without triangles.
    fn skinned(&mut self, triangles: &[[u32; 3]], joints: &Joints) -> Option<ConvertedMesh> {
        let arrays = self.arrays(triangles, Isometry3d::IDENTITY);
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

    /// The mesh of a node in its own space; none without triangles. That of one that deforms has in
    /// its second texture coordinates which of the node's deforming vertices each vertex is.
    fn of_node(
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
        let mut contents = arrays.mesh(Some(node), self.usage)?;
        if let Some(slots) = slots {
            contents.mesh.insert_attribute(Mesh::ATTRIBUTE_UV_1, slots);
        }
        Some(contents)
    }

    /// The place of a vertex among those that a node deforms.
    fn slot(&self, vertex: u32, node: usize) -> Option<u32> {
        let of = self.file.geometry.vertices.get(vertex as usize)?.node;
        let slot = self.deforms.slots.get(vertex as usize).copied();
        slot.filter(|slot| *slot != NO_SLOT && usize::from(of) == node)
    }

    /// The vertices that triangles need, moved, in the order in which they come.
    fn arrays(&mut self, triangles: &[[u32; 3]], moved: Isometry3d) -> Arrays {
        let mut indices = Vec::with_capacity(triangles.len() * 3);
        let mut used = Vec::new();
        for index in triangles.as_flattened() {
            let Some(made) = self.made.get_mut(*index as usize) else {
                continue;
            };
            if *made == NONE {
                *made = used.len() as u32;
                used.push(*index);
            }
            indices.push(*made);
        }
        for index in &used {
            if let Some(made) = self.made.get_mut(*index as usize) {
                *made = NONE;
            }
        }
        // Lists of a known length take no more room than they need.
        let corners = used
            .iter()
            .map(|index| self.shape.corners.get(*index as usize));
        let corner = |corner: Option<&Corner>| corner.copied().unwrap_or_default();
        let mut arrays = Arrays {
            vertices: corners.clone().map(|of| corner(of).vertex).collect(),
            uvs: corners.map(|of| corner(of).uv).collect(),
            indices,
            ..Arrays::default()
        };
        let Vertices { positions, normals } = self.vertices;
        let of = |all: &[Vec3], vertex: &u32| {
            let value = all.get(*vertex as usize);
            value.copied().unwrap_or_default()
        };
        let vertices = arrays.vertices.iter();
        let position = |vertex| {
            let position = Vec3::from(moved.transform_point(of(positions, vertex)));
            // A node may be as far away as numbers go.
            let position = if is_near(position) {
                position
            } else {
                Vec3::ZERO
            };
            position.to_array()
        };
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
    fn mesh(self, node: Option<usize>, usage: RenderAssetUsages) -> Option<ConvertedMesh> {
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
        Some(ConvertedMesh { node, mesh, bounds })
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
