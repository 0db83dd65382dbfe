//! Loads of one file that overlap.
//!
//! Bevy keeps the result of the load that ends last, even if that load has read the file before the one that ended
//! first (not reported upstream as far as known). When overlapping loads have read different data, the file is loaded
//! once more after both.

use crate::scene::labels::scene_path;
use bevy::app::{App, PreUpdate};
use bevy::asset::{AssetPath, AssetServer, handle_internal_asset_events};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Local, Res};
use bevy::platform::hash::FixedHasher;
use core::hash::{BuildHasher, Hash};
use core::ops::DerefMut;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The loads that are in progress, and the files whose last load may be outdated. All clones are one.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct ConcurrentLoads(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// By the paths of the files.
    running: HashMap<AssetPath<'static>, Overlap>,
    outdated: HashSet<AssetPath<'static>>,
}

/// Loads of one file, each of which began before all others had ended.
#[derive(Debug, Default)]
struct Overlap {
    running: usize,
    /// A hash of what a load that has ended had read.
    inputs: Option<u64>,
    /// Whether other loads have read other data.
    differ: bool,
}

impl ConcurrentLoads {
    /// To be called at the beginning of a load, before the file is read.
    pub(super) fn begin(&self, path: AssetPath<'static>) -> RunningLoad {
        self.state()
            .running
            .entry(path.clone())
            .or_default()
            .running += 1;
        RunningLoad {
            loads: Some(self.clone()),
            path,
            inputs: Inputs::default(),
        }
    }

    /// Has a model loaded again in one of the next frames.
    pub(super) fn outdate(&self, path: AssetPath<'static>) {
        self.state().outdated.insert(path);
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

/// A hash of what a load reads, in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(Arc<AtomicU64>);

impl Inputs {
    pub(super) fn add(&self, input: &impl Hash) {
        let hash = FixedHasher.hash_one(input);
        self.0.fetch_add(hash, Ordering::Relaxed);
    }
}

/// One load of a file, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct RunningLoad {
    /// `None` inside the asset processor, whose results are not the app's assets.
    loads: Option<ConcurrentLoads>,
    path: AssetPath<'static>,
    inputs: Inputs,
}

impl RunningLoad {
    /// A load inside the asset processor.
    pub(super) fn processing(path: AssetPath<'static>) -> Self {
        Self {
            loads: None,
            path,
            inputs: Inputs::default(),
        }
    }

    /// Whether the asset processor runs it.
    pub(super) fn is_processing(&self) -> bool {
        self.loads.is_none()
    }

    /// Notes data that the result depends on.
    pub(crate) fn reads(&self, input: &impl Hash) {
        self.inputs.add(input);
    }

    pub(super) fn path(&self) -> &AssetPath<'static> {
        &self.path
    }

    pub(super) fn inputs(&self) -> &Inputs {
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

pub(super) fn register(app: &mut App) {
    app.init_resource::<ConcurrentLoads>().add_systems(
        PreUpdate,
        reload_outdated.after(handle_internal_asset_events),
    );
}

/// Loads outdated files again one frame after they were found to be so: by then Bevy has the results of the loads.
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

/// Loads a model again: by its own handle if that is held, because settings of the loader belong to it, and otherwise
/// by its scene, because without a watcher Bevy does not load a file again of which only labels are held: see
/// <https://github.com/bevyengine/bevy/pull/9736>.
fn reload(server: &AssetServer, path: AssetPath<'static>) {
    let scene = scene_path(&path);
    let is_held = !server.get_handles_untyped(&path).is_empty();
    match is_held || server.get_path_ids(&scene).is_empty() {
        true => server.reload(path),
        false => server.reload(scene),
    }
}
