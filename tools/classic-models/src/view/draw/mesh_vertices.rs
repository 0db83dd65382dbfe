//! World positions of the vertices of spawned meshes, including vertices that a shader moves.

use crate::view::models::file_data::Poses;
use bevy::ecs::system::SystemParam;
use bevy::mesh::{MeshTag, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloSubmeshIndex;
use bevy_classic_models::lgw::LgwMesh;
use bevy_classic_models::lithtech::{AbcMesh, AbcPoseTable};
use bevy_classic_models::quake::{MdlInstance, MdlMesh};
use classic_models_support::world_vertices::WorldVertices;

/// Filters meshes of models.
pub type OfModel = Or<(
    With<AloSubmeshIndex>,
    With<AbcMesh>,
    With<LgwMesh>,
    With<MdlMesh>,
)>;

/// A position and a normal.
type Vertex = (Vec3, Vec3);

/// The meshes of entities, and the world positions and normals of their vertices.
#[derive(SystemParam)]
pub struct MeshVertices<'w, 's> {
    world_vertices: WorldVertices<'w, 's>,
    table: Res<'w, AbcPoseTable>,
    deforming: Query<'w, 's, (&'static Poses, &'static MeshTag)>,
    morphed: Query<'w, 's, &'static MdlInstance>,
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
}

impl MeshVertices<'_, '_> {
    /// The mesh of an entity, unless its data are only on the GPU.
    pub fn mesh(&self, entity: Entity) -> Option<&Mesh> {
        self.world_vertices.mesh(entity)
    }

    /// The world positions of a mesh's vertices.
    pub fn vertices(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut vertices = self.world_vertices.positions(entity)?;
        let transform = self.transforms.get(entity).ok()?;
        for (vertex, (position, _)) in self.moved(entity)? {
            if let Some(vertex) = vertices.get_mut(vertex) {
                *vertex = transform.transform_point(position);
            }
        }
        Some(vertices)
    }

    /// The normals of a mesh's vertices in world space.
    pub fn normals(&self, entity: Entity) -> Option<Vec<Vec3>> {
        let mut normals = self.world_vertices.normals(entity)?;
        let transform = self.transforms.get(entity).ok()?;
        for (vertex, (_, normal)) in self.moved(entity)? {
            if let Some(vertex) = normals.get_mut(vertex) {
                *vertex = transform.rotation() * normal;
            }
        }
        Some(normals)
    }

    /// The vertices of a mesh that a shader moves, in the space of the mesh, with their indices.
    fn moved(&self, entity: Entity) -> Option<Vec<(usize, Vertex)>> {
        if let Ok((poses, tag)) = self.deforming.get(entity) {
            return poses.shown(self.mesh(entity)?, self.table.get(tag.0));
        }
        let mut above = self.parents.iter_ancestors(entity);
        let instance = above.find_map(|root| self.morphed.get(root).ok());
        let Some(instance) = instance.filter(|instance| instance.mesh() == entity) else {
            return Some(Vec::new());
        };
        let shown: Vec<Vertex> = instance.model().poses.blend(instance.shown()).collect();
        let in_file = self
            .mesh(entity)?
            .try_attribute(Mesh::ATTRIBUTE_UV_1)
            .ok()?;
        let VertexAttributeValues::Float32x2(in_file) = in_file else {
            return None;
        };
        let vertices = in_file.iter().enumerate();
        let vertices = vertices
            .filter_map(|(index, [vertex, _])| Some((index, *shown.get(*vertex as usize)?)));
        Some(vertices.collect())
    }
}
