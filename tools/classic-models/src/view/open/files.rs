//! Maps files of the command line to asset paths, and asset paths to files. Finds files that belong to others: models of
//! animations, and skins of models.

use crate::file_format::{has_extension, is_manifest, is_model};
use crate::paths::archive_file::{self, ArchiveError, absolute, siblings};
use crate::paths::disk::samples;
use crate::paths::disk_source::DiskSource;
use bevy::asset::AssetPath;
use bevy::asset::io::AssetSourceId;
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::is_particle_system;
use bevy_classic_models::alamo::particles::plugins::is_plugin_system;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Palette;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many folders above a model are searched for the game's root folder.
const FOLDERS_ABOVE: usize = 6;

/// The assets folder, and folders of files outside of it, which are in an asset source too, so that textures beside a model
/// are found: with the parent of its folder, or of the folder `Models`, where `Textures` or `Skins` are.
#[derive(Resource, Clone)]
pub struct Folders {
    pub assets: PathBuf,
    /// The archives and the game.
    pub disk: DiskSource,
    /// Additional folders of textures.
    textures: Vec<PathBuf>,
    /// Names of the `.dtx` files that were given. Their folders are among the texture folders.
    pub skins: Vec<String>,
    /// The palette of Quake models.
    palette: Option<PathBuf>,
    /// The palette index of holes in Quake models.
    pub hole_index: Option<u8>,
    /// Whether images replace the skins of Quake models.
    pub external_skins: bool,
}

impl Folders {
    /// The folders of `files`, and additional folders of textures. The archives and the game of the files are in `disk`.
    pub fn of(files: &[PathBuf], textures: &[PathBuf], disk: DiskSource) -> Self {
        let mut folders = Self {
            assets: absolute(&samples()),
            disk,
            textures: textures.iter().map(|folder| absolute(folder)).collect(),
            skins: Vec::new(),
            palette: None,
            hole_index: None,
            external_skins: false,
        };
        for file in files.iter().filter(|file| has_extension(file, "dtx")) {
            let file = absolute(file);
            let name = file.file_name().unwrap_or_default();
            folders.skins.push(name.to_string_lossy().into_owned());
            folders
                .textures
                .extend(file.parent().map(Path::to_path_buf));
        }
        folders
    }

