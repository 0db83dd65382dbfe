//! The subcommand `validate`: checks manifests with the models and all files that they name.
//!
//! The plugin loads and spawns each manifest, as in a game, without a window. The problems are the errors of loaders,
//! what [`ManifestCheck`](bevy_classic_models::manifest::ManifestCheck) finds, and all other warnings in the log.

pub mod checker;

use crate::engines::Engine;
use crate::file_format::is_manifest;
use crate::log_buffer::LogBuffer;
use crate::messages::{self, counted};
use crate::paths::path_args::{self, Selected, Unmatched, Wanted};
use bevy::log::tracing::Level;
use bevy::log::tracing_subscriber::filter::filter_fn;
use bevy::log::tracing_subscriber::layer::SubscriberExt;
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{Layer, registry};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Checks manifests, with their models and all files that they name.
///
/// A manifest (*.model.ron) is a text file with the clips, events, skins and attachments of a model. The plugin loads
/// and spawns each one, as in a game. Prints each problem as FILE:LINE:COLUMN: MESSAGE: an invalid value; a file that
/// is missing or broken; a clip, frame, skin, bone or part that the model lacks; a field without effect on the model's
/// format. Problems inside other files than manifests have no line. Attached manifests, and manifests that are
/// extended, are checked too. Of a manifest without a model, which others extend, only values are checked that do not
/// depend on the model.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = NOTES)]
pub struct Args {
    /// The manifests, *.model.ron, patterns, or folders: all manifests in them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The folder of the game's assets, from which paths in manifests start
    ///
    /// Default: the nearest folder `assets` above each file, otherwise the folder of the file.
    #[arg(long, value_name = "FOLDER", verbatim_doc_comment)]
    assets: Option<PathBuf>,
    /// Limits of this engine that a Quake model exceeds are problems; may be a list: quakespasm,ezquake
    ///
    /// Without this option, the limits of all engines that a model exceeds are printed to standard error. So are those about
    /// which an engine only warns. For models without manifests, use `classic-models inspect --engine`.
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        value_enum,
        value_delimiter = ',',
        verbatim_doc_comment
    )]
    engines: Vec<Engine>,
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
  classic-models validate assets                          all manifests in a folder and its folders
  classic-models validate patrol.model.ron --assets ../game/assets
  classic-models validate --engine quakespasm assets/models/*.model.ron

Exit status: 0, and the count of manifests on standard error; 1 if there is a problem; 2 if the arguments are wrong.";

/// Checks the manifests.
pub fn run(args: &Args) -> ExitCode {
    match validate(args) {
        Ok(has_problems) => ExitCode::from(u8::from(has_problems)),
        // The reader of the pipe has closed it. Only problems are printed, so there is one.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => messages::failure(error),
    }
}

/// The warnings of the plugin in this process, which are not printed.
pub fn plugin_log() -> &'static LogBuffer {
    static LOG: LazyLock<LogBuffer> = LazyLock::new(|| {
        let log = LogBuffer::default();
        // Bevy's errors of loads are found by the states of the assets.
        let of_crate = filter_fn(|event| {
            *event.level() <= Level::WARN && event.target().starts_with("bevy_classic_models")
        });
        // It fails only if there is a collector already.
        let _ = registry()
            .with(log.clone().with_filter(of_crate))
            .try_init();
        log
    });
    &LOG
}

/// Prints the problems of every manifest. Returns true if there are any.
fn validate(args: &Args) -> io::Result<bool> {
    let log = plugin_log();
    let mut out = io::stdout().lock();
    let mut has_problems = false;
    let mut count = 0;
    for file in path_args::expand(&args.files, &MANIFESTS) {
        count += 1;
        let problems = match file {
            Ok(Selected { path, .. }) => {
                checker::problems(&path, args.assets.as_deref(), &args.engines, log)
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
