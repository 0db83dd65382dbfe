//! The subcommand `view`: shows models in a window, or writes an image of them.
//!
//! The models are side by side on a grid, and the first clip of each plays. A panel at the left lists the models and
//! the options of the selected one: clips and, depending on the format, skins, levels of detail, damage stages, team
//! color and parts. Events of clips appear at the right. If no files are given, the samples are
//! shown. A manifest (`*.model.ron`) is opened like a model and applied; `--save-manifest` writes one. Files that
//! change on disk are reloaded; if an `.lgw` file is broken, the panel shows the line. Files dropped on the window are
//! added; an Alamo animation (`.ala`) plays on its model. With `--capture` no window is opened: the same image, without
//! panel and grid, is written to a PNG. With `--game` the models of a game's archives and folders are listed.

mod abc_actions;
mod abc_file;
mod abc_gizmos;
mod abc_models;
mod abc_panel;
mod action;
mod actions;
mod alo_actions;
mod alo_bounds;
mod alo_clips;
mod alo_gizmos;
mod alo_hidden;
mod alo_models;
mod alo_panel;
mod alo_pointer;
mod alo_trees;
mod arg_check;
mod args;
mod bars;
mod browser;
mod camera;
mod capture;
mod clip_panel;
mod clips;
mod disk_source;
mod file_check;
mod files;
mod game_models;
mod gizmos;
mod lgw_actions;
mod lgw_models;
mod lgw_panel;
mod load_error;
mod load_model;
mod manifest_clips;
mod manifests;
mod mdl_models;
mod mesh_vertices;
mod model_bounds;
mod model_events;
mod models;
mod named_panel;
mod overlay;
mod overrides;
mod panel;
mod panel_item;
mod panel_items;
mod part_args;
mod particle_bounds;
mod particle_capture;
mod particle_panel;
mod particle_player;
mod particle_systems;
mod playback;
mod played_clip;
mod quote;
mod row;
mod save_manifest;
mod shown;
mod sweep;
mod trees;
mod viewed_model;
mod window;

pub use args::Args;

use crate::messages;
use bevy::app::AppExit;
use shown::Shown;
use std::process::ExitCode;

/// Shows the models until the window is closed, or writes the image.
pub fn run(args: Args) -> ExitCode {
    let shown = match Shown::open(args) {
        Ok(shown) => shown,
        Err(error) => {
            messages::error(error);
            return ExitCode::FAILURE;
        }
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
