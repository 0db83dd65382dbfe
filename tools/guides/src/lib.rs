//! Runs the programs of the README and the guides without a window, and saves what each shows.
//!
//! The build script makes a module of each program. `DefaultPlugins` in it are those of this crate.

use bevy::app::PluginGroupBuilder;
use bevy::prelude::*;
use classic_models_support::capture::{self, IsReady};
use classic_models_support::{headless, samples};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

#[allow(
    missing_docs,
    unused,
    clippy::all,
    reason = "generated from the guides, whose programs are complete and explain themselves"
)]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}
pub use programs::PROGRAMS;

/// Size of the pictures in pixels.
const SIZE: UVec2 = UVec2::new(480, 270);
/// Seconds for which models play before the picture is taken.
const TIME: f32 = 1.6;
/// Seconds per frame.
const STEP: f32 = 1.0 / 30.0;

thread_local! {
    /// The picture of the program that runs on this thread.
    static PICTURE: RefCell<PathBuf> = const { RefCell::new(PathBuf::new()) };
}

/// Runs a program of [`PROGRAMS`] until its models are drawn, and saves the picture as a PNG.
///
/// # Panics
/// If a file cannot be loaded, if no model is ever ready, or if the picture cannot be written.
pub fn save_picture(program: fn(), file: &Path) {
    PICTURE.replace(file.to_owned());
    program();
}

/// Bevy's default plugins without a window. The app ends after its picture is saved.
struct DefaultPlugins;

impl PluginGroup for DefaultPlugins {
    fn build(self) -> PluginGroupBuilder {
        headless::plugins(&samples(), false).add(PicturePlugin)
    }
}

struct PicturePlugin;

impl Plugin for PicturePlugin {
    fn build(&self, app: &mut App) {
        app.set_runner(run);
    }
}

fn run(mut app: App) -> AppExit {
    capture::pause_cameras(&mut app);
    let mut headless = capture::start(app, SIZE);
    headless.wait_until("a model is ready", |world| {
        let mut shown = world.query_filtered::<(), Or<(With<IsReady>, With<Mesh3d>)>>();
        shown.iter(world).next().is_some()
    });
    capture::wait_for_models(&mut headless);
    for _ in 0..(TIME / STEP) as u32 {
        headless.step(STEP);
    }
    let file = PICTURE.take();
    if let Err(error) = capture::save(&mut headless, &file) {
        panic!("{error}");
    }
    AppExit::Success
}
