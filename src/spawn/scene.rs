//! Spawns models: [`ModelScene`] on a root requests a scene, and [`spawn_models`] spawns its entities below the root, again
//! after each reload.
//!
//! The scene of a model is a `WorldAsset` that holds one entity with a [`SceneModel`]. Spawning it by Bevy's means, as in
//! `WorldAssetRoot(assets.load("ogre.mdl#Scene"))`, requests it for the entity that it was spawned below.
//!
//! - The old model stays until the new one and all its textures are loaded. A broken file changes nothing.
//! - The new model is drawn in the same frame in which its assets change. No frame shows old entities with new meshes.
//! - The root keeps its components; all entities below it are respawned.

use crate::geometry::axes::{Axes, Mirror};
use crate::load::labels::SCENE;
use crate::root::environment::SpawnModels;
use crate::root::spawning::{Crowd, ModelScene, SceneTransform};
use crate::spawn::format::Format;
use crate::spawn::formats::ModelFormats;
use crate::spawn::instance::{ModelFormat, ModelInstance, SharedModel};
use bevy::app::SceneSpawnerSystems;
use bevy::asset::LoadContext;
use bevy::ecs::entity::Entities;
use bevy::ecs::system::{SystemParam, SystemState};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::world_serialization::{InstanceId, WorldInstance, WorldInstanceReady};
use core::fmt;
use std::sync::Arc;

/// A loaded model that can be spawned.
pub(crate) trait Spawnable: Send + Sync + 'static {
    /// Whether it can be a member of a crowd. Otherwise [`Crowd`] has no effect.
    fn has_crowd(&self) -> bool {
        false
    }

    /// Spawns the entities of the model below its root, and inserts the components of its instance on the root: first those
    /// of its format, then [`ModelInstance`].
    ///
    /// `scene` is for the entity that the others are children of. An observer of the app can despawn any of them meanwhile: use
    /// [`spawn_below`] and [`insert`].
    fn spawn(self: Arc<Self>, world: &mut World, root: Entity, scene: SceneRoot);
}

/// What the root entity of a spawned scene is made of.
pub(crate) struct SceneRoot {
    /// The components that it has for all formats.
    pub(crate) bundle: (Name, Transform, Visibility, SceneTransform),
    /// Whether the model is a member of a crowd: without entities for its bones and parts.
    pub(crate) is_crowd: bool,
}

/// On the only entity of a scene's own world: the model that it spawns.
#[derive(Component, Reflect, Clone)]
#[reflect(opaque, Component, Clone, Debug)]
pub(crate) struct SceneModel {
    format: ModelFormat,
    shared: Arc<SharedModel>,
    model: Arc<dyn Spawnable>,
    name: Name,
    transform: SceneTransform,
}

impl fmt::Debug for SceneModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SceneModel");
        debug.field("name", &self.name).finish_non_exhaustive()
    }
}

impl SceneModel {
    /// The scene of a model, named after its file. Without `axes`, they are those of the file.
    pub(crate) fn new<F: Format>(
        model: Arc<dyn Spawnable>,
        shared: &Arc<SharedModel>,
        load_context: &LoadContext<'_>,
        axes: Option<Axes>,
        scale: f32,
    ) -> Self {
        let name = load_context.path().path().file_stem().unwrap_or_default();
        let axes = axes.unwrap_or(Axes {
            rotation: Quat::IDENTITY,
        });
        Self {
            format: F::FORMAT,
            shared: shared.clone(),
            model,
            name: Name::new(name.to_string_lossy().into_owned()),
            transform: SceneTransform {
                original: axes.transform(scale),
                mirror: Mirror::default(),
            },
        }
    }

    pub(crate) fn with_mirror(mut self, mirror: Mirror) -> Self {
        self.transform.mirror = mirror;
        self
    }

    /// Adds the scene as a labeled asset.
    pub(crate) fn add(self, load_context: &mut LoadContext<'_>) -> Handle<WorldAsset> {
        let mut world = World::new();
        world.spawn(self);
        load_context.add_labeled_asset(SCENE.to_owned(), WorldAsset::new(world))
    }

    /// The model of a scene. `None` for other scenes.
    fn of(scene: &WorldAsset) -> Option<&Self> {
        let mut models = scene.world.try_query::<&Self>()?;
        models.iter(&scene.world).next()
    }

    /// The asset of the scene, if it is loaded.
    fn find_scene(&self, scenes: &mut Assets<WorldAsset>) -> Option<Handle<WorldAsset>> {
        let is_same = |scene: &WorldAsset| {
            let other = Self::of(scene);
            other.is_some_and(|other| Arc::ptr_eq(&other.model, &self.model))
        };
        let (id, _) = scenes.iter().find(|(_, scene)| is_same(scene))?;
        scenes.get_strong_handle(id)
    }

