//! The models and other files of a game: those of its archives and folders. It must not read their content.

use crate::archive_file::open_file;
use crate::entry_pattern::EntryPattern;
use crate::file_format::is_model;
use crate::paths::files_below;
use bevy_classic_models::archive::ArchiveSource;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

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
fn key(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/").to_lowercase()
}

/// The paths of the files in all layers that are wanted.
fn files(source: &ArchiveSource, wanted: fn(&Path) -> bool) -> Vec<String> {
    let mut found = Found {
        wanted,
        files: BTreeMap::new(),
        archived_folders: HashSet::new(),
    };
    let layers = || source.layers();
    for layer in layers().filter(|layer| layer.format.is_some()) {
        found.add_archive(layer.path);
    }
    for layer in layers().filter(|layer| layer.format.is_none()) {
        found.add_folder(layer.path);
    }
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
        // The source has reported archives that cannot be opened.
        let Ok(archive) = open_file(path) else {
            return;
        };
        for entry in archive.entries() {
            if entry.is_shadowed() || entry.path_len() > MAX_PATH {
                continue;
            }
            let path = entry.path().to_lowercase();
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
        for path in files_below(root)
            .0
            .into_iter()
            .filter(|path| (self.wanted)(path))
        {
            let Some(text) = path.to_str() else {
                continue;
            };
            let text = text.replace('\\', "/");
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
    use crate::game::{Game, GameKind};
    use classic_models_fixtures::archives::{RezNode, meg, pak, rez};
    use std::fs::{create_dir_all, write};
    use std::path::{Path, PathBuf};

    const PARTICLES: &[u8] = &[0, 9, 0, 0, 0, 0, 0, 0];
    const MODEL: &[u8] = &[0, 2, 0, 0, 0, 0, 0, 0];

    fn models(kind: GameKind, paths: &[&Path], mods: &[&str]) -> Result<Vec<String>, String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mods: Vec<PathBuf> = mods.iter().map(PathBuf::from).collect();
        Ok(models_of(&Game::open(kind, &paths, &mods)?.source))
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
            "data/art/a.alo",
            "data/art/b.alo",
            "data/art/p.alo",
            "data/art/p2.alo",
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
        assert_eq!(found, ["models/a.abc", "models/B.abc"]);
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
    fn paths_and_patterns_select_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        create_dir_all(root.join("id1/Progs")).unwrap();
        let files: [(&[u8], &[u8]); 3] = [
            (b"progs/a.mdl", b"x"),
            (b"progs/b.mdl", b"x"),
            (b"gfx/c.lmp", b"x"),
        ];
        write(root.join("id1/pak0.pak"), pak(&files, 0).bytes).unwrap();
        write(root.join("id1/Progs/D.mdl"), "x").unwrap();
        let game = Game::open(GameKind::Quake, &[root.to_path_buf()], &[]).unwrap();
        let selected = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            let selected = select(&game.source, &paths, is_model).into_iter();
            let selected = selected.map(|path| path.display().to_string());
            selected.collect::<Vec<_>>().join(" ")
        };
        let all = "progs/a.mdl progs/b.mdl progs/D.mdl";
        assert_eq!(selected(&[]), all);
        assert_eq!(selected(&["PROGS"]), all);
        // An exact path can be of any file, and each file is selected once.
        assert_eq!(
            selected(&["gfx/C.lmp", "B.*", "*.mdl"]),
            "gfx/C.lmp progs/b.mdl progs/a.mdl progs/D.mdl"
        );
        assert_eq!(selected(&["gfx", "[", "*.abc"]), "gfx [ *.abc");
    }

    #[test]
    fn models_of_aftermath_are_listed() {
        let samples = classic_models_support::samples().join("archives");
        let found = models(GameKind::Aftermath, &[&samples], &[]).unwrap();
        assert_eq!(found, ["models/courier.lgw"]);
    }
}
