//! Apps without a window and without a GPU: assets load, scenes spawn and systems run, but nothing is rendered.

use bevy::app::{PluginGroupBuilder, PluginsState, ScheduleRunnerPlugin, SubApps};
use bevy::asset::UnapprovedPathMode;
use bevy::camera::CameraPlugin;
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::tasks::{IoTaskPool, Task};
use bevy::time::TimeUpdateStrategy;
use bevy::world_serialization::WorldSerializationPlugin;
use std::path::Path;
use std::time::Duration;

/// Turns of the task pool after which [`wait_until`] gives up.
pub const PATIENCE: usize = 20_000;

/// The plugins of Bevy that loading and animating models needs.
///
/// Relative asset paths start at `asset_root`. `watch` reloads assets whose files change.
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

/// Waits until the plugins are ready. Call it before the first update.
pub fn finish(app: &mut App) {
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
}

/// Runs the systems of every schedule one after the other. Tests run beside each other, so threads of their own only
/// cost them time. Call it after the plugins are finished.
pub fn run_on_one_thread(app: &mut App) {
    let SubApps { main, sub_apps } = app.sub_apps_mut();
    for sub_app in sub_apps.values_mut().chain([main]) {
        let mut schedules = sub_app.world_mut().resource_mut::<Schedules>();
        for (_, schedule) in schedules.iter_mut() {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
    }
}

/// Runs one frame, `seconds` later than the previous one.
pub fn step(app: &mut App, seconds: f32) {
    let step = Duration::from_secs_f32(seconds);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    app.update();
}

/// Runs frames in which no time passes until `done` returns true. Returns false if it never does.
///
/// Frames in which the task pool that loads assets is busy with other tasks do not count.
pub fn wait_until(app: &mut App, done: impl FnMut(&mut World) -> bool) -> bool {
    step_until(app, 0.0, done)
}

/// Like [`wait_until`], but `seconds` pass in each frame.
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

/// A limit on how long to wait for other threads.
///
/// It is counted in turns of the task pool that loads assets, so that a busy pool does not use it up.
pub struct Patience {
    limit: usize,
    turns: usize,
    turn: Task<()>,
}

impl Patience {
    /// Waits for at most `limit` turns.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            turns: 0,
            turn: IoTaskPool::get().spawn(async {}),
        }
    }

    /// Starts counting again. Call this when something happened that shows progress.
    pub fn reset(&mut self) {
        self.turns = 0;
    }

    /// Call this in each frame in which the condition is not met.
    pub fn wait(&mut self) {
        if self.turn.is_finished() {
            self.turns += 1;
            self.turn = IoTaskPool::get().spawn(async {});
        }
        std::thread::sleep(Duration::from_millis(1));
    }

    /// Whether the limit is reached.
    pub fn is_exhausted(&self) -> bool {
        self.turns >= self.limit
    }
}
