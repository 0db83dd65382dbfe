//! The meshes on which particles of a model's proxies are born.

use crate::formats::alamo::asset::{AloModel, AloSubmesh};
use crate::formats::alamo::particles::evaluate::{EmissionMesh, MeshPoint};
use bevy::math::Affine3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use std::sync::{Arc, Weak};

/// On the entity of a particle system: the mesh on which its particles are born.
#[derive(Component, Clone, Debug)]
pub(crate) struct EmissionSurface {
    pub(crate) mesh: Arc<EmissionMesh>,
    /// The entity whose space the mesh is in.
    pub(crate) entity: Entity,
    /// The box around the vertices.
    pub(crate) bounds: Aabb3d,
}

impl EmissionSurface {
    /// A mesh in the space of an entity.
    pub(crate) fn new(mesh: Arc<EmissionMesh>, entity: Entity) -> Self {
        let points = mesh
            .vertices()
            .iter()
            .map(|point| Vec3A::from(point.position));
        let bounds = points.fold(None, |bounds: Option<Aabb3d>, point| {
            let point = Aabb3d::new(point, Vec3A::ZERO);
            Some(bounds.map_or(point, |bounds| bounds.merge(&point)))
        });
        Self {
            bounds: bounds.unwrap_or(Aabb3d::new(Vec3A::ZERO, Vec3A::ZERO)),
            mesh,
            entity,
        }
    }

    /// The count of vertices.
    pub(crate) fn len(&self) -> usize {
        self.mesh.vertices().len()
    }
}

/// A mesh of a model, as long as the model and a system use it.
struct CachedMesh {
    model: Weak<AloModel>,
    index: usize,
    mesh: Weak<EmissionMesh>,
}

/// The emission meshes in use, which instances of a model share.
#[derive(Resource, Default)]
pub(crate) struct EmissionMeshes(Vec<CachedMesh>);

impl EmissionMeshes {
    /// The mesh of a proxy's emitters: the first mesh on the parent of the proxy's bone. Also returns the index of that
    /// bone. `None` if there is no such mesh, or if its vertices are only on the GPU.
    pub(crate) fn of_proxy(
        &mut self,
        model: &Arc<AloModel>,
        bone: usize,
        meshes: &Assets<Mesh>,
    ) -> Option<(Arc<EmissionMesh>, usize)> {
        let parent = model.bones.get(bone)?.parent?;
        let index = model.meshes.iter().position(|mesh| mesh.bone == parent)?;
        let is_same = |cached: &CachedMesh| {
            cached.index == index && core::ptr::eq(cached.model.as_ptr(), Arc::as_ptr(model))
        };
        self.0.retain(|cached| cached.mesh.strong_count() > 0);
        let cached = self.0.iter().find(|cached| is_same(cached));
        if let Some(mesh) = cached.and_then(|cached| cached.mesh.upgrade()) {
            return Some((mesh, parent));
        }
        let mesh = Arc::new(emission_mesh(model, index, parent, meshes)?);
        self.0.push(CachedMesh {
            model: Arc::downgrade(model),
            index,
            mesh: Arc::downgrade(&mesh),
        });
        Some((mesh, parent))
    }
}

/// The vertices and triangles of all sub-meshes of a mesh, in the space of its bone.
fn emission_mesh(
    model: &AloModel,
    index: usize,
    bone: usize,
    meshes: &Assets<Mesh>,
) -> Option<EmissionMesh> {
    let bind_pose = model.bones.get(bone).map(|bone| bone.bind_pose.inverse());
    let bind_pose = bind_pose.filter(Affine3A::is_finite);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for submesh in &model.meshes.get(index)?.submeshes {
        let Some(mesh) = submesh.mesh.as_ref().and_then(|mesh| meshes.get(mesh)) else {
            continue;
        };
        // Vertices of skinned sub-meshes are in the model's space.
        let bone_from_mesh = bind_pose
            .filter(|_| is_skinned(submesh))
            .unwrap_or_default();
        let first = u32::try_from(vertices.len()).ok()?;
        vertices.extend(mesh_points(mesh, &bone_from_mesh));
        let indices: Vec<u32> = mesh
            .indices()
            .into_iter()
            .flat_map(|indices| indices.iter())
            .map(|index| first.saturating_add(index as u32))
            .collect();
        triangles.extend(indices.as_chunks::<3>().0.iter().copied());
    }
    (!vertices.is_empty()).then(|| EmissionMesh::new(vertices, triangles))
}

fn is_skinned(submesh: &AloSubmesh) -> bool {
    submesh.inverse_bindposes.is_some()
}

fn mesh_points(mesh: &Mesh, transform: &Affine3A) -> Vec<MeshPoint> {
    let Some(VertexAttributeValues::Float32x3(positions)) =
        mesh.attribute(Mesh::ATTRIBUTE_POSITION)
    else {
        return Vec::new();
    };
    let normals = match mesh.attribute(Mesh::ATTRIBUTE_NORMAL) {
        Some(VertexAttributeValues::Float32x3(normals)) => normals.as_slice(),
        _ => &[],
    };
    let normals = normals.iter().copied().chain(core::iter::repeat([0.0; 3]));
    let points = positions.iter().zip(normals);
    let points = points.map(|(position, normal)| MeshPoint {
        position: transform.transform_point3(Vec3::from(*position)).to_array(),
        normal: transform.transform_vector3(normal.into()).to_array(),
    });
    points.collect()
}
