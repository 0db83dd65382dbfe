//! The files to check: those of a game, or in folders.

use crate::convert::files::Files;
use crate::file_format::{has_extension, is_manifest, is_model, is_texture};
use crate::paths::archive_file::{ArchiveError, absolute, has_archive_extension, open_file};
use crate::paths::disk::files_below;
use crate::paths::game::{self, Game, GameArgs, GameFiles, GameKind, key};
use crate::paths::path_args::{self, Unmatched, Wanted};
use crate::validate::game::problem::{Kind, Problem, shown};
use crate::validate::game::sarif;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file of a game or on the disk.
pub struct Checked {
    /// The path with which [`Files`] reads it.
    pub path: PathBuf,
    /// The path in reports: as given, or from the root of the game.
    pub shown: String,
    /// Whether its problems are reported. Others are only the models of clips.
    pub is_selected: bool,
}

/// The files to check, and where they are found.
pub struct Selection {
    pub files: Files,
    /// All files of the game, or those in the folders.
    pub checked: Vec<Checked>,
    /// Arguments that select nothing.
    pub unmatched: Vec<Problem>,
    pub game: Option<SelectedGame>,
}

/// A game, and the folders of its mods.
pub struct SelectedGame {
    pub game: Game,
    pub kind: GameKind,
    /// The absolute paths of the layers' archives and folders, the lowest first.
    pub layers: Vec<PathBuf>,
    /// Absolute.
    mods: Vec<PathBuf>,
}

/// The files that are checked, by their names.
fn is_checked(path: &Path) -> bool {
    is_model(path) || is_texture(path) || is_manifest(path) || has_extension(path, "ala")
}

/// The files in folders.
const CHECKED: Wanted = Wanted {
    is_wanted: is_checked,
    what: "models, animations, textures or manifests",
    keeps_folders: false,
    opens_archives: false,
};

impl Selection {
    /// The files of the game, if there is one, otherwise those that the paths select on the disk.
    ///
    /// # Errors
    /// If the game cannot be opened, or has no such files.
    pub fn of(args: &GameArgs, paths: &[PathBuf]) -> Result<Self, String> {
        match (args.open(paths)?, args.game) {
            (Some((game, paths)), Some(kind)) => Self::of_game(game, kind, paths, &args.mods),
            _ => Ok(Self::of_disk(paths)),
        }
    }

    fn of_disk(paths: &[PathBuf]) -> Self {
        let mut selection = Self {
            files: Files::default(),
            checked: Vec::new(),
            unmatched: Vec::new(),
            game: None,
        };
        for file in path_args::expand(paths, &CHECKED) {
            match file {
                Ok(file) => selection.checked.push(Checked {
                    shown: shown(&file.path),
                    path: file.path,
                    is_selected: true,
                }),
                Err(Unmatched { path, error }) => {
                    let problem = Problem::new(Kind::Refused, &shown(&path), error);
                    selection.unmatched.push(problem);
                }
            }
        }
        selection.unmatched.extend(broken_archives(paths));
        selection
    }

    fn of_game(
        game: Game,
        kind: GameKind,
        paths: &[PathBuf],
        mods: &[PathBuf],
    ) -> Result<Self, String> {
        let all = game::select(&game.source, &[PathBuf::from("**")], is_checked);
        // A pattern that matches nothing is returned unchanged.
        let all: Vec<PathBuf> = all.into_iter().filter(|path| is_checked(path)).collect();
        if all.is_empty() {
            return Err(game::NO_MODELS.to_owned());
        }
        let mods = mods.iter().map(|it| kind.mod_folder(&game.root, it));
        let layers = game.source.layers().map(|layer| absolute(layer.path));
        let game = SelectedGame {
            mods: mods.collect(),
            layers: layers.collect(),
            game,
            kind,
        };
        let given = match paths {
            [] => Vec::new(),
            paths => game::select(&game.game.source, paths, is_checked),
        };
        let keys: HashSet<String> = given.iter().map(|path| key(path)).collect();
        let is_selected = |path: &Path| match paths {
            [] => game.is_of_mod(path),
            _ => keys.contains(&key(path)),
        };
        let checked = all.iter().map(|path| Checked {
            path: game.game.root.join(path),
            shown: shown(path),
            is_selected: is_selected(path),
        });
        let mut checked: Vec<Checked> = checked.collect();
        let known: HashSet<String> = all.iter().map(|path| key(path)).collect();
        // Reading them fails, so they are reported.
        let missing = given.iter().filter(|path| !known.contains(&key(path)));
        checked.extend(missing.map(|path| Checked {
            path: game.game.root.join(path),
            shown: shown(path),
            is_selected: true,
        }));
        Ok(Self {
            files: Files::of_game(GameFiles::of(&game.game)),
            checked,
            unmatched: Vec::new(),
            game: Some(game),
        })
    }

    /// The URI of a file in SARIF: relative to the folder of its mod, otherwise to that of the game.
    pub fn uri(&self, file: &str) -> String {
        let Some(game) = &self.game else {
            return sarif::uri(file);
        };
        let path = game.game.stored(Path::new(file));
        let path = path.map_or_else(|| game.game.root.join(file), |path| absolute(&path));
        let below = game.mods.iter().chain([&game.game.root]);
        let mut below = below.filter_map(|folder| path.strip_prefix(folder).ok());
        sarif::uri(&shown(below.next().unwrap_or(&path)).replace('\\', "/"))
    }
}

/// The archives in folders that cannot be opened. Files in archives are checked only with a game.
fn broken_archives(paths: &[PathBuf]) -> Vec<Problem> {
    let folders = paths.iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| {
        let files = files_below(folder).0.into_iter();
        files.map(move |file| folder.join(file))
    });
    let archives = files.filter(|file| has_archive_extension(file));
    let broken = archives.filter_map(|file| Some((open_file(&file).err()?, file)));
    let problem = |(error, file): (ArchiveError, PathBuf)| {
        Problem::new(Kind::Refused, &shown(&file), error.to_string())
    };
    broken.map(problem).collect()
}

impl SelectedGame {
    /// Whether a file comes from a mod. If there are no mods, all files do.
    fn is_of_mod(&self, path: &Path) -> bool {
        let found = self.game.source.locate(path);
        found.is_some_and(|found| self.is_layer_of_mod(found.layer))
    }

    /// Whether a layer is one of a mod. If there are no mods, all layers are.
    pub fn is_layer_of_mod(&self, layer: usize) -> bool {
        let layer = self.layers.get(layer);
        let is_in = |folder| layer.is_some_and(|layer| layer.starts_with(folder));
        self.mods.is_empty() || self.mods.iter().any(is_in)
    }
}
