//! Spawns the models of [`ClassicModel`]s, and updates them when the component or the manifest changes.

use crate::geometry::axes::SceneScale;
use crate::load::warnings::WarningLog;
use crate::manifest::apply::attachments::update_manifest_attachments;
use crate::manifest::apply::components::AppliedComponents;
use crate::manifest::apply::space::update_scene;
use crate::manifest::apply::state::{Model, ModelState, Plan, Plans};
use crate::manifest::classic_model::{ClassicModel, ModelSource, is_manifest, warn_manifest};
use crate::manifest::model_manifest::ModelManifest;
use crate::root::spawning::{BevySpace, ModelScene};
use crate::spawn::formats::ModelFormats;
use bevy::asset::{AssetPath, RecursiveDependencyLoadState};
use bevy::prelude::*;
use bevy::world_serialization::{WorldInstance, WorldInstanceReady};
use std::collections::HashSet;

/// On the only entity of a manifest's scene: the manifest's path.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(crate) struct ManifestScene(AssetPath<'static>);

impl ManifestScene {
    /// The path of a manifest's scene. `None` for other scenes.
    fn path_of(scene: &WorldAsset) -> Option<AssetPath<'static>> {
        let mut scenes = scene.world.try_query::<&Self>()?;
        let found = scenes.iter(&scene.world).next()?;
        Some(found.0.clone())
    }
}

/// What a root has whose scene Bevy has spawned.
type SceneRoot = (
    &'static WorldAssetRoot,
    &'static WorldInstance,
    Option<&'static ClassicModel>,
    Has<OfManifestScene>,
);

/// The scene of a manifest. When it is spawned, [`on_scene_ready`] inserts a [`ClassicModel`].
pub(crate) fn manifest_scene(path: AssetPath<'static>) -> WorldAsset {
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

    /// Whether the model can be spawned. If it replaces a spawned model, its dependencies must be loaded too.
    fn is_ready(&self, server: &AssetServer, replaces_other: bool) -> bool {
        let Some(asset) = &self.asset else {
            return true;
        };
        let is_loaded = self.scene.is_some() || server.is_loaded(asset);
        is_loaded && !(replaces_other && are_dependencies_loading(server, asset))
    }
}

/// The components of an entity with a [`ClassicModel`].
type ModelRoot = (
    Entity,
    Ref<'static, ClassicModel>,
    Option<&'static ModelState>,
);

/// Updates the entities whose [`ClassicModel`] or manifest changed, and those whose pending model is loaded.
pub(crate) fn update_models(
    mut commands: Commands,
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    manifests: Res<Assets<ModelManifest>>,
    server: Res<AssetServer>,
    models: Query<ModelRoot>,
) {
    let mut changed = HashSet::new();
    for event in events.read() {
        if let AssetEvent::Added { id } | AssetEvent::Modified { id } = event {
            changed.insert(*id);
        }
    }
    let is_changed = |manifest: &Handle<ModelManifest>| changed.contains(&manifest.id());
    for (entity, model, state) in &models {
        let is_due = |state: &ModelState| {
            state.manifest.as_ref().is_some_and(is_changed) || state.is_due(&manifests, &server)
        };
        if model.is_changed() || state.is_none_or(is_due) {
            commands.queue(move |world: &mut World| update(world, entity));
        }
    }
}

/// Applies the [`ClassicModel`] of an entity.
pub(crate) fn update(world: &mut World, entity: Entity) {
    let Ok(mut root) = world.get_entity_mut(entity) else {
        return;
    };
    let Some(ClassicModel(source)) = root.get::<ClassicModel>().cloned() else {
        return;
    };
    let mut state = root.entry::<ModelState>().or_default();
    if let Some(path) = source.path().filter(|path| path.label().is_some()) {
        state.get_mut().is_waiting = false;
        warn_label(world, entity, path);
        return;
    }
    let mut state = core::mem::take(&mut *state.get_mut());
    state.manifest = match &source {
        ModelSource::Path(path) if is_manifest(path) => {
            Some(world.resource::<AssetServer>().load(path.clone()))
        }
        ModelSource::Manifest(manifest) => Some(manifest.clone()),
        _ => None,
    };
    state.is_waiting = match &state.manifest {
        None => !state.update(world, entity, &Plan::default(), &source),
        Some(manifest) => match Plans::get(world, manifest.id()) {
            Some(plan) => !state.update_from_manifest(world, entity, &plan),
            None => {
                state.pending = None;
                true
            }
        },
    };
    // `None` only if an observer or hook has removed it meanwhile.
    if let Some(mut stored) = world.get_mut::<ModelState>(entity) {
        *stored = state;
    }
}

