//! What a manifest keeps loaded: its model, clips, skins and attachments are dependencies of its asset, so that a
//! manifest that is loaded with its dependencies can be spawned at once.

use super::classic_model::is_manifest;
use super::files::{Handles, lock};
use super::load_overrides::LoadOverrides;
use super::manifest::ModelManifest;
use super::resolve::ResolvedFiles;
use crate::scene::ClipFiles;
use crate::scene::ModelFormats;
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
use std::sync::{Arc, Mutex, Weak};

/// Label of the scene in the files of all formats.
const SCENE: &str = "Scene";

/// Models of which only the scene is held, with everything that it needs loaded. Clones share one table.
///
/// Bevy tries twice to reload a broken file whose asset is held, with an error each time, and once if only labeled
/// assets of it are. It is no use where files are not watched.
#[derive(Resource, Clone, Default)]
pub(super) struct ReleasedModels(Arc<Mutex<HashMap<AssetPath<'static>, AssetId<WorldAsset>>>>);

impl ReleasedModels {
    /// Notes that a model is fully loaded and is held by its scene from now on.
    pub(super) fn insert(&self, model: &AssetPath<'static>, scene: &Handle<WorldAsset>) {
        lock(&self.0).insert(model.clone(), scene.id());
    }

    /// The scene of a model that was released, if something still holds it.
    pub(super) fn scene(
        &self,
        server: &AssetServer,
        model: &AssetPath<'static>,
    ) -> Option<Handle<WorldAsset>> {
        let mut released = lock(&self.0);
        let id = *released.get(model)?;
        let scene = server.get_handle::<WorldAsset>(model.clone().with_label(SCENE));
        let scene = scene.filter(|scene| scene.id() == id && server.is_loaded(scene));
        if scene.is_none() {
            released.remove(model);
        }
        scene
    }
}

/// Which manifests depend on which by their attachments, without cycles: Bevy would wait for a cycle forever.
#[derive(Clone, Default)]
struct AttachmentGraph(Arc<Mutex<HashMap<AssetPath<'static>, Vec<AssetPath<'static>>>>>);

impl AttachmentGraph {
    /// Replaces the dependencies of a manifest; those of `wanted` that close no cycle.
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
        // Those that were dropped wait for nothing.
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

/// Whether a manifest depends on another one, or is it.
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

/// Begins to load what manifests name. The manifest's loader keeps one.
pub(super) struct Preloader {
    server: AssetServer,
    formats: ModelFormats,
    claims: LoadOverrides,
    released: ReleasedModels,
    graph: AttachmentGraph,
    clip_files: Option<ClipFiles>,
}

impl FromWorld for Preloader {
    fn from_world(world: &mut World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            formats: world.resource::<ModelFormats>().clone(),
            claims: world.resource::<LoadOverrides>().clone(),
            released: world.resource::<ReleasedModels>().clone(),
            graph: AttachmentGraph::default(),
            clip_files: world.get_resource::<ClipFiles>().copied(),
        }
    }
}

impl Preloader {
    /// Makes everything that a manifest names a dependency of it, and keeps it loaded as long as the manifest is.
    pub(super) fn preload(&self, load_context: &mut LoadContext<'_>, manifest: &ModelManifest) {
        let path = load_context.path().clone_owned();
        let files = manifest.whereabouts();
        // The asset processor has a server of its own, and assets within others have no handle.
        let own = self.server.get_handle::<ModelManifest>(path.clone());
        if let Some(own) = &own {
            // Before the model is loaded, which heeds it.
            self.claims.set(own.id(), manifest);
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

    /// The same for a manifest that stands for a bare model.
    pub(super) fn preload_bare(
        &self,
        load_context: &mut LoadContext<'_>,
        manifest: &ModelManifest,
    ) {
        let Some(model) = manifest.files.model() else {
            return;
        };
        // Bevy reloads both assets of the path. Should the model have failed before, it is not to fail twice.
        let known = self.formats.known(&self.server, model);
        let has_failed =
            |known: &UntypedHandle| matches!(self.server.load_state(known), LoadState::Failed(_));
        let mut handles = manifest.files.preloaded.handles();
        match known.filter(has_failed) {
            Some(known) => handles.models.push(known),
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
        if let Some(scene) = self.released.scene(&self.server, model) {
            // To load the whole again would have all its instances respawned.
            handles.others.push(scene.untyped());
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
            let (image, glow) = crate::scene::preload_skin(load_context, skin);
            handles.others.push(image.untyped());
            handles.others.extend(glow.map(Handle::untyped));
        }
    }
}

/// Holds no more than the scenes of models that are loaded, where files are watched: see [`ReleasedModels`].
pub(super) fn release_models(
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
        // Not earlier: until then Bevy asks for the dependencies by their handles.
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
    /// Releases the models that are loaded; whether those are all.
    pub(super) fn release(&mut self, server: &AssetServer, released: &ReleasedModels) -> bool {
        let others = &mut self.others;
        self.models.retain(|model| {
            let scene = released_scene(server, model, released);
            let is_released = scene.is_some();
            others.extend(scene.map(Handle::untyped));
            !is_released
        });
        self.models.is_empty()
    }
}

/// The scene to hold in the place of a model, once the model is loaded with all that it needs, or can be.
pub(super) fn released_scene(
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
    let scene = server.get_handle::<WorldAsset>(path.clone().with_label(SCENE))?;
    released.insert(path, &scene);
    Some(scene)
}
