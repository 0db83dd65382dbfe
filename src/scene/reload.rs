//! Respawns models whose files change while they are in use.
//!
//! ```text
//! task    loader         begin   the load is counted, see `load_tracker`
//!                        finish  waits for the textures; the scene is about to change
//! frame   SpawnScene     note_changes         scenes about to change, and those that Bevy reports as modified
//!         per format     despawn_exchanged    the old scene of a root that was given another one
//!                        request_respawn           despawns stale scenes, and reports them to Bevy as modified
//!         all formats    spawn_early          despawns what is queued, then runs Bevy's spawner
//!                          on_scene_ready       formats put their components on the root
//!         per format     spawn_overlooked     respawns what is still stale
//!         Bevy           WorldInstanceSpawn   everything else, such as models of proxies
//! frame   PostUpdate     animation, appearance, attachments: the root's components are applied to the new scene
//! ```
//!
//! A scene is stale if it is not of the model that its root is an instance of.
//!
//! # Our policy
//!
//! - The old model stays until the new one and all its textures are loaded. A broken file changes nothing.
//! - The new model is drawn in the frame in which its assets change, so that no frame shows old entities with new meshes.
//! - The root and its components stay; everything below it is respawned.
//! - Scenes that are not of a root's own model, and roots that are gone, are left alone.
//!
//! # What Bevy does otherwise
//!
//! - It replaces all assets of a file at once under their old handles, but respawns the scene a frame later:
//!   `request_respawn`, `spawn_early`.
//! - Of two changes within three frames it overlooks the second ([#20430]): `spawn_overlooked`.
//! - It draws no material that lacks a texture: `Reloads::finish`.
//! - It panics if it respawns a scene of which the parent is gone: `note_orphan`, `forget_orphans`. It never forgets scenes
//!   below parents that are not roots: `note_orphans_below`.
//! - It panics if it despawns a model that has a model below it which is to be spawned: `despawn_exchanged`, `request_respawn`.
//!
//! [#20430]: https://github.com/bevyengine/bevy/pull/20430

use crate::scene::concurrent_loads::RunningLoad;
use crate::scene::labels::scene_path;
use crate::scene::spawn_early::SpawnEarly;
use bevy::app::{App, SceneSpawnerSystems, SpawnScene};
use bevy::asset::{AssetEvent, AssetId, AssetPath, AssetServer, Assets, Handle, LoadContext};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Despawn;
use bevy::ecs::message::{MessageReader, MessageWriter};
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, With};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Commands, Query, Res, ResMut, SystemParam, SystemState};
use bevy::ecs::world::{Mut, World};
use bevy::image::Image;
use bevy::log::error;
use bevy::world_serialization::{
    InstanceId, WorldAsset, WorldAssetRoot, WorldInstance, WorldInstanceReady,
    WorldInstanceSpawner, world_instance_spawner_system,
};
use core::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Frames after which nobody expects any more that a load comes to its end.
const PATIENCE: u32 = 1000;

/// Frames in which Bevy overlooks a change, and two more: see <https://github.com/bevyengine/bevy/pull/20430>.
const OVERLOOKED: u32 = 5;

/// What loaders of models do at the end of a load of a model that is in use already. They keep one.
#[derive(Resource, Clone)]
pub(crate) struct Reloads {
    server: AssetServer,
    /// Scenes that are about to change.
    coming: Arc<Mutex<Vec<AssetId<WorldAsset>>>>,
}

impl Reloads {
    /// For a loader of this app.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }

    /// The scene of a model, if it is there, so that a load of it is not the first.
    fn scene(&self, model: &AssetPath<'static>) -> Option<Handle<WorldAsset>> {
        let scene = self.server.get_handle(scene_path(model))?;
        self.server.is_loaded(&scene).then_some(scene)
    }

    /// To be called at the end of a load. If the model is in use, waits until its pictures are loaded or
    /// have failed: Bevy draws no material that lacks one, so that the old model is to stay until then.
    pub(crate) async fn finish(
        &self,
        load: &RunningLoad,
        load_context: &LoadContext<'_>,
        pictures: Vec<Handle<Image>>,
    ) {
        if load.is_processing() {
            return;
        }
        let Some(scene) = self.scene(load_context.path()) else {
            return;
        };
        for picture in pictures {
            // One that fails is not to keep the model from being loaded.
            let _ = self.server.wait_for_asset(&picture).await;
        }
        self.coming().push(scene.id());
    }

    fn coming(&self) -> impl DerefMut<Target = Vec<AssetId<WorldAsset>>> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A component of a scene's own world that tells which model the scene is of.
pub(crate) trait SceneModel: Component {
    /// On the root entity of what was spawned.
    type Instance: Component;

