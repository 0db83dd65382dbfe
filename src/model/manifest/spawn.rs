//! From a [`ClassicModel`] to all that belongs to it, and after every change again.

use super::applied::AppliedComponents;
use super::attachments::hang;
use super::classic_model::{ClassicModel, is_manifest, warn_of};
use super::manifest::ModelManifest;
use super::plan::{Plan, Plans};
use super::preload::ReleasedModels;
use super::state::{Model, ModelState};
use super::transform::apply_stand;
use crate::scene::ModelFormats;
use crate::scene::SceneScale;
use bevy::asset::{
    AssetEvent, AssetPath, AssetServer, Assets, Handle, RecursiveDependencyLoadState, UntypedHandle,
};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Mut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::message::MessageReader;
use bevy::ecs::observer::On;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::ecs::world::World;
use bevy::reflect::Reflect;
use bevy::world_serialization::{
    WorldAsset, WorldAssetRoot, WorldInstance, WorldInstanceReady, WorldInstanceSpawner,
};
use std::collections::HashSet;
use std::sync::Arc;

/// On the one entity of a manifest's own scene: the manifest's path.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct ManifestScene(AssetPath<'static>);

/// The scene of a manifest: it tells whoever spawned it what to spawn in its place.
pub(super) fn manifest_scene(path: AssetPath<'static>) -> WorldAsset {
    let mut world = World::new();
    world.spawn(ManifestScene(path));
    WorldAsset::new(world)
}

impl Model {
    fn find_scene(&mut self, world: &World) {
        let formats = world.resource::<ModelFormats>();
        if let (None, Some(asset)) = (&self.scene, &self.asset) {
            self.scene = formats.scene(world, asset);
        }
    }

    /// Whether something has come of what was waited for, where another model is shown meanwhile or not.
    fn is_ready(&self, server: &AssetServer, is_other_shown: bool) -> bool {
        let Some(asset) = &self.asset else {
            return true;
        };
        let is_there = self.scene.is_some() || server.is_loaded(asset);
        is_there && !(is_other_shown && are_pictures_coming(server, asset))
    }

    /// Holds no more than the scene, where that is enough for Bevy to load the file anew: it tries twice to load a
    /// broken file of which the whole is held, with an error each time. It is not enough where files are not
    /// watched, nor where the whole is held as a manifest, which Bevy then takes it for.
    fn let_go(&mut self, world: &World, model: &ClassicModel) {
        let server = world.resource::<AssetServer>();
        let is_bare = model.0.path().is_some_and(|path| !is_manifest(path));
        if !server.watching_for_changes() || is_bare {
            return;
        }
        if let (Some(asset), Some(scene)) = (&self.asset, &self.scene)
            && !are_pictures_coming(server, asset)
        {
            world.resource::<ReleasedModels>().insert(&self.path, scene);
        }
        self.asset = None;
    }
}

/// Sees to all entities with a [`ClassicModel`] that is new, or whose manifest is, or whose model was waited for.
pub(super) fn follow_manifests(
    mut commands: Commands,
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    manifests: Res<Assets<ModelManifest>>,
    server: Res<AssetServer>,
    models: Query<(Entity, Ref<ClassicModel>, Option<&ModelState>)>,
) {
    let mut changed = HashSet::new();
    for event in events.read() {
        if let AssetEvent::Added { id } | AssetEvent::Modified { id } = event {
            changed.insert(*id);
        }
    }
    for (entity, model, state) in &models {
        let is_due = |state: &ModelState| state.is_due(&model, &manifests, &server);
        if model.is_changed() || changed.contains(&model.0.id()) || state.is_none_or(is_due) {
            commands.queue(move |world: &mut World| update(world, entity));
        }
    }
}

/// Makes an entity what its [`ClassicModel`] says.
pub(super) fn update(world: &mut World, entity: Entity) {
    let Ok(mut root) = world.get_entity_mut(entity) else {
        return;
    };
    let Some(model) = root.get::<ClassicModel>().cloned() else {
        return;
    };
    let mut state = root.entry::<ModelState>().or_default();
    if let Some(path) = model.0.path().filter(|path| path.label().is_some()) {
        state.get_mut().is_waiting = false;
        refuse_label(world, entity, path);
        return;
    }
    let mut state = core::mem::take(&mut *state.get_mut());
    state.is_waiting = match plan_of(world, &model) {
        Some(plan) => !state.follow(world, entity, &model, &plan),
        None => {
            state.coming = None;
            true
        }
    };
    // Nothing of what was done can have removed it, but for hooks of others.
    if let Some(mut place) = world.get_mut::<ModelState>(entity) {
        *place = state;
    }
}

