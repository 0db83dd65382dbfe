//! Bounds of models, and their arrangement side by side in a row.

use crate::view::models::particle_systems::{
    BoundsAtFullestTime, ParticleFile, corners_at, fullest_time, particle_corners,
};
use crate::view::models::viewed_model::{ModelBounds, ViewedModel, limits};
use crate::view::row::{Row, best_rows, in_rows};
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    AloInstance, AloModel, AloParticleSystem, AloParticles, AloSceneRoot,
};
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::quake::MdlInstance;
use classic_models_support::stage::corners;

/// The bounds of models in world space.
#[derive(SystemParam)]
pub struct WorldBounds<'w, 's> {
    row: Res<'w, Row>,
    states: Query<'w, 's, (&'static ViewedModel, Has<ModelBounds>)>,
    models: Query<'w, 's, (&'static ModelBounds, &'static Transform), With<ViewedModel>>,
}

impl WorldBounds<'_, '_> {
    /// Whether every model of the row is spawned or has failed to load.
    pub fn all_spawned(&self) -> bool {
        let mut states = self.row.models.iter().map(|model| self.states.get(*model));
        states.all(|state| state.is_ok_and(|(model, has)| has || model.problem.is_some()))
    }

    /// The corners of a model's bounds.
    pub fn corners(&self, model: Entity) -> Option<[Vec3; 8]> {
        let (bounds, transform) = self.models.get(model).ok()?;
        let translation = transform.translation;
        Some(corners(bounds.min + translation, bounds.max + translation))
    }

