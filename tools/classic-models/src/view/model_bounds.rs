//! Bounds of models, and their arrangement side by side in a row.

use crate::view::particle_systems::ParticleFile;
use crate::view::row::Row;
use crate::view::row_layout::{Extent, best_rows, in_rows};
use crate::view::viewed_model::ViewedModel;
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::quake::{MdlInstance, MdlModel};
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
