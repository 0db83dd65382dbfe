//! What was asked for on the command line.

use bevy::math::UVec2;
use bevy::prelude::Resource;
use bevy_classic_models::prelude::PlayerColors;
use lexopt::prelude::*;
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
Shows Quake models, animated.

Usage: viewer [FILE...] [OPTIONS]

FILE is a .mdl file anywhere on the disk. Several are shown side by side; without any, those in
assets/models are.

What is shown:
  --clip NAME         plays this clip; models that have none of this name play their first
  --time SECONDS      shows this moment of the clip, and stands still
  --skin N            wears this skin, counted from 0
  --colors S,P        wears the palette's rows S and P as shirt and trousers (0 to 15)
  --view VIEW         looks from there:
                        front  at the face
                        side   from the model's right, so that it looks to the right
                        top    from above; the model looks up in the picture
                        iso    from above and between front and right (this is the default)
  --wireframe         draws the edges of all triangles
  --bounds            draws the box that holds every pose
  --size WxH          size of the picture or the window, 1280x720 by default

Without a window:
  --capture OUT.png   writes a picture and ends; the same arguments always give the same picture.
                      Shows the first clip at its beginning unless --clip and --time say otherwise.
                      The picture holds all poses of the clip (with --bounds: of the model).

With a window:
  --frames N          ends after N frames

  left drag           goes around the models       right or middle drag  moves sideways
  wheel               comes closer                 F, A                  frames the model, all
  1 2 3 4             front, side, top, iso        Tab                   selects the next model
  space               plays or pauses              . ,                   one pose on or back
  - +                 slower, faster               L                     loops or plays once
  up, down            the clip before, after       I                     interpolates or not
  W B N G             wireframe, bounds, normals, grid
  C                   player's colours

Files dropped on the window are added. Files that change on disk are loaded anew.

Exit status: 0; 1 if a picture could not be made; 2 for wrong arguments.
";

/// What was asked for.
#[derive(Resource, Clone, Debug)]
pub struct Args {
    pub files: Vec<PathBuf>,
    pub capture: Option<PathBuf>,
    pub clip: Option<String>,
    pub time: Option<f32>,
    pub skin: Option<usize>,
    pub colors: Option<PlayerColors>,
    pub view: View,
    pub wireframe: bool,
    pub bounds: bool,
    pub size: UVec2,
    pub frames: Option<u32>,
}

/// From where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Front,
    Side,
    Top,
    Iso,
}

/// Reads the command line. `None` if help is asked for.
pub fn parse() -> Result<Option<Args>, lexopt::Error> {
    let mut args = Args {
        files: Vec::new(),
        capture: None,
        clip: None,
        time: None,
        skin: None,
        colors: None,
        view: View::Iso,
        wireframe: false,
        bounds: false,
        size: UVec2::new(1280, 720),
        frames: None,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(file) => args.files.push(file.into()),
            Long("capture") => args.capture = Some(parser.value()?.into()),
            Long("clip") => args.clip = Some(parser.value()?.string()?),
            Long("time") => args.time = Some(parser.value()?.parse_with(time)?),
            Long("skin") => args.skin = Some(parser.value()?.parse()?),
            Long("colors") => args.colors = Some(parser.value()?.parse_with(colors)?),
            Long("view") => args.view = parser.value()?.parse_with(view)?,
            Long("wireframe") => args.wireframe = true,
            Long("bounds") => args.bounds = true,
            Long("size") => args.size = parser.value()?.parse_with(size)?,
            Long("frames") => args.frames = Some(parser.value()?.parse()?),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(args))
}

fn time(text: &str) -> Result<f32, &'static str> {
    match text.parse::<f32>() {
        Ok(time) if (0.0..=1e6).contains(&time) => Ok(time),
        _ => Err("seconds from 0 to 1000000 are needed"),
    }
}

fn colors(text: &str) -> Result<PlayerColors, &'static str> {
    let row = |text: &str| text.parse().ok().filter(|row| *row < 16_u8);
    let pair = text.split_once(',').map(|(s, p)| (row(s), row(p)));
    match pair {
        Some((Some(shirt), Some(pants))) => Ok(PlayerColors { shirt, pants }),
        _ => Err("two rows of the palette from 0 to 15 are needed, such as 4,13"),
    }
}

fn view(text: &str) -> Result<View, &'static str> {
    match text {
        "front" => Ok(View::Front),
        "side" => Ok(View::Side),
        "top" => Ok(View::Top),
        "iso" => Ok(View::Iso),
        _ => Err("front, side, top or iso is needed"),
    }
}

fn size(text: &str) -> Result<UVec2, &'static str> {
    // Wider pictures are beyond what every adapter can draw to.
    let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
    let pair = text.split_once('x').map(|(w, h)| (side(w), side(h)));
    match pair {
        Some((Some(width), Some(height))) => Ok(UVec2::new(width, height)),
        _ => Err("width and height from 1 to 8192 are needed, such as 1280x720"),
    }
}