/// Says how a model is to be written whose path was given with a label. It is not loaded here without the label,
/// because Bevy never ends a load that another one of the same file, which fails for its label, has begun.
fn refuse_label(world: &mut World, entity: Entity, path: &AssetPath<'_>) {
    let file = path.without_label();
    let message = format!(
        "`ClassicModel` takes {file} without a label; `WorldAssetRoot` takes {path}. Nothing is spawned"
    );
    warn_of(world, entity, &message);
}

/// What the manifest comes to, if it is loaded. That of a bare model is known by its path alone: where the model has a `.meta` file
/// the manifest cannot be loaded.
fn plan_of(world: &mut World, model: &ClassicModel) -> Option<Arc<Plan>> {
    match model.0.path() {
        Some(path) if !is_manifest(path) => {
            let manifest = ModelManifest::of(path.without_label().into_owned());
            Some(Arc::new(Plan::new(manifest, world)))
        }
        _ => Plans::of(world, model.0.id()),
    }
}

impl ModelState {
    /// Whether what was waited for is there. It is asked every frame of what may never come.
    fn is_due(
        &self,
        model: &ClassicModel,
        manifests: &Assets<ModelManifest>,
        server: &AssetServer,
    ) -> bool {
        self.is_waiting
            && match &self.coming {
                Some(coming) => coming.is_ready(server, self.shown.is_some()),
                None => manifests.contains(&model.0),
            }
    }

    /// Shows what a manifest says; false while its model is being loaded.
    fn follow(
        &mut self,
        world: &mut World,
        entity: Entity,
        model: &ClassicModel,
        plan: &Plan,
    ) -> bool {
        if let Some(flaw) = &plan.flaw {
            warn_of(world, entity, flaw);
            return true;
        }
        let Some(path) = &plan.files.model else {
            return true;
        };
        let mut next = self.model(world, entity, path);
        next.find_scene(world);
        let Some(scene) = next.scene.clone() else {
            let is_awaited = next.asset.is_some();
            self.coming = is_awaited.then_some(next);
            return !is_awaited;
        };
        let server = world.resource::<AssetServer>();
        if !next.is_ready(server, self.shown.is_some()) {
            self.coming = Some(next);
            return false;
        }
        next.let_go(world, model);
        self.shown = Some(next);
        self.coming = None;
        self.show(world, entity, plan, scene);
        true
    }

    /// Gives an entity a model and what its manifest says of it.
    fn show(&mut self, world: &mut World, entity: Entity, plan: &Plan, scene: Handle<WorldAsset>) {
        self.stand = plan.stand;
        if let Ok(mut root) = world.get_entity_mut(entity) {
            let scene = WorldAssetRoot(scene);
            self.given.follow(&mut root, &plan.given, Some(&scene));
        }
        // An observer of one of these components may have despawned it.
        if world.get_entity(entity).is_err() {
            return;
        }
        apply_stand(world, entity, self.stand);
        let before = core::mem::take(&mut self.hung);
        self.hung = hang(world, entity, before, &plan.manifest, &plan.files, update);
    }

    /// The model of a path, which is begun to be loaded if it is not the one that is shown, or coming.
    fn model(&self, world: &mut World, entity: Entity, path: &AssetPath<'static>) -> Model {
        let known = self.shown.iter().chain(&self.coming);
        if let Some(model) = known.into_iter().find(|model| model.path == *path) {
            return model.clone();
        }
        let server = world.resource::<AssetServer>();
        let scene = world.resource::<ReleasedModels>().scene(server, path);
        if scene.is_some() {
            // To load the whole again would have all its instances respawned.
            return Model {
                path: path.clone(),
                asset: None,
                scene,
            };
        }
        let formats = world.resource::<ModelFormats>();
        let asset = formats.load(server, path);
        if asset.is_none() {
            let message = formats.unknown(path);
            warn_of(world, entity, &message);
        }
        Model {
            path: path.clone(),
            asset,
            scene: None,
        }
    }
}

