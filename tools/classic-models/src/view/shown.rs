//! What the command line requests to show: files, entries of archives, or a game. It must not start an app.

use crate::archive_sources::ArchiveSources;
use crate::game::Game;
use crate::game_models;
use crate::messages;
use crate::view::args::Args;
use crate::view::browser::{Browser, Place};
use crate::view::file_check;
use crate::view::files::{Folders, files_of_sheet, models_to_show};
use std::path::{Path, PathBuf};

/// The checked command line.
pub struct Shown {
    pub args: Args,
    pub folders: Folders,
    /// The models to show at the start.
    pub models: Vec<PathBuf>,
    /// The models of the game, if one is opened.
    pub browser: Option<Browser>,
}

impl Shown {
    /// Opens the archives and the game.
    ///
    /// # Errors
    /// If a file, an entry or a model of the game does not exist, if none of the files is a model, or if an archive or the
    /// game cannot be opened.
    pub fn open(args: Args) -> Result<Self, String> {
        let Some(kind) = args.game else {
            let is_sheet = args.sheet.is_some();
            file_check::check(&args.files, is_sheet)?;
            let paths = args.files.iter().chain(&args.texture_folders);
            let archives = ArchiveSources::of(paths.map(PathBuf::as_path));
            let archives = archives.map_err(|error| error.to_string())?;
            return Ok(Self {
                folders: Folders::of(&args.files, &args.texture_folders, archives),
                models: match is_sheet {
                    true => files_of_sheet(&args.files),
                    false => models_to_show(&args.files),
                },
                browser: None,
                args,
            });
        };
        let game = Game::open(kind, &args.files, &args.mods)?;
        let models = models_of(&game, &args).inspect_err(|_| {
            // The app logs them, but it is not started.
            for warning in game.source.warnings() {
                messages::message(format_args!("warning: {warning}"));
            }
        })?;
        let mut archives = ArchiveSources::default();
        let listed = game_models::models(&game.source);
        archives.add(game.root.clone(), game.source);
        Ok(Self {
            folders: Folders::of(&[], &args.texture_folders, archives),
            models,
            browser: Some(Browser::of_models(Place::Game, game.root, listed)),
            args,
        })
    }
}

/// The models of a game to show at the start.
fn models_of(game: &Game, args: &Args) -> Result<Vec<PathBuf>, String> {
    let mut models = Vec::new();
    for path in &args.models {
        if game.source.locate(Path::new(path)).is_none() {
            return Err(format!("the game has no model {path:?}"));
        }
        models.push(game.root.join(path));
    }
    if models.is_empty() && args.needs_no_window() {
        return Err("without a window, --game needs --model".to_owned());
    }
    Ok(models)
}
