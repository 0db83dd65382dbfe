//! What the command line requests to show: files, entries of archives, or a game. Checks it. It must not start an app.

use crate::file_format::{has_extension, is_manifest, is_model, is_picture, is_texture};
use crate::messages;
use crate::paths::archive_file::{
    ArchiveError, absolute, check_exists, has_archive_extension, is_archive, open_file,
};
use crate::paths::disk_source::DiskSource;
use crate::paths::game::{self, Game, GameKind};
use crate::paths::path_args::{self, Unmatched, Wanted};
use crate::view::open::args::Args;
use crate::view::open::browser::{Browser, Place};
use crate::view::open::files::{Folders, files_of_sheet, models_to_show};
use crate::view::open::standard_input::{STANDARD_INPUT, StandardInput};
use bevy_classic_models::load::did_you_mean;
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
    /// Keeps the file of standard input.
    pub input: Option<StandardInput>,
}

impl Shown {
    /// Opens the archives and the game.
    ///
    /// # Errors
    /// If a file, an entry or a model of the game does not exist, if none of the files is a model, or if an archive or the
    /// game cannot be opened.
    pub fn open(mut args: Args) -> Result<Self, String> {
        let input = read_standard_input(&mut args)?;
        // Other games with models of this format have other colors.
        let mut own_palette = None;
        let (mut folders, models, browser, listed) = match args.game {
            Some(kind) => {
                let (game, models) = open_game(kind, &args)?;
                let listed = game::models(&game.source);
                let browser = Browser::of_models(Place::Game, game.root.clone(), listed);
                let in_game = |palette: &PathBuf| match game.source.locate(palette) {
                    Some(_) => game.root.join(palette),
                    None => palette.clone(),
                };
                args.palette = args.palette.as_ref().map(in_game);
                let palette = Path::new("gfx/palette.lmp");
                let is_own = kind == GameKind::Quake && game.source.locate(palette).is_some();
                own_palette = is_own.then(|| game.root.join(palette));
                let disk = DiskSource::default();
                disk.mount(game.root, game.source);
                let folders = Folders::of(&[], &args.texture_folders, disk);
                (folders, models, Some(browser), None)
            }
            None => {
                args.files = selected(&args)?;
                let (listed, files) = match args.needs_no_window() {
                    true => (None, args.files.clone()),
                    false => take_listed(&args.files)?,
                };
                // Without any file, the samples are shown.
                let has_models = listed.is_none() || !files.is_empty();
                let models = match has_models {
                    false => Vec::new(),
                    true => check(&files, args.sheet.is_some())?,
                };
                let paths = files.iter().chain(&args.texture_folders);
                let paths = paths.chain(&args.palette).map(PathBuf::as_path);
                let mut disk = DiskSource::default();
                disk.input = input.as_ref().map(|input| absolute(&input.file));
                disk.open_archives(paths)
                    .map_err(|error| error.to_string())?;
                let folders = Folders::of(&files, &args.texture_folders, disk);
                (folders, models, None, listed)
            }
        };
        if let Some(palette) = &args.palette {
            folders.set_palette(palette)?;
        } else if let Some(palette) = own_palette
            && let Err(error) = folders.set_palette(&palette)
        {
            messages::message(format_args!("warning: {error}: using Quake's"));
        }
        folders.hole_index = args.hole_index;
        folders.external_skins = args.external_skins;
        Ok(Self {
            args,
            folders,
            models,
            browser,
            listed,
            input,
        })
    }
}

/// Replaces the path `-` by that of a file with the model from standard input.
fn read_standard_input(args: &mut Args) -> Result<Option<StandardInput>, String> {
    let mut files = args.files.iter_mut();
    let is_input = |file: &&mut PathBuf| file.as_os_str() == STANDARD_INPUT;
    let Some(file) = files.find(is_input) else {
        return Ok(None);
    };
    if files.any(|file| is_input(&file)) {
        return Err("standard input can be only one of the files".to_owned());
    }
    let input = StandardInput::read(std::io::stdin().lock(), args.format)?;
    file.clone_from(&input.file);
    Ok(Some(input))
}