    /// Sets the palette of Quake models.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn set_palette(&mut self, file: &Path) -> Result<(), String> {
        let path = absolute(file);
        let text = |error: String| format!("palette {}: {error}", file.display());
        let bytes = self.read(&path).map_err(|error| text(error.to_string()))?;
        Palette::parse(&bytes).map_err(|error| text(error.to_string()))?;
        self.palette = Some(path);
        Ok(())
    }

    /// The asset path of the palette of Quake models.
    pub fn palette(&self) -> Option<String> {
        let file = self.palette.as_ref()?;
        let archived = self.disk.archived_path(file);
        let path = archived.or_else(|| self.disk.path(file.parent()?, file));
        path.map(|path| path.to_string())
    }

    /// Opens the archive of a path of the form `ARCHIVE/entry`, unless a game has the file. Other paths need no archive.
    ///
    /// # Errors
    /// If the archive cannot be opened.
    pub fn open_archive_of(&self, path: &Path) -> Result<(), String> {
        if self.disk.archived_path(&absolute(path)).is_some() {
            return Ok(());
        }
        self.disk
            .open_archives([path])
            .map_err(|error| error.to_string())
    }

    /// Registers the asset sources. Call it before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        self.disk.register(app);
        app.insert_resource(self.clone());
    }

    /// The additional texture folders of a model, for the loader settings, with the root of the model's archive.
    pub fn texture_folders(&self, model: &Path) -> Vec<String> {
        let path = |folder: &PathBuf| match self.disk.archived_path(folder) {
            Some(path) => path.path().to_string_lossy().into_owned(),
            None => self.disk.number(folder).to_string(),
        };
        let root = self.disk.archive_root(model);
        self.textures.iter().map(path).chain(root).collect()
    }

    /// The folders above a file, for the loader settings, the nearest first. Empty for a file in the assets folder or in an
    /// archive, whose roots are searched anyway.
    pub fn above(&self, file: &Path) -> Vec<String> {
        let is_default = *self.asset_path(file).source() == AssetSourceId::Default;
        let is_rooted = is_default || self.disk.archive_root(file).is_some();
        let folders = file.ancestors().skip(1).filter(|_| !is_rooted);
        let number = |folder: &Path| self.disk.number(folder).to_string();
        folders.take(FOLDERS_ABOVE).map(number).collect()
    }

    /// The asset path of a file. Its name may contain any characters, `#` too.
    pub fn asset_path(&self, file: &Path) -> AssetPath<'static> {
        if let Some(path) = self.disk.archived_path(file) {
            return path;
        }
        // The loaders search for textures only in the model's asset source.
        let elsewhere = !self.textures.is_empty() && !has_extension(file, "mdl");
        let inside = file.strip_prefix(&self.assets).ok();
        let inside = inside.filter(|_| !elsewhere).map(Path::to_path_buf);
        let path = inside.map(AssetPath::from_path_buf);
        path.or_else(|| self.disk_path(file)).unwrap_or_default()
    }

    /// Reads a file, an entry of an archive, or a file of the game.
    ///
    /// # Errors
    /// If it does not exist or cannot be read.
    pub fn read(&self, file: &Path) -> Result<Vec<u8>, ArchiveError> {
        archive_file::read(&self.disk.stored(file))
    }

    /// The file of an asset path that [`asset_path`](Self::asset_path) returned.
    pub fn file_of(&self, path: &AssetPath) -> Option<PathBuf> {
        match path.source() {
            AssetSourceId::Default => Some(self.assets.join(path.path())),
            _ => self.disk.file(path),
        }
    }

    /// The asset path of a file whose textures are in a sibling of its folder, relative to the parent of both.
    fn disk_path(&self, file: &Path) -> Option<AssetPath<'static>> {
        let own = file.parent()?;
        // LithTech models may be in subfolders of `Models`.
        let is_models = |folder: &&Path| {
            let name = folder.file_name();
            has_extension(file, "abc")
                && name.is_some_and(|name| name.eq_ignore_ascii_case("models"))
        };
        let beside = own.ancestors().find(is_models).unwrap_or(own);
        let path = self.disk.path(beside.parent().unwrap_or(own), file);
        if is_manifest(file) {
            // The paths in a manifest may be relative to any of these folders.
            for folder in own.ancestors().take(FOLDERS_ABOVE) {
                self.disk.number(folder);
            }
        }
        path
    }
}

/// Whether an animation's name begins with the name of an Alamo model and `_`.
pub fn belongs_to(clip: &Path, model: &Path) -> bool {
    let stem = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().to_lowercase()
    };
    let clip = stem(clip);
    let rest = clip.strip_prefix(&stem(model));
    has_extension(model, "alo") && rest.is_some_and(|rest| rest.starts_with('_'))
}

/// The models to show: the given models. If only animations are given, the models beside them. If no file is given, all
/// sample models, sorted by name.
pub fn models_to_show(files: &[PathBuf]) -> Vec<PathBuf> {
    let needs_model = |file: &PathBuf| has_extension(file, "ala") || has_extension(file, "dtx");
    let (others, models): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(needs_model);
    if !models.is_empty() {
        return models;
    }
    if others.is_empty() {
        let samples = samples().join("models");
        // Beside particle systems, which need much space, the models would be small.
        let mut samples = siblings(&samples.join("any"));
        samples.retain(|file| is_model(file) && !is_particle_file(file));
        samples.sort();
        return samples;
    }
    let models = others.iter().filter_map(|clip| model_beside(clip));
    let mut models: Vec<_> = models.collect();
    models.dedup();
    models
}

/// The models and textures of a sheet. A LithTech texture is the skin of the LithTech models, if there are any.
pub fn files_of_sheet(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() {
        return models_to_show(files);
    }
    let has_abc = files.iter().any(|file| has_extension(file, "abc"));
    let is_skin = |file: &Path| has_abc && has_extension(file, "dtx");
    let is_shown = |file: &&PathBuf| !has_extension(file, "ala") && !is_skin(file);
    files.iter().filter(is_shown).cloned().collect()
}