    /// The corners of all models' bounds.
    pub fn all_corners(&self) -> Vec<Vec3> {
        let models = self.row.models.iter();
        let corners = models.filter_map(|model| self.corners(*model));
        corners.flatten().collect()
    }
}

/// The models that were arranged last, the camera's rotation, and the count of rows.
type Arranged = (Vec<Entity>, Quat, usize);

/// Positions the models in rows. The lower bound of each model is on the ground. The origin of a particle system is on the
/// ground, from which its particles may bounce. The count of rows changes only with the models and the view, so that models
/// stay where they are while panels are resized.
pub fn arrange_row(
    row: Res<Row>,
    mut shown: Query<(&ModelBounds, &mut Transform, Has<ParticleFile>), With<ViewedModel>>,
    mut arranged: Local<Option<Arranged>>,
) {
    let mut models = Vec::new();
    let mut extents = Vec::new();
    for entity in &row.models {
        let Ok((ModelBounds { min, max }, _, is_particle_file)) = shown.get(*entity) else {
            continue;
        };
        let height = if is_particle_file { 0.0 } else { -min.y };
        models.push((*entity, height));
        extents.push(ModelBounds {
            min: *min + Vec3::Y * height,
            max: *max + Vec3::Y * height,
        });
    }
    let entities: Vec<Entity> = models.iter().map(|(entity, _)| *entity).collect();
    let rows = match &*arranged {
        Some((before, view, rows)) if *before == entities && *view == row.view => *rows,
        _ => best_rows(&extents, row.view, row.aspect),
    };
    *arranged = Some((entities, row.view, rows));
    let places = in_rows(&extents, row.view, rows).unwrap_or_default();
    for ((entity, height), place) in models.into_iter().zip(places) {
        let translation = place + Vec3::Y * height;
        if let Ok((_, mut transform, _)) = shown.get_mut(entity)
            && transform.translation != translation
        {
            transform.translation = translation;
        }
    }
}

/// The root of a scene.
type SceneRoot = (
    &'static Transform,
    &'static ChildOf,
    Option<&'static AloParticleSystem>,
);

/// Computes the bounds of Alamo models that were spawned or respawned. Those of a particle system
/// contain its particles.
pub fn measure_alo(
    mut commands: Commands,
    instances: Query<(Entity, &AloInstance, &Transform), Changed<AloInstance>>,
    (meshes, particles): (Res<Assets<Mesh>>, Res<Assets<AloParticles>>),
    scenes: Query<SceneRoot, With<AloSceneRoot>>,
    fullest: Option<Res<BoundsAtFullestTime>>,
) {
    for (entity, instance, root) in &instances {
        let mut scenes = scenes.iter();
        let scene = scenes.find(|(_, parent, _)| parent.parent() == entity);
        let to_scene = scene.map_or(Affine3A::IDENTITY, |(scene, ..)| scene.compute_affine());
        let to_row = Affine3A::from_quat(root.rotation) * to_scene;
        let system = scene.and_then(|(.., system)| system);
        let points = match system.and_then(|system| particles.get(&system.0)) {
            Some(particles) if fullest.is_some() => {
                corners_at(particles, [fullest_time(particles)].into_iter()).to_vec()
            }
            Some(particles) => particle_corners(particles).to_vec(),
            None => points(instance.model(), &meshes),
        };
        let points = points.into_iter();
        let bounds = ModelBounds::around(points.map(|point| to_row.transform_point3(point)));
        let mut root = commands.entity(entity);
        root.insert(bounds);
        match system {
            Some(system) => root.insert(ParticleFile(system.0.clone())),
            None => root.remove::<ParticleFile>(),
        };
    }
}

/// The positions that the bounds contain: the vertices of the meshes that are drawn. If there are none, the vertices of
/// all meshes; otherwise bones and dazzles.
fn points(model: &AloModel, meshes: &Assets<Mesh>) -> Vec<Vec3> {
    let shown = vertices(model, meshes, true);
    if !shown.is_empty() {
        return shown;
    }
    let all = vertices(model, meshes, false);
    if !all.is_empty() {
        return all;
    }
    let bones = model.bones.iter();
    let mut points: Vec<Vec3> = bones.map(|b| b.bind_pose.translation.into()).collect();
    points.extend(model.dazzles.iter().flat_map(|dazzle| {
        let bone = model.bones.get(dazzle.bone as usize);
        let center = Vec3::from_array(dazzle.position);
        let radius = Vec3::splat(dazzle.radius);
        let around = corners(center - radius, center + radius);
        bone.map(|bone| around.map(|corner| bone.bind_pose.transform_point3(corner)))
            .into_iter()
            .flatten()
    }));
    let (low, high) = limits(points.iter().copied());
    if (high - low).max_element() < 1e-3 {
        points.extend(corners(low - 1.0, high + 1.0));
    }
    points
}

/// The vertices of meshes in the rest pose. `only_shown` leaves out hidden meshes, coarser LODs and damage stages.
fn vertices(model: &AloModel, meshes: &Assets<Mesh>, only_shown: bool) -> Vec<Vec3> {
    let mut points = Vec::new();
    for mesh in &model.meshes {
        let tags = &mesh.tags;
        let shows = (tags.lod.is_none() || tags.lod == model.lod(0))
            && tags.alt.is_none_or(|alt| alt == 0)
            && !mesh.hidden
            && model.is_bone_visible(mesh.bone);
        if only_shown && !shows {
            continue;
        }
        for submesh in mesh.submeshes.iter().filter(|s| s.material.is_some()) {
            // Skinned vertices are in the model's space already.
            let bone = model.bones.get(mesh.bone);
            let bone = bone.filter(|_| submesh.palette.is_empty());
            let to_model = bone.map_or(Affine3A::IDENTITY, |bone| bone.bind_pose);
            let mesh = submesh.mesh.as_ref().and_then(|mesh| meshes.get(mesh));
            if let Some(corners) = mesh.and_then(triangle_corners) {
                points.extend(corners.into_iter().map(|at| to_model.transform_point3(at)));
            } else {
                let (min, max) = (submesh.bounds.min.into(), submesh.bounds.max.into());
                points.extend(corners(min, max).map(|corner| to_model.transform_point3(corner)));
            }
        }
    }
    points
}

/// The corners of a mesh's triangles, unless its data are only on the GPU.
fn triangle_corners(mesh: &Mesh) -> Option<Vec<Vec3>> {
    let VertexAttributeValues::Float32x3(positions) =
        mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?
    else {
        return None;
    };
    let indices = mesh.try_indices().ok()?.iter();
    let corners = indices.filter_map(|index| positions.get(index));
    Some(corners.map(|at| Vec3::from_array(*at)).collect())
}

/// Computes the bounds of LGW models that were spawned or respawned.
pub fn measure_lgw(
    mut commands: Commands,
    models: Query<(Entity, &LgwInstance), Changed<LgwInstance>>,
    parents: Query<&ChildOf>,
    transforms: Query<&Transform>,
) {
    for (root, instance) in &models {
        // The scene's root converts the file's space to Bevy's.
        let mesh = instance.meshes().first();
        let scene = mesh.and_then(|mesh| parents.get(*mesh).ok());
        let scene = scene.and_then(|scene| transforms.get(scene.parent()).ok());
        let scene = scene.copied().unwrap_or_default();
        let bounds = instance.model().bounds.into_iter();
        let corners = bounds.flat_map(|of| corners(of.min.into(), of.max.into()));
        let bounds = ModelBounds::around(corners.map(|corner| scene.transform_point(corner)));
        commands.entity(root).try_insert(bounds);
    }
}

/// Computes the bounds of Quake models: of all poses, or of the current clip. The mesh's rotation only exchanges axes.
pub fn measure_mdl(
    mut commands: Commands,
    row: Res<Row>,
    models: Query<(Entity, &MdlInstance, Option<&ModelBounds>), With<ViewedModel>>,
    meshes: Query<(&Aabb, &Transform), Without<ViewedModel>>,
) {
    for (root, instance, before) in &models {
        let Ok((aabb, mesh)) = meshes.get(instance.mesh()) else {
            continue;
        };
        let (min, max) = match row.by_clip {
            true => {
                let sequence = instance.sequence();
                let poses = sequence.first_pose..sequence.first_pose + sequence.pose_count;
                let poses = poses.flat_map(|pose| instance.model().poses.pose(pose));
                limits(poses.map(|(position, _)| position))
            }
            false => (aabb.min().into(), aabb.max().into()),
        };
        let bounds = ModelBounds::around([min, max].map(|corner| mesh.transform_point(corner)));
        if before != Some(&bounds) {
            commands.entity(root).try_insert(bounds);
        }
    }
}
