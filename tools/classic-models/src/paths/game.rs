//! Games of the command line: their archives and folders as one asset source, and the files in it.

use crate::file_format::is_model;
use crate::messages;
use crate::paths::archive_file::{absolute, open_file};
use crate::paths::disk::{below, files_below};
use crate::paths::entry_pattern::EntryPattern;
use crate::paths::quake_folders::QuakeFolders;
use bevy::asset::io::ErasedAssetReader;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
use clap::ValueEnum;
use futures_lite::StreamExt;
use futures_lite::future::block_on;
use std::collections::{BTreeMap, HashSet};
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
    /// Quake and games like it; the folder that contains id1 or lq1, or the base folder itself
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
    /// Alamo: a folder of a mod; those that are given first win. Quake: the name of a folder beside the base folder; later ones win.
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

    /// Where a file of the game is stored on the disk: a file, or an entry of an archive. `None` if the game does not have it.
    pub fn stored(&self, path: &Path) -> Option<PathBuf> {
        let found = self.source.locate(path)?;
        Some(found.layer_path.join(found.path))
    }
}

impl GameKind {
    /// The absolute path of a mod's folder.
    pub fn mod_folder(self, root: &Path, folder: &Path) -> PathBuf {
        let name = folder.to_string_lossy();
        match self {
            Self::Quake => {
                let quake = QuakeFolders::of(root);
                let game = quake.map_or_else(|_| root.to_path_buf(), |quake| quake.game);
                below(&game, &name).unwrap_or_else(|| game.join(folder))
            }
            _ => absolute(folder),
        }
    }

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
            let mods = mods.iter().map(PathBuf::as_path);
            let quake = QuakeFolders::of(first)?;
            let folders = [&*quake.base].into_iter().chain(mods);
            return ArchiveSource::quake(&quake.game, folders).map_err(text);
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
    let others = others.iter().map(PathBuf::as_path);
    let mut paths = [first].into_iter().chain(others);
    paths.try_fold(ArchiveSource::new(), |source, path| match path.is_dir() {
        true => Ok(source.folder(path)),
        false => source.archive(path),
    })
}

/// The files of a game, with paths that begin with the game's root. Its archives are read once.
pub struct GameFiles {
    root: PathBuf,
    reader: Box<dyn ErasedAssetReader>,
}

impl GameFiles {
    pub fn of(game: &Game) -> Self {
        let mut builder = game.source.clone().into_builder();
        Self {
            root: game.root.clone(),
            reader: (builder.reader)(),
        }
    }

    /// The content of a file. `None` if the game does not have it, or it cannot be read.
    pub fn read(&self, path: &Path) -> Option<Result<Vec<u8>, String>> {
        let inside = self.inside(path)?;
        block_on(async {
            let mut reader = self.reader.read(inside).await.ok()?;
            let mut bytes = Vec::new();
            let read = reader.read_to_end(&mut bytes).await;
            Some(read.map(|_| bytes).map_err(|error| error.to_string()))
        })
    }

    /// The names of the files and folders in a folder. `None` if the game does not have it.
    pub fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let inside = self.inside(folder)?;
        block_on(async {
            let paths = self.reader.read_directory(inside).await.ok()?;
            let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_owned());
            Some(paths.filter_map(name).collect().await)
        })
    }

    /// Whether a path begins with the root of the game.
    pub fn contains(&self, path: &Path) -> bool {
        self.inside(path).is_some()
    }

    /// A path from the root of the game. `None` if it is a path of the disk.
    fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.root).ok()
    }
}

/// The index of the layer and the stored path of each file of a game: the lowest layer first.
pub fn stored_files(source: &ArchiveSource) -> Vec<(usize, String)> {
    let layers = source.layers().enumerate();
    let files = layers.flat_map(|(index, layer)| {
        let paths = match layer.format {
            Some(_) => entries(layer.path),
            None => loose_files(layer.path),
        };
        paths.into_iter().map(move |path| (index, path))
    });
    files.collect()
}