/// Whether something that a loaded model needs is still being loaded.
fn are_pictures_coming(server: &AssetServer, model: &UntypedHandle) -> bool {
    let state = server.recursive_dependency_load_state(model);
    matches!(
        state,
        RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded
    )
}

/// Gives the root of a manifest's own scene its [`ClassicModel`]. The scene itself is empty, and the model's takes its
/// place.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    server: Res<AssetServer>,
    scenes: Query<&ManifestScene>,
    roots: Query<(&WorldAssetRoot, Option<&ClassicModel>)>,
) {
    let mut entities = spawner.iter_instance_entities(ready.instance_id);
    let Some(scene) = entities.find_map(|entity| scenes.get(entity).ok()) else {
        return;
    };
    let Ok((root, model)) = roots.get(ready.entity) else {
        return;
    };
    let manifest = server.load(scene.0.clone());
    let is_news = model.is_none_or(|model| model.0 != manifest);
    let (entity, root) = (ready.entity, root.clone());
    commands.queue(move |world: &mut World| {
        let Ok(mut entity) = world.get_entity_mut(entity) else {
            return;
        };
        let mut state = entity.entry::<ModelState>().or_default();
        let mut state = state.get_mut();
        // It is as good as given: the model's scene takes its place.
        state.given.root = Some(root);
        state.is_waiting = true;
        if is_news {
            entity.insert(ClassicModel(manifest));
        }
    });
}

/// A scene that was given is given anew while there is a [`ClassicModel`], because Bevy would leave the old one where
/// it is, and follow its file no more.
pub(super) fn on_scene_removed(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
    // It is not there while Bevy spawns scenes, and then the root goes too.
    spawner: Option<Res<WorldInstanceSpawner>>,
    roots: Query<(&WorldAssetRoot, &WorldInstance, &ModelState)>,
) {
    let root = removed.entity;
    let (Some(spawner), Ok((scene, instance, state))) = (spawner, roots.get(root)) else {
        return;
    };
    if state.given.root.as_ref() == Some(scene) {
        let left: Vec<Entity> = spawner.iter_instance_entities(**instance).collect();
        commands.queue(move |world: &mut World| ask_for_scene(world, root, left));
    }
}

/// Has a scene given anew, if its root is still there, in the place of what is left of it.
fn ask_for_scene(world: &mut World, root: Entity, left: Vec<Entity>) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    if let Some(mut state) = entity.get_mut::<ModelState>() {
        state.given.root = None;
    }
    if let Some(mut model) = entity.get_mut::<ClassicModel>() {
        model.set_changed();
    }
    for entity in left {
        world.try_despawn(entity).ok();
    }
}

/// What was given goes with the [`ClassicModel`].
pub(super) fn on_model_removed(
    removed: On<Remove, ClassicModel>,
    mut commands: Commands,
    mut states: Query<&mut ModelState>,
) {
    let root = removed.entity;
    let Ok(mut state) = states.get_mut(root) else {
        return;
    };
    let all_hung = core::mem::take(&mut state.hung);
    commands.queue(move |world: &mut World| {
        for hung in all_hung {
            hung.take_down(world, root);
        }
        withdraw(world, root);
    });
}

fn withdraw(world: &mut World, root: Entity) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let Some(mut state) = entity.take::<ModelState>() else {
        return;
    };
    let is_given = entity.get::<WorldAssetRoot>() == state.given.root.as_ref();
    let instance = entity.get::<WorldInstance>().map(|instance| **instance);
    if let Some(instance) = instance.filter(|_| is_given) {
        // Bevy would leave it where it is.
        entity.remove::<WorldInstance>();
        world.resource_scope(|world, mut spawner: Mut<WorldInstanceSpawner>| {
            spawner.despawn_instance_sync(world, &instance);
        });
    }
    if let Ok(mut entity) = world.get_entity_mut(root) {
        state
            .given
            .follow(&mut entity, &AppliedComponents::default(), None);
        if !entity.is_despawned() {
            entity.remove::<SceneScale>();
        }
    }
}
