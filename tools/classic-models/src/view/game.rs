//! Games of the command line: their archives and folders as one asset source, and the models in it. It must not use the
//! viewer's state.

use crate::archive_file::{absolute, open_file};
use crate::view::files::is_model;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum depth of folders that are searched for models.
const MAX_DEPTH: usize = 16;

/// The maximum length of a model's path in bytes, that of Windows. A damaged archive can repeat a long name of a folder.
const MAX_PATH: usize = 260;

/// A game whose archives and folders are searched in its own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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

/// An opened game.
#[derive(Debug)]
pub struct Game {
    /// The first path of the command line. Paths of the game's files begin with it.
    pub root: PathBuf,
    pub source: ArchiveSource,
    /// The paths of all models and particle systems, sorted. Those in archives are in lower case.
    pub models: Vec<String>,
}

impl Game {
    /// Opens a game and lists its models.
    ///
    /// # Errors
    /// If a path does not have what the game needs, or cannot be read.
    pub fn open(kind: GameKind, paths: &[PathBuf], mods: &[PathBuf]) -> Result<Self, String> {
        let first = paths.first().ok_or("--game needs the folder of the game")?;
        let source = open_source(kind, first, paths.get(1..).unwrap_or_default(), mods)?;
        let models = models(&source);
        Ok(Self {
            root: absolute(first),
            source,
            models,
        })
    }
}