    /// Whether that was spawned of the same model, and not of one before a change of its file.
    fn is_of(&self, instance: &Self::Instance) -> bool;
}

/// Scenes that may be others than what was spawned of them, each for so many more frames.
#[derive(Resource, Default)]
struct Changing(Vec<(AssetId<WorldAsset>, u32)>);

/// Whether Bevy was told of changes in this frame.
#[derive(Resource, Default)]
struct RespawnRequested(bool);

impl Changing {
    fn expect(&mut self, id: AssetId<WorldAsset>, frames: u32) {
        self.0.retain(|(other, _)| *other != id);
        self.0.push((id, frames));
    }
}

/// Instances of scenes whose parents are gone.
#[derive(Resource, Default)]
struct Orphans(Vec<InstanceId>);

/// On a parent: instances of scenes that were spawned below it, in order, but for the one of its own `WorldAssetRoot`.
#[derive(Component, Default)]
struct ChildInstances(Vec<InstanceId>);

/// On a root: the scene that stands on it, which is not yet another one that it was given in this frame.
#[derive(Component)]
struct SpawnedScene(AssetId<WorldAsset>);

/// Notes what is spawned, and below which entity.
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
    if let Ok((root, of)) = roots.get(parent)
        && **of == instance
    {
        commands.entity(parent).try_insert(SpawnedScene(root.id()));
        return;
    }
    let known = parents.get(parent).into_iter().flat_map(|below| &below.0);
    let known = known.filter(|known| spawner.instance_is_ready(**known));
    let mut below: Vec<InstanceId> = known.copied().collect();
    // A reload keeps the instance and its place in the order.
    if !below.contains(&instance) {
        below.push(instance);
    }
    commands.entity(parent).try_insert(ChildInstances(below));
}

/// Tells the scene of a model's root from other scenes that were spawned below the same entity.
#[derive(SystemParam)]
pub(crate) struct OwnScenes<'w, 's, S: SceneModel> {
    spawner: Res<'w, WorldInstanceSpawner>,
    roots: Query<'w, 's, &'static WorldInstance, With<WorldAssetRoot>>,
    parents: Query<'w, 's, &'static ChildInstances>,
    scenes: Query<'w, 's, (), With<S>>,
}

impl<S: SceneModel> OwnScenes<'_, '_, S> {
    /// The entities of a scene that is its parent's own; `None` for other scenes and for those without a parent.
    ///
    /// Below an entity without a `WorldAssetRoot` that is the first scene of a model.
    pub(crate) fn entities(&self, ready: &WorldInstanceReady) -> Option<Vec<Entity>> {
        let (parent, instance) = (ready.entity, ready.instance_id);
        if parent == Entity::PLACEHOLDER {
            return None;
        }
        let own = match self.roots.get(parent) {
            Ok(own) => Some(**own),
            Err(_) => self.first_below(parent),
        };
        let is_own = own.is_none_or(|own| own == instance);
        is_own.then(|| self.spawner.iter_instance_entities(instance).collect())
    }

    fn first_below(&self, parent: Entity) -> Option<InstanceId> {
        let mut below = self.parents.get(parent).ok()?.0.iter().copied();
        below.find(|instance| {
            let mut entities = self.spawner.iter_instance_entities(*instance);
            entities.any(|entity| self.scenes.contains(entity))
        })
    }
}

/// Notes that a root is gone. Bevy forgets its instance, but not while it spawns others: it would spawn the
/// instance anew when its own file changes, below what is not there, and panic. Not reported upstream as far as known.
fn note_orphan(
    gone: On<Despawn, WorldInstance>,
    instances: Query<&WorldInstance>,
    mut orphans: ResMut<Orphans>,
) {
    orphans.0.extend(instances.get(gone.entity).map(|of| **of));
}

/// The same of parents that are no roots, whose instances Bevy never forgets: <https://github.com/bevyengine/bevy/pull/12778> is for roots.
fn note_orphans_below(
    gone: On<Despawn, ChildInstances>,
    parents: Query<&ChildInstances>,
    mut orphans: ResMut<Orphans>,
) {
    let below = parents.get(gone.entity).into_iter();
    orphans.0.extend(below.flat_map(|below| &below.0));
}

fn forget_orphans(world: &mut World) {
    let orphans = core::mem::take(&mut world.resource_mut::<Orphans>().0);
    if let Some(mut spawner) = world.get_resource_mut::<WorldInstanceSpawner>() {
        for instance in orphans {
            spawner.unregister_instance(instance);
        }
    }
}

