//! Merges the sub-meshes of a model that are drawn with one material.

use crate::crowd::mesh::joints::{CrowdJoints, VertexJoints};
use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, Mesh, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues};

/// The optional attributes of a mesh that change how it is drawn. Only meshes with the same attributes are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AttributeSet {
    second_uvs: bool,
    tangents: bool,
    colors: bool,
}

impl AttributeSet {
    /// The same set without the second texture coordinates.
    pub(crate) fn without_second_uvs(self) -> Self {
        Self {
            second_uvs: false,
            ..self
        }
    }

    /// `None` if the mesh is not in the main world.
    pub(crate) fn of(mesh: &Mesh) -> Option<Self> {
        mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let has = |attribute| mesh.try_attribute(attribute).is_ok();
        Some(Self {
            second_uvs: has(Mesh::ATTRIBUTE_UV_1),
            tangents: has(Mesh::ATTRIBUTE_TANGENT),
            colors: has(Mesh::ATTRIBUTE_COLOR),
        })
    }
}

/// Sub-meshes merged to one mesh. Vertices stay in the space of their joints.
#[derive(Default)]
pub(crate) struct MergedMesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    second_uvs: Vec<[f32; 2]>,
    tangents: Vec<[f32; 4]>,
    colors: Vec<[f32; 4]>,
    indices: Vec<u32>,
    joints: CrowdJoints,
}

/// Adds the values of an attribute, if the mesh has it.
macro_rules! add {
    ($values:expr, $mesh:expr, $attribute:ident, $format:ident) => {
        if let Ok(VertexAttributeValues::$format(values)) = $mesh.try_attribute(Mesh::$attribute) {
            $values.extend(values);
        }
    };
}

impl MergedMesh {
    /// Adds a sub-mesh. All must have the same [`AttributeSet`]. `visibility` is the index of the bit that decides
    /// whether it is visible. A mesh without triangles or joints is skipped.
    pub(crate) fn add(&mut self, mesh: &Mesh, joints: &VertexJoints, visibility: u32) {
        let (first, count) = (self.positions.len() as u32, mesh.count_vertices());
        let Ok(indices) = mesh.try_indices() else {
            return;
        };
        if !self.joints.add(mesh, count, joints, visibility) {
            return;
        }
        add!(self.positions, mesh, ATTRIBUTE_POSITION, Float32x3);
        add!(self.normals, mesh, ATTRIBUTE_NORMAL, Float32x3);
        add!(self.uvs, mesh, ATTRIBUTE_UV_0, Float32x2);
        if !joints.use_second_uvs() {
            add!(self.second_uvs, mesh, ATTRIBUTE_UV_1, Float32x2);
        }
        add!(self.tangents, mesh, ATTRIBUTE_TANGENT, Float32x4);
        add!(self.colors, mesh, ATTRIBUTE_COLOR, Float32x4);
        let indices = indices.iter().map(|index| first + index as u32);
        self.indices.extend(indices);
    }

    /// The mesh. It is only kept in the render world.
    pub(crate) fn build(self) -> Mesh {
        let usage = RenderAssetUsages::RENDER_WORLD;
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usage);
        let count = self.positions.len();
        mesh.insert_indices(match u16::try_from(count) {
            Ok(_) => Indices::U16(self.indices.into_iter().map(|index| index as u16).collect()),
            Err(_) => Indices::U32(self.indices),
        });
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        let mut insert = |attribute: MeshVertexAttribute, values: VertexAttributeValues| {
            if values.len() == count {
                mesh.insert_attribute(attribute, values);
            }
        };
        insert(Mesh::ATTRIBUTE_NORMAL, self.normals.into());
        insert(Mesh::ATTRIBUTE_UV_0, self.uvs.into());
        insert(Mesh::ATTRIBUTE_UV_1, self.second_uvs.into());
        insert(Mesh::ATTRIBUTE_TANGENT, self.tangents.into());
        insert(Mesh::ATTRIBUTE_COLOR, self.colors.into());
        self.joints.insert_into(&mut mesh);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::mesh::joints::{JOINTS, VISIBILITY, WEIGHTS};

    fn triangle(x: f32) -> Mesh {
        let mut mesh = Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        );
        mesh.insert_indices(Indices::U16(vec![0, 2, 1]));
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[x, 0.0, 0.0]; 3]);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 0.0, 1.0]; 3]);
        mesh.insert_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(vec![[1, 0, 9, 0]; 3]),
        );
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, vec![[0.5, 0.5, 0.0, 0.0]; 3]);
        mesh
    }

    #[test]
    fn merged_meshes_keep_vertices_joints_and_triangles() {
        let mut merged = MergedMesh::default();
        merged.add(&triangle(1.0), &VertexJoints::One(7), 3);
        merged.add(&triangle(2.0), &VertexJoints::Palette(vec![10, 13]), 4);
        let mesh = merged.build();
        let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
        assert_eq!(indices, [0, 2, 1, 3, 5, 4]);
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!([joints[0], joints[5]], [[7, 0, 0, 0], [13, 10, 0, 10]]);
        let Some(VertexAttributeValues::Uint32(visibility)) = mesh.attribute(VISIBILITY) else {
            panic!("no visibility");
        };
        assert_eq!(**visibility, [3, 3, 3, 4, 4, 4]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_0).is_none());
    }

    #[test]
    fn deformed_vertices_have_the_offset_of_their_texel() {
        let mut mesh = triangle(1.0);
        let slots = vec![[0.0, 0.0], [-1.0, 0.0], [70_000.0, 0.0]];
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_1, slots);
        let mut merged = MergedMesh::default();
        let (joint, first) = (7, 5);
        merged.add(&mesh, &VertexJoints::Deformed { joint, first }, 0);
        let mesh = merged.build();
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!(joints[..2], [[5, 0, 0, 0], [7, 0, 0, 0]]);
        assert_eq!(joints[2], [(70_005 % 65_536) as u16, 1, 0, 0]);
        let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(WEIGHTS) else {
            panic!("no weights");
        };
        let weights: Vec<f32> = weights.iter().map(|weights| weights[0]).collect();
        assert_eq!(weights, [-1.0, 1.0, -1.0]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_1).is_none());
    }
}
