//! Preloads the model, clips, skins and attachments of a manifest. They are dependencies of its asset, so that a
//! manifest that is loaded with its dependencies can be spawned immediately.

use crate::appearance::skins::preload_skin;
use crate::load::labels::{CROWD, scene_path};
use crate::load::remove_unused::remove_unused;
use crate::manifest::classic_model::is_manifest;
use crate::manifest::files::paths::{Handles, lock};
use crate::manifest::files::resolve::ResolvedFiles;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::spawn::overrides::ManifestOverrides;
use crate::spawn::clip_files::ClipFiles;
use crate::spawn::formats::ModelFormats;
use bevy::asset::{
    AssetEvent, AssetId, AssetPath, AssetServer, Assets, Handle, LoadContext, LoadState,
    RecursiveDependencyLoadState, UntypedHandle,
};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Local, Res};
use bevy::ecs::world::{FromWorld, World};
use bevy::platform::collections::{HashMap, HashSet};
use bevy::world_serialization::WorldAsset;
use core::iter;
use std::sync::{Arc, Mutex, Weak};

/// Loaded models whose scene is kept, but not their main asset. Clones share one table.
///
/// This avoids a duplicate error for a broken file: Bevy tries to reload a file twice if its main asset is kept, and
/// once if only its labeled assets are. Without file watching this is not needed.
#[derive(Resource, Clone, Default)]
pub(crate) struct ReleasedModels(
    Arc<Mutex<std::collections::HashMap<AssetPath<'static>, Released>>>,
);

#[derive(Clone, Copy)]
struct Released {
    scene: AssetId<WorldAsset>,
    /// Whether it has a scene of a crowd's member.
    has_crowd: bool,
}

impl ReleasedModels {
    /// Adds a fully loaded model whose main asset is dropped from now on.
    pub(crate) fn insert(
        &self,
        server: &AssetServer,
        model: &AssetPath<'static>,
        scene: &Handle<WorldAsset>,
    ) {
        let released = Released {
            scene: scene.id(),
            has_crowd: loaded_crowd(server, model).is_some(),
        };
        let mut all = lock(&self.0);
        remove_unused(&mut all, |model, _| {
            server.get_handle::<WorldAsset>(scene_path(model)).is_some()
        });
        all.insert(model.clone(), released);
    }

    /// The scene of a released model and that of a crowd's member, if it has one. `None` if one of them was dropped, so
    /// that the model must be loaded again.
    pub(crate) fn scenes(
        &self,
        server: &AssetServer,
        model: &AssetPath<'static>,
    ) -> Option<(Handle<WorldAsset>, Option<Handle<WorldAsset>>)> {
        let mut released = lock(&self.0);
        let known = *released.get(model)?;
        let scene = server.get_handle::<WorldAsset>(scene_path(model));
        let scene = scene.filter(|scene| scene.id() == known.scene && server.is_loaded(scene));
        let crowd = loaded_crowd(server, model);
        let is_complete = crowd.is_some() || !known.has_crowd;
        let scenes = scene.filter(|_| is_complete).map(|scene| (scene, crowd));
        if scenes.is_none() {
            released.remove(model);
        }
        scenes
    }
}

/// The scene of a crowd's member of a model, if it is loaded.
fn loaded_crowd(server: &AssetServer, model: &AssetPath<'static>) -> Option<Handle<WorldAsset>> {
    let crowd = server.get_handle::<WorldAsset>(model.clone().with_label(CROWD));
    crowd.filter(|crowd| server.is_loaded(crowd))
}

/// The dependencies between manifests through attachments, without cycles: Bevy would never finish loading a cycle.
#[derive(Clone, Default)]
struct AttachmentGraph(Arc<Mutex<HashMap<AssetPath<'static>, Vec<AssetPath<'static>>>>>);

impl AttachmentGraph {
    /// Replaces the dependencies of a manifest. Returns those of `wanted` that close no cycle.
    fn set(
        &self,
        server: &AssetServer,
        manifest: &AssetPath<'static>,
        wanted: Vec<AssetPath<'static>>,
    ) -> Vec<AssetPath<'static>> {
        let mut graph = lock(&self.0);
        graph.remove(manifest);
        if wanted.is_empty() {
            return wanted;
        }
        // Manifests that were dropped wait for no dependencies.
        graph.retain(|path, _| server.get_handle::<ModelManifest>(path.clone()).is_some());
        let mut accepted = Vec::new();
        for attached in wanted {
            if !reaches(&graph, &attached, manifest) {
                accepted.push(attached);
            }
        }
        graph.insert(manifest.clone(), accepted.clone());
        accepted
    }
}

/// Whether `from` is `to` or depends on it.
fn reaches(
    graph: &HashMap<AssetPath<'static>, Vec<AssetPath<'static>>>,
    from: &AssetPath<'static>,
    to: &AssetPath<'static>,
) -> bool {
    let mut pending = vec![from];
    let mut seen = HashSet::new();
    while let Some(path) = pending.pop() {
        if path == to {
            return true;
        }
        if seen.insert(path) {
            pending.extend(graph.get(path).into_iter().flatten());
        }
    }
    false
}

/// Starts loading the files that manifests name. Part of the manifest loader.
pub(crate) struct Preloader {
    server: AssetServer,
    formats: ModelFormats,
    overrides: ManifestOverrides,
    released: ReleasedModels,
    graph: AttachmentGraph,
    clip_files: Option<ClipFiles>,
}

