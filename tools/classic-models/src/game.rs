//! Games of the command line: their archives and folders as one asset source. It must not list models.

use crate::archive_file::{Location, absolute};
use crate::messages;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// The error of a path that is not of a file of the game.
pub const NOT_FOUND: &str = "the game has no such file";

/// A game whose archives and folders are searched in its own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum GameKind {
    /// Star Wars: Empire at War; the folder that contains Data, or the one above
    EmpireAtWar,
    /// Forces of Corruption; its folder and that of Empire at War, or the folder of both
    ForcesOfCorruption,
    /// Quake and games like it; the folder that contains id1
    Quake,
    /// UFO: Aftermath, Aftershock and Afterlight; the folder that contains gamedata.vfs
    Aftermath,
    /// LithTech games; .rez archives and folders, later ones win
    Lithtech,
}

/// The options of subcommands that search files in a game.
#[derive(clap::Args, Clone, Debug)]
pub struct GameArgs {
    /// Search files in a game, in all its archives and folders
    ///
    /// The first path is the folder of the game. The paths after it are files in the game, or patterns that match files:
    /// *.alo, data/art/models/rv_*, progs. Without them, all models of the game are selected.
    /// A second existing folder for forces-of-corruption is that of Empire at War, unless it is beside the first. For lithtech,
    /// all existing .rez archives and folders at the start are layers, later ones win.
    #[arg(long, value_name = "GAME", value_enum, verbatim_doc_comment)]
    pub game: Option<GameKind>,
    /// Add a mod to the game; may be given more than once
    ///
    /// Alamo: a folder of a mod; those that are given first win. Quake: the name of a folder beside id1; later ones win.
    #[arg(
        long = "mod",
        value_name = "DIR",
        requires = "game",
        verbatim_doc_comment
    )]
    pub mods: Vec<PathBuf>,
}

impl GameArgs {
    /// Opens the game, if one is given, and prints its warnings. Returns it with the paths that are not of its own folders.
    ///
    /// # Errors
    /// If the game cannot be opened.
    pub fn open<'a>(&self, paths: &'a [PathBuf]) -> Result<Option<(Game, &'a [PathBuf])>, String> {
        let Some(kind) = self.game else {
            return Ok(None);
        };
        let (folders, files) = paths.split_at(kind.count_of_folders(paths));
        let game = Game::open(kind, folders, &self.mods)?;
        for warning in game.source.warnings() {
            messages::message(format_args!("warning: {warning}"));
        }
        Ok(Some((game, files)))
    }
}

/// An opened game.
#[derive(Clone, Debug)]
pub struct Game {
    /// The first path of the command line. Paths of the game's files begin with it.
    pub root: PathBuf,
    pub source: ArchiveSource,
}

impl Game {
    /// Opens a game.
    ///
    /// # Errors
    /// If a path does not have what the game needs, or cannot be read.
    pub fn open(kind: GameKind, paths: &[PathBuf], mods: &[PathBuf]) -> Result<Self, String> {
        let first = paths.first().ok_or("--game needs the folder of the game")?;
        if kind != GameKind::Lithtech && first.is_file() {
            return Err(format!(
                "{}: a file, but --game needs the folder of the game",
                first.display()
            ));
        }
        let source = open_source(kind, first, paths.get(1..).unwrap_or_default(), mods)?;
        Ok(Self {
            root: absolute(first),
            source,
        })
    }

    /// Where a file of the game is stored, with the path of the file or archive on the disk. `None` if the game does not have
    /// it.
    pub fn locate(&self, path: &Path) -> Option<(PathBuf, Location)> {
        let found = self.source.locate(path)?;
        if !found.layer_path.is_file() {
            return Some((found.layer_path.join(found.path), Location::File));
        }
        let location = Location::Entry {
            archive: found.layer_path.clone(),
            entry: found.path,
        };
        Some((found.layer_path, location))
    }
}

