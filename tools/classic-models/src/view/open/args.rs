//! The command line of `view`, and the help about its keys.

use crate::file_format::has_extension;
use crate::paths::game::GameKind;
use crate::view::open::image_args::{AnimationArgs, StageArgs, color};
use crate::view::open::keys;
use crate::view::open::standard_input::ModelFormat;
use bevy::prelude::*;
use bevy_classic_models::prelude::{ClipRef, ModelSkin, PartVisibility, PlayClip, PlayerColors};
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, FromArgMatches, ValueEnum};
use classic_models_support::options::ImageSize;
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::PathBuf;

/// What `--help` prints after the options.
fn after_help() -> String {
    format!("{}\n{NOTES}", keys::help())
}

const NOTES: &str = "\
Space, , . and - + also apply to the particle systems of the model. A particle system that is opened as a file loops like
a clip, and , steps back.

The part under the mouse is marked and named if it has a collision tree. While trees are drawn, the mouse also finds
collision hulls, which files hide.

Files dropped on the window are added: models, archives, folders, textures (.dtx) as the skin of the selected model, and
animations (.ala) on their model, otherwise on the selected one. Files that change on disk are reloaded. If a changed file
is broken, the log shows the error (for .lgw files with the line), and the previous version of the model stays.

Examples:
  classic-models view                                     shows the samples
  classic-models view walker.alo --clip MOVE              plays a clip
  classic-models view id1/pak0.pak/progs/player.mdl       a model in an archive
  classic-models view --game quake C:/Quake               lists the models of a game
  classic-models view warden.abc --capture warden.png     writes an image
  classic-models view walker.alo --clip MOVE --animation walker.gif
                                                          writes an animation

Exit status: 0; 1 if a file is missing or no model is given, or the image or manifest could not be written; 2 for
wrong arguments.";

// Headings of groups of options.
const GAMES: &str = "Games";
const TEXTURED: &str = "Alamo, LithTech and LGW models";
const ANIMATED: &str = "Alamo and LithTech models";
const ALAMO: &str = "Alamo models";
const NO_WINDOW: &str = "Without a window";

/// Shows models and particle systems, animated, in a window or as an image.
///
/// Shows Quake, Alamo, LithTech and LGW models, and particle systems of Alamo games, side by side, in a window. With
/// --capture it writes an image instead.
///
/// Textures of .alo files are searched for beside them and in ../Textures, their clips beside them (MODEL_TYPE_NN.ala).
/// An .ala file plays on the .alo file that its name begins with, otherwise on the first .alo file. If no model is
/// given, the .alo file is searched for beside the .ala file.
/// The skin of Models/A/B.abc is Skins/A/B.dtx, otherwise a B.dtx near it. If .dtx files are given, they replace the
/// skins of all .abc files. A .dtx file cannot be shown alone.
/// Texture paths in .lgw files are relative to the game's folder: any of the six folders above the file.
/// A file in an archive has the path ARCHIVE/PATH, such as id1/pak0.pak/progs/player.mdl. Its textures and clips are
/// searched for in the same archive; with --game in all archives and folders of the game.
#[derive(clap::Args, Resource, Clone, Debug)]
#[command(verbatim_doc_comment, after_long_help = after_help())]
#[command(group = ArgGroup::new("image").args(["capture", "animation"]).multiple(true))]
pub struct Args {
    /// .mdl, .alo, .ala, .abc, .dtx and .lgw files and manifests (.model.ron), or files in archives: ARCHIVE/PATH; patterns
    /// such as *.alo; a window lists a folder or an archive, and an image shows all models in a folder; - is a model from
    /// standard input; default: the sample models
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The format of the model from standard input; default: detected
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<ModelFormat>,

