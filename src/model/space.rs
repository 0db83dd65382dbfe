//! Applies [`BevySpace`]: the systems that rotate and scale the scenes below model roots.

use super::manifest::manifest_transform;
use crate::model::components::{BevySpace, SceneTransform};
use crate::model::roots::ModelRoots;
use crate::scene::{
    Mirror, ModelFormat, ModelInstance, SceneScale, z_up_forward_minus_y, z_up_forward_x,
};
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, Query, SystemParam};
use bevy::ecs::world::World;
use bevy::math::{Quat, Vec3};
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldInstance, WorldInstanceSpawner};
use core::f32::consts::PI;

impl ModelFormat {
    /// Meters per unit of a typical file. The formats do not define units, so this is an estimate from the heights of
    /// characters: see the table in the manual.
    pub fn meters_per_unit(self) -> f32 {
        match self {
            Self::Alamo => 0.4,
            Self::LithTech => 1.0 / 40.0,
            Self::Quake => 1.0 / 32.0,
            Self::UfoAftermath => 0.01,
        }
    }

    /// The rotation that turns a scene's front to −Z and its up axis to Y. `original` is the rotation that the loader
    /// gave the scene.
    fn facing(self, original: Quat, Mirror(mirror): Mirror) -> Quat {
        let half_turn = Quat::from_rotation_y(PI);
        match self {
            Self::Alamo => half_turn * z_up_forward_minus_y().rotation,
            Self::Quake => z_up_forward_x().rotation,
            // The front is +Z in the file, and −Z if the loader mirrored Z.
            Self::LithTech if mirror.z < 0.0 => Quat::IDENTITY,
            Self::LithTech => half_turn,
            // The format has no forward axis.
            Self::UfoAftermath => original,
        }
    }
}

/// The component or the parent changed, or the scene was spawned or respawned.
type SpaceChanged = Or<(Changed<BevySpace>, Changed<ChildOf>, Changed<ModelInstance>)>;

/// The roots whose scene transforms must be updated.
#[derive(SystemParam)]
pub(super) struct SpaceChanges<'w, 's> {
    changed: Query<'w, 's, Entity, (With<BevySpace>, SpaceChanged)>,
    removed: RemovedComponents<'w, 's, BevySpace>,
    detached: RemovedComponents<'w, 's, ChildOf>,
    spaces: Query<'w, 's, (), With<BevySpace>>,
}

impl SpaceChanges<'_, '_> {
    /// Roots that got, changed or lost a [`BevySpace`], or were attached, detached or spawned, since the last call.
    fn take(&mut self) -> EntityHashSet {
        let spaces = &self.spaces;
        let detached = self.detached.read().filter(|root| spaces.contains(*root));
        let changed = self.changed.iter();
        changed.chain(self.removed.read()).chain(detached).collect()
    }
}

/// Updates the scene transforms of roots that got, changed or lost a [`BevySpace`], or were attached, detached or
/// spawned. Also updates those of the models with a [`BevySpace`] below these roots.
pub(super) fn update_scenes(
    mut commands: Commands,
    mut changes: SpaceChanges,
    children: Query<&Children>,
    models: ModelRoots,
) {
    let mut due = changes.take();
    if due.is_empty() {
        return;
    }
    // The scene scale of an attached model depends on the scenes of its ancestors.
    let descendants = due.iter().flat_map(|root| children.iter_descendants(*root));
    let inner: Vec<Entity> = descendants
        .filter(|root| changes.spaces.contains(*root))
        .collect();
    due.extend(inner);
    let with_format = |root| Some((root, models.format(root)?));
    let mut due: Vec<(Entity, ModelFormat)> = due.into_iter().filter_map(with_format).collect();
    commands.queue(move |world: &mut World| {
        // Models before those that are attached to them.
        due.sort_by_cached_key(|(root, _)| ancestors(world, *root).count());
        for (root, format) in due {
            update_scene(world, root, format);
        }
    });
}

