//! The subcommand `inspect`: describes files of models, particle systems, animations, textures and archives.
//!
//! Files are read with the same code as the loaders. With `--animation` or `--time` the model is also loaded, spawned
//! and animated by the plugin, as in a game, and the positions of its vertices and bones are measured. With `--simulate`
//! particle systems are simulated.

mod abc;
mod alo;
mod archive;
mod describe;
mod description;
mod diff;
mod lgw;
mod manifest;
mod mdl;
mod particle_emitters;
mod particle_plugins;
mod particles;
mod pose;
mod pose_abc;
mod pose_alo;

use crate::engines::{BrokenLimit, Engine};
use crate::file_format::{FileFormat, has_extension, is_manifest, is_model};
use crate::messages;
use crate::paths::archive_file::has_archive_extension;
use crate::paths::game::{self, Game, GameArgs};
use crate::paths::path_args::{self, ARCHIVES, Unmatched, Wanted};
use describe::Options;
use description::Failure;
use pose::{Poser, Request};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Describes files of models, particle systems, animations, textures and archives.
///
/// Formats: Quake .mdl, .pak, .pk3 and .kpf, Alamo .alo and .ala, Petroglyph .meg, LithTech .abc, .dtx and .rez, UFO: Aftermath .lgw
/// and .vfs. A file may have any name: the format is detected from its content.
///
/// Of a manifest (*.model.ron), the fields that are set, and the problems that `classic-models validate` finds.
///
/// FILE can also be a file in an archive: id1/pak0.pak/progs/player.mdl; a pattern: "Models/*.alo", "id1/pak0.pak/*.mdl"; or a
/// folder, which stands for all files of these formats in it and its folders. With --game, files are searched in all archives
/// and folders of a game, in its order.
///
/// Nothing is changed or written. A file that cannot be read does not stop the others: its description is the error, with
/// the position in the file.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The files, or files in archives: ARCHIVE/PATH; patterns such as *.alo; folders: all files of these formats in them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    game: GameArgs,
    /// Print one JSON object per file and line
    ///
    /// For scripts. For Alamo, LithTech and LGW models it has the bounds and the centroid of the vertices even without
    /// --animation and --time.
    #[arg(long, verbatim_doc_comment)]
    json: bool,
    /// Describe archives only: any other file is an error
    ///
    /// Archives are also described without this option: their entries with sizes, offsets and SHA-256 hashes.
    #[arg(long, conflicts_with_all = ["animation", "time", "simulate"], verbatim_doc_comment)]
    list: bool,
    /// Print the differences between two files, such as two versions of a model
    ///
    /// Bones, meshes, materials and clips are compared by name, so that an inserted bone is one difference. Lines with - are
    /// only in the first file, lines with + only in the second. Textures can be .dds and .tga too.
    #[arg(long, conflicts_with_all = ["list", "game", "animation", "time", "simulate"], verbatim_doc_comment)]
    diff: bool,
    /// Fail if a model or an archive exceeds a limit of this engine; may be a list: quakespasm,ezquake
    ///
    /// Quake .mdl and .pak only. Without this option, the limits of all engines that a file exceeds are printed, but not in
    /// JSON. A limit about which the engine only warns is no failure.
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        value_enum,
        value_delimiter = ',',
        conflicts_with = "diff"
    )]
    engines: Vec<Engine>,
    /// Also print the bounds and the centroid of the vertices in this animation clip
    ///
    /// The plugin loads and animates the model as in a game. The bounds are the smallest box
    /// around the vertices, the centroid is their mean position.
    /// Quake: the name of a clip in the file; default: the first. The time wraps around.
    /// Alamo: an .ala file, or the name of a clip beside the model in any case, such as MOVE_00 for
    /// walker_MOVE_00.ala, or MOVE for the first of its type; default: the rest pose. The time stops at the end. Bones are printed too.
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
    /// For each emitter: how many particles live; with --json also their mean position, and the oldest one. The system is at
    /// the origin and does not move. There is no wind, camera or mesh. The ground is Z = 0. Other files are not simulated.
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

