//! A crowd: thousands of models, each in a clip, a phase, a speed and a skin of its own.
//!
//! ```text
//! cargo run --release --example crowd            # 10,000 instances of the bundled Quake models
//! cargo run --release --example crowd 2000 --model assets/models/sentry.mdl
//! cargo run --release --example crowd 1000 --model path/to/Models/hero.abc
//! cargo run --release --example crowd -- --headless --frames 100
//! ```
//!
//! You should see a square of models that all move and no two of which move together, and in the
//! corner: the number of instances, the time of a frame, what this crate's systems take of it per
//! instance, and the number of draws, which is that of distinct pairs of mesh and material.
//!
//! `--frames K` prints these figures after so many frames and exits; with `--headless`, or where there
//! is no display, the crowd is drawn to an image instead of a window. `--model FILE` chooses another
//! model, `.mdl`, `.abc` or `.lgw`, and may be repeated.

mod figures;
mod headless;
mod overlay;
mod population;

use bevy::asset::UnapprovedPathMode;
use bevy::prelude::*;
use bevy::window::PresentMode;
use bevy_classic_models::ClassicModelsPlugin;
use classic_models_support as support;
use figures::{Figures, FiguresPlugin, Report};
use lexopt::prelude::*;
use population::{Crowd, CrowdPlugin};
use std::path::PathBuf;
use std::process::ExitCode;

/// Frames that are measured without a window, if `--frames` does not say.
const HEADLESS_FRAMES: usize = 100;

/// Frames that the figures on screen are averages of.
const FRAMES_ON_SCREEN: usize = 60;

const HELP: &str = "\
Thousands of models that move, and what they cost.

usage: crowd [N] [OPTIONS]

N is how many there are, 10000 by default.

  --model FILE  a .mdl, .abc or .lgw file; may be given more than once. The bundled .mdl files by default
  --frames K    prints figures after so many frames, and ends
  --headless    draws to an image instead of a window, as where there is no display";

struct Options {
    instances: usize,
    models: Vec<PathBuf>,
    frames: Option<usize>,
    headless: bool,
}

impl Options {
    /// What the command line says; `None` if it asks for help.
    fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            instances: 10_000,
            models: Vec::new(),
            frames: None,
            headless: false,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("frames") => options.frames = Some(parser.value()?.parse()?),
                Long("headless") => options.headless = true,
                Long("help") | Short('h') => return Ok(None),
                // The asset server takes relative paths for those of its own folder.
                Long("model") => options
                    .models
                    .push(std::path::absolute(parser.value()?).map_err(|e| e.to_string())?),
                Value(value) => options.instances = value.parse()?,
                _ => return Err(argument.unexpected()),
            }
        }
        if options.instances == 0 {
            return Err("a crowd has one instance at least".into());
        }
        if options.models.is_empty() {
            options.models = population::bundled_models();
        }
        if options.models.is_empty() {
            return Err("there are no bundled models; name one with --model FILE".into());
        }
        Ok(Some(options))
    }
}

fn main() -> ExitCode {
    let options = match Options::parse() {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("crowd: {error}\n\n{HELP}");
            return ExitCode::FAILURE;
        }
    };
    let crowd = Crowd::new(options.instances, options.models);
    let no_display = std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty());
    if options.headless || (options.frames.is_some() && cfg!(target_os = "linux") && no_display) {
        let frames = options.frames.unwrap_or(HEADLESS_FRAMES);
        print!("{}", headless::measure(crowd, frames));
        return ExitCode::SUCCESS;
    }
    match windowed(crowd, options.frames) {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(_) => ExitCode::FAILURE,
    }
}

fn windowed(crowd: Crowd, frames: Option<usize>) -> AppExit {
    let window = Window {
        title: "crowd".into(),
        present_mode: PresentMode::AutoNoVsync,
        ..default()
    };
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: Some(window),
                ..default()
            })
            .set(AssetPlugin {
                file_path: population::ASSETS.into(),
                unapproved_path_mode: UnapprovedPathMode::Allow,
                ..default()
            }),
        ClassicModelsPlugin::default(),
        CrowdPlugin,
        FiguresPlugin,
        overlay::OverlayPlugin,
    ))
    .insert_resource(crowd)
    .insert_resource(Figures::new(frames.unwrap_or(FRAMES_ON_SCREEN)))
    .add_systems(First, figures::note_frame);
    if let Some(frames) = frames {
        app.add_systems(Last, move |world: &mut World| {
            if world.resource::<Figures>().frames.len() >= frames {
                print!("{}", Report::new(world));
                world.write_message(AppExit::Success);
            }
        });
    }
    app.run()
}