    /// Show a game: the first FILE is its folder. Lists all its models and particle systems
    ///
    /// The paths after it are models in the game, or patterns that match models: progs/player.mdl, data/art/models/rv_*.
    /// Archives and folders are searched in the game's order. LithTech games have no fixed order: give .rez archives and
    /// folders, later ones win. Forces of Corruption also needs the folder of Empire at War, unless it is beside it.
    /// The list at the left has the models; press / to search.
    #[arg(long, value_name = "GAME", value_enum, help_heading = GAMES, verbatim_doc_comment)]
    pub game: Option<GameKind>,
    /// Show this model of the game, by its path; may be given more than once
    #[arg(long = "model", value_name = "PATH", requires = "game", help_heading = GAMES)]
    pub models: Vec<String>,
    /// Add a mod; may be given more than once
    ///
    /// Alamo: a folder of a mod; those that are given first win. Quake: the name of a folder beside id1; later ones win.
    #[arg(long = "mod", value_name = "DIR", requires = "game", help_heading = GAMES, verbatim_doc_comment)]
    pub mods: Vec<PathBuf>,

    /// Play this clip, by name or index
    ///
    /// A model without this clip plays its first one: .alo files prefer MOVE or IDLE, .abc files Walk or Run.
    /// The number at the end of an .alo clip's name may be left out: move. Indices are those of the list, from 0.
    /// This option and all options below override a manifest.
    #[arg(
        long,
        value_name = "NAME",
        allow_hyphen_values = true,
        verbatim_doc_comment
    )]
    pub clip: Option<String>,
    /// Play the clip or the particle system once; a --time after its end shows its end
    #[arg(long)]
    pub once: bool,
    /// Show the clip or the particle system at this time since its start, paused
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_hyphen_values = true)]
    pub time: Option<f32>,
    /// Use the skin with this index, from 0, or this name in the manifest
    #[arg(long, value_name = "N", value_parser = skin, allow_hyphen_values = true)]
    pub skin: Option<ModelSkin>,
    /// The palette of Quake models without manifests: a file of 768 bytes; default: Quake's
    ///
    /// With --game, the path of a file in the game, or of any other file; default: gfx/palette.lmp of the game.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub palette: Option<PathBuf>,
    /// The palette index of holes in Quake models whose flags have bit 14, without manifests; default: 255. Hexen II: 0
    #[arg(long, value_name = "INDEX")]
    pub hole_index: Option<u8>,
    /// Replace skins of Quake models by images, such as progs/a.mdl_0.tga and progs/a.mdl_0_glow.tga, as DarkPlaces does
    #[arg(long)]
    pub external_skins: bool,
    /// Use rows S and P of the palette (0 to 15) for shirt and trousers
    #[arg(long, value_name = "S,P", value_parser = colors, allow_hyphen_values = true)]
    pub colors: Option<PlayerColors>,
    /// View the models from this direction; default: that of the manifest, otherwise iso
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// Draw the edges of all triangles
    #[arg(long)]
    pub wireframe: bool,
    /// Draw the bounding box of all poses; for .alo files of the rest pose, or of the particles
    #[arg(long)]
    pub bounds: bool,
    /// Size of the image or the window in pixels
    ///
    /// Default: 1280x720; of a sheet 1280 wide, and as high as its rows.
    #[arg(long, value_name = "WxH", value_parser = size, allow_hyphen_values = true, verbatim_doc_comment)]
    pub size: Option<UVec2>,

    #[command(flatten, next_help_heading = "Light and floor")]
    pub stage: StageArgs,

    /// Also search for textures in this folder; may be given more than once
    #[arg(long = "texture-folder", value_name = "DIR", help_heading = TEXTURED)]
    pub texture_folders: Vec<PathBuf>,

    /// Play no clip
    #[arg(long, help_heading = ANIMATED)]
    pub rest: bool,
    /// Use this level of detail; 0 is the finest
    #[arg(long, value_name = "N", help_heading = ANIMATED)]
    pub lod: Option<u32>,
    /// Draw the bones and their names
    #[arg(long, help_heading = ANIMATED)]
    pub bones: bool,

    #[command(flatten, next_help_heading = "Alamo and LGW models")]
    pub parts: PartArgs,

    /// Draw the collision box of the clip
    #[arg(long, help_heading = "LithTech models")]
    pub dims: bool,

    /// Use this damage stage; 0 is undamaged
    #[arg(long, value_name = "N", help_heading = ALAMO)]
    pub damage_stage: Option<u32>,
    /// Use this team color
    #[arg(long, value_name = "RRGGBB", value_parser = color, help_heading = ALAMO)]
    pub team: Option<Color>,
    /// Draw the positions of effects and other models, and their names
    #[arg(long, help_heading = ALAMO)]
    pub proxies: bool,
    /// Draw the range or the cone of lights
    #[arg(long, help_heading = ALAMO)]
    pub lights: bool,
    /// Draw the boxes of the collision trees at this level or at all levels; level 0 is one box around each part
    #[arg(long = "tree-level", value_name = "N|all", value_parser = trees, help_heading = ALAMO)]
    pub trees: Option<Trees>,
    /// Show the lights that are on only at night
    #[arg(long, help_heading = ALAMO)]
    pub night: bool,

    /// Write a PNG image and exit
    ///
    /// The same arguments always give the same image. Without --time it shows the start of the clip. With particle
    /// systems, it shows the particles after the clip has played from its start to --time.
    /// All poses of the clip fit in the image; with --bounds all poses of the model, or the rest pose of an .alo file.
    #[arg(long, value_name = "OUT.png", value_parser = png, help_heading = NO_WINDOW, verbatim_doc_comment)]
    pub capture: Option<PathBuf>,
    #[command(flatten, next_help_heading = NO_WINDOW)]
    pub animation: AnimationArgs,
    /// Enlarge the middle of the image by this factor
    #[arg(long, value_name = "FACTOR", value_parser = zoom, default_value_t = 1.0, requires = "image", conflicts_with_all = ["sheet", "turntable"], help_heading = NO_WINDOW)]
    pub zoom: f32,
    /// Write N views from all sides to 000.png, 001.png and so on in a folder, and exit
    ///
    /// The first is that of --view. The camera has the same distance in all views.
    #[arg(long, num_args = 2, value_names = ["N", "DIR"], conflicts_with_all = ["capture", "animation"], help_heading = NO_WINDOW, verbatim_doc_comment)]
    turntable: Option<Vec<OsString>>,

    /// Write an image of all files with their names, and exit
    ///
    /// Files can also be textures: .dds, .tga, .dtx. If there are .abc files, .dtx files are their skins instead.
    /// Files that cannot be loaded have red names, and the exit status is 1.
    #[arg(
        long,
        value_name = "OUT.png",
        value_parser = png,
        conflicts_with_all = ["capture", "animation", "turntable", "save_manifest"],
        help_heading = NO_WINDOW,
        verbatim_doc_comment
    )]
    pub sheet: Option<PathBuf>,
    /// Write a manifest of the first model as shown, and exit
    ///
    /// It has the clip, its speed and repeat mode, the skin, colors, hidden parts, the damage stage, the LOD distances, and
    /// the view if it is not the default.
    #[arg(long, value_name = "OUT.model.ron", value_parser = manifest, help_heading = NO_WINDOW, verbatim_doc_comment)]
    pub save_manifest: Option<PathBuf>,
    /// Replace an existing manifest
    #[arg(long, requires = "save_manifest", help_heading = NO_WINDOW)]
    pub force: bool,
    /// Mark and name the part at this pixel
    #[arg(long, value_name = "X,Y", value_parser = pixel, help_heading = NO_WINDOW)]
    pub probe: Option<Vec2>,

    /// Exit after N frames
    #[arg(long, value_name = "N", help_heading = "With a window")]
    pub frames: Option<u32>,
}

