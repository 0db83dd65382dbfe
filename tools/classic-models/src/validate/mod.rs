//! The subcommand `validate`: checks manifests with the models and all files that they name, or all files of a `game` or in
//! folders.
//!
//! The plugin loads and spawns each manifest, as in a game, without a window. The problems are the errors of loaders,
//! what [`ManifestCheck`](bevy_classic_models::manifest::ManifestCheck) finds, and all other warnings in the log.

pub mod checker;
mod game;

use crate::engines::Engine;
use crate::file_format::is_manifest;
use crate::messages::{self, counted};
use crate::paths::game::GameArgs;
use crate::paths::path_args::{self, Selected, Unmatched, Wanted};
use game::options::ReportArgs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Checks manifests with all files that they name, or all files of a game, of a mod, or in folders.
///
/// A manifest (*.model.ron) is a text file with the clips, events, skins and attachments of a model. The plugin loads
/// and spawns each one, as in a game. Prints each problem as FILE:LINE:COLUMN: MESSAGE: an invalid value; a file that
/// is missing or broken; a clip, frame, skin, bone or part that the model lacks; a field without effect on the model's
/// format. Problems inside other files than manifests have no line. Attached manifests, and manifests that are
/// extended, are checked too. Of a manifest without a model, which others extend, only values are checked that do not
/// depend on the model.
///
/// With --game, and if all paths are folders, all models, clips, textures, particle systems and manifests are checked, and
/// the report is grouped: refused files, missing textures, proxies and clips, clips that do not fit their model, limits of
/// engines, and names whose case matters. With --mod, only the files of the mods are reported, unless files are given.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The manifests, *.model.ron, or patterns; folders: all files in them; with --game: the game
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// The folder of the game's assets, from which paths in manifests start
    ///
    /// Default: the nearest folder `assets` above each file, otherwise the folder of the file.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with = "game",
        verbatim_doc_comment
    )]
    assets: Option<PathBuf>,
    /// Limits of this engine that a Quake model or archive exceeds are errors; may be a list: quakespasm,ezquake
    ///
    /// Without this option, the limits of all engines are printed: for manifests to standard error, otherwise as warnings. So
    /// are those about which an engine only warns.
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        value_enum,
        value_delimiter = ',',
        verbatim_doc_comment
    )]
    engines: Vec<Engine>,
}

impl Args {
    /// Whether all files are checked, not only manifests.
    fn is_of_all_files(&self) -> bool {
        self.game.game.is_some()
            || self.report.is_any_given()
            || self.files.iter().all(|path| path.is_dir())
    }
}

/// The manifests in folders.
const MANIFESTS: Wanted = Wanted {
    is_wanted: is_manifest,
    what: "manifests (*.model.ron)",
    keeps_folders: false,
    opens_archives: false,
};

const NOTES: &str = "\
Examples:
  classic-models validate assets/models/patrol.model.ron
  classic-models validate assets/models/*.model.ron
  classic-models validate assets                          all files in a folder and its folders
  classic-models validate patrol.model.ron --assets ../game/assets
  classic-models validate --engine quakespasm assets/models/*.model.ron

  classic-models validate --game empire-at-war C:/Games/EaW --mod C:/Games/EaW/GameData/Mods/MyMod
  classic-models validate --game quake C:/Quake --mod mymod --engine quakespasm
  classic-models validate --game quake C:/Quake --json > known.json         and later only new problems:
  classic-models validate --game quake C:/Quake --baseline known.json

Exit status: 0; 1 if a manifest has a problem, or with --game and folders, if there is an error, with --strict also a
warning, that is not in the baseline; 2 if the arguments are wrong.";

/// Checks the manifests, or all files.
pub fn run(args: &Args) -> ExitCode {
    if args.is_of_all_files() {
        return game::run(&game::Request {
            paths: &args.files,
            game: &args.game,
            assets: args.assets.as_deref(),
            engines: &args.engines,
            report: &args.report,
        });
    }
    match validate(args) {
        Ok(has_problems) => ExitCode::from(u8::from(has_problems)),
        // The reader of the pipe has closed it. Only problems are printed, so there is one.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => messages::failure(error),
    }
}

/// Prints the problems of every manifest. Returns true if there are any.
fn validate(args: &Args) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    let mut has_problems = false;
    let mut count = 0;
    for file in path_args::expand(&args.files, &MANIFESTS) {
        count += 1;
        let problems = match file {
            Ok(Selected { path, .. }) => {
                checker::problems(&path, args.assets.as_deref(), &args.engines)
            }
            Err(Unmatched { path, error }) => vec![format!("{}: {error}", path.display())],
        };
        for problem in problems {
            writeln!(out, "{problem}")?;
            has_problems = true;
        }
    }
    if !has_problems {
        let manifests = counted(count, "manifest");
        messages::message(format_args!("checked {manifests}: no problems"));
    }
    Ok(has_problems)
}