impl GameKind {
    /// The name of the game.
    pub fn title(self) -> &'static str {
        match self {
            Self::EmpireAtWar => "Empire at War",
            Self::ForcesOfCorruption => "Forces of Corruption",
            Self::Quake => "Quake",
            Self::Aftermath => "UFO: Aftermath",
            Self::Lithtech => "LithTech game",
        }
    }

    /// The count of paths at the start of a list that are of the game itself: its folders and archives. Further ones are of
    /// files in the game.
    pub fn count_of_folders(self, paths: &[PathBuf]) -> usize {
        let most = 1 + self.further_paths();
        let further = paths.iter().take(most).skip(1);
        let own = further.take_while(|path| match self {
            Self::Lithtech => path.exists(),
            _ => path.is_dir(),
        });
        (1 + own.count()).min(paths.len())
    }

    /// The maximum count of folders and archives after the first.
    fn further_paths(self) -> usize {
        match self {
            Self::Lithtech => usize::MAX - 1,
            Self::ForcesOfCorruption => 1,
            _ => 0,
        }
    }
}

fn open_source(
    kind: GameKind,
    first: &Path,
    others: &[PathBuf],
    mods: &[PathBuf],
) -> Result<ArchiveSource, String> {
    let text = |error: ArchiveSourceError| error.to_string();
    if let Some(other) = others.get(kind.further_paths()) {
        return Err(format!(
            "{}: this game has no further path",
            other.display()
        ));
    }
    if !mods.is_empty() && matches!(kind, GameKind::Aftermath | GameKind::Lithtech) {
        return Err("--mod is for Empire at War, Forces of Corruption and Quake".to_owned());
    }
    let mut source = match kind {
        GameKind::EmpireAtWar => {
            let game = below(first, "gamedata").unwrap_or_else(|| first.to_path_buf());
            ArchiveSource::empire_at_war(game)
        }
        GameKind::ForcesOfCorruption => {
            let game = below(first, "corruption").unwrap_or_else(|| first.to_path_buf());
            let beside = || below(absolute(&game).parent()?, "gamedata");
            let Some(base) = others.first().cloned().or_else(beside) else {
                return Err(format!(
                    "{}: no folder GameData of Empire at War beside it: also give that folder",
                    game.display()
                ));
            };
            ArchiveSource::forces_of_corruption(game, base)
        }
        GameKind::Quake => {
            let folders = [Path::new("id1")]
                .into_iter()
                .chain(mods.iter().map(PathBuf::as_path));
            return ArchiveSource::quake(first, folders).map_err(text);
        }
        GameKind::Aftermath => ArchiveSource::aftermath(first),
        GameKind::Lithtech => layers(first, others),
    }
    .map_err(text)?;
    for folder in mods {
        source = source.mod_folder(folder).map_err(text)?;
    }
    Ok(source)
}

/// Archives and folders, the lowest first.
fn layers(first: &Path, others: &[PathBuf]) -> Result<ArchiveSource, ArchiveSourceError> {
    let paths = [first]
        .into_iter()
        .chain(others.iter().map(PathBuf::as_path));
    paths
        .into_iter()
        .try_fold(ArchiveSource::new(), |source, path| match path.is_dir() {
            true => Ok(source.folder(path)),
            false => source.archive(path),
        })
}

/// A folder in a folder, in any case.
fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries = folder
        .read_dir()
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()));
    entries.find(|path| {
        let is_name = path
            .file_name()
            .is_some_and(|it| it.eq_ignore_ascii_case(name));
        is_name && path.is_dir()
    })
}

#[cfg(test)]
mod tests {
    use super::GameKind;
    use std::path::PathBuf;

    #[test]
    fn paths_of_the_game_precede_those_of_files_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let archive = root.join("a.rez");
        std::fs::write(&archive, "").unwrap();
        let inside = PathBuf::from("data/art/no such model.alo");
        for (kind, paths, expected) in [
            (GameKind::Quake, vec![&root, &inside], 1),
            (GameKind::Quake, vec![&root, &root], 1),
            (GameKind::ForcesOfCorruption, vec![&root, &inside], 1),
            (GameKind::ForcesOfCorruption, vec![&root, &root, &root], 2),
            (
                GameKind::Lithtech,
                vec![&archive, &root, &archive, &inside],
                3,
            ),
            (GameKind::Lithtech, vec![&inside], 1),
            (GameKind::Quake, vec![], 0),
        ] {
            let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
            assert_eq!(
                kind.count_of_folders(&paths),
                expected,
                "{kind:?} {paths:?}"
            );
        }
    }
}
