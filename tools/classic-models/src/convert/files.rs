//! Finds the files that models name, as the loaders do: in any case, in the folders that the games used.
//!
//! Paths are of files on the disk, of entries of archives, `ARCHIVE/entry`, or of files of a game, which begin with its folder.
//! Folders and archives are listed once per run.

use crate::convert::options::Options;
use crate::file_format::has_extension;
use crate::paths::archive_file::{self, Location, open_file};
use crate::paths::game::{GameFiles, NOT_FOUND};
use bevy_classic_models::alamo::animation_name;
use bevy_classic_models::lithtech::skin_candidate_paths;
use bevy_classic_models::load::as_texture;
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The count of folders above a model's own in which files are searched by a path such as `textures/a.tga`.
const ANCESTORS: usize = 8;

/// The names in a folder by their lower case.
type Names = BTreeMap<String, String>;

/// The folders of an archive, by path in lower case.
type ArchiveFolders = HashMap<String, Names>;

/// The listings of folders and archives.
#[derive(Default)]
pub struct Files {
    game: Option<GameFiles>,
    folders: Mutex<HashMap<PathBuf, Arc<Names>>>,
    archives: Mutex<HashMap<PathBuf, Arc<ArchiveFolders>>>,
}

impl Files {
    /// Files of which those of a game are searched in all its archives and folders.
    pub fn of_game(game: GameFiles) -> Self {
        Self {
            game: Some(game),
            ..Self::default()
        }
    }

