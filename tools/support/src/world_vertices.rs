//! World-space positions and normals of spawned meshes, computed on the CPU.

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;

/// Computes positions and normals of mesh entities, rigid or skinned.
#[derive(SystemParam)]
pub struct WorldVertices<'w, 's> {
    assets: Res<'w, Assets<Mesh>>,
    inverse_poses: Res<'w, Assets<SkinnedMeshInverseBindposes>>,
    meshes: Query<'w, 's, (&'static Mesh3d, Option<&'static SkinnedMesh>)>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
}

/// The transform from mesh space to world space.
enum MeshPose<'a> {
    Whole(Affine3A),
    /// Joints and weights of each vertex, and the joints' matrices.
    Skinned(&'a [[u16; 4]], &'a [[f32; 4]], Vec<Affine3A>),
}

impl WorldVertices<'_, '_> {
    /// The mesh of an entity; `None` if it was not kept in main memory.
    pub fn mesh(&self, entity: Entity) -> Option<&Mesh> {
        self.assets.get(&self.meshes.get(entity).ok()?.0.0)
    }

    /// The positions of a mesh's vertices in world space.
    pub fn positions(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mesh = self.mesh(entity)?;
        let positions = float3(mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?)?;
        let pose = self.pose(entity, mesh)?;
        let transform = |(index, position): (usize, &[f32; 3])| {
            let position = Vec3::from_array(*position);
            pose.matrix(index).transform_point3(position)
        };
        Some(positions.iter().enumerate().map(transform).collect())
    }

    /// The unit normals of a mesh's vertices in world space.
    pub fn normals(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mesh = self.mesh(entity)?;
        let normals = float3(mesh.try_attribute(Mesh::ATTRIBUTE_NORMAL).ok()?)?;
        let pose = self.pose(entity, mesh)?;
        let rotate = |(index, normal): (usize, &[f32; 3])| {
            let matrix = pose.matrix(index).matrix3.inverse().transpose();
            (matrix * Vec3::from_array(*normal)).normalize_or_zero()
        };
        Some(normals.iter().enumerate().map(rotate).collect())
    }

    fn pose<'a>(&self, entity: Entity, mesh: &'a Mesh) -> Option<MeshPose<'a>> {
        let (_, skin) = self.meshes.get(entity).ok()?;
        let Some(skin) = skin else {
            return Some(MeshPose::Whole(self.transforms.get(entity).ok()?.affine()));
        };
        let inverse_poses = self.inverse_poses.get(&skin.inverse_bindposes)?;
        let joint = |(joint, inverse_pose): (&Entity, &Mat4)| {
            let transform = self.transforms.get(*joint).ok()?;
            Some(transform.affine() * Affine3A::from_mat4(*inverse_pose))
        };
        let matrices: Option<Vec<_>> = skin
            .joints
            .iter()
            .zip(inverse_poses.iter())
            .map(joint)
            .collect();
        let joints = mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()?;
        let weights = mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT).ok()?;
        match (joints, weights) {
            (
                VertexAttributeValues::Uint16x4(joints),
                VertexAttributeValues::Float32x4(weights),
            ) => Some(MeshPose::Skinned(joints, weights, matrices?)),
            _ => None,
        }
    }
}

impl MeshPose<'_> {
    fn matrix(&self, vertex: usize) -> Affine3A {
        let (joints, weights, matrices) = match self {
            Self::Whole(matrix) => return *matrix,
            Self::Skinned(joints, weights, matrices) => (joints, weights, matrices),
        };
        let mut sum = Affine3A::ZERO;
        let (Some(joints), Some(weights)) = (joints.get(vertex), weights.get(vertex)) else {
            return sum;
        };
        for (joint, weight) in joints.iter().zip(weights) {
            if let Some(matrix) = matrices.get(usize::from(*joint)) {
                sum.matrix3 += matrix.matrix3 * *weight;
                sum.translation += matrix.translation * *weight;
            }
        }
        sum
    }
}

fn float3(values: &VertexAttributeValues) -> Option<&[[f32; 3]]> {
    match values {
        VertexAttributeValues::Float32x3(values) => Some(values),
        _ => None,
    }
}