/// The game of the command line, and its models to show.
fn open_game(kind: GameKind, args: &Args) -> Result<(Game, Vec<PathBuf>), String> {
    let (folders, files) = args.files.split_at(kind.count_of_folders(&args.files));
    let game = Game::open(kind, folders, &args.mods)?;
    let models = models_of(&game, args, files).inspect_err(|_| {
        // The app logs them, but it is not started.
        for warning in game.source.warnings() {
            messages::message(format_args!("warning: {warning}"));
        }
    })?;
    Ok((game, models))
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
        opens_archives: args.needs_no_window(),
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
        paths.extend(game::select(&game.source, files, is_model));
    }
    let mut models = Vec::new();
    for path in paths {
        if game.source.locate(&path).is_none() {
            let path = path.display().to_string();
            let known = game::models(&game.source);
            let near = did_you_mean(&path, known.iter().map(String::as_str));
            return Err(format!("the game has no model {path:?}{near}"));
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

/// The files to show. A sheet can show textures.
///
/// # Errors
/// If a file does not exist or is an archive, or if none of the files can be shown.
fn check(files: &[PathBuf], is_sheet: bool) -> Result<Vec<PathBuf>, String> {
    for file in files {
        if let Err(error) = check_exists(file) {
            return Err(format!("{}: {error}", file.display()));
        }
        let name = file.display();
        if has_archive_extension(file)
            && let Err(error @ ArchiveError::Nested(_)) = open_file(file)
        {
            return Err(format!("{name}: {error}"));
        }
        if !has_known_extension(file) && is_archive(file) {
            if let Err(error) = open_file(file) {
                return Err(format!("{name}: {error}"));
            }
            return Err(format!(
                "{name}: an archive: name a model in it, as in {name}/PATH; `classic-models list {name}` prints the paths"
            ));
        }
        if is_picture(file) && !is_sheet {
            return Err(format!(
                "{name}: a texture cannot be shown alone: `view --sheet` shows textures, and `convert {name} OUT.png` converts them"
            ));
        }
    }
    let shown = match is_sheet {
        true => files_of_sheet(files),
        false => models_to_show(files),
    };
    match shown.is_empty() {
        true => Err(no_model(files)),
        false => Ok(shown),
    }
}

/// Takes the folder or the archive out of the files, which a window lists. Returns it with the other files.
///
/// # Errors
/// If there are several.
fn take_listed(files: &[PathBuf]) -> Result<(Option<PathBuf>, Vec<PathBuf>), String> {
    let is_listed = |file: &Path| {
        // Reading a pipe could block.
        file.is_dir() || file.is_file() && !has_known_extension(file) && is_archive(file)
    };
    let (mut listed, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| is_listed(file));
    if let Some(second) = listed.get(1) {
        let name = second.display();
        return Err(format!("{name}: only one folder or archive can be listed"));
    }
    Ok((listed.pop(), others))
}

fn has_known_extension(file: &Path) -> bool {
    is_model(file) || has_extension(file, "ala") || is_texture(file) || is_manifest(file)
}

fn no_model(files: &[PathBuf]) -> String {
    match files.first() {
        None => "no file is given, and there are no samples in assets/models".to_owned(),
        Some(skin) if has_extension(skin, "dtx") => format!(
            "{}: a texture cannot be shown alone: also give the .abc file that uses it; `view --sheet` shows textures",
            skin.display()
        ),
        Some(clip) => format!(
            "{}: no .alo file for this animation in its folder: also give the .alo file",
            clip.display()
        ),
    }
}

#[cfg(test)]
mod file_check_tests {
    use super::{check, files_of_sheet, models_to_show};
    use std::path::PathBuf;

    /// The error for files with these names in one folder. Files whose names begin with `-` do not exist.
    fn error(names: &[&str]) -> Option<String> {
        error_of(names, false)
    }

    fn error_of(names: &[&str], is_sheet: bool) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let paths = names.iter().map(|name| match name.strip_prefix('-') {
            Some(missing) => folder.path().join(missing),
            None => {
                let path = folder.path().join(name);
                std::fs::write(&path, "").unwrap();
                path
            }
        });
        let paths: Vec<PathBuf> = paths.collect();
        check(&paths, is_sheet).err()
    }

    #[test]
    fn models_with_their_textures_and_animations_are_accepted() {
        assert_eq!(error(&[]), None, "the samples");
        let samples = models_to_show(&[]);
        let has = |name| samples.iter().any(|sample| sample.ends_with(name));
        assert!(has("walker.alo") && has("courier.lgw"), "{samples:?}");
        // A particle system.
        assert!(!has("p_explosion.alo"), "{samples:?}");
        assert_eq!(error(&["a.mdl"]), None);
        assert_eq!(error(&["a.dtx", "a.abc"]), None);
        assert_eq!(error(&["a_MOVE_00.ala", "b.alo"]), None);
        assert_eq!(error(&["a.model.ron"]), None);
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let error = error(&["a.mdl", "-b.mdl"]).unwrap();
        assert!(error.contains("b.mdl: "), "{error}");
    }

    #[test]
    fn textures_and_animations_alone_are_errors() {
        let texture = error(&["a.dtx"]).unwrap();
        assert!(texture.contains("give the .abc file"), "{texture}");
        let animation = error(&["a_MOVE_00.ala"]).unwrap();
        assert!(animation.contains("give the .alo file"), "{animation}");
    }
    #[test]
    fn textures_are_only_in_sheets() {
        let files = ["a.mdl", "b.DDS"];
        let error = error_of(&files, false).unwrap();
        assert!(error.contains("b.DDS: a texture"), "{error}");
        for files in [&files[..], &["a.dtx"], &["a.tga"], &["a.dtx", "b.abc"]] {
            assert_eq!(error_of(files, true), None, "{files:?}");
        }
        assert!(error_of(&["a_MOVE_00.ala"], true).is_some());
        let skin = ["a.dtx", "b.abc"].map(PathBuf::from);
        assert_eq!(files_of_sheet(&skin), ["b.abc"].map(PathBuf::from));
    }
}
