//! The plugins of the examples. An example runs in a window, or without one:
//!
//! ```text
//! --capture FILE     saves a picture without a window
//! --time SECONDS     the moment of the picture; 0 by default
//! --frames COUNT     renders so many frames without a window, and prints the time per frame and the texts
//! ```

use super::headless::Headless;
use super::options::Options;
use super::studio::MeasuredText;
use super::{capture, headless, samples};
use bevy::app::{AppExit, PluginGroupBuilder};
use bevy::asset::UnapprovedPathMode;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Size of a picture in pixels.
const SIZE: UVec2 = UVec2::new(1280, 720);

/// Seconds between two frames without a window. A picture is the same in every run.
const STEP: f32 = 1.0 / 30.0;

/// `DefaultPlugins`, which with `--capture` or `--frames` do not open a window.
#[derive(Default)]
pub struct ExamplePlugins {
    task: Option<Task>,
}

/// What an example does without a window.
#[derive(Clone)]
enum Task {
    Capture { file: PathBuf, time: f32 },
    Measure { frames: u32 },
}

impl ExamplePlugins {
    /// The plugins of an example without options of its own.
    pub fn from_env() -> Self {
        Self::with_options(&[]).0
    }

    /// The plugins of an example that has these options too, and the options.
    pub fn with_options(own: &[&str]) -> (Self, Options) {
        let known = [own, &["capture", "time", "frames"]].concat();
        let options = Options::from_env(&known);
        let capture = options.get("capture").map(|file| Task::Capture {
            file,
            time: options.get("time").unwrap_or(0.0),
        });
        let frames = options.get("frames");
        let task = capture.or(frames.map(|frames| Task::Measure { frames }));
        (Self { task }, options)
    }
}

impl PluginGroup for ExamplePlugins {
    fn build(self) -> PluginGroupBuilder {
        match self.task {
            Some(task) => headless::plugins(&samples(), false)
                .enable::<LogPlugin>()
                .add(HeadlessPlugin(task)),
            None => DefaultPlugins.set(AssetPlugin {
                file_path: samples().to_string_lossy().into_owned(),
                unapproved_path_mode: UnapprovedPathMode::Allow,
                ..default()
            }),
        }
    }
}

/// Runs the app without a window.
struct HeadlessPlugin(Task);

impl Plugin for HeadlessPlugin {
    fn build(&self, app: &mut App) {
        let task = self.0.clone();
        app.set_runner(move |app| run(app, &task));
    }
}

fn run(mut app: App, task: &Task) -> AppExit {
    if let Task::Capture { .. } = task {
        app.add_observer(hide_text).add_observer(pause_camera);
    }
    let mut headless = capture::start(app, SIZE);
    capture::wait_for_models(&mut headless);
    match task {
        Task::Capture { file, time } => save(&mut headless, file, *time),
        Task::Measure { frames } => {
            measure(&mut headless, *frames);
            AppExit::Success
        }
    }
}

fn hide_text(text: On<Add, MeasuredText>, mut commands: Commands) {
    commands.entity(text.entity).insert(Visibility::Hidden);
}

/// Only the last frames are drawn: a frame takes about a second without a GPU.
fn pause_camera(camera: On<Add, Camera>, mut cameras: Query<&mut Camera>) {
    if let Ok(mut camera) = cameras.get_mut(camera.entity) {
        camera.is_active = false;
    }
}

fn save(headless: &mut Headless, file: &Path, time: f32) -> AppExit {
    let steps = (time / STEP).ceil();
    for _ in 0..steps as u32 {
        headless.step(time / steps);
    }
    let world = headless.app.world_mut();
    for mut camera in world.query::<&mut Camera>().iter_mut(world) {
        camera.is_active = true;
    }
    match capture::save(headless, file) {
        Ok(()) => AppExit::Success,
        Err(error) => {
            error!("{error}");
            AppExit::error()
        }
    }
}

fn measure(headless: &mut Headless, frames: u32) {
    let start = Instant::now();
    for _ in 0..frames {
        headless.step(STEP);
        capture::wait_for_gpu(headless);
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / f64::from(frames.max(1));
    println!("{milliseconds:.1} ms per frame");
    let world = headless.app.world_mut();
    for text in world.query::<&Text>().iter(world) {
        println!("{}", text.0);
    }
}