impl Args {
    /// Whether to exit after an image or a manifest is written.
    pub fn needs_no_window(&self) -> bool {
        self.capture.is_some()
            || self.animation.file.is_some()
            || self.save_manifest.is_some()
            || self.turntable.is_some()
            || self.sheet.is_some()
    }

    /// The width of the image or the window divided by its height.
    pub fn aspect(&self) -> f32 {
        let size = self.size();
        size.x as f32 / size.y as f32
    }

    /// The direction that the models are viewed from, unless a manifest has another one.
    pub fn view(&self) -> View {
        self.view.unwrap_or(View::Iso)
    }

    /// The size of the image or the window in pixels.
    pub fn size(&self) -> UVec2 {
        self.size.unwrap_or(UVec2::new(1280, 720))
    }

    /// The value of `--turntable`.
    ///
    /// # Errors
    /// If the count is no number, or too large.
    pub fn turntable(&self) -> Result<Option<Turntable>, clap::Error> {
        const MOST: u32 = 3600;
        const USAGE: &str = "classic-models view [OPTIONS] [FILE]...";
        let Some([count, folder]) = self.turntable.as_deref().unwrap_or_default().last_chunk()
        else {
            return Ok(None);
        };
        let number = count.to_str().and_then(|count| count.parse().ok());
        let number = number.filter(|count| (1..=MOST).contains(count));
        let count = number.ok_or_else(|| {
            let text = format!(
                "invalid value {count:?} for '--turntable <N> <DIR>': expected a number from 1 to {MOST}"
            );
            // The parser would print the usage of the root command.
            let mut command = Command::new("view").override_usage(USAGE);
            Error::raw(ErrorKind::ValueValidation, text).format(&mut command)
        })?;
        let folder = PathBuf::from(folder);
        Ok(Some(Turntable { count, folder }))
    }