/// Whether a file is a particle system of an Alamo game.
fn is_particle_file(file: &Path) -> bool {
    let mut start = [0; 4];
    let is_system = |start: &[u8]| is_particle_system(start) || is_plugin_system(start);
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    has_extension(file, "alo") && read.is_ok() && is_system(&start)
}

/// The model that an animation's name begins with, in the same folder. The longest name applies.
fn model_beside(clip: &Path) -> Option<PathBuf> {
    let clip = absolute(clip);
    let mut models = siblings(&clip);
    models.retain(|file| belongs_to(&clip, file));
    models.sort();
    models.into_iter().max_by_key(|file| file.as_os_str().len())
}

/// The index of the active skin, if it is a skin of the model itself.
pub fn active_skin(skin: Option<&ModelSkin>) -> Option<usize> {
    match skin {
        None => Some(0),
        Some(ModelSkin::Index(index)) => Some(*index),
        Some(_) => None,
    }
}

/// Files that may be the skin of a LithTech model: the textures of the games' folder `Skins` and those beside the model.
/// Names that have more of their beginning in common with that of the model come first.
pub fn candidates(model: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in skin_folders(model) {
        // Any name in the folder lists it.
        found.extend(siblings(&folder.join("a.dtx")));
    }
    found.retain(|file| has_extension(file, "dtx"));
    let own = stem(model);
    found.sort_by_cached_key(|file| {
        let name = stem(file);
        let letters = own.chars().zip(name.chars());
        let common = letters.take_while(|(a, b)| a == b).count();
        (std::cmp::Reverse(common), name, file.clone())
    });
    found.dedup();
    found
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// The folder of a model with `Models` replaced by `Skins`, the folders above that one up to `Skins`, and the folder of
/// the model.
fn skin_folders(model: &Path) -> Vec<PathBuf> {
    let folder = model.parent().unwrap_or(Path::new(""));
    let is_models = |folder: &&Path| {
        let name = folder.file_name();
        name.is_some_and(|name| name.eq_ignore_ascii_case("models"))
    };
    let mut folders = Vec::new();
    if let Some(models) = folder.ancestors().find(is_models)
        && let Some(root) = models.parent()
        && let Ok(inside) = folder.strip_prefix(models)
    {
        for name in ["Skins", "skins", "SKINS"] {
            let skins = root.join(name);
            folders.extend(inside.ancestors().map(|inside| skins.join(inside)));
        }
    }
    folders.push(folder.to_path_buf());
    // On disks that ignore case, the three are the same.
    folders.sort_by_cached_key(|folder| folder.to_string_lossy().to_lowercase());
    folders.dedup_by_key(|folder| folder.canonicalize().unwrap_or(folder.clone()));
    folders
}

#[cfg(test)]
mod tests {
    use super::Folders;
    use crate::paths::disk_source::DiskSource;
    use bevy::asset::AssetPath;
    use std::path::Path;

    #[test]
    fn skins_are_in_the_same_source_as_their_models() {
        let folders = Folders::of(&[], &[], DiskSource::default());
        let model = Path::new("/game/Models/Chars/hero.abc");
        let skin = Path::new("/game/Skins/hero.dtx");
        let path = |path: &str| AssetPath::parse(path).into_owned();
        let model = folders.asset_path(model);
        assert_eq!(model, path("disk://0/Models/Chars/hero.abc"));
        assert_eq!(folders.asset_path(skin), path("disk://0/Skins/hero.dtx"));
        assert_eq!(
            folders.file_of(&folders.asset_path(skin)).as_deref(),
            Some(skin)
        );
    }
}

#[cfg(test)]
mod skins_tests {
    use super::candidates;
    use crate::paths::folder_with;

    #[test]
    fn skins_of_the_games_folder_are_candidates_by_similarity() {
        let root = folder_with(&[
            ("Skins/wall.dtx", b""),
            ("Skins/Chars/Hero2.DTX", b""),
            ("Skins/Chars/herald.dtx", b""),
            ("Skins/Chars/notes.txt", b""),
            ("Models/Chars/hero_old.dtx", b""),
        ]);
        let root = root.path();
        let found = candidates(&root.join("Models/Chars/HERO.abc"));
        let names: Vec<_> = found
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["Hero2.DTX", "hero_old.dtx", "herald.dtx", "wall.dtx"]
        );
    }
}
