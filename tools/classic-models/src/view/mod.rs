//! The subcommand `view`: shows models in a window, or writes an image of them.
//!
//! The models are side by side on a grid, and the first clip of each plays. Panels list files, models and clips at the
//! left, and the details of the selected model at the right; the timeline and the log are at the bottom. If no files are
//! given, the samples are shown. A manifest (`*.model.ron`) is opened like a model and applied; `--save-manifest` writes
//! one. Files that change on disk are reloaded. With `--capture` no window is opened: the same image, without panels and
//! grid, is written to a PNG. With `--game` the models of a game's archives and folders are listed.

mod actions;
mod camera;
mod capture;
mod draw;
mod models;
mod open;
mod panels;
mod row;
mod window;

use crate::messages;
use crate::view::camera::framing::framing_plugin;
use crate::view::camera::orbit::orbit_plugin;
use crate::view::draw::overlays::{Overlays, overlays_plugin};
use crate::view::draw::pointer::pointer_plugin;
use crate::view::models::models_plugin;
use crate::view::models::particle_systems::particle_systems_plugin;
use crate::view::row::Row;
use bevy::app::AppExit;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::root::NightTime;
use classic_models_support::stage::StagePlugin;
pub use open::args::Args;
use open::shown::Shown;
use std::process::ExitCode;

/// Shows the models until the window is closed, or writes the image.
pub fn run(args: Args) -> ExitCode {
    if let Err(error) = args.turntable() {
        error.exit();
    }
    let shown = match Shown::open(args) {
        Ok(shown) => shown,
        Err(error) => return messages::failure(error),
    };
    let exit = if shown.args.needs_no_window() {
        capture::run(&shown)
    } else {
        window::run(shown)
    };
    match exit {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    }
}

/// Loads, arranges and draws models as the command line requests. Needs Bevy's plugins,
/// [`FramingStyle`](crate::view::camera::framing::FramingStyle) and [`FilesToLoad`](crate::view::models::FilesToLoad).
pub struct ViewerPlugin {
    pub args: Args,
    /// Whether it draws the grid, and models are placed by all their poses.
    pub has_window: bool,
}

impl Plugin for ViewerPlugin {
    fn build(&self, app: &mut App) {
        let Self { args, has_window } = self;
        let overlays = Overlays::of(args, *has_window);
        let by_clip = !has_window && !args.bounds;
        app.add_plugins((
            ClassicModelsPlugins,
            StagePlugin,
            models_plugin,
            (orbit_plugin, framing_plugin),
            (overlays_plugin, pointer_plugin),
            particle_systems_plugin,
        ))
        .insert_resource(Row::new(args.view, args.aspect(), by_clip))
        .insert_resource(overlays)
        .insert_resource(NightTime(args.night))
        .insert_resource(args.clone());
    }
}