/// Updates the transform of the scene below a root.
fn update_scene(world: &mut World, root: Entity, format: ModelFormat) {
    let Some(scene) = scene_of(world, root) else {
        return;
    };
    let saved = world.get::<SceneTransform>(scene).copied();
    let Some(loaded) = saved.or_else(|| spawned_transform(world, scene)) else {
        return;
    };
    let SceneTransform { original, mirror } = loaded;
    let manifest = manifest_transform(world, root);
    let (factor, rotation) = (manifest.scale, manifest.rotation(loaded));
    let space = world.get::<BevySpace>(root);
    let transform = match space {
        Some(space) => {
            let rotation = rotation.unwrap_or(format.facing(original.rotation, mirror));
            let meters = space.meters_per_unit;
            let meters = meters.filter(|meters| meters.is_finite() && *meters > 0.0);
            let of_height = || Some(manifest.height? / height(world, root, rotation)?);
            let meters = meters
                .or(manifest.meters)
                .or_else(of_height)
                .filter(|meters| meters.is_finite())
                .unwrap_or(format.meters_per_unit());
            Transform {
                translation: original.translation,
                rotation,
                scale: Vec3::splat(factor * meters / outer_scale(world, root)),
            }
        }
        None => Transform {
            translation: original.translation,
            rotation: rotation.unwrap_or(original.rotation),
            scale: original.scale * factor,
        },
    };
    // Distances in the file, such as those of its levels of detail, scale with the scene.
    let scale = transform.scale.x / original.scale.x;
    if let Ok(mut root) = world.get_entity_mut(root) {
        match scale == 1.0 || !scale.is_finite() {
            true => root.remove::<SceneScale>(),
            false => root.insert(SceneScale(scale)),
        };
    }
    if let Ok(mut scene) = world.get_entity_mut(scene) {
        scene.insert((loaded, transform));
    }
}

/// The height of a model at rest after a rotation of its scene, in units of the file. `None` if it is 0 or not known.
fn height(world: &World, root: Entity, rotation: Quat) -> Option<f32> {
    let instance = world.get::<ModelInstance>(root)?;
    let bounds = instance.model().bounds()?;
    let size = Vec3::from(bounds.max - bounds.min);
    // The extent of a rotated box along Y.
    let height = (rotation.inverse() * Vec3::Y).abs().dot(size);
    (height > 0.0).then_some(height)
}

/// The root entity of the scene below a root.
fn scene_of(world: &World, root: Entity) -> Option<Entity> {
    let instance = world.get::<WorldInstance>(root)?;
    let spawner = world.get_resource::<WorldInstanceSpawner>()?;
    let mut entities = spawner.iter_instance_entities(**instance);
    entities.find(|entity| {
        let parent = world.get::<ChildOf>(*entity);
        parent.is_some_and(|parent| parent.parent() == root)
    })
}

/// The transform and mirror of a scene whose transform was not updated yet.
fn spawned_transform(world: &World, scene: Entity) -> Option<SceneTransform> {
    Some(SceneTransform {
        original: *world.get::<Transform>(scene)?,
        mirror: world.get::<Mirror>(scene).copied().unwrap_or_default(),
    })
}

/// The ancestors of an entity, from its parent up, each with its child on the path to the entity.
fn ancestors(world: &World, entity: Entity) -> impl Iterator<Item = (Entity, Entity)> {
    let parent = |child: Entity| {
        let parent = world.get::<ChildOf>(child)?;
        Some((parent.parent(), child))
    };
    core::iter::successors(parent(entity), move |(entity, _)| parent(*entity))
}

/// The factor by which the scene of a root shrinks when the root loses its parent: [`update_scenes`] then no longer
/// compensates for the scale of its ancestors' scenes. 1 without a [`BevySpace`].
pub(super) fn compensated_scale(world: &World, root: Entity) -> f32 {
    match world.get::<BevySpace>(root) {
        Some(_) => outer_scale(world, root),
        None => 1.0,
    }
}

/// The scale that a root inherits from the scenes of the models with a [`BevySpace`] that it is attached to.
fn outer_scale(world: &World, root: Entity) -> f32 {
    let scales = ancestors(world, root).filter_map(|(parent, scene)| {
        world.get::<BevySpace>(parent)?;
        world.get::<SceneTransform>(scene)?;
        Some(world.get::<Transform>(scene)?.scale.x)
    });
    scales.product()
}
