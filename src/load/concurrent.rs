//! Tracks the loads of models and manifests. If overlapping loads of one file have read different data, the file is loaded again
//! after all of them.
//!
//! Bevy keeps the result of the load that ends last, even if another load read the file later (no upstream report known).

use crate::load::labels::{SCENE, scene_path};
use bevy::asset::processor::AssetProcessor;
use bevy::asset::{AssetPath, LoadContext, handle_internal_asset_events};
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use core::hash::{BuildHasher, Hash};
use core::ops::DerefMut;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The running loads, and the files whose last load may be outdated. Clones share one state.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct ConcurrentLoads(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Keyed by the path of the file.
    running: HashMap<AssetPath<'static>, Overlap>,
    outdated: HashSet<AssetPath<'static>>,
    /// Whether a load has begun since the last frame.
    has_begun: bool,
}

/// The running loads of one file that overlap in time.
#[derive(Debug, Default)]
struct Overlap {
    running: usize,
    /// A hash of the data that the last ended load had read.
    inputs: Option<u64>,
    /// Whether ended loads have read different data.
    differ: bool,
}

impl ConcurrentLoads {
    /// Registers a load. Call it before the file is read.
    pub(crate) fn begin(&self, path: AssetPath<'static>) -> RunningLoad {
        let mut state = self.state();
        state.has_begun = true;
        state.running.entry(path.clone()).or_default().running += 1;
        drop(state);
        RunningLoad {
            loads: Some(self.clone()),
            path,
            inputs: Inputs::default(),
        }
    }

    /// Whether no load has run since the last call, which is made once per frame.
    pub(crate) fn were_idle(&self) -> bool {
        let mut state = self.state();
        !core::mem::take(&mut state.has_begun) && state.running.is_empty()
    }

    fn end(&self, path: &AssetPath<'static>, inputs: u64) {
        let mut state = self.state();
        let Some(overlap) = state.running.get_mut(path) else {
            return;
        };
        overlap.running -= 1;
        overlap.differ |= overlap.inputs.is_some_and(|others| others != inputs);
        overlap.inputs = Some(inputs);
        if overlap.running == 0 {
            let differ = overlap.differ;
            state.running.remove(path);
            if differ {
                state.outdated.insert(path.clone());
            }
        }
    }

    fn state(&self) -> impl DerefMut<Target = State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash of all data that a load reads, independent of the order. Clones share one hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs(Arc<AtomicU64>);

impl Inputs {
    pub(crate) fn add(&self, input: &impl Hash) {
        let hash = FixedHasher.hash_one(input);
        self.0.fetch_add(hash, Ordering::Relaxed);
    }
}

/// A running load of a file. Dropping it ends the load.
#[derive(Debug)]
pub(crate) struct RunningLoad {
    /// `None` inside the asset processor, whose results are not the app's assets.
    loads: Option<ConcurrentLoads>,
    path: AssetPath<'static>,
    inputs: Inputs,
}

impl RunningLoad {
    /// A load inside the asset processor.
    pub(crate) fn processing(path: AssetPath<'static>) -> Self {
        Self {
            loads: None,
            path,
            inputs: Inputs::default(),
        }
    }

    /// Whether the load runs inside the asset processor.
    pub(crate) fn is_processing(&self) -> bool {
        self.loads.is_none()
    }

    /// Records data that the result depends on.
    pub(crate) fn add_input(&self, input: &impl Hash) {
        self.inputs.add(input);
    }

    pub(crate) fn path(&self) -> &AssetPath<'static> {
        &self.path
    }

    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }
}

impl Drop for RunningLoad {
    fn drop(&mut self) {
        if let Some(loads) = &self.loads {
            let inputs = self.inputs.0.load(Ordering::Relaxed);
            loads.end(&self.path, inputs);
        }
    }
}

/// Reloads outdated files, one frame after they were marked: by then Bevy has stored the results of their loads.
fn reload_outdated(
    loads: Res<ConcurrentLoads>,
    server: Res<AssetServer>,
    mut due: Local<HashSet<AssetPath<'static>>>,
) {
    for path in due.drain() {
        reload(&server, path);
    }
    let mut state = loads.state();
    if !state.outdated.is_empty() {
        core::mem::swap(&mut *due, &mut state.outdated);
    }
}

/// Reloads a model by its own path if a handle of that path is alive, because the loader settings belong to it.
///
/// Otherwise reloads it by its scene: without a watcher, Bevy does not reload a file if only handles of its labels are
/// alive. See <https://github.com/bevyengine/bevy/pull/9736>.
fn reload(server: &AssetServer, path: AssetPath<'static>) {
    let has_handle = !server.get_handles_untyped(&path).is_empty();
    let scene = scene_path(&path);
    if !has_handle && !server.get_path_ids(&scene).is_empty() {
        server.reload(scene);
    } else {
        server.reload(path);
    }
}

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

/// Registers the detection of overlapping loads, and the load tracker.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<ConcurrentLoads>().add_systems(
        PreUpdate,
        reload_outdated.after(handle_internal_asset_events),
    );
    let world = app.world();
    let tracker = LoadTracker {
        server: world.resource::<AssetServer>().clone(),
        loads: world.resource::<ConcurrentLoads>().clone(),
        has_processor: world.contains_resource::<AssetProcessor>(),
    };
    app.insert_resource(tracker);
}
