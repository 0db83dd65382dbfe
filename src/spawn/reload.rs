//! Respawns models whose files change while they are in use.
//!
//! ```text
//! task    loader         begin   registers the load, see `load::concurrent`
//!                        finish  waits for the textures; the scene is about to change
//! frame   SpawnScene     note_changes         records scenes about to change, and those that Bevy reports as modified
//!         per format     despawn_replaced     despawns the old scene if a root has a new `WorldAssetRoot`
//!                        request_respawn      despawns stale scenes, and reports them to Bevy as modified
//!         all formats    spawn_early          processes queued despawns, then runs Bevy's spawner
//!                          on_scene_ready       formats insert their components on the root
//!         per format     respawn_missed       respawns scenes that are still stale
//!         Bevy           WorldInstanceSpawn   spawns everything else, such as models of proxies
//! frame   PostUpdate     applies the root's components to the new scene: animation, appearance, attachments
//! ```
//!
//! A scene is stale if its model is not the model that its root is an instance of.
//!
//! # Policy
//!
//! - The old model stays until the new one and all its textures are loaded. A broken file changes nothing.
//! - The new model is drawn in the same frame in which its assets change. No frame shows old entities with new meshes.
//! - The root keeps its components; all entities below it are respawned.
//! - Scenes that do not belong to a root's own model, and despawned roots, are ignored.
//!
//! # Workarounds for Bevy's behavior
//!
//! - It replaces all assets of a file at once under the same handles, but respawns the scene one frame later:
//!   `request_respawn`, `spawn_early`.
//! - It misses the second of two changes within three frames ([#20430]): `respawn_missed`.
//! - It does not draw materials with a missing texture: `Reloads::finish`.
//! - It panics if it respawns a scene whose parent was despawned: `note_orphan`, `forget_orphans`. It never unregisters
//!   scenes below parents that are not roots: `note_child_orphans`.
//! - It panics if it despawns a model while a model below it is queued for spawning: `despawn_replaced`,
//!   `request_respawn`.
//!
//! [#20430]: https://github.com/bevyengine/bevy/pull/20430

use crate::load::reloads::Reloads;
use crate::root::environment::SpawnEarly;
use crate::spawn::format::Format;
use crate::spawn::instance::ModelInstance;
use bevy::app::SceneSpawnerSystems;
use bevy::ecs::system::{SystemParam, SystemState};
use bevy::prelude::*;
use bevy::world_serialization::{
    InstanceId, WorldInstance, WorldInstanceReady, world_instance_spawner_system,
};

/// Frames after which a scene whose load has finished is no longer expected to change.
const MAX_LOAD_FRAMES: u32 = 1000;

/// Frames in which Bevy misses a change, plus two: see <https://github.com/bevyengine/bevy/pull/20430>.
const MISSED_CHANGE_FRAMES: u32 = 5;

/// Scenes whose spawned instances may be stale, each with the count of frames for which it is checked.
#[derive(Resource, Default)]
struct Changing(Vec<(AssetId<WorldAsset>, u32)>);

/// Whether `request_respawn` has reported changes to Bevy in this frame.
#[derive(Resource, Default)]
struct RespawnRequested(bool);

impl Changing {
    fn check_for(&mut self, id: AssetId<WorldAsset>, frames: u32) {
        self.0.retain(|(other, _)| *other != id);
        self.0.push((id, frames));
    }
}

/// Scene instances whose parents were despawned.
#[derive(Resource, Default)]
struct Orphans(Vec<InstanceId>);

/// On a parent: the scene instances that were spawned below it, in order, except that of its own `WorldAssetRoot`.
#[derive(Component, Default)]
struct ChildInstances(Vec<InstanceId>);

/// On a root: the scene that is currently spawned. Its `WorldAssetRoot` can already be a different scene.
#[derive(Component)]
struct SpawnedScene(AssetId<WorldAsset>);

