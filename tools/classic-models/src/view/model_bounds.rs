//! Bounds of models at rest and over their clips, and their arrangement side by side in a row.

use crate::view::clips::ClipList;
use crate::view::mesh_vertices::{MeshVertices, OfModel, is_glow};
use crate::view::particle_systems::ParticleFile;
use crate::view::row::{Extent, Row, best_rows, in_rows};
use crate::view::viewed_model::ViewedModel;
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloSubmeshIndex};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlInstance, MdlModel};
use classic_models_support::headless::Headless;
use classic_models_support::stage::corners;

/// A model, and whether it is spawned as a Quake model or, with its bounds, as a model of another format.
pub type SpawnState<'w> = (&'w ViewedModel, Has<MdlInstance>, Has<ModelBounds>);

/// Whether every model of the row is spawned or has failed to load.
pub fn all_spawned(row: &Row, models: &Query<SpawnState<'static>>) -> bool {
    let done = |entity: &Entity| {
        models
            .get(*entity)
            .is_ok_and(|(model, mdl, other)| mdl || other || model.problem.is_some())
    };
    row.models.iter().all(done)
}

/// The bounds of a model of any format except Quake's, relative to its root, in the row's axes. For Alamo models: the
/// rest pose, undamaged, at the finest level of detail. For LithTech models: all poses. Changes of the clip or the
/// appearance do not change the bounds, so that the model does not move.
#[derive(Component, Clone, Copy, Debug)]
pub struct ModelBounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl ModelBounds {
    /// The bounds of points; a box of side 2 if no bounds exist.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points {
            min = min.min(point);
            max = max.max(point);
        }
        // The camera needs finite bounds.
        if !(min.is_finite() && max.is_finite()) {
            (min, max) = (Vec3::NEG_ONE, Vec3::ONE);
        }
        Self { min, max }
    }

    /// The union of both bounds.
    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The longest side.
    pub fn size(&self) -> f32 {
        (self.max - self.min).max_element()
    }
}

/// The bounds of models relative to their roots, in the row's axes.
#[derive(SystemParam)]
pub struct LocalBounds<'w, 's> {
    row: Res<'w, Row>,
    mdl: Query<'w, 's, &'static MdlInstance>,
    all_bounds: Query<'w, 's, &'static ModelBounds>,
    meshes: Query<'w, 's, (&'static Aabb, &'static Transform), Without<ViewedModel>>,
}

impl LocalBounds<'_, '_> {
    /// The corners with the smallest and the largest coordinates of a model's bounds.
    pub fn of(&self, model: Entity) -> Option<(Vec3, Vec3)> {
        if let Ok(bounds) = self.all_bounds.get(model) {
            return Some((bounds.min, bounds.max));
        }
        let animator = self.mdl.get(model).ok()?;
        let (aabb, mesh) = self.meshes.get(animator.mesh()).ok()?;
        let (min, max) = if self.row.by_clip {
            clip_bounds(animator.model(), animator)
        } else {
            (aabb.min().into(), aabb.max().into())
        };
        // The mesh's rotation only exchanges axes, so that two corners are enough.
        let (a, b) = (mesh.transform_point(min), mesh.transform_point(max));
        Some((a.min(b), a.max(b)))
    }
}

fn clip_bounds(model: &MdlModel, animator: &MdlInstance) -> (Vec3, Vec3) {
    let sequence = animator.sequence();
    let poses = sequence.first_pose..sequence.first_pose + sequence.pose_count;
    let positions = poses.flat_map(|pose| model.poses.pose(pose).map(|(position, _)| position));
    positions.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), at| {
        (min.min(at), max.max(at))
    })
}

/// The bounds of models in world space.
#[derive(SystemParam)]
pub struct WorldBounds<'w, 's> {
    local_bounds: LocalBounds<'w, 's>,
    states: Query<'w, 's, SpawnState<'static>>,
    transforms: Query<'w, 's, &'static Transform, With<ViewedModel>>,
}

impl WorldBounds<'_, '_> {
    /// Whether every model is spawned or has failed to load.
    pub fn all_spawned(&self) -> bool {
        all_spawned(&self.local_bounds.row, &self.states)
    }

    /// The corners of a model's bounds.
    pub fn corners(&self, model: Entity) -> Option<[Vec3; 8]> {
        let translation = self.transforms.get(model).ok()?.translation;
        let (min, max) = self.local_bounds.of(model)?;
        Some(corners(min + translation, max + translation))
    }

    /// The corners of all models' bounds.
    pub fn all_corners(&self) -> Vec<Vec3> {
        let models = self.local_bounds.row.models.iter();
        models
            .flat_map(|model| self.corners(*model))
            .flatten()
            .collect()
    }
}

/// The models that were arranged last, the camera's rotation, and the count of rows.
type Arranged = (Vec<Entity>, Quat, usize);

