//! The subcommand `view`: shows models in a window, or writes an image of them.
//!
//! The models are side by side on a grid, and the first clip of each plays. Panels list files, models and clips at the
//! left, and the details of the selected model at the right; the timeline and the log are at the bottom. If no files are
//! given, the samples are shown. A manifest (`*.model.ron`) is opened like a model and applied; `--save-manifest` writes
//! one. Files that change on disk are reloaded. With `--capture` no window is opened: the same image, without panels and
//! grid, is written to a PNG. With `--game` the models of a game's archives and folders are listed.

mod actions;
mod camera;
pub mod capture;
mod draw;
mod model_events;
mod models;
mod open;
mod panels;
mod row;
mod viewer;
mod window;

use crate::messages;
use bevy::app::AppExit;
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