/// Records each spawned scene instance on its parent.
fn note_instance(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    roots: Query<(&WorldAssetRoot, &WorldInstance)>,
    parents: Query<&ChildInstances>,
) {
    let (parent, instance) = (ready.entity, ready.instance_id);
    if parent == Entity::PLACEHOLDER {
        return;
    }
    if let Ok((root, own)) = roots.get(parent)
        && **own == instance
    {
        commands.entity(parent).try_insert(SpawnedScene(root.id()));
        return;
    }
    let previous = parents
        .get(parent)
        .into_iter()
        .flat_map(|children| &children.0);
    let live = previous.filter(|instance| spawner.instance_is_ready(**instance));
    let mut children: Vec<InstanceId> = live.copied().collect();
    // A reload keeps the instance and its position in the order.
    if !children.contains(&instance) {
        children.push(instance);
    }
    commands.entity(parent).try_insert(ChildInstances(children));
}

/// Distinguishes the scene of a model's root from other scenes that were spawned below the same entity.
#[derive(SystemParam)]
pub(crate) struct OwnScenes<'w, 's, F: Format> {
    spawner: Res<'w, WorldInstanceSpawner>,
    roots: Query<'w, 's, &'static WorldInstance, With<WorldAssetRoot>>,
    parents: Query<'w, 's, &'static ChildInstances>,
    scenes: Query<'w, 's, (), With<<F as Format>::Scene>>,
}

impl<F: Format> OwnScenes<'_, '_, F> {
    /// The entities of a scene, if it is its parent's own scene. `None` for other scenes, and without a parent.
    ///
    /// If the parent has no `WorldAssetRoot`, its own scene is the first scene of a model below it.
    pub(crate) fn entities(&self, ready: &WorldInstanceReady) -> Option<Vec<Entity>> {
        let (parent, instance) = (ready.entity, ready.instance_id);
        if parent == Entity::PLACEHOLDER {
            return None;
        }
        let own = match self.roots.get(parent) {
            Ok(own) => Some(**own),
            Err(_) => self.first_child_scene(parent),
        };
        let is_own = own.is_none_or(|own| own == instance);
        is_own.then(|| self.spawner.iter_instance_entities(instance).collect())
    }

    fn first_child_scene(&self, parent: Entity) -> Option<InstanceId> {
        let mut children = self.parents.get(parent).ok()?.0.iter().copied();
        children.find(|instance| {
            let mut entities = self.spawner.iter_instance_entities(*instance);
            entities.any(|entity| self.scenes.contains(entity))
        })
    }
}

/// Records the instance of a despawned root.
///
/// Bevy unregisters the instance, but not if the root is despawned while Bevy spawns other scenes. Then it would
/// respawn the instance below the missing root when the file changes, and panic. No upstream report known.
fn note_orphan(
    despawned: On<Despawn, WorldInstance>,
    instances: Query<&WorldInstance>,
    mut orphans: ResMut<Orphans>,
) {
    orphans
        .0
        .extend(instances.get(despawned.entity).map(|instance| **instance));
}

/// Records the instances of a despawned parent that is not a root. Bevy never unregisters these:
/// <https://github.com/bevyengine/bevy/pull/12778> handles only roots.
fn note_child_orphans(
    despawned: On<Despawn, ChildInstances>,
    parents: Query<&ChildInstances>,
    mut orphans: ResMut<Orphans>,
) {
    let children = parents.get(despawned.entity).into_iter();
    orphans.0.extend(children.flat_map(|children| &children.0));
}

/// Unregisters the instances of despawned parents from Bevy's spawner.
fn forget_orphans(world: &mut World) {
    let orphans = core::mem::take(&mut world.resource_mut::<Orphans>().0);
    if let Some(mut spawner) = world.get_resource_mut::<WorldInstanceSpawner>() {
        for instance in orphans {
            spawner.unregister_instance(instance);
        }
    }
}

/// Registers the resources and systems of reloads that are independent of the format.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<Changing>()
        .init_resource::<Orphans>()
        .init_resource::<RespawnRequested>()
        .add_observer(note_instance)
        .add_observer(note_orphan)
        .add_observer(note_child_orphans)
        .add_systems(
            SpawnScene,
            (
                note_changes.before(SpawnEarly),
                spawn_early.in_set(SpawnEarly),
            ),
        )
        .configure_sets(
            SpawnScene,
            SpawnEarly.before(SceneSpawnerSystems::WorldInstanceSpawn),
        );
}