/// Warns about a path with a label.
fn warn_label(world: &mut World, entity: Entity, path: &AssetPath<'_>) {
    let file = path.without_label();
    let message = format!(
        "`ClassicModel` takes {file} without a label; for {path}, use `WorldAssetRoot`. Nothing is spawned"
    );
    warn_manifest(world, entity, &message);
}

impl ModelState {
    /// Whether the manifest or the pending model has been loaded. Called every frame while waiting.
    fn is_due(&self, manifests: &Assets<ModelManifest>, server: &AssetServer) -> bool {
        self.is_waiting
            && match (&self.pending, &self.manifest) {
                (Some(pending), _) => pending.is_ready(server, self.current.is_some()),
                (None, Some(manifest)) => manifests.contains(manifest),
                (None, None) => false,
            }
    }

    /// Spawns or updates the model of a manifest. Returns whether this is complete: `false` while the model is loading.
    fn update_from_manifest(&mut self, world: &mut World, entity: Entity, plan: &Plan) -> bool {
        if let Some(problem) = &plan.problem {
            warn_manifest(world, entity, problem);
            return true;
        }
        let Some(path) = plan.files.model.clone() else {
            return true;
        };
        self.update(world, entity, plan, &ModelSource::Path(path))
    }

    /// Spawns or updates a model. Returns whether this is complete: `false` while the model is loading.
    fn update(
        &mut self,
        world: &mut World,
        entity: Entity,
        plan: &Plan,
        model: &ModelSource,
    ) -> bool {
        let mut next = self.model(world, model);
        next.find_scene(world);
        let Some(scene) = next.scene.clone() else {
            let is_loading = next.asset.is_some();
            self.pending = is_loading.then_some(next);
            return !is_loading;
        };
        let server = world.resource::<AssetServer>();
        if !next.is_ready(server, self.current.is_some()) {
            self.pending = Some(next);
            return false;
        }
        self.current = Some(next);
        self.pending = None;
        self.apply(world, entity, plan, scene);
        true
    }

    /// Sets the scene and the components of an entity, and updates its attachments.
    fn apply(&mut self, world: &mut World, entity: Entity, plan: &Plan, scene: Handle<WorldAsset>) {
        self.transform = plan.transform;
        if let Ok(mut root) = world.get_entity_mut(entity) {
            let scene = ModelScene::from(scene);
            self.applied
                .update(&mut root, &plan.components, Some(&scene));
        }
        // An observer of one of these components may have despawned it.
        if world.get_entity(entity).is_err() {
            return;
        }
        update_scene(world, entity, self.transform);
        // Updates the models that are attached to it.
        if let Some(mut space) = world.get_mut::<BevySpace>(entity) {
            space.set_changed();
        }
        let spawned = core::mem::take(&mut self.attachments);
        self.attachments = update_manifest_attachments(
            world,
            entity,
            spawned,
            &plan.manifest,
            &plan.files,
            update,
        );
    }

