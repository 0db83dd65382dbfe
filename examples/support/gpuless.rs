//! Apps without a window and without a GPU: assets load, scenes spawn, systems run, nothing is drawn.

use bevy::app::{PluginGroup, PluginGroupBuilder, PluginsState, ScheduleRunnerPlugin};
use bevy::asset::UnapprovedPathMode;
use bevy::camera::CameraPlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::world_serialization::WorldSerializationPlugin;
use std::path::Path;
use std::time::Duration;

/// Updates after which [`wait_until`] gives up.
const PATIENCE: usize = 5000;

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
pub fn wait_until(app: &mut App, mut done: impl FnMut(&mut World) -> bool) -> bool {
    for _ in 0..PATIENCE {
        step(app, 0.0);
        if done(app.world_mut()) {
            return true;
        }
        // Assets load on other threads.
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}
