//! The subcommand `view`: shows models in a window, or writes an image of them.
//!
//! The models are side by side on a grid, and the first clip of each plays. Panels list files, models and clips at the
//! left, and the details of the selected model at the right; the timeline and the log are at the bottom. If no files are
//! given, the samples are shown. A manifest (`*.model.ron`) is opened like a model and applied; `--save-manifest` writes
//! one. Files that change on disk are reloaded. With `--capture` no window is opened: the same image, without panels and
//! grid, is written to a PNG. With `--game` the models of a game's archives and folders are listed.

mod abc_file;
mod abc_gizmos;
mod abc_models;
mod action;
mod actions;
mod alo_bounds;
mod alo_clips;
mod alo_gizmos;
mod alo_models;
mod alo_parts;
mod alo_pointer;
mod alo_trees;
mod appearance_actions;
mod arg_check;
mod args;
mod browser;
mod camera;
mod capture;
mod clipboard;
mod clips;
mod disk_source;
mod file_actions;
mod file_check;
mod files;
mod framing;
mod gizmos;
mod key_table;
mod keys;
mod lgw_models;
mod load_model;
mod log_buffer;
mod manifest_clips;
mod manifests;
mod mdl_models;
mod mesh_vertices;
mod model_bounds;
mod model_events;
mod models;
mod orbit;
mod overlay;
mod overrides;
mod panel_input;
mod panels;
mod part_args;
mod particle_bounds;
mod particle_capture;
mod particle_player;
mod particle_systems;
mod playback;
mod played_clip;
mod quote;
mod recent;
mod row;
mod row_layout;
mod save_manifest;
mod sheet;
mod sheet_texture;
mod shown;
mod skins;
mod sweep;
mod trees;
mod turntable;
mod turntable_args;
mod viewed_model;
mod viewer;
mod visible_points;
mod window;
mod window_image;

pub use args::Args;

use crate::messages;
use bevy::app::AppExit;
use shown::Shown;
use std::process::ExitCode;

/// Shows the models until the window is closed, or writes the image.
pub fn run(args: Args) -> ExitCode {
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
