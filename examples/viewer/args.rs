//! What was asked for on the command line.

use crate::alo_trees::Trees;
use bevy::color::{Color, Srgba};
use bevy::math::{UVec2, Vec2};
use bevy::prelude::Resource;
use bevy_classic_models::prelude::{ClipRef, HiddenParts, ModelSkin, PlayClip, PlayerColors};
use lexopt::prelude::*;
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
Shows Quake, Alamo and LithTech models, animated, and LGW models.

Usage: viewer [FILE...] [OPTIONS]

FILE is a .mdl, .alo, .ala, .abc, .dtx or .lgw file, or a manifest (.model.ron), anywhere on the disk. Several models are shown side
by side; without any, those in assets/models are. Textures of .alo files are looked for beside them and in
../Textures, their clips beside them: MODEL_TYPE_NN.ala. A .ala file plays on the model that its name
begins with, which is looked for beside it if no model is given; else on the first .alo file.
The skin of Models/A/B.abc is Skins/A/B.dtx, else a B.dtx near it; .dtx files that are given are the
skins of all .abc files instead. Textures of .lgw files are named from the game's folder, which may be
any of the six above the file.

What is shown:
  --clip NAME         plays this clip; models that have none of this name play their first, those
                      of .alo files rather MOVE or IDLE, those of .abc files rather Walk or Run.
                      There NAME may lack the number: move. It may also be the place of a clip in
                      the list, counted from 0. What a manifest states gives way to this and all
                      that follows
  --once              plays it once; --time beyond its end shows its end
  --time SECONDS      shows this moment of the clip, and stands still
  --skin N            wears this skin, counted from 0, or one that the manifest has under this name
  --colors S,P        wears the palette's rows S and P as shirt and trousers (0 to 15)
  --view VIEW         looks from there:
                        front  at the face
                        side   from the model's right, so that it looks to the right
                        top    from above; the model looks up in the picture
                        iso    from above and between front and right (this is the default)
                        back   from above and between back and left
  --wireframe         draws the edges of all triangles
  --bounds            draws the box that holds every pose, of .alo files that at rest
  --size WxH          size of the picture or the window, 1280x720 by default

Alamo, LithTech and LGW models:
  --texture-folder D  looks for textures in this folder too; may be given more than once

Alamo and LithTech models:
  --rest              plays no clip
  --lod N             so many steps coarser than the finest level of detail
  --bones             draws the bones, and their names

Alamo and LGW models:
  --hide NAME         hides the parts of this name; may be given more than once
  --show NAME         shows them, also if the file hides them; may be given more than once

LithTech models:
  --dims              draws the box that the game collides with while the clip plays

Alamo models:
  --alt N             this damage stage; 0 is whole
  --team RRGGBB       the colour of the team
  --proxies           draws the places of effects and other models, and their names
  --lights            draws the lights: how far they reach, or where they shine
  --tree-level N      draws the boxes of the collision trees at this level, 0 is one box around
                      each part; all draws those of all levels
  --night             lights what is lit by night alone

Without a window:
  --capture OUT.png   writes a picture and ends; the same arguments always give the same picture.
                      Shows the clip at its beginning unless --time says otherwise.
                      The picture holds all poses of the clip (with --bounds: of the model, .alo at rest).
  --save-manifest OUT.model.ron
                      writes a manifest of what is shown of the first model: its clip, speed and repeat,
                      skin, colours, hidden parts, damage stage and distances of levels of detail
  --probe X,Y         marks what is at this pixel, and says what it is

With a window:
  --frames N          ends after N frames

  left drag           goes around the models       right or middle drag  moves sideways
  wheel               comes closer                 F, A                  frames the model, all
  1 2 3 4             front, side, top, iso        Tab                   selects the next model
  space               plays or pauses              . ,                   one pose or frame on, back
  - +                 slower, faster               L                     loops or plays once
  up, down            the clip before, after       I                     interpolates or not (.mdl)
  R                   at rest, without clip        S                     the next skin
  W B N G             wireframe, bounds, normals, grid
  C                   player's colours             O P H                bones, proxies, lights
  [ ]                 level of detail finer, coarser
  E                   box that the game collides with (.abc)
  K                   writes a manifest of what is shown of the selected model beside it
  D T M               damage stage, team's colour, night
  X                   collision trees: off, level by level, all levels

The part under the mouse is marked and named if it has a collision tree. While trees are drawn that
is so of collision hulls as well, which files hide.

Files dropped on the window are added; a .ala file plays on its model, or on the selected one. Files that
change on disk are loaded anew. If one is broken then, the panel says why, of .lgw files with the line,
and the model stays as it was.

Exit status: 0; 1 if a picture could not be made; 2 for wrong arguments.
";