    /// Reads a file, or an entry of an archive.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        let game = self.game.as_ref();
        if let Some(read) = game.and_then(|game| game.read(path)) {
            return read;
        }
        archive_file::read(path).map_err(|error| match game {
            Some(game) if game.contains(path) => NOT_FOUND.to_owned(),
            _ => error.to_string(),
        })
    }

    /// A texture that a model names. Its extension may be another one.
    pub fn texture(&self, model: &Path, name: &str, options: &Options) -> Option<PathBuf> {
        let model = &absolute(model);
        let whole = parts(name);
        let bare = whole.last().cloned().into_iter().collect::<Vec<_>>();
        for folder in self.texture_folders(model, &options.textures) {
            for parts in [&whole, &bare] {
                if let Some(found) = self.image(&folder, parts) {
                    return Some(found);
                }
            }
        }
        // A path from the folder of the game, which is not known.
        let ancestors = model.ancestors().skip(2).take(ANCESTORS);
        let mut ancestors = ancestors.filter(|_| whole.len() > 1);
        ancestors.find_map(|folder| self.image(folder, &whole))
    }

    /// The folders in which a model's textures are searched, in order. The path of the model is absolute.
    fn texture_folders(&self, model: &Path, more: &[PathBuf]) -> Vec<PathBuf> {
        let own = model.parent().unwrap_or(model).to_path_buf();
        let sibling = own.parent().and_then(|it| self.entry(it, "Textures"));
        let mut folders = vec![own];
        folders.extend(sibling);
        folders.extend(more.iter().cloned());
        folders
    }

    /// An image of this name, or with the extension of another format.
    fn image(&self, folder: &Path, parts: &[String]) -> Option<PathBuf> {
        let (name, above) = parts.split_last()?;
        let folder = self.folder(folder, above)?;
        let names = as_texture(Path::new(name)).into_iter();
        let mut found = names.filter_map(|name| self.entry(&folder, name.to_str()?));
        found.next()
    }

    /// The skin of a LithTech model: the one of the options, otherwise at the games' conventional paths.
    pub fn skin(&self, model: &Path, options: &Options) -> Option<PathBuf> {
        if let Some(skin) = &options.skin {
            return Some(skin.clone());
        }
        let folders = options.textures.iter();
        let folders = folders.filter_map(|folder| std::path::absolute(folder).ok());
        let name = model.file_stem()?.to_string_lossy().into_owned();
        let beside = skin_candidate_paths(&absolute(model), &[]);
        let others = folders.map(|folder| folder.join(format!("{name}.dtx")));
        let candidates: Vec<PathBuf> = beside.into_iter().chain(others).collect();
        candidates.iter().find_map(|path| self.find(path))
    }

    /// The animations of an Alamo model, by name: files in its folder and in the folders of the options.
    pub fn animations(&self, model: &Path, options: &Options) -> BTreeMap<String, PathBuf> {
        let stem = |name: &str| {
            let stem = Path::new(name).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let own = stem(&model.to_string_lossy());
        let beside = model.parent().unwrap_or(Path::new("")).to_path_buf();
        let folders: Vec<PathBuf> = [beside]
            .into_iter()
            .chain(options.animations.iter().cloned())
            .collect();
        let names = |extension: &'static str| {
            folders.iter().flat_map(move |folder| {
                let names = self.list(folder);
                let names: Vec<String> = names
                    .values()
                    .filter(|name| has_extension(Path::new(name), extension))
                    .cloned()
                    .collect();
                names.into_iter().map(|name| (folder.join(&name), name))
            })
        };
        let models: Vec<String> = names("alo").map(|(_, name)| stem(&name)).collect();
        let mut found = BTreeMap::new();
        for (path, name) in names("ala") {
            if let Some(name) = animation_name(&stem(&name), &own, &models) {
                found.entry(name).or_insert(path);
            }
        }
        found
    }

    /// A file in the folder of a model.
    pub fn beside(&self, model: &Path, name: &str) -> Option<PathBuf> {
        self.entry(model.parent().unwrap_or(Path::new("")), name)
    }

    /// The file with this path in any case. Only folders of the path that do not exist are searched in any case.
    fn find(&self, path: &Path) -> Option<PathBuf> {
        let existing = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.as_os_str().is_empty() || folder.is_dir() || folder.is_file())?;
        let rest = path.strip_prefix(existing).ok()?;
        let parts: Vec<String> = rest
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let (name, above) = parts.split_last()?;
        let folder = self.folder(existing, above)?;
        self.entry(&folder, name)
    }

    /// A folder below another one.
    fn folder(&self, base: &Path, parts: &[String]) -> Option<PathBuf> {
        parts
            .iter()
            .try_fold(base.to_path_buf(), |folder, part| self.entry(&folder, part))
    }

    /// A file or a folder in a folder, in any case.
    fn entry(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        let name = self.list(folder).get(&name.to_lowercase()).cloned()?;
        Some(folder.join(name))
    }

    /// The names in a folder of the disk or of an archive; empty if it cannot be listed.
    fn list(&self, folder: &Path) -> Arc<Names> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = folders.get(folder) {
            return names.clone();
        }
        let names = Arc::new(self.read_names(folder));
        folders.insert(folder.to_path_buf(), names.clone());
        names
    }

    fn read_names(&self, folder: &Path) -> Names {
        if let Some(names) = self.game.as_ref().and_then(|game| game.names(folder)) {
            return by_lower_case(names.into_iter());
        }
        let on_disk = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        if on_disk.is_dir() {
            let entries = std::fs::read_dir(on_disk).into_iter().flatten();
            let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            return by_lower_case(names);
        }
        let (archive, inside) = match archive_file::locate(folder) {
            Ok(Location::Entry { archive, entry }) => (archive, entry),
            Ok(Location::File) => (folder.to_path_buf(), String::new()),
            Err(_) => return Names::new(),
        };
        let folders = self.archive(&archive);
        folders
            .get(&inside.to_lowercase())
            .cloned()
            .unwrap_or_default()
    }

    fn archive(&self, path: &Path) -> Arc<ArchiveFolders> {
        let mut archives = self.archives.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folders) = archives.get(path) {
            return folders.clone();
        }
        let folders = Arc::new(archive_folders(path));
        archives.insert(path.to_path_buf(), folders.clone());
        folders
    }
}

