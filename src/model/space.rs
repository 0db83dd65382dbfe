//! Models that face −Z in meters, whatever their format.

use super::manifest::manifest_transform;
use crate::model::components::{BevySpace, SceneTransform};
use crate::model::models::ModelQuery;
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
    /// Meters per unit of a typical file. The games did not state units, so this is an estimate from the heights of
    /// people: see the table in the manual.
    pub fn meters_per_unit(self) -> f32 {
        match self {
            Self::Alamo => 0.4,
            Self::LithTech => 1.0 / 40.0,
            Self::Quake => 1.0 / 32.0,
            Self::UfoAftermath => 0.01,
        }
    }

    /// The rotation that turns a scene's front to −Z and its up to Y. `own` is the scene's rotation, as its loader
    /// made it.
    fn facing(self, own: Quat, Mirror(mirror): Mirror) -> Quat {
        let half_turn = Quat::from_rotation_y(PI);
        match self {
            Self::Alamo => half_turn * z_up_forward_minus_y().rotation,
            Self::Quake => z_up_forward_x().rotation,
            // Its front is +Z in the file, and −Z where that is mirrored.
            Self::LithTech if mirror.z < 0.0 => Quat::IDENTITY,
            Self::LithTech => half_turn,
            // The format has no front of its own.
            Self::UfoAftermath => own,
        }
    }
}

/// A change of the component or of what the model is attached to, or a scene that was spawned or respawned.
type SpaceChanged = Or<(Changed<BevySpace>, Changed<ChildOf>, Changed<ModelInstance>)>;

/// What tells which scenes are to be placed.
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

/// Places scenes whose roots got, changed or lost a [`BevySpace`], or were attached, detached or spawned. Also places the
/// scenes of the models with a [`BevySpace`] below these roots.
pub(super) fn follow_spaces(
    mut commands: Commands,
    mut changes: SpaceChanges,
    children: Query<&Children>,
    models: ModelQuery,
) {
    let mut due = changes.take();
    if due.is_empty() {
        return;
    }
    // The scale of their scenes depends on the scenes above them.
    let below = due.iter().flat_map(|root| children.iter_descendants(*root));
    let inner: Vec<Entity> = below
        .filter(|root| changes.spaces.contains(*root))
        .collect();
    due.extend(inner);
    let with_format = |root| Some((root, models.format(root)?));
    let mut due: Vec<(Entity, ModelFormat)> = due.into_iter().filter_map(with_format).collect();
    commands.queue(move |world: &mut World| {
        // Outer models before those that are attached to them.
        due.sort_by_cached_key(|(root, _)| ancestors(world, *root).count());
        for (root, format) in due {
            place_scene(world, root, format);
        }
    });
}

/// Places the scene below a root.
fn place_scene(world: &mut World, root: Entity, format: ModelFormat) {
    let Some(scene) = scene_of(world, root) else {
        return;
    };
    let known = world.get::<SceneTransform>(scene).copied();
    let Some(stand) = known.or_else(|| spawned_stand(world, scene)) else {
        return;
    };
    let (factor, stated) = manifest_transform(world, root, stand);
    let space = world.get::<BevySpace>(root);
    let transform = match space {
        Some(space) => {
            let meters = space.meters_per_unit;
            let meters = meters.filter(|meters| meters.is_finite() && *meters > 0.0);
            let meters = meters.unwrap_or(format.meters_per_unit());
            Transform {
                translation: stand.own.translation,
                rotation: stated.unwrap_or(format.facing(stand.own.rotation, stand.mirror)),
                scale: Vec3::splat(factor * meters / outer_scale(world, root)),
            }
        }
        None => Transform {
            translation: stand.own.translation,
            rotation: stated.unwrap_or(stand.own.rotation),
            scale: stand.own.scale * factor,
        },
    };
    // What the file says of distances, such as those of its levels of detail, is scaled with it.
    let scale = transform.scale.x / stand.own.scale.x;
    if let Ok(mut root) = world.get_entity_mut(root) {
        match scale == 1.0 || !scale.is_finite() {
            true => root.remove::<SceneScale>(),
            false => root.insert(SceneScale(scale)),
        };
    }
    if let Ok(mut scene) = world.get_entity_mut(scene) {
        scene.insert((stand, transform));
    }
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

/// How a scene stands that nothing has placed yet.
fn spawned_stand(world: &World, scene: Entity) -> Option<SceneTransform> {
    Some(SceneTransform {
        own: *world.get::<Transform>(scene)?,
        mirror: world.get::<Mirror>(scene).copied().unwrap_or_default(),
    })
}

/// The entities that an entity is below, and the child of each on the way.
fn ancestors(world: &World, entity: Entity) -> impl Iterator<Item = (Entity, Entity)> {
    let parent = |child: Entity| {
        let parent = world.get::<ChildOf>(child)?;
        Some((parent.parent(), child))
    };
    core::iter::successors(parent(entity), move |(entity, _)| parent(*entity))
}

/// The factor by which the scene of a root shrinks when the root loses its parent: `follow_spaces` then no longer
/// compensates for the scenes above it. 1 without a [`BevySpace`].
pub(super) fn compensated_scale(world: &World, root: Entity) -> f32 {
    match world.get::<BevySpace>(root) {
        Some(_) => outer_scale(world, root),
        None => 1.0,
    }
}

/// How much a root is scaled by the scenes of the models with a [`BevySpace`] that it is attached to.
fn outer_scale(world: &World, root: Entity) -> f32 {
    let scales = ancestors(world, root).filter_map(|(parent, scene)| {
        world.get::<BevySpace>(parent)?;
        world.get::<SceneTransform>(scene)?;
        Some(world.get::<Transform>(scene)?.scale.x)
    });
    scales.product()
}