/// The paths in an archive, as they are stored. Archives that cannot be opened have been reported.
fn entries(archive: &Path) -> Vec<String> {
    let Ok(archive) = open_file(archive) else {
        return Vec::new();
    };
    let entries = archive.entries();
    let entries = entries.filter(|entry| !entry.is_shadowed() && entry.path_len() <= MAX_PATH);
    entries.map(|entry| entry.path().into_owned()).collect()
}

/// The paths of the files in a folder, with `/`.
fn loose_files(folder: &Path) -> Vec<String> {
    let files = files_below(folder).0;
    let files = files.iter().filter_map(|path| path.to_str());
    files.map(|path| path.replace('\\', "/")).collect()
}

/// The error of a game without models.
pub const NO_MODELS: &str = "the game has no models";

/// The maximum length of a path in bytes, that of Windows. A damaged archive can repeat a long name of a folder.
const MAX_PATH: usize = 260;

/// The paths of the models and particle systems in all layers, sorted without case.
///
/// As in lists of the asset source, names that an archive has are in lower case, and others as on the disk.
pub fn models(source: &ArchiveSource) -> Vec<String> {
    files(source, is_model)
}

/// The files of a game that a command line selects: exact paths, and patterns for the files that are `wanted`. Without paths,
/// all models. A path that selects nothing is returned unchanged, so that its use is an error.
pub fn select(
    source: &ArchiveSource,
    paths: &[PathBuf],
    wanted: fn(&Path) -> bool,
) -> Vec<PathBuf> {
    if paths.is_empty() {
        return models(source).into_iter().map(PathBuf::from).collect();
    }
    // Large games have 100,000 files, which are listed only for patterns.
    let mut listed = None;
    let mut known = HashSet::new();
    let mut selected = Vec::new();
    for path in paths {
        let mut matching = Vec::new();
        if source.locate(path).is_none()
            && let Some(text) = path.to_str()
        {
            let listed = listed.get_or_insert_with(|| files(source, wanted));
            let pattern = EntryPattern::new(text, listed.iter()).ok();
            let matches = listed
                .iter()
                .filter(|path| pattern.as_ref().is_some_and(|it| it.matches(path)));
            matching.extend(matches.map(PathBuf::from));
        }
        if matching.is_empty() {
            matching.push(path.clone());
        }
        selected.extend(matching.into_iter().filter(|path| known.insert(key(path))));
    }
    selected
}

/// A path as games compare paths.
pub fn key(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/").to_lowercase()
}

/// The paths of the files in all layers that are wanted.
fn files(source: &ArchiveSource, wanted: fn(&Path) -> bool) -> Vec<String> {
    let mut found = Found {
        wanted,
        files: BTreeMap::new(),
        archived_folders: HashSet::new(),
    };
    let (archives, folders): (Vec<_>, Vec<_>) =
        source.layers().partition(|layer| layer.format.is_some());
    archives
        .iter()
        .for_each(|layer| found.add_archive(layer.path));
    folders
        .iter()
        .for_each(|layer| found.add_folder(layer.path));
    let mut files: Vec<String> = found.files.into_values().collect();
    // Some games do not search all files of a folder.
    files.retain(|path| source.locate(path).is_some());
    files
}

struct Found {
    /// Whether a file is wanted, by its name.
    wanted: fn(&Path) -> bool,
    /// The paths of files, by the path in lower case.
    files: BTreeMap<String, String>,
    /// The folders of archives in lower case.
    archived_folders: HashSet<String>,
}

impl Found {
    fn add_archive(&mut self, path: &Path) {
        for path in entries(path) {
            let path = path.to_lowercase();
            let mut rest = &*path;
            while let Some((folder, _)) = rest.rsplit_once('/') {
                if !self.archived_folders.insert(folder.to_owned()) {
                    break;
                }
                rest = folder;
            }
            if (self.wanted)(Path::new(&path)) {
                self.files.entry(path.clone()).or_insert(path);
            }
        }
    }

    fn add_folder(&mut self, root: &Path) {
        let files = loose_files(root).into_iter();
        for text in files.filter(|path| (self.wanted)(Path::new(path))) {
            let path = self.listed(&text);
            self.files.entry(text.to_lowercase()).or_insert(path);
        }
    }

