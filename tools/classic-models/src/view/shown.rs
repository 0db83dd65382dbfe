//! Where the vertices of spawned meshes are in the world, those included that a shader moves.

use crate::view::abc_file::Poses;
use bevy::ecs::system::SystemParam;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloSubmeshIndex;
use bevy_classic_models::lgw::LgwMesh;
use bevy_classic_models::lithtech::{AbcMesh, AbcPoseTable};
use classic_models_support::places::Places;

/// Whether an entity is what is drawn of a model, whatever its format but Quake's.
pub type OfModel = Or<(With<AloSubmeshIndex>, With<AbcMesh>, With<LgwMesh>)>;

/// Meshes of entities, and the places of their vertices.
#[derive(SystemParam)]
pub struct Shown<'w, 's> {
    places: Places<'w, 's>,
    table: Res<'w, AbcPoseTable>,
    deforming: Query<'w, 's, (&'static Poses, &'static MeshTag, &'static GlobalTransform)>,
}

impl Shown<'_, '_> {
    /// The mesh of an entity, unless it is on the GPU alone.
    pub fn mesh(&self, entity: Entity) -> Option<&Mesh> {
        self.places.mesh(entity)
    }

    /// The places of a mesh's vertices.
    pub fn vertices(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut vertices = self.places.vertices(entity)?;
        if let Ok((poses, tag, transform)) = self.deforming.get(entity) {
            for (vertex, (place, _)) in poses.shown(self.mesh(entity)?, self.table.get(tag.0))? {
                if let Some(vertex) = vertices.get_mut(vertex) {
                    *vertex = transform.transform_point(place);
                }
            }
        }
        Some(vertices)
    }

    /// The directions of its vertices' normals.
    pub fn normals(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut normals = self.places.normals(entity)?;
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