const NOTES: &str = "\
Examples:
  The contents of a model:
    classic-models inspect walker.alo
  A model in an archive, and all models whose names begin with rv_ of a game:
    classic-models inspect id1/pak0.pak/progs/player.mdl
    classic-models inspect --game empire-at-war C:/Games/EaW rv_*.alo
  Where the bones are in the middle of an animation:
    classic-models inspect walker.alo --animation MOVE_00 --time 0.5
  The particles of an explosion after a half and a whole second:
    classic-models inspect p_explosion.alo --simulate 0.5,1
  Whether models work in two engines, for a script:
    classic-models inspect --engine quakespasm,ezquake progs/*.mdl
  What a new version of a model changes:
    classic-models inspect --diff old/ship.alo new/ship.alo
  All files in an archive with their sizes and SHA-256 hashes, for a script:
    classic-models inspect --list --json textures.meg

Exit status: 0; 1 if any file or an entry of an archive cannot be read, a manifest has problems, or a file exceeds a limit of
an engine given with --engine; 2 if the arguments are wrong.
With --diff: 0 without differences; 1 with differences; 2 if a file cannot be read, or the arguments are wrong.";

/// The files to describe, and the arguments that select nothing.
type Files = Vec<Result<PathBuf, Unmatched>>;

impl Args {
    /// The game, if one is given, and the files to describe.
    ///
    /// # Errors
    /// If the game cannot be opened, or has no models.
    fn opened(&self) -> Result<(Option<Game>, Files), String> {
        let Some((game, paths)) = self.game.open(&self.files)? else {
            return Ok((None, selected(&self.files, self.list)));
        };
        let files = game::select(&game.source, paths, is_described);
        if files.is_empty() {
            return Err(game::NO_MODELS.to_owned());
        }
        Ok((Some(game), files.into_iter().map(Ok).collect()))
    }

    /// The requested pose, if any.
    fn request(&self) -> Option<Request> {
        (self.animation.is_some() || self.time.is_some()).then(|| Request {
            animation: self.animation.clone(),
            time: self.time.unwrap_or(0.0),
        })
    }
}

/// Whether patterns match a file of a game.
fn is_described(path: &Path) -> bool {
    is_model(path) || is_manifest(path) || ["dtx", "ala"].iter().any(|it| has_extension(path, it))
}

/// The files that path arguments select.
fn selected(files: &[PathBuf], only_archives: bool) -> Files {
    let wanted = match only_archives {
        true => ARCHIVES,
        false => Wanted {
            is_wanted: |path| is_described(path) || has_archive_extension(path),
            what: "models, manifests, animations, LithTech textures or archives",
            keeps_folders: false,
            opens_archives: false,
        },
    };
    let selected = path_args::expand(files, &wanted).into_iter();
    selected.map(|file| file.map(|file| file.path)).collect()
}

fn finite(text: &str) -> Result<f64, &'static str> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or("expected a finite number")
}

/// Describes the files.
pub fn run(args: &Args) -> ExitCode {
    if args.diff {
        return diff::run(&selected(&args.files, false), args.json);
    }
    let (game, files) = match args.opened() {
        Ok(opened) => opened,
        Err(error) => return messages::failure(error),
    };
    match inspect(args, game.as_ref(), &files) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        // The reader of the pipe has closed it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => messages::failure(error),
    }
}

/// Describes every file. Returns true if any of them failed.
fn inspect(
    args: &Args,
    game: Option<&Game>,
    files: &[Result<PathBuf, Unmatched>],
) -> io::Result<bool> {
    let request = args.request();
    let options = Options {
        times: &args.simulate,
        engines: &args.engines,
        only_archives: args.list,
        game,
    };
    let mut out = io::stdout().lock();
    let mut poser = None;
    let mut failed = false;
    let existing: Vec<&Path> = files.iter().flatten().map(PathBuf::as_path).collect();
    for file in files {
        let (file, mut described) = match file {
            Ok(file) => (file, describe::describe(file, &options)),
            Err(Unmatched { path, error }) => (path, Err(Failure::new(error))),
        };
        if let Ok(description) = &mut described
            && is_posed(description.format, request.as_ref(), args.json)
        {
            let new = || Poser::new(request.clone().unwrap_or_default(), &existing, game);
            if let Err(error) = poser.get_or_insert_with(new).pose(file, description) {
                described = Err(error);
            }
        }
        let limits = described.as_ref().map_or(&[][..], |it| &it.limits);
        failed |= described.as_ref().map_or(true, |it| it.is_faulty)
            || !args.engines.is_empty() && limits.iter().any(|limit| !limit.is_warning);
        let file = file.display().to_string();
        if args.json {
            let mut object = description::to_json(&file, &described);
            if !args.engines.is_empty() {
                object["limits"] = limits.iter().map(BrokenLimit::to_json).collect();
            }
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{}", description::to_text(&file, &described))?;
        }
    }
    Ok(failed)
}

/// Whether to measure the positions of the vertices.
fn is_posed(format: Option<FileFormat>, request: Option<&Request>, json: bool) -> bool {
    match format {
        Some(FileFormat::Mdl) => request.is_some(),
        Some(FileFormat::Abc | FileFormat::Alo) => request.is_some() || json,
        // LGW models have no clips, so their positions are those of the file, and a requested clip is an error.
        Some(FileFormat::Lgw) => request.is_some_and(|request| request.animation.is_some()),
        _ => false,
    }
}
