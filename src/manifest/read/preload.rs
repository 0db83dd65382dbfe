//! Preloads the model, clips, skins and attachments of a manifest. They are dependencies of its asset, so that a
//! manifest that is loaded with its dependencies can be spawned immediately.

use crate::appearance::skins::preload_skin;
use crate::manifest::apply::overrides::ManifestOverrides;
use crate::manifest::classic_model::is_manifest;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::paths::{Handles, lock};
use crate::manifest::read::resolve::ResolvedFiles;
use crate::spawn::formats::{ClipFiles, ModelFormats};
use bevy::asset::{AssetPath, LoadContext};
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;
use std::sync::{Arc, Mutex};

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
    pub(crate) formats: ModelFormats,
    overrides: ManifestOverrides,
    graph: AttachmentGraph,
    clip_files: Option<ClipFiles>,
}

impl FromWorld for Preloader {
    fn from_world(world: &mut World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            formats: world.resource::<ModelFormats>().clone(),
            overrides: world.resource::<ManifestOverrides>().clone(),
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
            handles
                .models
                .extend(self.formats.load_within(load_context, model));
        }
        self.clips_and_skins(load_context, &files, &mut handles);
        let attached = files.attachments.into_iter().flatten();
        let (manifests, models): (Vec<_>, Vec<_>) = attached.partition(is_manifest);
        for model in &models {
            handles
                .models
                .extend(self.formats.load_within(load_context, model));
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