    /// A path whose folders are in lower case if an archive has them.
    fn listed(&self, path: &str) -> String {
        let ends = path.match_indices('/').map(|(end, _)| end);
        let is_archived = |end: &usize| {
            let folder = path.get(..*end).unwrap_or_default();
            self.archived_folders.contains(&folder.to_lowercase())
        };
        let end = ends.take_while(is_archived).last().unwrap_or(0);
        let (folders, rest) = path.split_at(end);
        folders.to_lowercase() + rest
    }
}

#[cfg(test)]
mod tests {
    use super::{models as models_of, select};
    use crate::file_format::is_model;
    use crate::paths::folder_with;
    use crate::paths::game::{Game, GameKind};
    use classic_models_fixtures::archives::{RezNode, meg, pak, rez};
    use classic_models_fixtures::pk3::{Pk3File, pk3};
    use std::path::{Path, PathBuf};

    const PARTICLES: &[u8] = &[0, 9, 0, 0, 0, 0, 0, 0];
    const MODEL: &[u8] = &[0, 2, 0, 0, 0, 0, 0, 0];

    fn models(kind: GameKind, paths: &[&Path], mods: &[&str]) -> Result<Vec<String>, String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mods: Vec<PathBuf> = mods.iter().map(PathBuf::from).collect();
        Ok(models_of(&Game::open(kind, &paths, &mods)?.source))
    }

    /// Asserts the models of a game in a folder, separated by spaces.
    #[track_caller]
    fn assert_models(kind: GameKind, paths: &[&Path], mods: &[&str], expected: &str) {
        let found = models(kind, paths, mods).map(|models| models.join(" "));
        assert_eq!(found.as_deref(), Ok(expected));
    }

    #[test]
    fn models_of_both_alamo_games_are_listed() {
        let list = |archive: &str| {
            format!("<Mega_Files><File> Data\\{archive} </File></Mega_Files>").into_bytes()
        };
        let base: [(&[u8], &[u8]); 2] = [
            (b"DATA\\ART\\A.ALO", MODEL),
            (b"DATA\\ART\\P.ALO", PARTICLES),
        ];
        let more: [(&[u8], &[u8]); 2] = [(b"DATA\\ART\\B.ALO", MODEL), (b"DATA\\ART\\B.TGA", b"x")];
        let folder = folder_with(&[
            ("GameData/Data/Base.meg", &meg(1, &base).bytes),
            ("GameData/Data/MegaFiles.xml", &list("Base.meg")),
            ("GameData/outside.alo", MODEL),
            ("corruption/Data/More.meg", &meg(1, &more).bytes),
            ("corruption/Data/MegaFiles.xml", &list("More.meg")),
            ("corruption/Data/Art/A.alo", MODEL),
            ("corruption/Data/Art/p2.alo", PARTICLES),
        ]);
        let root = folder.path();
        let foc = GameKind::ForcesOfCorruption;
        let both = "data/art/a.alo data/art/b.alo data/art/p.alo data/art/p2.alo";
        let [expansion, game] = ["corruption", "GameData"].map(|name| root.join(name));
        for paths in [&[root][..], &[&*expansion], &[&*expansion, &*game]] {
            assert_models(foc, paths, &[], both);
        }
        let base = "data/art/a.alo data/art/p.alo outside.alo";
        assert_models(GameKind::EmpireAtWar, &[root], &[], base);
        let error = models(foc, &[&root.join("GameData/Data")], &[]).unwrap_err();
        assert!(error.contains("Empire at War"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_without_a_target_and_special_files_are_not_listed() {
        use std::os::unix::fs::symlink;
        let folder = folder_with(&[("a.mdl", b"x"), ("id1/notes.txt", b"x")]);
        let root = folder.path();
        symlink(root.join("a.mdl"), root.join("id1/linked.mdl")).unwrap();
        symlink(root.join("missing"), root.join("id1/dangling.mdl")).unwrap();
        // Reading it would block.
        let pipe = root.join("id1/pipe.alo");
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
        assert_models(GameKind::Quake, &[root], &[], "linked.mdl");
    }

    #[test]
    fn mods_of_quake_are_listed() {
        let archive = pak(&[(b"progs/a.mdl", b"x"), (b"progs/a.wav", b"x")], 0);
        let folder = folder_with(&[
            ("ID1/PAK0.PAK", &archive.bytes),
            ("ID1/progs/Loose.mdl", b"x"),
            ("mymod/pak0.pak", &pak(&[(b"progs/b.mdl", b"x")], 0).bytes),
        ]);
        let (root, quake) = (folder.path(), GameKind::Quake);
        assert_models(quake, &[root], &[], "progs/a.mdl progs/Loose.mdl");
        let all = "progs/a.mdl progs/b.mdl progs/Loose.mdl";
        assert_models(quake, &[root], &["mymod"], all);
        assert!(models(quake, &[root], &["missing"]).is_err());
        assert!(models(quake, &[root, root], &[]).is_err());
        assert!(models(quake, &[], &[]).is_err());
    }

    #[test]
    fn base_folders_of_quake_have_any_name() {
        let zip = pk3(&[Pk3File::deflated(b"Progs/Z.mdl", b"x")]);
        let folder = folder_with(&[
            ("lq1/pak0.pak", &pak(&[(b"progs/a.mdl", b"x")], 0).bytes),
            ("lq1/extra.pk3", &zip.bytes),
            ("mymod/progs/m.mdl", b"x"),
        ]);
        let (root, quake) = (folder.path(), GameKind::Quake);
        for path in [root, &root.join("lq1")] {
            assert_models(quake, &[path], &[], "progs/a.mdl progs/z.mdl");
            let all = "progs/a.mdl progs/m.mdl progs/z.mdl";
            assert_models(quake, &[path], &["MyMod"], all);
        }
        assert_models(quake, &[&root.join("mymod")], &[], "progs/m.mdl");
        let error = models(quake, &[&root.join("mymod/progs")], &[]).unwrap_err();
        assert!(error.contains("no folder id1 or lq1"), "{error}");
    }

    #[test]
    fn layers_of_lithtech_games_are_listed() {
        let file = RezNode::File(b"A", "ABC", b"x");
        let nodes = [RezNode::Folder("MODELS", vec![file])];
        let folder = folder_with(&[("a.rez", &rez(&nodes).bytes), ("custom/Models/B.abc", b"x")]);
        let [archive, custom, missing] =
            ["a.rez", "custom", "missing.rez"].map(|name| folder.path().join(name));
        let lithtech = GameKind::Lithtech;
        let all = "models/a.abc models/B.abc";
        assert_models(lithtech, &[&archive, &custom], &[], all);
        assert!(models(lithtech, &[&archive, &missing], &[]).is_err());
        assert!(models(lithtech, &[&archive], &["mod"]).is_err());
    }

    #[test]
    fn paths_and_patterns_select_files() {
        let files: [(&[u8], &[u8]); 3] = [
            (b"progs/a.mdl", b"x"),
            (b"progs/b.mdl", b"x"),
            (b"gfx/c.lmp", b"x"),
        ];
        let folder = folder_with(&[
            ("id1/pak0.pak", &pak(&files, 0).bytes),
            ("id1/Progs/D.mdl", b"x"),
        ]);
        let game = Game::open(GameKind::Quake, &[folder.path().to_path_buf()], &[]).unwrap();
        let all = "progs/a.mdl progs/b.mdl progs/D.mdl";
        for (paths, expected) in [
            (&[][..], all),
            (&["PROGS"], all),
            // An exact path can be of any file, and each file is selected once.
            (
                &["gfx/C.lmp", "B.*", "*.mdl"],
                "gfx/C.lmp progs/b.mdl progs/a.mdl progs/D.mdl",
            ),
            (&["gfx", "[", "*.abc"], "gfx [ *.abc"),
        ] {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            let selected = select(&game.source, &paths, is_model).into_iter();
            let selected = selected.map(|path| path.display().to_string());
            assert_eq!(selected.collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn models_of_aftermath_are_listed() {
        let samples = classic_models_support::samples().join("archives");
        assert_models(GameKind::Aftermath, &[&samples], &[], "models/courier.lgw");
    }

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