impl FromWorld for Preloader {
    fn from_world(world: &mut World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            formats: world.resource::<ModelFormats>().clone(),
            overrides: world.resource::<ManifestOverrides>().clone(),
            released: world.resource::<ReleasedModels>().clone(),
            graph: AttachmentGraph::default(),
            clip_files: world.get_resource::<ClipFiles>().copied(),
        }
    }
}

impl Preloader {
    /// Starts loading the files that a manifest names, as dependencies of its asset. They stay loaded as long as the
    /// manifest.
    pub(crate) fn preload(&self, load_context: &mut LoadContext<'_>, manifest: &ModelManifest) {
        let path = load_context.path().clone_owned();
        let files = manifest.resolve_files();
        // `None` in the asset processor, which has its own server, and for assets that are loaded as values.
        let own = self.server.get_handle::<ModelManifest>(path.clone());
        if let Some(own) = &own {
            // Before the model is loaded, because its loader reads this.
            self.overrides.set(own.id(), manifest);
        }
        let mut handles = Handles::default();
        if let Some(model) = &files.model {
            self.model(load_context, model, &mut handles);
        }
        self.clips_and_skins(load_context, &files, &mut handles);
        let attached = files.attachments.into_iter().flatten();
        let (manifests, models): (Vec<_>, Vec<_>) = attached.partition(is_manifest);
        for model in &models {
            self.model(load_context, model, &mut handles);
        }
        let manifests = match own {
            Some(_) => self.graph.set(&self.server, &path, manifests),
            None => manifests,
        };
        for manifest in manifests {
            let manifest = load_context.load_builder().load::<ModelManifest>(manifest);
            handles.others.push(manifest.untyped());
        }
        *manifest.files.preloaded.handles() = handles;
    }

    /// Like [`preload`](Self::preload), for a model without a manifest.
    pub(crate) fn preload_model(
        &self,
        load_context: &mut LoadContext<'_>,
        manifest: &ModelManifest,
    ) {
        let Some(model) = manifest.files.model() else {
            return;
        };
        // Bevy reloads both assets of the path. If the model failed to load before, a load here would fail a second
        // time.
        let existing = self.formats.existing_handle(&self.server, model);
        let has_failed =
            |model: &UntypedHandle| matches!(self.server.load_state(model), LoadState::Failed(_));
        let mut handles = manifest.files.preloaded.handles();
        match existing.filter(has_failed) {
            Some(failed) => handles.models.push(failed),
            None => handles
                .models
                .extend(self.formats.load_within(load_context, model)),
        }
    }

    fn model(
        &self,
        load_context: &mut LoadContext<'_>,
        model: &AssetPath<'static>,
        handles: &mut Handles,
    ) {
        if let Some((scene, crowd)) = self.released.scenes(&self.server, model) {
            // Loading the main asset again would respawn all instances.
            let scenes = iter::once(scene).chain(crowd);
            handles.others.extend(scenes.map(Handle::untyped));
        } else if let Some(model) = self.formats.load_within(load_context, model) {
            handles.models.push(model);
        }
    }

    fn clips_and_skins(
        &self,
        load_context: &mut LoadContext<'_>,
        files: &ResolvedFiles,
        handles: &mut Handles,
    ) {
        for clip in &files.clips {
            let load = |clips: ClipFiles| (clips.load_within)(load_context, &clip.path);
            handles.others.extend(self.clip_files.map(load));
        }
        for skin in files.skins.values() {
            let (image, glow) = preload_skin(load_context, skin);
            handles.others.push(image.untyped());
            handles.others.extend(glow.map(Handle::untyped));
        }
    }
}

/// With file watching, replaces the handles of loaded models by those of their scenes: see [`ReleasedModels`].
pub(crate) fn release_models(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut pending: Local<Vec<Weak<Mutex<Handles>>>>,
    manifests: Res<Assets<ModelManifest>>,
    server: Res<AssetServer>,
    released: Res<ReleasedModels>,
) {
    if !server.watching_for_changes() {
        events.clear();
        return;
    }
    for event in events.read() {
        // Not earlier: until the manifest is loaded, Bevy looks up the dependencies by their handles.
        if let AssetEvent::Added { id } | AssetEvent::Modified { id } = event
            && server.get_path(*id).is_some_and(|path| is_manifest(&path))
            && let Some(manifest) = manifests.get(*id)
        {
            pending.push(Arc::downgrade(&manifest.files.preloaded.0));
        }
    }
    pending.retain(|handles| {
        let handles = handles.upgrade();
        handles.is_some_and(|handles| !lock(&handles).release(&server, &released))
    });
}

impl Handles {
    /// Releases the models that are loaded. Returns whether none is left.
    pub(crate) fn release(&mut self, server: &AssetServer, released: &ReleasedModels) -> bool {
        let others = &mut self.others;
        self.models.retain(|model| {
            let scene = released_scene(server, model, released);
            let is_released = scene.is_some();
            let path = model.path().filter(|_| is_released);
            let crowd = path.and_then(|path| loaded_crowd(server, path));
            others.extend(scene.into_iter().chain(crowd).map(Handle::untyped));
            !is_released
        });
        self.models.is_empty()
    }
}

/// The scene to keep instead of a model. `None` until the model is loaded and its dependencies are loaded or have
/// failed.
pub(crate) fn released_scene(
    server: &AssetServer,
    model: &UntypedHandle,
    released: &ReleasedModels,
) -> Option<Handle<WorldAsset>> {
    let is_settled = !matches!(
        server.recursive_dependency_load_state(model),
        RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded
    );
    let path = model
        .path()
        .filter(|_| is_settled && server.is_loaded(model))?;
    let scene = server.get_handle::<WorldAsset>(scene_path(path))?;
    released.insert(server, path, &scene);
    Some(scene)
}