    /// The model of a source: the current or the pending one, otherwise a new one, which starts loading.
    fn model(&self, world: &mut World, source: &ModelSource) -> Model {
        let existing = self.current.iter().chain(&self.pending);
        if let Some(model) = existing.into_iter().find(|model| model.source == *source) {
            return model.clone();
        }
        let server = world.resource::<AssetServer>();
        let formats = world.resource::<ModelFormats>();
        let asset = match source {
            ModelSource::Path(path) => formats.load(server, path),
            ModelSource::Model(model) => Some(model.clone()),
            ModelSource::Manifest(_) => None,
        };
        if let (None, ModelSource::Path(path)) = (&asset, source) {
            let message = formats.unknown_extension();
            let mut log = world.resource_mut::<WarningLog>();
            log.warn_once(None, &path.to_string(), &message);
        }
        Model {
            source: source.clone(),
            asset,
            scene: None,
        }
    }
}

/// Whether a dependency of a loaded model, such as a texture, is still loading.
fn are_dependencies_loading(server: &AssetServer, model: &UntypedHandle) -> bool {
    matches!(
        server.get_recursive_dependency_load_state(model),
        Some(RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded)
    )
}

/// On a root whose [`ClassicModel`] was inserted for the scene of a manifest, and not by the user.
#[derive(Component)]
#[component(clone_behavior = Ignore)]
pub(crate) struct OfManifestScene;

/// Inserts a [`ClassicModel`] on the root of a manifest's scene, and removes it when another scene has replaced that.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    scenes: Res<Assets<WorldAsset>>,
    roots: Query<SceneRoot>,
) {
    let root = ready.entity;
    let Ok((WorldAssetRoot(scene), instance, model, is_of_manifest)) = roots.get(root) else {
        return;
    };
    if **instance != ready.instance_id {
        return;
    }
    let Some(path) = scenes.get(scene).and_then(ManifestScene::path_of) else {
        if is_of_manifest {
            commands
                .entity(root)
                .try_remove::<(ClassicModel, OfManifestScene)>();
        }
        return;
    };
    // It has no further use.
    for entity in spawner.iter_instance_entities(ready.instance_id) {
        commands.entity(entity).try_despawn();
    }
    if model.is_none_or(|model| model.0.path() != Some(&path)) {
        let model = (ClassicModel::new(path), OfManifestScene);
        commands.entity(root).try_insert(model);
    }
}

/// Removes the [`ClassicModel`] of a manifest's scene together with its `WorldAssetRoot`.
pub(crate) fn on_scene_removed(
    removed: On<Remove, WorldAssetRoot>,
    mut commands: Commands,
    roots: Query<(), With<OfManifestScene>>,
) {
    if roots.contains(removed.entity) {
        commands
            .entity(removed.entity)
            .try_remove::<(ClassicModel, OfManifestScene)>();
    }
}

/// Requests the scene of a [`ClassicModel`] again when a scene beside it, which had replaced it, is removed.
pub(crate) fn on_model_scene_removed(removed: On<Remove, ModelScene>, mut commands: Commands) {
    let root = removed.entity;
    commands.queue(move |world: &mut World| {
        let Ok(mut root) = world.get_entity_mut(root) else {
            return;
        };
        if root.contains::<ModelScene>() || !root.contains::<ClassicModel>() {
            return;
        }
        if let Some(mut state) = root.get_mut::<ModelState>() {
            state.applied.scene = None;
        }
        if let Some(mut model) = root.get_mut::<ClassicModel>() {
            model.set_changed();
        }
    });
}

/// Removes the scene, the components and the attachments together with the [`ClassicModel`].
pub(crate) fn on_model_removed(
    removed: On<Remove, ClassicModel>,
    mut commands: Commands,
    mut states: Query<&mut ModelState>,
) {
    let root = removed.entity;
    let Ok(mut state) = states.get_mut(root) else {
        return;
    };
    let attachments = core::mem::take(&mut state.attachments);
    commands.queue(move |world: &mut World| {
        for attachment in attachments {
            attachment.remove(world, root);
        }
        remove_applied(world, root);
    });
}

/// Removes the scene and the components that were applied to a root.
fn remove_applied(world: &mut World, root: Entity) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let Some(mut state) = entity.take::<ModelState>() else {
        return;
    };
    state
        .applied
        .update(&mut entity, &AppliedComponents::default(), None);
    if !entity.is_despawned() {
        entity.remove::<SceneScale>();
    }
}