    /// Whether an instance was spawned from the scene, and not from its state before a reload.
    fn is_model_of(&self, instance: &ModelInstance) -> bool {
        Arc::ptr_eq(instance.model(), &self.shared)
    }

    fn spawn(self, world: &mut World, root: Entity) {
        let bundle = (
            self.name,
            self.transform.original,
            Visibility::Inherited,
            self.transform,
        );
        let is_crowd = self.model.has_crowd() && world.get::<Crowd>(root).is_some();
        let scene = SceneRoot { bundle, is_crowd };
        self.model.spawn(world, root, scene);
    }
}

/// Spawns an entity of a model below another. If an observer of the app has despawned that, spawns nothing and returns its id,
/// so that nothing is spawned below this one either.
pub(crate) fn spawn_below(world: &mut World, parent: Entity, components: impl Bundle) -> Entity {
    if world.get_entity(parent).is_err() {
        return parent;
    }
    world.spawn((components, ChildOf(parent))).id()
}

/// Inserts components into an entity of a model, unless an observer of the app has despawned it.
pub(crate) fn insert(world: &mut World, entity: Entity, components: impl Bundle) {
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.insert(components);
    }
}

/// Registers the systems that spawn and respawn models.
pub(crate) fn register(app: &mut App) {
    // A scene can only contain registered types.
    app.register_type::<SceneModel>()
        .add_observer(on_scene_ready)
        .add_observer(on_scene_removed)
        .add_observer(on_request_removed)
        .add_observer(on_crowd_added)
        .add_observer(on_crowd_removed)
        .configure_sets(
            SpawnScene,
            SpawnModels.after(SceneSpawnerSystems::WorldInstanceSpawn),
        )
        .init_resource::<Orphans>()
        .add_systems(
            SpawnScene,
            (
                forget_orphans.before(SceneSpawnerSystems::WorldInstanceSpawn),
                spawn_models.in_set(SpawnModels),
            ),
        );
}

/// A root, the scene of its model, and its spawned model.
type Requested = (
    Entity,
    Ref<'static, ModelScene>,
    Option<&'static ModelInstance>,
);

/// Spawns the models of roots whose scene was requested, loaded or reloaded. A spawned model can request others, such as
/// those of its proxies, which are spawned in the same frame.
fn spawn_models(
    world: &mut World,
    state: &mut SystemState<(Res<Assets<WorldAsset>>, Query<Requested>)>,
) {
    loop {
        let Ok((scenes, roots)) = state.get(world) else {
            return;
        };
        let mut models = HashMap::<AssetId<WorldAsset>, Option<SceneModel>>::default();
        let mut due = Vec::new();
        for (root, request, instance) in &roots {
            if !scenes.is_changed() && !request.is_changed() {
                continue;
            }
            let id = request.scene.id();
            let model = models
                .entry(id)
                .or_insert_with(|| scenes.get(id).and_then(SceneModel::of).cloned());
            if let Some(model) = model
                && (request.is_changed()
                    || !instance.is_some_and(|instance| model.is_model_of(instance)))
            {
                due.push((root, id));
            }
        }
        if due.is_empty() {
            return;
        }
        for (root, id) in due {
            if let Some(Some(model)) = models.get(&id) {
                remove_instance(world, root, Some(model.format));
                if world.get::<ModelScene>(root).is_some() {
                    model.clone().spawn(world, root);
                    world.flush();
                }
            }
        }
    }
}

/// Despawns the scene of a root, and removes the components of its instance, except those of the format `keep`.
fn remove_instance(world: &mut World, root: Entity, keep: Option<ModelFormat>) {
    let Some(instance) = world.get::<ModelInstance>(root) else {
        return;
    };
    let (scene, format) = (instance.scene(), instance.format());
    if let Ok(scene) = world.get_entity_mut(scene) {
        scene.despawn();
    }
    if keep == Some(format) {
        return;
    }
    if let Ok(mut root) = world.get_entity_mut(root) {
        root.remove::<ModelInstance>();
    }
    let remove = world.resource::<ModelFormats>().remove_instance(format);
    // An observer may have despawned it.
    if let (Some(remove), Ok(root)) = (remove, world.get_entity_mut(root)) {
        remove(root);
    }
}

/// Instances of scenes whose roots have no model any more, or were despawned.
#[derive(Resource, Default)]
struct Orphans(Vec<InstanceId>);

/// Unregisters orphans from Bevy's spawner, because it panics if it respawns a scene whose parent was despawned. It does this
/// itself only for a `WorldAssetRoot` that is not despawned while it spawns.
fn forget_orphans(
    mut orphans: ResMut<Orphans>,
    spawner: Option<ResMut<WorldInstanceSpawner>>,
    entities: &Entities,
) {
    let Some(mut spawner) = spawner else {
        return;
    };
    for instance in orphans.0.drain(..) {
        let mut spawned = spawner.iter_instance_entities(instance);
        // Bevy may just have respawned a scene whose own entity is a root.
        if !spawned.any(|entity| entities.contains(entity)) {
            drop(spawned);
            spawner.unregister_instance(instance);
        }
    }
}