    /// The [`PlayClip`] that starts `clip` as the options request.
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

/// The direction that the models are viewed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// The model faces the camera
    Front,
    /// From the model's right; it faces right
    Side,
    /// From above; the model faces the top of the image
    Top,
    /// From above, between front and right
    Iso,
    /// From above, between back and left
    Back,
}

fn skin(text: &str) -> Result<ModelSkin, Infallible> {
    Ok(match text.parse() {
        Ok(index) => ModelSkin::Index(index),
        Err(_) => ModelSkin::Name(text.to_owned()),
    })
}

fn time(text: &str) -> Result<f32, &'static str> {
    match text.parse::<f32>() {
        Ok(time) if (0.0..=1e6).contains(&time) => Ok(time),
        _ => Err("expected seconds from 0 to 1000000"),
    }
}

fn zoom(text: &str) -> Result<f32, &'static str> {
    let zoom = text.parse().ok().filter(|zoom| (0.1..=10.0).contains(zoom));
    zoom.ok_or("expected a factor from 0.1 to 10")
}

fn colors(text: &str) -> Result<PlayerColors, &'static str> {
    let row = |text: &str| text.parse().ok().filter(|row| *row < 16_u8);
    let pair = text.split_once(',').map(|(s, p)| (row(s), row(p)));
    match pair {
        Some((Some(shirt), Some(pants))) => Ok(PlayerColors { shirt, pants }),
        _ => Err("expected two rows of the palette from 0 to 15, such as 4,13"),
    }
}

fn trees(text: &str) -> Result<Trees, &'static str> {
    match text {
        "all" => Ok(Trees::All),
        level => level
            .parse()
            .map(Trees::Level)
            .map_err(|_| "expected a level from 0, or all"),
    }
}

fn pixel(text: &str) -> Result<Vec2, &'static str> {
    let pixel = |text: &str| text.parse::<u16>().ok().map(f32::from);
    let pair = text.split_once(',').map(|(x, y)| (pixel(x), pixel(y)));
    match pair {
        Some((Some(x), Some(y))) => Ok(Vec2::new(x, y)),
        _ => Err("expected a pixel of the image, such as 640,360"),
    }
}

// A file to write with another extension could be a model, which would be replaced.
fn png(text: &str) -> Result<PathBuf, &'static str> {
    let path = Some(PathBuf::from(text)).filter(|path| has_extension(path, "png"));
    path.ok_or("expected the path of a .png file")
}

