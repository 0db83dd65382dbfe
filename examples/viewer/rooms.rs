//! How much room models need, and how they stand side by side.

use crate::models::{Row, ViewedModel};
use crate::support::stage::corners;
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloModel, AloRoot};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlModel};

/// A model, and whether it is there: a Quake model, an Alamo model.
pub type Presence<'w> = (&'w ViewedModel, Has<MdlAnimator>, Has<AloRoom>);

/// Whether every model of the row is there or never will be.
pub fn settled(row: &Row, models: &Query<Presence<'static>>) -> bool {
    let done = |entity: &Entity| {
        models
            .get(*entity)
            .is_ok_and(|(model, mdl, alo)| mdl || alo || model.problem.is_some())
    };
    row.models.iter().all(done)
}

/// The box around what an Alamo model shows when it is whole and finest, as it stands in the row.
/// Nothing that is chosen later changes it, so that the model stays where it is.
#[derive(Component, Clone, Copy, Debug)]
pub struct AloRoom {
    pub min: Vec3,
    pub max: Vec3,
}

impl AloRoom {
    /// The longest side.
    pub fn size(&self) -> f32 {
        (self.max - self.min).max_element()
    }
}

/// Measures Alamo models that were spawned, or spawned anew.
pub fn measure_alo(
    mut commands: Commands,
    instances: Query<(Entity, &AloInstance, &Transform), Changed<AloInstance>>,
    meshes: Res<Assets<Mesh>>,
    scenes: Query<(&Transform, &ChildOf), With<AloRoot>>,
) {
    for (entity, instance, root) in &instances {
        let scene = scenes.iter().find(|(_, parent)| parent.parent() == entity);
        let scene = scene.map_or(Affine3A::IDENTITY, |(scene, _)| scene.compute_affine());
        let to_row = Affine3A::from_quat(root.rotation) * scene;
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points(instance.model(), &meshes) {
            let point = to_row.transform_point3(point);
            min = min.min(point);
            max = max.max(point);
        }
        // Something to look at, whatever is in the file.
        if !(min.is_finite() && max.is_finite()) {
            (min, max) = (Vec3::NEG_ONE, Vec3::ONE);
        }
        commands.entity(entity).insert(AloRoom { min, max });
    }
}

/// Places that the model takes up: what it shows, else all that it might, else its bones and dazzles.
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
    let (low, high) = points
        .iter()
        .fold((Vec3::MAX, Vec3::MIN), |(low, high), p| {
            (low.min(*p), high.max(*p))
        });
    if (high - low).max_element() < 1e-3 {
        points.extend(corners(low - 1.0, high + 1.0));
    }
    points
}

/// The vertices of what is drawn at rest.
fn vertices(model: &AloModel, meshes: &Assets<Mesh>, only_shown: bool) -> Vec<Vec3> {
    let mut points = Vec::new();
    for mesh in &model.meshes {
        let tags = &mesh.tags;
        let shows = (tags.lod.is_none() || tags.lod == model.lod(0))
            && tags.alt.is_none_or(|alt| alt == 0)
            && !mesh.hidden
            && bone_shows(model, mesh.bone);
        if only_shown && !shows {
            continue;
        }
        for submesh in mesh.submeshes.iter().filter(|s| s.material.is_some()) {
            // Skinned vertices are in the model's space already.
            let bone = model.bones.get(mesh.bone);
            let bone = bone.filter(|_| submesh.palette.is_empty());
            let place = bone.map_or(Affine3A::IDENTITY, |bone| bone.bind_pose);
            let mesh = submesh.mesh.as_ref().and_then(|mesh| meshes.get(mesh));
            if let Some(corners) = mesh.and_then(triangle_corners) {
                points.extend(corners.into_iter().map(|at| place.transform_point3(at)));
            } else {
                let (min, max) = (submesh.bounds.min.into(), submesh.bounds.max.into());
                points.extend(corners(min, max).map(|corner| place.transform_point3(corner)));
            }
        }
    }
    points
}

/// The vertices that triangles have, unless the mesh is on the GPU alone.
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

fn bone_shows(model: &AloModel, bone: usize) -> bool {
    let mut next = model.bones.get(bone);
    while let Some(bone) = next {
        if !bone.visible {
            return false;
        }
        next = bone.parent.and_then(|parent| model.bones.get(parent));
    }
    true
}

/// The boxes around models, in the row's axes and from their roots.
#[derive(SystemParam)]
pub struct Boxes<'w, 's> {
    row: Res<'w, Row>,
    mdl: Query<'w, 's, &'static MdlAnimator>,
    alo: Query<'w, 's, &'static AloRoom>,
    meshes: Query<'w, 's, (&'static Aabb, &'static Transform), Without<ViewedModel>>,
}

impl Boxes<'_, '_> {
    /// The box around all that a model may show.
    pub fn of(&self, model: Entity) -> Option<(Vec3, Vec3)> {
        if let Ok(room) = self.alo.get(model) {
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