fn on_crowd_added(added: On<Add, Crowd>, models: CrowdModels) {
    models.respawn(added.entity);
}

fn on_crowd_removed(removed: On<Remove, Crowd>, models: CrowdModels) {
    models.respawn(removed.entity);
}

/// The roots, and the scenes of their models.
#[derive(SystemParam)]
struct CrowdModels<'w, 's> {
    roots: Query<'w, 's, &'static mut ModelScene>,
    scenes: Res<'w, Assets<WorldAsset>>,
}

impl CrowdModels<'_, '_> {
    /// Requests the scene of a root again that joins or leaves a crowd, if its model can.
    fn respawn(mut self, root: Entity) {
        if let Ok(mut request) = self.roots.get_mut(root) {
            let scene = self.scenes.get(&request.scene);
            if scene
                .and_then(SceneModel::of)
                .is_some_and(|scene| scene.model.has_crowd())
            {
                request.set_changed();
            }
        }
    }
}

/// Removes the model of a root together with its [`ModelScene`].
fn on_request_removed(
    removed: On<Remove, ModelScene>,
    mut commands: Commands,
    scenes: Query<&ModelScene>,
    mut orphans: ResMut<Orphans>,
) {
    let root = removed.entity;
    let scene = scenes.get(root).ok();
    orphans.0.extend(scene.and_then(|scene| scene.instance));
    commands.queue(move |world: &mut World| {
        // Another may have been inserted.
        if world.get::<ModelScene>(root).is_none() {
            remove_instance(world, root, None);
        }
    });
}

/// The scene that Bevy has spawned for a root, and the scene that is requested for it.
type BevyRoot = (
    Option<&'static WorldAssetRoot>,
    Option<&'static WorldInstance>,
    Option<&'static ModelScene>,
);

/// Requests the scene of a model that Bevy has spawned, for the entity that it was spawned below. If that has another model,
/// or there is none, for the entity of the scene itself.
fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    spawned: Query<(Entity, &SceneModel)>,
    roots: Query<BevyRoot>,
    mut scenes: ResMut<Assets<WorldAsset>>,
) {
    let (own, current) = match roots.get(ready.entity) {
        Ok((scene, instance, current)) => {
            let is_own = instance.is_some_and(|instance| **instance == ready.instance_id);
            (scene.filter(|_| is_own), current)
        }
        Err(_) => (None, None),
    };
    let scenes = scenes.bypass_change_detection();
    let is_of_model = |scene: &WorldAssetRoot| scenes.get(scene.id()).and_then(SceneModel::of);
    if own.is_some_and(|own| is_of_model(own).is_none()) {
        // A scene of something else replaces that of a model, unless the model was spawned beside it.
        let instance = current.and_then(|current| current.instance);
        if instance.is_some_and(|instance| !spawner.instance_is_ready(instance)) {
            commands.entity(ready.entity).try_remove::<ModelScene>();
        }
        return;
    }
    let mut entities = spawner.iter_instance_entities(ready.instance_id);
    // It is missing if Bevy has already respawned the scene.
    let Some((entity, model)) = entities.find_map(|entity| spawned.get(entity).ok()) else {
        return;
    };
    let scene = own.map(|own| own.0.clone());
    let Some(scene) = scene.or_else(|| model.find_scene(scenes)) else {
        return;
    };
    let is_free = own.is_some() || current.is_none_or(|current| current.scene == scene);
    let root = if is_free && roots.contains(ready.entity) {
        // It has no further use, and the only child of a root is the scene root that is spawned for it.
        commands.entity(entity).try_despawn();
        ready.entity
    } else {
        // Saved worlds cannot contain it.
        commands.entity(entity).try_remove::<SceneModel>();
        entity
    };
    let request = ModelScene {
        scene,
        instance: Some(ready.instance_id),
    };
    commands.queue(move |world: &mut World| {
        let current = world.get::<ModelScene>(root);
        if current == Some(&request) {
            return;
        }
        // Replaced, or without an entity.
        let orphan = match current {
            _ if world.get_entity(root).is_err() => request.instance,
            current => current.and_then(|current| current.instance),
        };
        world.resource_mut::<Orphans>().0.extend(orphan);
        insert(world, root, request);
    });
}

/// Removes the model of a root that loses the `WorldAssetRoot` that requested it.
fn on_scene_removed(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
    roots: Query<(&ModelScene, &WorldInstance)>,
) {
    let root = roots.get(removed.entity);
    if root.is_ok_and(|(scene, instance)| scene.instance == Some(**instance)) {
        commands.entity(removed.entity).try_remove::<ModelScene>();
    }
}