fn manifest(text: &str) -> Result<PathBuf, &'static str> {
    let path = Some(PathBuf::from(text)).filter(|path| has_extension(path, "ron"));
    path.ok_or("expected the path of a .model.ron file")
}

fn size(text: &str) -> Result<UVec2, &'static str> {
    text.parse::<ImageSize>().map(|size| size.0)
}

/// Part names, each with `true` for `--hide` and `false` for `--show`, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct PartArgs(pub Vec<(String, bool)>);

impl PartArgs {
    /// Returns `parts` with these parts hidden and shown.
    pub fn applied_to(&self, mut parts: PartVisibility) -> PartVisibility {
        for (name, hidden) in &self.0 {
            match hidden {
                true => parts.hide(name),
                false => parts.show(name),
            };
        }
        parts
    }
}

const HIDE_HELP: &str = "Hide the parts with this name; may be given more than once";
const SHOW_HELP: &str =
    "Show the parts with this name, even if the file hides them; may be given more than once";

impl clap::Args for PartArgs {
    fn augment_args(command: Command) -> Command {
        let options = [("hide", HIDE_HELP), ("show", SHOW_HELP)];
        command.args(options.map(|(name, help)| {
            let option = Arg::new(name).long(name).value_name("NAME").help(help);
            option.action(ArgAction::Append).allow_hyphen_values(true)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut parts = Vec::new();
        for (option, hidden) in [("hide", true), ("show", false)] {
            let names = matches.get_many::<String>(option).into_iter().flatten();
            let indices = matches.indices_of(option).into_iter().flatten();
            let named = names.map(|name| (name.clone(), hidden));
            parts.extend(indices.zip(named));
        }
        parts.sort_by_key(|(index, _)| *index);
        Ok(Self(parts.into_iter().map(|(_, part)| part).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The count of views from all sides, and the folder of their images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turntable {
    pub count: u32,
    pub folder: PathBuf,
}

/// The levels of collision trees that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trees {
    /// Nothing.
    #[default]
    Off,
    /// The boxes of a level, and in a paler color the leaves of the levels above.
    Level(usize),
    /// The boxes of all levels.
    All,
}

impl Trees {
    /// The next choice. `levels` is the level count of the deepest tree.
    pub fn next(self, levels: usize) -> Self {
        match self {
            Self::Off if levels > 0 => Self::Level(0),
            Self::Level(level) if level + 1 < levels => Self::Level(level + 1),
            Self::Level(_) => Self::All,
            Self::Off | Self::All => Self::Off,
        }
    }
}

/// The arguments of a command line. Ends the program if they are wrong.
pub fn parse<S: Into<OsString> + Clone>(values: impl IntoIterator<Item = S>) -> Args {
    use clap::Parser;
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }
    let values = values.into_iter().map(Into::into);
    Cli::parse_from([OsString::from("view")].into_iter().chain(values)).args
}

#[cfg(test)]
mod tests {
    use super::{Args, Turntable, parse};
    use clap::Args as _;
    use std::path::PathBuf;

    #[test]
    fn the_count_and_the_folder_of_a_turntable_are_read() {
        assert_eq!(parse([""; 0]).turntable().unwrap(), None);
        let folder = PathBuf::from("out");
        let turntable = parse(["--turntable", "8", "out"]).turntable().unwrap();
        assert_eq!(turntable, Some(Turntable { count: 8, folder }));
        for count in ["0", "x"] {
            let args = parse(["--turntable", count, "out"]);
            assert!(args.turntable().is_err(), "{count}");
        }
        for wrong in [
            &["view", "--turntable", "8"][..],
            &["view", "--turntable", "8", "out", "--capture", "a.png"],
        ] {
            let command = Args::augment_args(clap::Command::new("view"));
            assert!(command.try_get_matches_from(wrong).is_err(), "{wrong:?}");
        }
    }
}