/// The names by lower case. Of names that differ only in case, the first in sort order is used.
fn by_lower_case(names: impl Iterator<Item = String>) -> Names {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    let mut by_lower_case = Names::new();
    for name in names {
        by_lower_case.entry(name.to_lowercase()).or_insert(name);
    }
    by_lower_case
}

fn archive_folders(path: &Path) -> ArchiveFolders {
    let mut folders = ArchiveFolders::new();
    let Ok(archive) = open_file(path) else {
        return folders;
    };
    for entry in archive.entries() {
        let path = entry.path();
        let mut rest: &str = &path;
        loop {
            let (folder, name) = rest.rsplit_once('/').unwrap_or(("", rest));
            let names = folders.entry(folder.to_lowercase()).or_default();
            names.entry(name.to_lowercase()).or_insert(name.to_owned());
            if folder.is_empty() {
                break;
            }
            rest = folder;
        }
    }
    folders
}

/// The parts of a Windows path, without drives, `.` and `..`.
fn parts(name: &str) -> Vec<String> {
    let part = |part: &str| {
        let part = part.rsplit(':').next().unwrap_or_default();
        part.trim_end_matches(['.', ' ']).to_owned()
    };
    let parts = name.split(['/', '\\']).map(part);
    parts.filter(|part| !part.is_empty()).collect()
}

/// The absolute path of a model, so that all folders above it are known. `..` is resolved by the disk.
fn absolute(model: &Path) -> PathBuf {
    let has_parents = model.components().any(|it| it == Component::ParentDir);
    match std::path::absolute(model) {
        Ok(absolute) if !has_parents => absolute,
        _ => archive_file::absolute(model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::options::parse;
    use crate::paths::folder_with;

    #[test]
    fn textures_are_found_in_any_case_and_format() {
        let root = folder_with(&[
            ("Art/Models/own.tga", b""),
            ("Art/TEXTURES/Hull.DDS", b""),
            ("Art/TEXTURES/sub/wing.dds", b""),
            ("more/glass.tga", b""),
        ]);
        let root = root.path();
        let model = root.join("Art/Models/ship.alo");
        let more = root.join("more").display().to_string();
        let options = parse(&["--textures", &more]);
        let files = Files::default();
        for (name, expected) in [
            ("OWN.TGA", Some("Art/Models/own.tga")),
            ("w:\\art\\hull.tga", Some("Art/TEXTURES/Hull.DDS")),
            ("hull", Some("Art/TEXTURES/Hull.DDS")),
            ("textures\\sub\\wing.tga", Some("Art/TEXTURES/sub/wing.dds")),
            ("glass.dds", Some("more/glass.tga")),
            ("missing.tga", None),
            ("..", None),
        ] {
            let found = files.texture(&model, name, &options);
            let expected = expected.map(|path| root.join(path));
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn skins_and_animations_are_found_by_the_games_rules() {
        let root = folder_with(&[
            ("REZ/MODELS/Chars/hero.abc", b""),
            ("REZ/SKINS/CHARS/HERO.DTX", b""),
            ("Models/Tank.alo", b""),
            ("Models/Tank_Heavy.alo", b""),
            ("Models/TANK_MOVE_00.ALA", b""),
            ("Models/Tank_Heavy_Die_00.ala", b""),
        ]);
        let root = root.path();
        let files = Files::default();
        let options = parse(&[]);
        let skin = files.skin(&root.join("REZ/MODELS/Chars/hero.abc"), &options);
        assert_eq!(skin, Some(root.join("REZ/SKINS/CHARS/HERO.DTX")));
        let clips = files.animations(&root.join("Models/Tank.alo"), &options);
        let expected = [("MOVE_00".to_owned(), root.join("Models/TANK_MOVE_00.ALA"))];
        assert_eq!(clips, BTreeMap::from(expected));
    }
}
