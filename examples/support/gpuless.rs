//! Apps without a window and without a GPU: assets load, scenes spawn, systems run, nothing is drawn.

use bevy::app::{PluginGroup, PluginGroupBuilder, PluginsState, ScheduleRunnerPlugin};
use bevy::asset::UnapprovedPathMode;
use bevy::camera::CameraPlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::tasks::{IoTaskPool, Task};
use bevy::time::TimeUpdateStrategy;
use bevy::world_serialization::WorldSerializationPlugin;
use std::path::Path;
use std::time::Duration;

/// Turns of the task pool after which [`wait_until`] gives up.
const PATIENCE: usize = 20_000;

/// What loading and animating models needs of Bevy.
pub fn plugins(asset_root: &Path, watch: bool) -> PluginGroupBuilder {
    MinimalPlugins
        .build()
        .disable::<ScheduleRunnerPlugin>()
        .add(TransformPlugin)
        .add(AssetPlugin {
            file_path: asset_root.to_string_lossy().into_owned(),
            unapproved_path_mode: UnapprovedPathMode::Allow,
            watch_for_changes_override: Some(watch),
            ..default()
        })
        .add(WorldSerializationPlugin)
        .add(ImagePlugin::default())
        .add(MeshPlugin)
        .add(CameraPlugin)
}

/// Waits for the plugins; from then on the app can be updated.
pub fn finish(app: &mut App) {
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
}

/// One frame, so much later than the one before.
pub fn step(app: &mut App, seconds: f32) {
    let step = Duration::from_secs_f32(seconds);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    app.update();
}

/// Frames in which no time passes, until something is true; false if it does not become true.
///
/// Frames in which the task pool that loads assets was busy with other tasks are not counted.
pub fn wait_until(app: &mut App, done: impl FnMut(&mut World) -> bool) -> bool {
    step_until(app, 0.0, done)
}

/// The same in frames in which time passes.
pub fn step_until(app: &mut App, seconds: f32, mut done: impl FnMut(&mut World) -> bool) -> bool {
    let mut patience = Patience::new(PATIENCE);
    while !patience.is_exhausted() {
        step(app, seconds);
        if done(app.world_mut()) {
            return true;
        }
        patience.wait();
    }
    false
}

/// Waits for what other threads do, and counts how long in turns of the task pool that loads assets, which do not
/// pass while the pool is busy.
pub struct Patience {
    limit: usize,
    turns: usize,
    turn: Task<()>,
}

impl Patience {
    /// For so many turns.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            turns: 0,
            turn: IoTaskPool::get().spawn(async {}),
        }
    }

    /// To be called in each frame in which there is still something to wait for.
    pub fn wait(&mut self) {
        if self.turn.is_finished() {
            self.turns += 1;
            self.turn = IoTaskPool::get().spawn(async {});
        }
        std::thread::sleep(Duration::from_millis(1));
    }

    pub fn is_exhausted(&self) -> bool {
        self.turns >= self.limit
    }
}
