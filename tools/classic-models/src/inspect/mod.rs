//! The subcommand `inspect`: describes files of models, particle systems, animations, textures and archives.
//!
//! Files are read with the same code as the loaders. With `--animation` or `--time` the model is also loaded, spawned
//! and animated by the plugin, as in a game, and the positions of its vertices and bones are measured. With `--simulate`
//! particle systems are simulated.

mod abc;
mod ala;
mod alo;
mod archive;
mod content;
mod describe;
mod diff;
mod dtx;
mod failure;
mod lgw;
mod mdl;
mod output;
mod particles;
mod pose;
mod pose_abc;
mod pose_alo;
mod pose_mdl;
mod posed;
mod simulated;

use crate::game::{Game, GameKind};
use crate::messages;
use content::Content;
use describe::{Description, Options};
use pose::{Poser, Request};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Describes files of models, particle systems, animations, textures and archives.
///
/// Formats: Quake .mdl and .pak, Alamo .alo and .ala, Petroglyph .meg, LithTech .abc, .dtx and .rez, UFO: Aftermath .lgw
/// and .vfs. A file may have any name: the format is detected from its content.
///
/// FILE can also be an entry of an archive: id1/pak0.pak/progs/player.mdl. With --game, files are searched in all archives
/// and folders of a game, in its order: --game quake FOLDER progs/player.mdl.
///
/// With --diff, two files are compared: counts, bones, meshes, materials and clips by name. Exit status: 0 without differences,
/// 1 with differences, 2 if a file cannot be read.
///
/// Exit status: 0; 1 if any file failed; 2 if the arguments are wrong.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The files, or entries of archives: ARCHIVE/entry
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Search files in a game: the first FILE is its folder, the others are paths in the game
    ///
    /// A second existing folder for forces-of-corruption is that of Empire at War, unless it is beside the first. For lithtech,
    /// all existing .rez archives and folders at the start are layers, later ones win.
    #[arg(long, value_name = "GAME", value_enum, verbatim_doc_comment)]
    game: Option<GameKind>,
    /// Add a mod to the game; may be given more than once
    ///
    /// Alamo: a folder of a mod; those that are given first win. Quake: the name of a folder beside id1; later ones win.
    #[arg(
        long = "mod",
        value_name = "DIR",
        requires = "game",
        verbatim_doc_comment
    )]
    mods: Vec<PathBuf>,
    /// Print one JSON object per file and line
    ///
    /// For Alamo, LithTech and LGW models it has the bounds and the centroid even without --animation and --time.
    #[arg(long, verbatim_doc_comment)]
    json: bool,
    /// Describe archives only: any other file is an error
    ///
    /// Archives are also described without this option: their entries with sizes, offsets and SHA-256 hashes.
    #[arg(long, conflicts_with_all = ["animation", "time", "simulate"], verbatim_doc_comment)]
    list: bool,
    /// Print the differences between two files, such as two versions of a model
    ///
    /// Lines with - are only in the first file, lines with + only in the second. Textures can be .dds and .tga too.
    #[arg(long, conflicts_with_all = ["list", "game", "animation", "time", "simulate"], verbatim_doc_comment)]
    diff: bool,
    /// Also print the bounds and the centroid of the vertices in this clip
    ///
    /// Quake: the name of a clip in the file; default: the first. The time wraps around.
    /// Alamo: an .ala file, or the name of a clip beside the model in any case, such as MOVE_00 for
    /// walker_MOVE_00.ala; default: the rest pose. The time stops at the end. Bones are printed too.
    /// LithTech: the name of a clip in the file in any case; default: the first. The time stops at the end.
    /// LGW models have no clips.
    #[arg(
        long,
        value_name = "CLIP",
        allow_hyphen_values = true,
        verbatim_doc_comment
    )]
    animation: Option<String>,
    /// Also print the bounds and the centroid of the vertices at this time of the clip; default: 0
    #[arg(long, value_name = "SECONDS", value_parser = finite, allow_hyphen_values = true)]
    time: Option<f64>,
    /// Also print the particles of particle systems at these times after their creation
    ///
    /// For each emitter: how many particles live, their mean position, and the oldest one. The system is at the origin
    /// and does not move. There is no wind, camera or mesh. The ground is Z = 0. Other files are not simulated.
    #[arg(
        long,
        value_name = "SECONDS",
        value_delimiter = ',',
        value_parser = finite,
        allow_hyphen_values = true,
        verbatim_doc_comment
    )]
    simulate: Vec<f64>,
}

impl Args {
    /// The game, if one is given, and the files to describe.
    ///
    /// # Errors
    /// If the game cannot be opened, or no file in it is given.
    fn opened(&self) -> Result<(Option<Game>, &[PathBuf]), String> {
        let Some(kind) = self.game else {
            return Ok((None, &self.files));
        };
        let (folders, files) = self.files.split_at(kind.count_of_folders(&self.files));
        let game = Game::open(kind, folders, &self.mods)?;
        for warning in game.source.warnings() {
            messages::message(format_args!("warning: {warning}"));
        }
        if files.is_empty() {
            return Err("--game needs the paths of files in the game after its folder".to_owned());
        }
        Ok((Some(game), files))
    }

    /// The requested pose, if any.
    fn request(&self) -> Option<Request> {
        (self.animation.is_some() || self.time.is_some()).then(|| Request {
            animation: self.animation.clone(),
            time: self.time.unwrap_or(0.0),
        })
    }
}

fn finite(text: &str) -> Result<f64, &'static str> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or("expected a finite number")
}

/// Describes the files.
pub fn run(args: &Args) -> ExitCode {
    if args.diff {
        return diff::run(&args.files, args.json);
    }
    let (game, files) = match args.opened() {
        Ok(opened) => opened,
        Err(error) => {
            messages::error(error);
            return ExitCode::FAILURE;
        }
    };
    match inspect(args, game.as_ref(), files) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        // The reader of the pipe has closed it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            messages::error(error);
            ExitCode::FAILURE
        }
    }
}

/// Describes every file. Returns true if any of them failed.
fn inspect(args: &Args, game: Option<&Game>, files: &[PathBuf]) -> io::Result<bool> {
    let request = args.request();
    let options = Options {
        times: &args.simulate,
        only_archives: args.list,
        game,
    };
    let mut out = io::stdout().lock();
    let mut poser = None;
    let mut failed = false;
    for file in files {
        let mut description = describe::describe(file, &options);
        if let Description::Content(content) = &mut description
            && is_posed(content, request.as_ref(), args.json)
        {
            let new = || Poser::new(request.clone().unwrap_or_default(), files, game);
            if let Err(error) = poser.get_or_insert_with(new).pose(file, content) {
                description = Description::Failed(error);
            }
        }
        failed |= matches!(description, Description::Failed(_));
        let file = file.display().to_string();
        if args.json {
            writeln!(out, "{}", description.to_json(&file))?;
        } else {
            writeln!(out, "{}", description.to_text(&file))?;
        }
    }
    Ok(failed)
}

/// Whether to measure the positions of the vertices.
fn is_posed(content: &Content, request: Option<&Request>, json: bool) -> bool {
    match content {
        Content::Mdl(_) => request.is_some(),
        Content::Abc(_) | Content::Alo(_) => request.is_some() || json,
        // LGW models have no clips, so their positions are those of the file, and a requested clip is an error.
        Content::Lgw(_) => request.is_some_and(|request| request.animation.is_some()),
        Content::Ala(_) | Content::Archive(_) | Content::Dtx(_) | Content::Particles(_) => false,
    }
}
