//! What a visibility track does: `cargo run --example visibility`.
//!
//! You should see the bundled walker three times, firing its guns in the same moments. The left one is
//! as its animation says: before each gun a flame shows for three frames, then it is gone. The flames
//! hang on bones, and the animation has a visibility track for each of these. The other two play the same
//! animation without those tracks, so that the bones' own flags say whether there are flames: in the
//! middle the flag is that of the model's file, off, and the guns move but never flash; at the right it
//! was set with `AloBone::visible`, and both flames burn all the time.
//!
//! Below there is a row for each bone that has a track: bars where it is shown, a line for where the
//! animation is, and at the end of the row what the left walker shows now.
//!
//! ```text
//! space           plays or pauses
//! left, right     one frame back or on
//! C               fades into the next animation: a bar tells how much of it shows already
//! ```
//!
//! `MOVE` has no tracks: press C until it is chosen, and the flames of the left walker go out, as their
//! flags say, as soon as it weighs more than what was before. `DIE` has tracks for the lamps, which
//! flicker and go out.
//!
//! `--capture OUT.png` writes a picture instead of opening a window; with `--clip NAME` and
//! `--time SECONDS` of that moment, with `--fade NAME` from half-way into a fade to another animation.

mod controls;
mod picture;
mod theatre;
mod timeline;
mod tracks;
mod walkers;

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use classic_models_support as support;
use lexopt::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

/// The folder of assets, wherever the example is started.
const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

const USAGE: &str = "\
usage: visibility [OPTIONS]

  --clip NAME         begins with this animation: ATTACK_00, DIE_00 or MOVE_00;
                      the numbers may be left out
  --capture OUT.png   writes a picture instead of opening a window
  --time SECONDS      the moment of the picture
  --fade NAME         the picture is half-way into a fade to this animation
";

/// What was asked for.
#[derive(Resource, Clone, Debug)]
pub struct Options {
    /// What plays at first.
    pub clip: String,
    /// Where to write a picture.
    pub capture: Option<PathBuf>,
    /// Its moment, in seconds.
    pub time: f32,
    /// What it fades into.
    pub fade: Option<String>,
}

impl Options {
    fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            clip: "ATTACK_00".to_owned(),
            capture: None,
            time: 0.0,
            fade: None,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("clip") => options.clip = parser.value()?.string()?,
                Long("capture") => options.capture = Some(parser.value()?.into()),
                Long("time") => options.time = parser.value()?.parse_with(seconds)?,
                Long("fade") => options.fade = Some(parser.value()?.string()?),
                Short('h') | Long("help") => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

fn seconds(text: &str) -> Result<f32, &'static str> {
    match text.parse::<f32>() {
        Ok(time) if (0.0..=1e6).contains(&time) => Ok(time),
        _ => Err("seconds from 0 to 1000000 are needed"),
    }
}

fn main() -> ExitCode {
    let options = match Options::parse() {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("visibility: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(path) = options.capture.clone() {
        return match picture::write(options, &path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("visibility: {error}");
                ExitCode::FAILURE
            }
        };
    }
    match window(options) {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(_) => ExitCode::FAILURE,
    }
}

/// What is the same with and without a window.
pub fn add_contents(app: &mut App, options: Options) {
    app.add_plugins((
        ClassicModelsPlugin::default(),
        support::stage::StagePlugin,
        walkers::WalkersPlugin,
        theatre::TheatrePlugin,
        timeline::TimelinePlugin,
        controls::ControlsPlugin,
    ))
    .insert_resource(options);
}

fn window(options: Options) -> AppExit {
    let window = Window {
        title: "visibility".to_owned(),
        ..default()
    };
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: Some(window),
                ..default()
            })
            .set(AssetPlugin {
                file_path: ASSETS.to_owned(),
                ..default()
            }),
    );
    add_contents(&mut app, options);
    app.run()
}
