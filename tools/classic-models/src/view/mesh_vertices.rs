//! World positions of the vertices of spawned meshes, including vertices that a shader moves.

use crate::view::abc_file::Poses;
use bevy::ecs::system::SystemParam;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloSubmeshIndex;
use bevy_classic_models::lgw::LgwMesh;
use bevy_classic_models::lithtech::{AbcMesh, AbcPoseTable};
use classic_models_support::world_vertices::WorldVertices;

/// Filters meshes of models of all formats except Quake's.
pub type OfModel = Or<(With<AloSubmeshIndex>, With<AbcMesh>, With<LgwMesh>)>;

/// The meshes of entities, and the world positions and normals of their vertices.
#[derive(SystemParam)]
pub struct MeshVertices<'w, 's> {
    world_vertices: WorldVertices<'w, 's>,
    table: Res<'w, AbcPoseTable>,
    deforming: Query<'w, 's, (&'static Poses, &'static MeshTag, &'static GlobalTransform)>,
}

impl MeshVertices<'_, '_> {
    /// The mesh of an entity, unless its data are only on the GPU.
    pub fn mesh(&self, entity: Entity) -> Option<&Mesh> {
        self.world_vertices.mesh(entity)
    }

    /// The world positions of a mesh's vertices.
    pub fn vertices(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut vertices = self.world_vertices.positions(entity)?;
        if let Ok((poses, tag, transform)) = self.deforming.get(entity) {
            for (vertex, (position, _)) in poses.shown(self.mesh(entity)?, self.table.get(tag.0))? {
                if let Some(vertex) = vertices.get_mut(vertex) {
                    *vertex = transform.transform_point(position);
                }
            }
        }
        Some(vertices)
    }

    /// The normals of a mesh's vertices in world space.
    pub fn normals(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut normals = self.world_vertices.normals(entity)?;
        if let Ok((poses, tag, transform)) = self.deforming.get(entity) {
            for (vertex, (_, normal)) in poses.shown(self.mesh(entity)?, self.table.get(tag.0))? {
                if let Some(vertex) = normals.get_mut(vertex) {
                    *vertex = transform.rotation() * normal;
                }
            }
        }
        Some(normals)
    }
}