/// What the reloads of all formats need.
pub(super) fn register(app: &mut App) {
    let server = app.world().resource::<AssetServer>().clone();
    app.insert_resource(Reloads {
        server,
        coming: Arc::default(),
    })
    .init_resource::<Changing>()
    .init_resource::<Orphans>()
    .init_resource::<RespawnRequested>()
    .add_observer(note_instance)
    .add_observer(note_orphan)
    .add_observer(note_orphans_below)
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

/// Has models be spawned anew in the frame in which their scene changes.
pub(crate) fn follow_scenes<S: SceneModel>(app: &mut App) {
    app.add_systems(
        SpawnScene,
        (
            (despawn_exchanged::<S>, request_respawn::<S>)
                .chain()
                .before(spawn_early),
            spawn_overlooked::<S>.after(spawn_early),
        )
            .in_set(SpawnEarly),
    );
}

fn note_changes(
    reloads: Res<Reloads>,
    mut changing: ResMut<Changing>,
    mut events: MessageReader<AssetEvent<WorldAsset>>,
) {
    changing.0.retain_mut(|(_, frames)| {
        *frames -= 1;
        *frames > 0
    });
    for id in reloads.coming().drain(..) {
        changing.expect(id, PATIENCE);
    }
    for event in events.read() {
        if let AssetEvent::Modified { id } = event {
            changing.expect(*id, OVERLOOKED);
        }
    }
}

/// Roots that may have been given another scene than the model that stands there.
type Exchanged<S> = (With<<S as SceneModel>::Instance>, Changed<WorldAssetRoot>);

/// Despawns what stands on roots that were given another scene.
///
/// Bevy would despawn it too, but not before it has seen which roots within it have a scene to be spawned, and would
/// panic for lack of those. Not reported upstream as far as known.
fn despawn_exchanged<S: SceneModel>(
    mut commands: Commands,
    spawner: Option<ResMut<WorldInstanceSpawner>>,
    roots: Query<(&WorldAssetRoot, &WorldInstance, &SpawnedScene), Exchanged<S>>,
) {
    let Some(mut spawner) = spawner else {
        return;
    };
    for (root, of, stands) in &roots {
        // Bevy may have spawned it already.
        if stands.0 == root.id() {
            continue;
        }
        for entity in spawner.iter_instance_entities(**of) {
            commands.entity(entity).try_despawn();
        }
        spawner.unregister_instance(**of);
    }
}

/// What tells which scene is to stand on a root, and which model stands there.
type Spawned<S> = (
    &'static WorldAssetRoot,
    &'static WorldInstance,
    &'static <S as SceneModel>::Instance,
);

/// What was spawned of scenes that are others now.
#[derive(SystemParam)]
struct Stale<'w, 's, S: SceneModel> {
    changing: Res<'w, Changing>,
    scenes: Res<'w, Assets<WorldAsset>>,
    roots: Query<'w, 's, Spawned<S>>,
}

impl<S: SceneModel> Stale<'_, '_, S> {
    fn scenes(&self) -> Vec<AssetId<WorldAsset>> {
        let ids = self.changing.0.iter().map(|(id, _)| *id);
        ids.filter(|id| self.is_stale(*id)).collect()
    }

    fn is_stale(&self, id: AssetId<WorldAsset>) -> bool {
        let Some(model) = self.scenes.get(id).and_then(model_of::<S>) else {
            return false;
        };
        let mut roots = self.roots.iter();
        roots.any(|(root, _, instance)| root.id() == id && !model.is_of(instance))
    }
}

/// Despawns what is to be spawned anew, and tells Bevy of changes that it would hear of in the next frame.
///
/// Bevy would despawn it too, but while it spawns, when nobody can tell it that of models within models the inner
/// ones are gone. Not reported upstream as far as known.
fn request_respawn<S: SceneModel>(
    mut commands: Commands,
    stale: Stale<'_, '_, S>,
    spawner: Option<Res<WorldInstanceSpawner>>,
    mut told: ResMut<RespawnRequested>,
    mut events: MessageWriter<AssetEvent<WorldAsset>>,
) {
    let (scenes, Some(spawner)) = (stale.scenes(), spawner) else {
        return;
    };
    if scenes.is_empty() {
        return;
    }
    for (root, of, _) in &stale.roots {
        if scenes.contains(&root.id()) {
            for entity in spawner.iter_instance_entities(**of) {
                commands.entity(entity).try_despawn();
            }
        }
    }
    told.0 = true;
    events.write_batch(scenes.into_iter().map(|id| AssetEvent::Modified { id }));
}

/// Has Bevy spawn anew what it was told of.
fn spawn_early(world: &mut World) {
    forget_orphans(world);
    if !core::mem::take(&mut world.resource_mut::<RespawnRequested>().0) {
        return;
    }
    // What others want to be gone goes first, for it may have models within it.
    world.resource_scope(|world, mut spawner: Mut<WorldInstanceSpawner>| {
        if let Err(error) = spawner.despawn_queued_world_asset_instances(world) {
            error!("a scene could not be despawned: {error}");
        }
        spawner.despawn_queued_dynamic_world_instances(world);
    });
    forget_orphans(world);
    world_instance_spawner_system(world);
}

/// Spawns what Bevy did not spawn anew.
fn spawn_overlooked<S: SceneModel>(
    world: &mut World,
    stale: &mut SystemState<Stale<'static, 'static, S>>,
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
            error!("a model whose file changed could not be spawned anew: {error}");
        }
    });
    // It tells everybody that they are there.
    world_instance_spawner_system(world);
}

/// The model of a scene that is not spawned.
fn model_of<S: SceneModel>(scene: &WorldAsset) -> Option<&S> {
    let mut scenes = scene.world.try_query::<&S>()?;
    scenes.iter(&scene.world).next()
}