/// Respawns models of a format in the frame in which their scene changes.
pub(crate) fn register_respawn<F: Format>(app: &mut App) {
    app.add_systems(
        SpawnScene,
        (
            (despawn_replaced::<F>, request_respawn::<F>)
                .chain()
                .before(spawn_early),
            respawn_missed::<F>.after(spawn_early),
        )
            .in_set(SpawnEarly),
    );
}

/// Records scenes about to change, and those that Bevy reports as modified. Drops scenes whose time is over.
fn note_changes(
    reloads: Res<Reloads>,
    mut changing: ResMut<Changing>,
    mut events: MessageReader<AssetEvent<WorldAsset>>,
) {
    changing.0.retain_mut(|(_, frames)| {
        *frames -= 1;
        *frames > 0
    });
    for id in reloads.pending().drain(..) {
        changing.check_for(id, MAX_LOAD_FRAMES);
    }
    for event in events.read() {
        if let AssetEvent::Modified { id } = event {
            changing.check_for(*id, MISSED_CHANGE_FRAMES);
        }
    }
}

/// Filters roots whose `WorldAssetRoot` may have been replaced.
type SceneReplaced<F> = (With<<F as Format>::Instance>, Changed<WorldAssetRoot>);

/// Despawns the old scene of roots whose `WorldAssetRoot` was replaced.
///
/// Bevy would despawn it too, but only after it has collected the roots that have a scene to spawn. It would panic
/// because roots inside the old scene no longer exist. No upstream report known.
fn despawn_replaced<F: Format>(
    mut commands: Commands,
    spawner: Option<ResMut<WorldInstanceSpawner>>,
    roots: Query<(&WorldAssetRoot, &WorldInstance, &SpawnedScene), SceneReplaced<F>>,
) {
    let Some(mut spawner) = spawner else {
        return;
    };
    for (root, instance, spawned) in &roots {
        // Bevy may have spawned it already.
        if spawned.0 == root.id() {
            continue;
        }
        for entity in spawner.iter_instance_entities(**instance) {
            commands.entity(entity).try_despawn();
        }
        spawner.unregister_instance(**instance);
    }
}

/// The requested scene of a root, its scene instance, and its model instance.
type SpawnedModel<F> = (
    &'static WorldAssetRoot,
    &'static WorldInstance,
    &'static <F as Format>::Instance,
);

/// Finds scenes whose spawned instances are stale.
#[derive(SystemParam)]
struct Stale<'w, 's, F: Format> {
    changing: Res<'w, Changing>,
    scenes: Res<'w, Assets<WorldAsset>>,
    roots: Query<'w, 's, SpawnedModel<F>>,
}

impl<F: Format> Stale<'_, '_, F> {
    fn scenes(&self) -> Vec<AssetId<WorldAsset>> {
        let ids = self.changing.0.iter().map(|(id, _)| *id);
        ids.filter(|id| self.is_stale(*id)).collect()
    }

    fn is_stale(&self, id: AssetId<WorldAsset>) -> bool {
        let Some(model) = self.scenes.get(id).and_then(model_of::<F>) else {
            return false;
        };
        let mut roots = self.roots.iter();
        roots.any(|(root, _, instance)| root.id() == id && !F::is_model_of(model, instance))
    }
}

/// Despawns stale scenes, and reports them to Bevy as modified, which Bevy would otherwise notice in the next frame.
///
/// Bevy would despawn them too, but during spawning, when despawned models inside other models can no longer be
/// unregistered. No upstream report known.
fn request_respawn<F: Format>(
    mut commands: Commands,
    stale: Stale<'_, '_, F>,
    spawner: Option<Res<WorldInstanceSpawner>>,
    mut requested: ResMut<RespawnRequested>,
    mut events: MessageWriter<AssetEvent<WorldAsset>>,
) {
    let (scenes, Some(spawner)) = (stale.scenes(), spawner) else {
        return;
    };
    if scenes.is_empty() {
        return;
    }
    for (root, instance, _) in &stale.roots {
        if scenes.contains(&root.id()) {
            for entity in spawner.iter_instance_entities(**instance) {
                commands.entity(entity).try_despawn();
            }
        }
    }
    requested.0 = true;
    events.write_batch(scenes.into_iter().map(|id| AssetEvent::Modified { id }));
}

