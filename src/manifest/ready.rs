//! [`ModelReady`]: sent when everything that a model draws and plays is loaded and spawned.

use crate::load::reloads::{LoadingChecks, is_asset_loading};
use crate::manifest::apply::state::{is_model_loading, manifest_attachments};
use crate::root::spawning::ModelScene;
use crate::spawn::instance::ModelInstance;
use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstance;

/// Sent to the root of a model in the first frame in which everything can be drawn: the entities of the model exist,
/// and its textures, its skin, its clips and the models attached to it or named by its proxies are loaded and spawned.
///
/// It is sent in `PostUpdate`, after materials were chosen and before visibility is computed. So a root that is shown
/// by an observer is drawn in the same frame. The renderer may still have to compile shaders.
///
/// It is sent once per spawn: when the model is spawned for the first time, and again when a reload, or another model
/// in the manifest, has respawned the entities below the root. A change of a texture or a clip alone respawns nothing.
///
/// A file that cannot be loaded is not waited for, and is a warning or an error in the log. If that is the model
/// itself, the event is not sent until a reload succeeds.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelReady {
    /// The root.
    pub entity: Entity,
    /// Whether the event was sent to this root before. Entities that the root had below it then do not exist any more.
    pub is_respawn: bool,
}

/// On a root to which a [`ModelReady`] was sent.
#[derive(Component)]
#[component(storage = "SparseSet", clone_behavior = Ignore)]
pub(crate) struct WasReady;

/// The roots of spawned models to which no [`ModelReady`] was sent since.
#[derive(Resource, Default)]
pub(crate) struct UnreadyModels(EntityHashSet);

/// Adds a root whose model was spawned or respawned. Models of proxies belong to the model of the proxy.
pub(crate) fn on_instance_inserted(
    inserted: On<Insert, ModelInstance>,
    instances: Query<&ModelInstance>,
    mut unready: ResMut<UnreadyModels>,
) {
    let instance = instances.get(inserted.entity);
    if instance.is_ok_and(|instance| !instance.is_of_proxy()) {
        unready.0.insert(inserted.entity);
    }
}

/// Sends [`ModelReady`] to the models that have become ready.
pub(crate) fn send_ready(mut commands: Commands, unready: Res<UnreadyModels>) {
    if !unready.0.is_empty() {
        commands.queue(send_pending);
    }
}

fn send_pending(world: &mut World) {
    let unready = core::mem::take(&mut world.resource_mut::<UnreadyModels>().0);
    // In an order that does not depend on loads. If no entity was despawned, it is that of spawning.
    let mut unready: Vec<Entity> = unready.into_iter().collect();
    unready.sort_unstable_by_key(|root| root.index_u32());
    for root in unready {
        // Each root is checked just before its event, because observers of others may have changed it. Without the
        // component it is despawned, or has lost its model.
        if world.get::<ModelInstance>(root).is_none() {
            continue;
        }
        if is_ready(world, root) {
            send(world, root);
        } else {
            world.resource_mut::<UnreadyModels>().0.insert(root);
        }
    }
}

/// Sends the event to a root, and applies the commands of its observers.
fn send(world: &mut World, root: Entity) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let is_respawn = entity.contains::<WasReady>();
    entity.insert(WasReady);
    world.trigger(ModelReady {
        entity: root,
        is_respawn,
    });
    world.flush();
}

/// Whether nothing of a model, of entities below it and of its attachments is loading.
fn is_ready(world: &World, root: Entity) -> bool {
    let mut next = vec![root];
    let mut seen = EntityHashSet::default();
    while let Some(entity) = next.pop() {
        let Ok(entity) = world.get_entity(entity) else {
            continue;
        };
        if !seen.insert(entity.id()) {
            continue;
        }
        let checks = world.resource::<LoadingChecks>();
        if is_model_loading(world, entity)
            || is_scene_loading(world, entity)
            || checks.is_any_loading(world, entity)
        {
            return false;
        }
        if let Some(children) = entity.get::<Children>() {
            next.extend(children.iter());
        }
        // They may not be attached yet.
        next.extend(manifest_attachments(entity));
    }
    true
}

/// Whether an entity has a scene that is loading or will be spawned.
fn is_scene_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let Some(server) = world.get_resource::<AssetServer>() else {
        return false;
    };
    let will_spawn = |scene| server.is_loaded(scene) || is_asset_loading(server, scene);
    if let Some(ModelScene { scene, .. }) = entity.get() {
        return !entity.contains::<ModelInstance>() && will_spawn(scene);
    }
    let Some(WorldAssetRoot(scene)) = entity.get() else {
        return false;
    };
    let spawner = world.get_resource::<WorldInstanceSpawner>();
    let instance = entity.get::<WorldInstance>();
    let is_spawned = spawner
        .zip(instance)
        .is_some_and(|(spawner, instance)| spawner.instance_is_ready(**instance));
    !is_spawned && will_spawn(scene)
}
