//! Rays against thousands of parts that move: `cargo run --release --example collision`.
//!
//! You should see a field of bundled walkers that walk on the spot, and a swarm of probes that fly
//! among them. Each probe casts a ray ahead in every frame: a line that ends in a small cross where it
//! meets a walker, with the normal of the triangle that it meets. Around each part that is met is
//! the box of its collision tree, which moves with the part. The part under the mouse is drawn in
//! edges, the triangle in white, and named at the upper left; above that are the number of parts and
//! how many rays there were in a second of the time that casting them took.
//!
//! ```text
//! left drag, wheel   goes around, comes closer
//! space              stops and goes on
//! + -                twice or half as many probes
//! V                  which parts rays meet: the visible ones, solid ones (with the hulls that files
//!                    hide), all at once, or those in view
//! F                  what rays do with the backs of triangles
//! B                  boxes of the parts that are met, of all that count, or none
//! L                  the level of the boxes
//! ```
//!
//! `--frames K` casts the rays of so many frames without a window and without drawing anything, and
//! prints the figures. `--capture OUT.png` writes a picture instead of opening a window.

mod casting;
mod choices;
mod drawing;
mod eye;
mod field;
mod figures;
mod headless;
mod swarm;
mod words;

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use classic_models_support as support;
use eye::Eye;
use lexopt::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

/// The folder of assets, wherever the example is started.
pub const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

const USAGE: &str = "\
usage: collision [OPTIONS]

  --walkers N         so many walkers, 400 by default
  --probes N          so many probes, 500 by default
  --frames K          casts the rays of so many frames without a window, prints the figures, and ends
  --capture OUT.png   writes a picture instead of opening a window
  --time SECONDS      the moment of the picture
  --mouse X,Y         where the mouse is in the picture; in its middle by default
  --eye YAW,PITCH,D   from where to look: degrees, and the distance in widths of a walker

In the window: drag and wheel move the eye, space stops, + and - change the number of probes, V what
rays meet, F what they do with back faces, B which boxes are drawn, L their level.
Probes are blue crosses. Rays that meet something are blue and end in a pink cross and a yellow normal,
the others are grey; the part under the mouse is green.
";

/// What was asked for.
#[derive(Resource, Clone, Debug)]
pub struct Options {
    /// How many walkers.
    pub walkers: usize,
    /// How many probes at first.
    pub probes: usize,
    /// How many frames without a window.
    pub frames: Option<usize>,
    /// Where to write a picture.
    pub capture: Option<PathBuf>,
    /// Its moment, in seconds.
    pub time: f32,
    /// Where the mouse is in it.
    pub mouse: Option<Vec2>,
    /// From where to look.
    pub eye: Eye,
}

impl Options {
    fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            walkers: 400,
            probes: 500,
            frames: None,
            capture: None,
            time: 1.0,
            mouse: None,
            eye: Eye::default(),
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("walkers") => options.walkers = parser.value()?.parse_with(some)?,
                Long("probes") => options.probes = parser.value()?.parse_with(some)?,
                Long("frames") => options.frames = Some(parser.value()?.parse_with(some)?),
                Long("capture") => options.capture = Some(parser.value()?.into()),
                Long("time") => options.time = parser.value()?.parse_with(seconds)?,
                Long("mouse") => options.mouse = Some(parser.value()?.parse_with(mouse)?),
                Long("eye") => options.eye = parser.value()?.parse_with(Eye::parse)?,
                Short('h') | Long("help") => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

fn some(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(number),
        _ => Err("a number from 1 to 1000000 is needed"),
    }
}

fn seconds(text: &str) -> Result<f32, &'static str> {
    match text.parse::<f32>() {
        Ok(time) if (0.0..=1e3).contains(&time) => Ok(time),
        _ => Err("seconds from 0 to 1000 are needed"),
    }
}

fn mouse(text: &str) -> Result<Vec2, &'static str> {
    let pixel = |text: &str| text.parse::<u16>().ok().map(f32::from);
    let pair = text.split_once(',').map(|(x, y)| (pixel(x), pixel(y)));
    match pair {
        Some((Some(x), Some(y))) => Ok(Vec2::new(x, y)),
        _ => Err("a place in the picture is needed, such as 640,360"),
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
            eprintln!("collision: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = if let Some(frames) = options.frames {
        headless::measure(options, frames).map(|report| print!("{report}"))
    } else if let Some(path) = options.capture.clone() {
        headless::picture(options, &path)
    } else {
        return match window(options) {
            AppExit::Success => ExitCode::SUCCESS,
            AppExit::Error(_) => ExitCode::FAILURE,
        };
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("collision: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The walkers, the probes and their rays: all that there is without drawing.
fn add_contents(app: &mut App, options: Options) {
    app.add_plugins((
        ClassicModelsPlugin::default(),
        field::FieldPlugin,
        swarm::SwarmPlugin,
        casting::CastingPlugin,
    ))
    .insert_resource(options);
}

/// All that is drawn.
fn add_drawing(app: &mut App) {
    app.add_plugins((
        support::stage::StagePlugin,
        eye::EyePlugin,
        drawing::DrawingPlugin,
        words::WordsPlugin,
    ));
}

fn window(options: Options) -> AppExit {
    let window = Window {
        title: "collision".to_owned(),
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
    add_drawing(&mut app);
    app.add_plugins(choices::KeysPlugin)
        .add_systems(Update, (eye::follow_mouse, casting::follow_mouse));
    app.run()
}