/// Runs Bevy's spawner early, if changes were reported to it.
fn spawn_early(world: &mut World) {
    forget_orphans(world);
    if !core::mem::take(&mut world.resource_mut::<RespawnRequested>().0) {
        return;
    }
    // Queued despawns first, because these scenes can contain models.
    world.resource_scope(|world, mut spawner: Mut<WorldInstanceSpawner>| {
        if let Err(error) = spawner.despawn_queued_world_asset_instances(world) {
            error!("a scene instance could not be despawned: {error}");
        }
        spawner.despawn_queued_dynamic_world_instances(world);
    });
    forget_orphans(world);
    world_instance_spawner_system(world);
}

/// Respawns stale scenes that Bevy's spawner has missed.
fn respawn_missed<F: Format>(
    world: &mut World,
    stale: &mut SystemState<Stale<'static, 'static, F>>,
) {
    let Ok(stale) = stale.get(world) else {
        return;
    };
    let stale = stale.scenes();
    if stale.is_empty() {
        return;
    }
    world.resource_scope(|world, mut spawner: Mut<WorldInstanceSpawner>| {
        if let Err(error) = spawner.update_spawned_instances(world, &stale) {
            error!("a model whose file changed could not be respawned: {error}");
        }
    });
    // Triggers `WorldInstanceReady` for the new instances.
    world_instance_spawner_system(world);
}

/// The model component in a scene's own world.
fn model_of<F: Format>(scene: &WorldAsset) -> Option<&F::Scene> {
    let mut scenes = scene.world.try_query::<&F::Scene>()?;
    scenes.iter(&scene.world).next()
}

/// Access to the ready scenes of one format.
#[derive(SystemParam)]
pub(crate) struct ReadyScenes<'w, 's, F: Format> {
    own: OwnScenes<'w, 's, F>,
    scenes: Query<'w, 's, &'static <F as Format>::Scene>,
    instances: Query<'w, 's, (), With<<F as Format>::Instance>>,
}

impl<F: Format> ReadyScenes<'_, '_, F> {
    /// The scene of a root, if it is of this format: the entity that has the component, the component, and all
    /// entities.
    ///
    /// If the scene is of another format, removes this format's components from the root.
    pub(crate) fn get(
        &self,
        ready: &WorldInstanceReady,
        commands: &mut Commands,
    ) -> Option<(Entity, F::Scene, Vec<Entity>)> {
        let entities = self.own.entities(ready)?;
        let scene = |entity: &Entity| Some((*entity, self.scenes.get(*entity).ok()?.clone()));
        let found = entities.iter().find_map(scene);
        let Some((entity, scene)) = found else {
            if self.instances.contains(ready.entity) {
                remove_model::<F>(commands, ready.entity);
            }
            return None;
        };
        Some((entity, scene, entities))
    }
}

/// Removes a format's components from a root that loses its scene.
pub(crate) fn on_root_removed<F: Format>(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
) {
    remove_model::<F>(&mut commands, removed.entity);
}

/// Removes the components of one format from a root. Keeps a [`ModelInstance`] of another format, which may have
/// replaced it.
fn remove_model<F: Format>(commands: &mut Commands, root: Entity) {
    commands.queue(move |world: &mut World| {
        let instance = world.get::<ModelInstance>(root);
        if instance.is_some_and(|instance| instance.format() == F::FORMAT)
            && let Ok(mut root) = world.get_entity_mut(root)
        {
            root.remove::<ModelInstance>();
        }
        // An observer of the removal may have despawned the root.
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.remove::<F::OnRoot>();
        }
    });
}
