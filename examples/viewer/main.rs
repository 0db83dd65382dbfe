//! Shows model files: `cargo run --example viewer -- [FILE…]`.
//!
//! You should see the models side by side on a grid, the first clip of each playing, and at the left
//! a panel with the models' names and what the selected one lets you choose: clips, and what its format
//! has of skins, levels of detail, damage stages, the team's colour and parts. What a LithTech model tells
//! the game while it plays comes up at the right. Without files the models are the samples in
//! `assets/models`, of which the walker walks. A manifest (`*.model.ron`) is opened as a model is, with all that it
//! states; `--save-manifest` writes one. A text model (`.lgw`) that is edited by hand changes with
//! every save; where it is broken the panel shows the line. Drag with the left mouse button to go around them, with the right one to move,
//! turn the wheel to come closer. Files dropped on the window are added (an Alamo animation, `.ala`,
//! plays on its model), and a file that changes on disk changes here. With `--capture` there is no window: the same picture, without panel and grid,
//! is written to a PNG. `--help` tells the rest.

mod abc_actions;
mod abc_events;
mod abc_file;
mod abc_gizmos;
mod abc_models;
mod abc_panel;
mod actions;
mod alo_actions;
mod alo_clips;
mod alo_gizmos;
mod alo_hidden;
mod alo_panel;
mod alo_pointer;
mod alo_room;
mod alo_trees;
mod args;
mod asked;
mod bars;
mod camera;
mod capture;
mod clip_panel;
mod clips;
mod complaints;
mod contents;
mod files;
mod gizmos;
mod lgw_actions;
mod lgw_models;
mod lgw_panel;
mod manifests;
mod models;
mod named_panel;
mod overlay;
mod panel;
mod playback;
mod played_clip;
mod quote;
mod rooms;
mod save_manifest;
mod shelves;
mod shown;
mod stated;
mod sweep;
mod window;

use bevy::app::AppExit;
use classic_models_support as support;
use std::io::Write;

fn main() -> AppExit {
    match args::parse() {
        Ok(Some(args)) if args.capture.is_some() || args.save_manifest.is_some() => {
            capture::run(&args)
        }
        Ok(Some(args)) => window::run(args),
        Ok(None) => {
            // Whoever reads may have had enough.
            let _ = write!(std::io::stdout(), "{}", args::HELP);
            AppExit::Success
        }
        Err(error) => {
            eprintln!("viewer: {error}\nTry viewer --help");
            AppExit::from_code(2)
        }
    }
}