fn open_source(
    kind: GameKind,
    first: &Path,
    others: &[PathBuf],
    mods: &[PathBuf],
) -> Result<ArchiveSource, String> {
    let text = |error: ArchiveSourceError| error.to_string();
    let others_allowed = match kind {
        GameKind::Lithtech => usize::MAX,
        GameKind::ForcesOfCorruption => 1,
        _ => 0,
    };
    if let Some(other) = others.get(others_allowed) {
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

/// The paths of the models in all layers, sorted without case.
fn models(source: &ArchiveSource) -> Vec<String> {
    // By the path in lower case. The spelling of a folder replaces that of an archive.
    let mut models = BTreeMap::new();
    for layer in source.layers() {
        match layer.format {
            Some(_) => add_archive(layer.path, &mut models),
            None => add_folder(layer.path, Path::new(""), 0, &mut models),
        }
    }
    let mut models: Vec<String> = models.into_values().collect();
    // Some games do not search all files of a folder.
    models.retain(|path| source.locate(path).is_some());
    models
}

fn add_archive(path: &Path, models: &mut BTreeMap<String, String>) {
    // The source has reported archives that cannot be opened.
    let Ok(archive) = open_file(path) else {
        return;
    };
    for entry in archive.entries() {
        if entry.is_shadowed() || entry.path_len() > MAX_PATH {
            continue;
        }
        let path = entry.path().to_lowercase();
        if is_model(Path::new(&path)) {
            models.entry(path.clone()).or_insert(path);
        }
    }
}

/// Adds the models in `root/folder` and its folders. Links to folders are not followed, because they can be cyclic.
fn add_folder(root: &Path, folder: &Path, depth: usize, models: &mut BTreeMap<String, String>) {
    let entries = root.join(folder).read_dir().into_iter().flatten().flatten();
    for entry in entries {
        let path = folder.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth < MAX_DEPTH {
                add_folder(root, &path, depth + 1, models);
            }
            continue;
        }
        // Reading a pipe could block.
        let is_file = || entry.path().is_file();
        let Some(text) = path.to_str().filter(|_| is_model(&path) && is_file()) else {
            continue;
        };
        let text = text.replace('\\', "/");
        models.insert(text.to_lowercase(), text);
    }
}

#[cfg(test)]
mod tests {
    use super::{Game, GameKind};
    use classic_models_fixtures::archives::{RezNode, meg, pak, rez};
    use std::fs::{create_dir_all, write};
    use std::path::{Path, PathBuf};

    const PARTICLES: &[u8] = &[0, 9, 0, 0, 0, 0, 0, 0];
    const MODEL: &[u8] = &[0, 2, 0, 0, 0, 0, 0, 0];

    fn models(kind: GameKind, paths: &[&Path], mods: &[&str]) -> Result<Vec<String>, String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mods: Vec<PathBuf> = mods.iter().map(PathBuf::from).collect();
        Ok(Game::open(kind, &paths, &mods)?.models)
    }

    #[test]
    fn models_of_both_alamo_games_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (game, archive, files) in [
            (
                "GameData",
                "Base.meg",
                [
                    (&b"DATA\\ART\\A.ALO"[..], MODEL),
                    (&b"DATA\\ART\\P.ALO"[..], PARTICLES),
                ],
            ),
            (
                "corruption",
                "More.meg",
                [
                    (&b"DATA\\ART\\B.ALO"[..], MODEL),
                    (&b"DATA\\ART\\B.TGA"[..], &b"x"[..]),
                ],
            ),
        ] {
            let data = root.join(game).join("Data");
            create_dir_all(data.join("Art")).unwrap();
            write(data.join(archive), meg(1, &files).bytes).unwrap();
            let list = format!("<Mega_Files><File> Data\\{archive} </File></Mega_Files>");
            write(data.join("MegaFiles.xml"), list).unwrap();
        }
        write(root.join("corruption/Data/Art/A.alo"), MODEL).unwrap();
        write(root.join("corruption/Data/Art/p2.alo"), PARTICLES).unwrap();
        write(root.join("GameData/outside.alo"), MODEL).unwrap();
        let both = [
            "Data/Art/A.alo",
            "data/art/b.alo",
            "data/art/p.alo",
            "Data/Art/p2.alo",
        ];
        let both = both.map(str::to_owned).to_vec();
        let foc = GameKind::ForcesOfCorruption;
        assert_eq!(models(foc, &[root], &[]), Ok(both.clone()));
        assert_eq!(
            models(foc, &[&root.join("corruption")], &[]),
            Ok(both.clone())
        );
        let paths = [root.join("corruption"), root.join("GameData")];
        assert_eq!(models(foc, &[&paths[0], &paths[1]], &[]), Ok(both));
        let base = ["data/art/a.alo", "data/art/p.alo", "outside.alo"];
        let base = base.map(str::to_owned).to_vec();
        assert_eq!(models(GameKind::EmpireAtWar, &[root], &[]), Ok(base));
        let error = models(foc, &[&root.join("GameData/Data")], &[]).unwrap_err();
        assert!(error.contains("Empire at War"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_without_a_target_and_special_files_are_not_listed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        create_dir_all(root.join("id1")).unwrap();
        write(root.join("a.mdl"), "x").unwrap();
        symlink(root.join("a.mdl"), root.join("id1/linked.mdl")).unwrap();
        symlink(root.join("missing"), root.join("id1/dangling.mdl")).unwrap();
        // Reading it would block.
        let pipe = root.join("id1/pipe.alo");
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(
            models(GameKind::Quake, &[root], &[]),
            Ok(vec!["linked.mdl".to_owned()])
        );
    }

    #[test]
    fn mods_of_quake_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        create_dir_all(root.join("ID1/progs")).unwrap();
        create_dir_all(root.join("mymod")).unwrap();
        write(
            root.join("ID1/PAK0.PAK"),
            pak(&[(b"progs/a.mdl", b"x"), (b"progs/a.wav", b"x")], 0).bytes,
        )
        .unwrap();
        write(root.join("ID1/progs/Loose.mdl"), "x").unwrap();
        write(
            root.join("mymod/pak0.pak"),
            pak(&[(b"progs/b.mdl", b"x")], 0).bytes,
        )
        .unwrap();
        let id1 = ["progs/a.mdl", "progs/Loose.mdl"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(models(GameKind::Quake, &[root], &[]), Ok(id1));
        let found = models(GameKind::Quake, &[root], &["mymod"]).unwrap();
        assert_eq!(found, ["progs/a.mdl", "progs/b.mdl", "progs/Loose.mdl"]);
        assert!(models(GameKind::Quake, &[root], &["missing"]).is_err());
        assert!(models(GameKind::Quake, &[root, root], &[]).is_err());
        assert!(models(GameKind::Quake, &[], &[]).is_err());
    }

    #[test]
    fn layers_of_lithtech_games_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let nodes = [RezNode::Folder(
            "MODELS",
            vec![RezNode::File(b"A", "ABC", b"x")],
        )];
        write(root.join("a.rez"), rez(&nodes).bytes).unwrap();
        create_dir_all(root.join("custom/Models")).unwrap();
        write(root.join("custom/Models/B.abc"), "x").unwrap();
        let (archive, custom) = (root.join("a.rez"), root.join("custom"));
        let found = models(GameKind::Lithtech, &[&archive, &custom], &[]).unwrap();
        assert_eq!(found, ["models/a.abc", "Models/B.abc"]);
        assert!(
            models(
                GameKind::Lithtech,
                &[&archive, &root.join("missing.rez")],
                &[]
            )
            .is_err()
        );
        assert!(models(GameKind::Lithtech, &[&archive], &["mod"]).is_err());
    }

    #[test]
    fn models_of_aftermath_are_listed() {
        let samples = classic_models_support::samples().join("archives");
        let found = models(GameKind::Aftermath, &[&samples], &[]).unwrap();
        assert_eq!(found, ["models/courier.lgw"]);
    }
}