/// Positions the models in rows. The lower bound of each model is on the ground. The origin of a particle system is on the
/// ground, from which its particles may bounce. The count of rows changes only with the models and the view, so that models
/// stay where they are while panels are resized.
pub fn arrange_row(
    local_bounds: LocalBounds,
    mut transforms: Query<(&mut Transform, Has<ParticleFile>), With<ViewedModel>>,
    mut arranged: Local<Option<Arranged>>,
) {
    let row = &local_bounds.row;
    let mut models = Vec::new();
    let mut extents = Vec::new();
    for entity in &row.models {
        let (Some((min, max)), Ok((_, is_particle_file))) =
            (local_bounds.of(*entity), transforms.get(*entity))
        else {
            continue;
        };
        let height = if is_particle_file { 0.0 } else { -min.y };
        models.push((*entity, height));
        extents.push(Extent {
            min: min + Vec3::Y * height,
            max: max + Vec3::Y * height,
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
        if let Ok((mut transform, _)) = transforms.get_mut(entity)
            && transform.translation != translation
        {
            transform.translation = translation;
        }
    }
}

/// The intervals into which a clip is divided.
const STEPS: u16 = 24;

type Playing<'w> = (&'w ClipList, &'w PlayClip, &'w mut Playback);

/// Sets the bounds of models to those of their clips. Called before the camera is spawned, so that nothing is rendered.
pub fn sweep(headless: &mut Headless) {
    let world = headless.app.world_mut();
    let mut playing = world.query_filtered::<(Entity, &Playback), With<ClipList>>();
    let before: Vec<(Entity, f32)> = playing
        .iter(world)
        .map(|(model, playback)| (model, playback.time))
        .collect();
    if before.is_empty() {
        return;
    }
    for step in 0..=STEPS {
        let fraction = f32::from(step) / f32::from(STEPS);
        let world = headless.app.world_mut();
        let mut playing = world.query::<Playing>();
        for (list, play, mut playback) in playing.iter_mut(world) {
            // The end of a loop would be its beginning.
            let seconds = list.ready(play).map_or(0.0, |clip| clip.seconds);
            playback.time = seconds * fraction.min(0.9999);
        }
        headless.step(0.0);
        let world = headless.app.world_mut();
        if let Err(error) = world.run_system_cached_with(extend_bounds, step == 0) {
            error!("{error}");
        }
    }
    let world = headless.app.world_mut();
    let mut playbacks = world.query::<&mut Playback>();
    for (model, time) in before {
        if let Ok(mut playback) = playbacks.get_mut(world, model) {
            playback.time = time;
        }
    }
    headless.step(0.0);
}

/// A mesh of a model with bones, and its sub-mesh index in an Alamo model.
type Drawn = (
    Entity,
    &'static InheritedVisibility,
    Option<&'static AloSubmeshIndex>,
);

/// Quake models that are attached to other models. The bounds of their meshes contain every pose.
#[derive(SystemParam)]
struct AttachedModels<'w, 's> {
    models: Query<'w, 's, (Entity, &'static MdlInstance), Without<ViewedModel>>,
    meshes: Query<'w, 's, (&'static Aabb, &'static GlobalTransform)>,
}

impl AttachedModels<'_, '_> {
    /// The corners of their bounds in world space.
    fn corners(&self) -> impl Iterator<Item = (Entity, Vec<Vec3>)> {
        self.models.iter().filter_map(|(model, animator)| {
            let (aabb, transform) = self.meshes.get(animator.mesh()).ok()?;
            let corners = corners(aabb.min().into(), aabb.max().into());
            let corners = corners.map(|corner| transform.transform_point(corner));
            Some((model, corners.to_vec()))
        })
    }
}

/// Extends the bounds of models by the current pose; with `reset`, replaces them. Additive sub-meshes are left out:
/// beams and glows fade out far from the model.
fn extend_bounds(
    reset: In<bool>,
    meshes: Query<Drawn, OfModel>,
    parents: Query<&ChildOf>,
    mesh_vertices: MeshVertices,
    attached: AttachedModels,
    mut all_bounds: Query<(&Transform, Option<&AloInstance>, &mut ModelBounds), With<PlayClip>>,
) {
    let mut extended: Vec<(Entity, ModelBounds)> = Vec::new();
    let shown = meshes.iter().filter(|(_, visibility, _)| visibility.get());
    let shown =
        shown.filter_map(|(entity, _, of)| Some((entity, of, mesh_vertices.vertices(entity)?)));
    let attached = attached
        .corners()
        .map(|(entity, corners)| (entity, None, corners));
    for (entity, of, vertices) in shown.chain(attached) {
        let root = parents
            .iter_ancestors(entity)
            .find(|e| all_bounds.contains(*e));
        let Some((root, (transform, alo, _))) =
            root.and_then(|of| Some((of, all_bounds.get(of).ok()?)))
        else {
            continue;
        };
        if alo.zip(of).is_some_and(|(alo, of)| is_glow(alo, of)) {
            continue;
        }
        let vertices = vertices.into_iter().map(|at| at - transform.translation);
        let bounds = ModelBounds::around(vertices);
        match extended.iter_mut().find(|(model, _)| *model == root) {
            Some((_, all)) => *all = all.and(bounds),
            None => extended.push((root, bounds)),
        }
    }
    for (root, pose) in extended {
        if let Ok((.., mut bounds)) = all_bounds.get_mut(root) {
            *bounds = if *reset { pose } else { bounds.and(pose) };
        }
    }
}
