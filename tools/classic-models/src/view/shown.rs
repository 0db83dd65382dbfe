//! What the command line requests to show: files, entries of archives, or a game. It must not start an app.

use crate::archive_sources::ArchiveSources;
use crate::file_format::{is_model, is_texture};
use crate::game::Game;
use crate::game_models;
use crate::messages;
use crate::path_args::{self, Unmatched, Wanted};
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
    /// The folder or the archive of the command line to list.
    pub listed: Option<PathBuf>,
}

impl Shown {
    /// Opens the archives and the game.
    ///
    /// # Errors
    /// If a file, an entry or a model of the game does not exist, if none of the files is a model, or if an archive or the
    /// game cannot be opened.
    pub fn open(mut args: Args) -> Result<Self, String> {
        let Some(kind) = args.game else {
            let is_sheet = args.sheet.is_some();
            args.files = selected(&args)?;
            let (listed, files) = match args.needs_no_window() {
                true => (None, args.files.clone()),
                false => file_check::take_listed(&args.files)?,
            };
            // Without any file, the samples are shown.
            let has_models = listed.is_none() || !files.is_empty();
            if has_models {
                file_check::check(&files, is_sheet)?;
            }
            let paths = files
                .iter()
                .chain(&args.texture_folders)
                .chain(&args.palette);
            let archives = ArchiveSources::of(paths.map(PathBuf::as_path));
            let archives = archives.map_err(|error| error.to_string())?;
            let mut folders = Folders::of(&files, &args.texture_folders, archives);
            if let Some(palette) = &args.palette {
                folders.set_palette(palette)?;
            }
            folders.hole_index = args.hole_index;
            return Ok(Self {
                folders,
                models: match (has_models, is_sheet) {
                    (false, _) => Vec::new(),
                    (_, true) => files_of_sheet(&files),
                    (_, false) => models_to_show(&files),
                },
                browser: None,
                listed,
                args,
            });
        };
        let (folders, files) = args.files.split_at(kind.count_of_folders(&args.files));
        let game = Game::open(kind, folders, &args.mods)?;
        let models = models_of(&game, &args, files).inspect_err(|_| {
            // The app logs them, but it is not started.
            for warning in game.source.warnings() {
                messages::message(format_args!("warning: {warning}"));
            }
        })?;
        let mut archives = ArchiveSources::default();
        let listed = game_models::models(&game.source);
        let in_game = |palette: &PathBuf| {
            let is_found = game.source.locate(palette).is_some();
            if is_found {
                game.root.join(palette)
            } else {
                palette.clone()
            }
        };
        let palette = args.palette.as_ref().map(in_game);
        archives.add(game.root.clone(), game.source);
        let mut folders = Folders::of(&[], &args.texture_folders, archives);
        if let Some(palette) = &palette {
            folders.set_palette(palette)?;
        }
        folders.hole_index = args.hole_index;
        Ok(Self {
            folders,
            models,
            browser: Some(Browser::of_models(Place::Game, game.root, listed)),
            listed: None,
            args,
        })
    }
}

/// The files that path arguments select. A window lists a folder, and an image shows all models in it.
fn selected(args: &Args) -> Result<Vec<PathBuf>, String> {
    let (is_wanted, what): (fn(&Path) -> bool, _) = match args.sheet {
        Some(_) => (
            |path| is_model(path) || is_texture(path),
            "models or textures",
        ),
        None => (is_model, "models"),
    };
    let wanted = Wanted {
        is_wanted,
        what,
        keeps_folders: !args.needs_no_window(),
    };
    let selected = path_args::expand(&args.files, &wanted).into_iter();
    let selected = selected.map(|file| match file {
        Ok(file) => Ok(file.path),
        Err(Unmatched { path, error }) => Err(format!("{}: {error}", path.display())),
    });
    selected.collect()
}

/// The models of a game to show at the start: those of `--model`, and the paths or patterns after the folder of the game.
fn models_of(game: &Game, args: &Args, files: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut paths: Vec<PathBuf> = args.models.iter().map(PathBuf::from).collect();
    if !files.is_empty() {
        paths.extend(game_models::select(&game.source, files, is_model));
    }
    let mut models = Vec::new();
    for path in paths {
        if game.source.locate(&path).is_none() {
            return Err(format!(
                "the game has no model {:?}",
                path.display().to_string()
            ));
        }
        models.push(game.root.join(path));
    }
    if models.is_empty() && args.needs_no_window() {
        return Err(
            "without a window, --game needs --model, or the path of a model after the game"
                .to_owned(),
        );
    }
    Ok(models)
}
