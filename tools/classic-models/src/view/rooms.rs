//! How much room models need, and how they stand side by side.

use crate::view::models::{Row, ViewedModel};
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlModel};
use classic_models_support::stage::corners;

/// A model, and whether it is there: a Quake model, any other.
pub type Presence<'w> = (&'w ViewedModel, Has<MdlAnimator>, Has<Room>);

/// Whether every model of the row is there or never will be.
pub fn settled(row: &Row, models: &Query<Presence<'static>>) -> bool {
    let done = |entity: &Entity| {
        models
            .get(*entity)
            .is_ok_and(|(model, mdl, other)| mdl || other || model.problem.is_some())
    };
    row.models.iter().all(done)
}

/// The box around what a model shows that is not Quake's, as it stands in the row: an Alamo model at rest,
/// whole and finest; a LithTech model in all its poses; an LGW model. Nothing that is chosen later changes it, so
/// that the model stays where it is.
#[derive(Component, Clone, Copy, Debug)]
pub struct Room {
    pub min: Vec3,
    pub max: Vec3,
}

impl Room {
    /// The box around points; one to look at if there are none.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points {
            min = min.min(point);
            max = max.max(point);
        }
        // Something to look at, whatever is in the file.
        if !(min.is_finite() && max.is_finite()) {
            (min, max) = (Vec3::NEG_ONE, Vec3::ONE);
        }
        Self { min, max }
    }

    /// The box around both.
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

/// The boxes around models, in the row's axes and from their roots.
#[derive(SystemParam)]
pub struct Boxes<'w, 's> {
    row: Res<'w, Row>,
    mdl: Query<'w, 's, &'static MdlAnimator>,
    rooms: Query<'w, 's, &'static Room>,
    meshes: Query<'w, 's, (&'static Aabb, &'static Transform), Without<ViewedModel>>,
}

impl Boxes<'_, '_> {
    /// The box around all that a model may show.
    pub fn of(&self, model: Entity) -> Option<(Vec3, Vec3)> {
        if let Ok(room) = self.rooms.get(model) {
            return Some((room.min, room.max));
        }
        let animator = self.mdl.get(model).ok()?;
        let (aabb, mesh) = self.meshes.get(animator.mesh()).ok()?;
        let (min, max) = if self.row.by_clip {
            clip_bounds(animator.model(), animator)
        } else {
            (aabb.min().into(), aabb.max().into())
        };
        // Boxes stay boxes: the axes are exchanged, never tilted.
        let (a, b) = (mesh.transform_point(min), mesh.transform_point(max));
        Some((a.min(b), a.max(b)))
    }
}

fn clip_bounds(model: &MdlModel, animator: &MdlAnimator) -> (Vec3, Vec3) {
    let sequence = animator.sequence();
    let poses = sequence.first_pose..sequence.first_pose + sequence.pose_count;
    let positions = poses.flat_map(|pose| model.poses.pose(pose).map(|(position, _)| position));
    positions.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), at| {
        (min.min(at), max.max(at))
    })
}

/// The boxes around models as they stand in the world.
#[derive(SystemParam)]
pub struct Rooms<'w, 's> {
    boxes: Boxes<'w, 's>,
    states: Query<'w, 's, Presence<'static>>,
    places: Query<'w, 's, &'static Transform, With<ViewedModel>>,
}

impl Rooms<'_, '_> {
    /// Whether every model is there or never will be.
    pub fn settled(&self) -> bool {
        settled(&self.boxes.row, &self.states)
    }

    /// The corners of the selected model's box.
    pub fn selected_corners(&self) -> Option<[Vec3; 8]> {
        self.corners(self.boxes.row.selected()?)
    }

    /// The corners of a model's box.
    pub fn corners(&self, model: Entity) -> Option<[Vec3; 8]> {
        let place = self.places.get(model).ok()?.translation;
        let (min, max) = self.boxes.of(model)?;
        Some(corners(min + place, max + place))
    }

    /// Those of all models.
    pub fn all_corners(&self) -> Vec<Vec3> {
        let models = self.boxes.row.models.iter();
        models
            .flat_map(|model| self.corners(*model))
            .flatten()
            .collect()
    }
}

/// The first model stays where its file says, the others follow; all stand on the ground.
pub fn stand_side_by_side(boxes: Boxes, mut places: Query<&mut Transform, With<ViewedModel>>) {
    let row = &boxes.row;
    let mut end = None;
    for entity in &row.models {
        let (Some((min, max)), Ok(mut transform)) = (boxes.of(*entity), places.get_mut(*entity))
        else {
            continue;
        };
        let sides = corners(min, max).map(|corner| corner.dot(row.right));
        let left = sides.into_iter().fold(f32::INFINITY, f32::min);
        let right = sides.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let gap = 0.15 * (right - left);
        let place = end.map_or(0.0, |end| end + gap - left);
        end = Some(place + right + gap);
        let translation = row.right * place - Vec3::Y * min.y;
        if transform.translation != translation {
            transform.translation = translation;
        }
    }
}
