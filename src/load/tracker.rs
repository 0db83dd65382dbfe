//! Tracks the loads of models and manifests, to detect overlapping loads.

use crate::load::concurrent as concurrent_loads;
use crate::load::concurrent::{ConcurrentLoads, RunningLoad};
use crate::load::labels::{SCENE, scene_path};
use bevy::asset::LoadContext;
use bevy::asset::processor::AssetProcessor;
use bevy::prelude::*;
use std::sync::Arc;

/// Tracks the loads of an app. Each loader holds a clone.
#[derive(Resource, Clone)]
pub(crate) struct LoadTracker {
    server: AssetServer,
    loads: ConcurrentLoads,
    /// Whether assets are processed while the app runs.
    has_processor: bool,
}

impl LoadTracker {
    /// The tracker of this app, for a loader.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }

    /// Starts to track a load. Call it before the file is read.
    pub(crate) fn begin(&self, load_context: &LoadContext<'_>) -> RunningLoad {
        let path = load_context.path().clone();
        if self.has_processor && self.is_processing(load_context) {
            return RunningLoad::processing(path);
        }
        self.loads.begin(path)
    }

    /// Whether the load runs inside the asset processor, which has its own asset server and handles.
    fn is_processing(&self, load_context: &LoadContext<'_>) -> bool {
        let mut labeled = load_context.begin_labeled_asset();
        let scene: Handle<WorldAsset> = labeled.get_label_handle(SCENE);
        let path = scene_path(load_context.path());
        let own = self.server.get_handle::<WorldAsset>(path);
        !own.is_some_and(|own| is_same_server(&own, &scene))
    }
}

/// Whether two handles belong to the same asset server. Ids of different servers can be equal.
fn is_same_server<A: Asset>(a: &Handle<A>, b: &Handle<A>) -> bool {
    match (a, b) {
        (Handle::Strong(a), Handle::Strong(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Registers the load tracker.
pub(crate) fn register(app: &mut App) {
    concurrent_loads::register(app);
    let world = app.world();
    let tracker = LoadTracker {
        server: world.resource::<AssetServer>().clone(),
        loads: world.resource::<ConcurrentLoads>().clone(),
        has_processor: world.contains_resource::<AssetProcessor>(),
    };
    app.insert_resource(tracker);
}
