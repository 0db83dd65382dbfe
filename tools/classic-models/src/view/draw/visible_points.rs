//! The world positions of vertices, also of those that a shader moves, and of what is visible of models, for the camera.

use crate::view::models::file_data::Poses;
use crate::view::models::particle_systems::ParticleFile;
use crate::view::models::viewed_model::limits;
use bevy::ecs::system::SystemParam;
use bevy::mesh::{MeshTag, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloSubmeshIndex};
use bevy_classic_models::lgw::LgwMesh;
use bevy_classic_models::lithtech::{AbcMesh, AbcPoseTable};
use bevy_classic_models::quake::{MdlInstance, MdlMesh};
use classic_models_support::stage::corners;
use classic_models_support::world_vertices::WorldVertices;

/// Debris is farther from the rest of the model than this multiple of the rest's size.
const DEBRIS: f32 = 0.6;

/// The size of a bone that is framed, as a share of its model's size.
const BONE: f32 = 0.1;

/// A mesh of a model.
type Drawn = (
    Entity,
    &'static InheritedVisibility,
    Option<&'static AloSubmeshIndex>,
);

/// Finds the positions of what is visible.
#[derive(SystemParam)]
pub struct VisiblePoints<'w, 's> {
    meshes: Query<'w, 's, Drawn, OfModel>,
    children: Query<'w, 's, &'static Children>,
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    alo: Query<'w, 's, &'static AloInstance>,
    particle_files: Query<'w, 's, (), With<ParticleFile>>,
    vertices: MeshVertices<'w, 's>,
}

impl VisiblePoints<'_, '_> {
    /// The positions of the visible vertices of a model and what is attached to it. Beams and glows, which fade out far from
    /// the model, and debris that flies away are left out. Empty for particle systems.
    pub fn of_model(&self, root: Entity) -> Vec<Vec3> {
        if self.particle_files.contains(root) {
            return Vec::new();
        }
        let below = self.children.iter_descendants(root);
        let entities = [root].into_iter().chain(below);
        let parts: Vec<Vec<Vec3>> = entities.filter_map(|of| self.points(of, true)).collect();
        without_debris(parts).into_iter().flatten().collect()
    }

    /// The positions of a part, even if it is hidden or glows. Without vertices, a box around its position.
    pub fn of_part(&self, part: Entity) -> Vec<Vec3> {
        let below = self.children.iter_descendants(part);
        let entities = [part].into_iter().chain(below);
        let points: Vec<Vec3> = entities
            .filter_map(|of| self.points(of, false))
            .flatten()
            .collect();
        if !points.is_empty() {
            return points;
        }
        let Ok(transform) = self.transforms.get(part) else {
            return Vec::new();
        };
        let at = transform.translation();
        let root = self.parents.root_ancestor(part);
        let size = bounds(&self.of_model(root)).map_or(1.0, |(low, high)| (high - low).length());
        let half = Vec3::splat(0.5 * BONE * size.max(1e-3));
        corners(at - half, at + half).to_vec()
    }

    /// The positions of the vertices of an entity, if it is a mesh.
    fn points(&self, entity: Entity, only_visible: bool) -> Option<Vec<Vec3>> {
        let (_, visibility, submesh) = self.meshes.get(entity).ok()?;
        let is_glow = submesh.is_some_and(|submesh| self.is_glow(entity, submesh));
        if only_visible && (!visibility.get() || is_glow) {
            return None;
        }
        let points = self.vertices.vertices(entity)?;
        (!points.is_empty()).then_some(points)
    }

    fn is_glow(&self, entity: Entity, of: &AloSubmeshIndex) -> bool {
        let mut above = self.parents.iter_ancestors(entity);
        let instance = above.find_map(|root| self.alo.get(root).ok());
        instance.is_some_and(|instance| is_glow(instance, of))
    }
}

/// Whether a sub-mesh is blended additively. Such beams and glows fade out far from the model.
pub fn is_glow(instance: &AloInstance, of: &AloSubmeshIndex) -> bool {
    let mesh = instance.model().meshes.get(of.mesh);
    let submesh = mesh.and_then(|mesh| mesh.submeshes.get(of.submesh));
    submesh.is_some_and(|submesh| submesh.is_additive)
}

/// The smallest box around points.
fn bounds(points: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let finite = points.iter().copied().filter(|point| point.is_finite());
    Some(limits(finite)).filter(|(low, _)| low.is_finite())
}

/// Leaves out the parts that are far from all others: starts with the largest part, and adds parts that are near.
fn without_debris(parts: Vec<Vec<Vec3>>) -> Vec<Vec<Vec3>> {
    let mut rest: Vec<(Vec<Vec3>, (Vec3, Vec3))> = parts
        .into_iter()
        .filter_map(|points| {
            let bounds = bounds(&points)?;
            Some((points, bounds))
        })
        .collect();
    let size = |(low, high): &(Vec3, Vec3)| (*high - *low).length();
    rest.sort_by(|(_, a), (_, b)| size(b).total_cmp(&size(a)));
    let mut kept = Vec::new();
    let mut whole: Option<(Vec3, Vec3)> = None;
    loop {
        let near = rest
            .iter()
            .position(|(_, of)| whole.is_none_or(|whole| gap(whole, *of) <= DEBRIS * size(&whole)));
        let Some(near) = near else {
            return kept;
        };
        let (points, (low, high)) = rest.remove(near);
        whole = Some(match whole {
            Some((min, max)) => (min.min(low), max.max(high)),
            None => (low, high),
        });
        kept.push(points);
    }
}

/// The distance between two boxes.
fn gap(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> f32 {
    let apart = (b.0 - a.1).max(a.0 - b.1).max(Vec3::ZERO);
    apart.length()
}

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

#[cfg(test)]
mod tests {
    use super::without_debris;
    use bevy::prelude::*;
    use classic_models_support::stage::corners;

    /// The points of a cube of side 2.
    fn cube(at: Vec3) -> Vec<Vec3> {
        corners(at - 1.0, at + 1.0).to_vec()
    }

    #[test]
    fn parts_that_fly_away_are_left_out() {
        let body = [Vec3::ZERO, Vec3::X * 3.0, Vec3::X * 6.5];
        let parts = body.into_iter().chain([Vec3::Y * 40.0]).map(cube).collect();
        let kept = without_debris(parts);
        assert_eq!(kept, body.map(cube));
    }

    #[test]
    fn a_model_that_moves_as_a_whole_is_kept() {
        let parts = vec![cube(Vec3::X * 900.0), cube(Vec3::X * 902.0)];
        assert_eq!(without_debris(parts.clone()), parts);
        let broken = vec![vec![Vec3::NAN]];
        assert!(without_debris(broken).is_empty());
    }
}
