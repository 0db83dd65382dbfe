//! The models of a game: those of its archives and folders. It must not use the viewer's state.

use crate::archive_file::open_file;
use crate::view::files::is_model;
use bevy_classic_models::archive::ArchiveSource;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The maximum depth of folders that are searched for models.
const MAX_DEPTH: usize = 16;

/// The maximum length of a model's path in bytes, that of Windows. A damaged archive can repeat a long name of a folder.
const MAX_PATH: usize = 260;

/// The paths of the models and particle systems in all layers, sorted without case.
///
/// As in lists of the asset source, names that an archive has are in lower case, and others as on the disk.
pub fn models(source: &ArchiveSource) -> Vec<String> {
    let mut found = Found::default();
    let layers = || source.layers();
    for layer in layers().filter(|layer| layer.format.is_some()) {
        found.add_archive(layer.path);
    }
    for layer in layers().filter(|layer| layer.format.is_none()) {
        found.add_folder(layer.path, Path::new(""), 0);
    }
    let mut models: Vec<String> = found.models.into_values().collect();
    // Some games do not search all files of a folder.
    models.retain(|path| source.locate(path).is_some());
    models
}

#[derive(Default)]
struct Found {
    /// The paths of models, by the path in lower case.
    models: BTreeMap<String, String>,
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
            if is_model(Path::new(&path)) {
                self.models.entry(path.clone()).or_insert(path);
            }
        }
    }

    /// Adds the models in `root/folder` and its folders. Links to folders are not followed, because they can be cyclic.
    fn add_folder(&mut self, root: &Path, folder: &Path, depth: usize) {
        let entries = root.join(folder).read_dir().into_iter().flatten().flatten();
        for entry in entries {
            let path = folder.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth < MAX_DEPTH {
                    self.add_folder(root, &path, depth + 1);
                }
                continue;
            }
            // Reading a pipe could block.
            let is_file = || entry.path().is_file();
            let Some(text) = path.to_str().filter(|_| is_model(&path) && is_file()) else {
                continue;
            };
            let text = text.replace('\\', "/");
            let path = self.listed(&text);
            self.models.entry(text.to_lowercase()).or_insert(path);
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
    use super::models as models_of;
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
    fn models_of_aftermath_are_listed() {
        let samples = classic_models_support::samples().join("archives");
        let found = models(GameKind::Aftermath, &[&samples], &[]).unwrap();
        assert_eq!(found, ["models/courier.lgw"]);
    }
}