/// What was asked for.
#[derive(Resource, Clone, Debug)]
pub struct Args {
    pub files: Vec<PathBuf>,
    pub capture: Option<PathBuf>,
    /// Where to write a manifest of what is shown.
    pub save_manifest: Option<PathBuf>,
    pub clip: Option<String>,
    pub time: Option<f32>,
    pub once: bool,
    pub rest: bool,
    pub skin: Option<ModelSkin>,
    pub colors: Option<PlayerColors>,
    pub view: View,
    pub wireframe: bool,
    pub bounds: bool,
    pub size: UVec2,
    pub frames: Option<u32>,
    pub lod: Option<u32>,
    pub alt: Option<u32>,
    pub team: Option<Color>,
    /// Names of parts, and whether they are hidden.
    pub parts: Vec<(String, bool)>,
    pub bones: bool,
    pub proxies: bool,
    pub lights: bool,
    pub dims: bool,
    pub trees: Trees,
    pub probe: Option<Vec2>,
    pub night: bool,
    pub texture_folders: Vec<PathBuf>,
}

impl Args {
    /// Parts that are hidden or shown, with those that are to be.
    pub fn hidden_parts(&self, mut parts: HiddenParts) -> HiddenParts {
        for (name, hidden) in &self.parts {
            match hidden {
                true => parts.hide(name),
                false => parts.show(name),
            };
        }
        parts
    }

    /// How a model begins to play a clip.
    pub fn play(&self, clip: ClipRef) -> PlayClip {
        let play = match self.once {
            true => PlayClip::once(clip),
            false => PlayClip::looping(clip),
        };
        PlayClip {
            start: self.time,
            paused: self.time.is_some(),
            ..play
        }
    }
}

/// From where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Front,
    Side,
    Top,
    Iso,
    Back,
}

/// Reads the command line. `None` if help is asked for.
pub fn parse() -> Result<Option<Args>, lexopt::Error> {
    let mut args = Args {
        files: Vec::new(),
        capture: None,
        save_manifest: None,
        clip: None,
        time: None,
        once: false,
        rest: false,
        skin: None,
        colors: None,
        view: View::Iso,
        wireframe: false,
        bounds: false,
        size: UVec2::new(1280, 720),
        frames: None,
        lod: None,
        alt: None,
        team: None,
        parts: Vec::new(),
        bones: false,
        proxies: false,
        lights: false,
        dims: false,
        trees: Trees::Off,
        probe: None,
        night: false,
        texture_folders: Vec::new(),
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(file) => args.files.push(file.into()),
            Long("capture") => args.capture = Some(parser.value()?.into()),
            Long("save-manifest") => args.save_manifest = Some(parser.value()?.into()),
            Long("clip") => args.clip = Some(parser.value()?.string()?),
            Long("time") => args.time = Some(parser.value()?.parse_with(time)?),
            Long("once") => args.once = true,
            Long("rest") => args.rest = true,
            Long("skin") => args.skin = Some(skin(parser.value()?.string()?)),
            Long("colors") => args.colors = Some(parser.value()?.parse_with(colors)?),
            Long("view") => args.view = parser.value()?.parse_with(view)?,
            Long("wireframe") => args.wireframe = true,
            Long("bounds") => args.bounds = true,
            Long("size") => args.size = parser.value()?.parse_with(size)?,
            Long("frames") => args.frames = Some(parser.value()?.parse()?),
            Long("lod") => args.lod = Some(parser.value()?.parse()?),
            Long("alt") => args.alt = Some(parser.value()?.parse()?),
            Long("team") => args.team = Some(parser.value()?.parse_with(team)?),
            Long("hide") => args.parts.push((parser.value()?.string()?, true)),
            Long("show") => args.parts.push((parser.value()?.string()?, false)),
            Long("bones") => args.bones = true,
            Long("proxies") => args.proxies = true,
            Long("lights") => args.lights = true,
            Long("dims") => args.dims = true,
            Long("tree-level") => args.trees = parser.value()?.parse_with(trees)?,
            Long("probe") => args.probe = Some(parser.value()?.parse_with(place)?),
            Long("night") => args.night = true,
            Long("texture-folder") => args.texture_folders.push(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(args))
}

fn skin(text: String) -> ModelSkin {
    match text.parse() {
        Ok(index) => ModelSkin::Index(index),
        Err(_) => ModelSkin::Name(text),
    }
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

fn team(text: &str) -> Result<Color, &'static str> {
    let color = Srgba::hex(text).map(Color::from);
    color.map_err(|_| "a colour of six hexadecimal digits is needed, such as c01818")
}

fn view(text: &str) -> Result<View, &'static str> {
    match text {
        "front" => Ok(View::Front),
        "side" => Ok(View::Side),
        "top" => Ok(View::Top),
        "iso" => Ok(View::Iso),
        "back" => Ok(View::Back),
        _ => Err("front, side, top, iso or back is needed"),
    }
}

fn trees(text: &str) -> Result<Trees, &'static str> {
    match text {
        "all" => Ok(Trees::All),
        level => level
            .parse()
            .map(Trees::Level)
            .map_err(|_| "a level from 0, or all, is needed"),
    }
}

fn place(text: &str) -> Result<Vec2, &'static str> {
    let pixel = |text: &str| text.parse::<u16>().ok().map(f32::from);
    let pair = text.split_once(',').map(|(x, y)| (pixel(x), pixel(y)));
    match pair {
        Some((Some(x), Some(y))) => Ok(Vec2::new(x, y)),
        _ => Err("a place in the picture is needed, such as 640,360"),
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
