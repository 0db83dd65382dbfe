//! Maps files of the command line to asset paths, and asset paths to files.

use crate::archive_file::{self, ArchiveError, Location, absolute, locate, siblings};
use crate::archive_sources::ArchiveSources;
use crate::file_format::{has_extension, is_manifest, is_model};
use crate::game::Game;
use crate::view::disk_source::DiskSource;
use bevy::asset::AssetPath;
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::is_particle_system;
use bevy_classic_models::archive::ArchiveSource;
use bevy_classic_models::quake::Palette;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many folders above a model are searched for the game's root folder.
const FOLDERS_ABOVE: usize = 6;

/// The assets folder, and folders of files outside of it. These are asset sources too, so that palettes and textures
/// beside a model are found. A folder of Quake models is a source of its own. For other formats the source contains the
/// parent of the folder `Models`, where `Textures` or `Skins` are.
#[derive(Resource, Clone)]
pub struct Folders {
    pub assets: PathBuf,
    outside: Vec<PathBuf>,
    disk: DiskSource,
    /// Additional folders of textures.
    textures: Vec<PathBuf>,
    /// Names of the `.dtx` files that were given.
    skins: Vec<String>,
    /// The palette of Quake models.
    palette: Option<PathBuf>,
    /// The palette index of holes in Quake models.
    pub hole_index: Option<u8>,
    /// Archives, and the game of the command line.
    archives: ArchiveSources,
}

impl Folders {
    /// The folders of `files`, and additional folders of textures. Files in `archives` need no folders.
    pub fn of(files: &[PathBuf], textures: &[PathBuf], archives: ArchiveSources) -> Self {
        let mut folders = Self {
            assets: absolute(&classic_models_support::samples()),
            outside: Vec::new(),
            disk: DiskSource::default(),
            textures: textures.iter().map(|folder| absolute(folder)).collect(),
            skins: Vec::new(),
            palette: None,
            hole_index: None,
            archives,
        };
        for file in files.iter().filter(|file| is_dtx(file)) {
            let file = absolute(file);
            let name = file.file_name().unwrap_or_default();
            folders.skins.push(name.to_string_lossy().into_owned());
            folders
                .textures
                .extend(file.parent().map(Path::to_path_buf));
        }
        let without_textures = files
            .iter()
            .filter(|file| !has_textures(file) && !is_dtx(file));
        for file in without_textures {
            if let Some(folder) = absolute(file).parent()
                && !folder.starts_with(&folders.assets)
                && folders.archives.asset_path(&absolute(file)).is_none()
                && !folders.outside.iter().any(|listed| listed == folder)
            {
                folders.outside.push(folder.to_path_buf());
            }
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
        let path = self
            .archives
            .asset_path(file)
            .or_else(|| self.disk.path(file.parent()?, file));
        path.map(|path| path.to_string())
    }

    /// Lets archives and games be opened while the app runs. Call it before [`register`](Self::register).
    pub fn add_slots(&mut self) {
        self.archives.add_slots();
    }

    /// Opens the archive of a path of the form `ARCHIVE/entry`, unless it is opened already. Other paths need no archive.
    ///
    /// # Errors
    /// If the archive cannot be opened.
    pub fn open_archive_of(&mut self, path: &Path) -> Result<(), String> {
        if self.archives.asset_path(&absolute(path)).is_some() {
            return Ok(());
        }
        match locate(path) {
            Ok(Location::Entry { archive, .. }) => self.open_archive(&archive).map(drop),
            _ => Ok(()),
        }
    }

    /// Opens an archive, unless it is opened already.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open_archive(&mut self, archive: &Path) -> Result<&ArchiveSource, String> {
        let archive = absolute(archive);
        if self.archives.source(&archive).is_none() {
            let source = ArchiveSource::new().archive(&archive);
            let source = source.map_err(|error| error.to_string())?;
            self.archives.open(archive.clone(), source)?;
        }
        let source = self.archives.source(&archive);
        source.ok_or_else(|| format!("{}: not opened", archive.display()))
    }

    /// Opens a game, unless it is opened already.
    ///
    /// # Errors
    /// If too many archives and games were opened.
    pub fn open_game(&mut self, game: Game) -> Result<(), String> {
        match self.archives.source(&game.root) {
            Some(_) => Ok(()),
            None => self.archives.open(game.root, game.source),
        }
    }

    /// Registers the asset sources. Call it before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        for (index, folder) in self.outside.iter().cloned().enumerate() {
            let reader = move || Box::new(FileAssetReader::new(&folder)) as Box<_>;
            let source = AssetSourceBuilder::new(reader);
            app.register_asset_source(format!("dir{index}"), source);
        }
        self.disk.register(app);
        self.archives.register(app);
        app.insert_resource(self.clone());
    }

    /// The additional texture folders, for the loader settings. Folders in an archive are found by models in it.
    pub fn texture_folders(&self) -> Vec<String> {
        let folders = self.textures.iter();
        let path = |folder: &PathBuf| match self.archives.asset_path(folder) {
            Some(path) => path.path().to_string_lossy().into_owned(),
            None => self.disk.number(folder).to_string(),
        };
        folders.map(path).collect()
    }

    /// The folders above a file, for the loader settings, the nearest first. Empty for a file in the assets folder or in an
    /// archive, whose roots are searched anyway.
    pub fn above(&self, file: &Path) -> Vec<String> {
        let folders = match self.asset_path(file).source() {
            AssetSourceId::Default => None,
            _ if self.archives.asset_path(file).is_some() => None,
            _ => file.parent(),
        };
        let folders = folders.into_iter().flat_map(Path::ancestors);
        let number = |folder: &Path| self.disk.number(folder).to_string();
        folders.take(FOLDERS_ABOVE).map(number).collect()
    }

    /// Names of the `.dtx` files that were given. Their folders are among the texture folders.
    pub fn skins(&self) -> Vec<String> {
        self.skins.clone()
    }

    /// The asset path of a file. Its name may contain any characters, `#` too.
    pub fn asset_path(&self, file: &Path) -> AssetPath<'static> {
        if let Some(path) = self.archives.asset_path(file) {
            return path;
        }
        let inside = file.strip_prefix(&self.assets);
        // The loaders search for textures only in the model's asset source.
        let elsewhere = has_textures(file) && !self.textures.is_empty();
        if let Ok(inside) = inside
            && !elsewhere
        {
            return AssetPath::from_path_buf(inside.to_path_buf());
        }
        if (has_textures(file) || is_dtx(file))
            && let Some(path) = self.disk_path(file)
        {
            return path;
        }
        let is_parent = |folder: &PathBuf| file.parent() == Some(folder);
        match (self.outside.iter().position(is_parent), file.file_name()) {
            (Some(index), Some(name)) => {
                AssetPath::from_path_buf(name.into()).with_source(format!("dir{index}"))
            }
            // A file dropped on the window: an absolute path, which the asset server must allow.
            _ => AssetPath::from_path_buf(file.to_path_buf()),
        }
    }

    /// Reads a file, an entry of an archive, or a file of the game.
    ///
    /// # Errors
    /// If it does not exist or cannot be read.
    pub fn read(&self, file: &Path) -> Result<Vec<u8>, ArchiveError> {
        archive_file::read(&self.archives.stored(file))
    }

    /// The file of an asset path that [`asset_path`](Self::asset_path) returned.
    pub fn file_of(&self, path: &AssetPath) -> Option<PathBuf> {
        if let Some(file) = self.archives.file_of(path) {
            return Some(file);
        }
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
            is_abc(file) && name.is_some_and(|name| name.eq_ignore_ascii_case("models"))
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

/// Whether a file has the extension of an Alamo model.
pub fn is_alo(file: &Path) -> bool {
    has_extension(file, "alo")
}

/// Whether a file has the extension of an Alamo animation.
pub fn is_ala(file: &Path) -> bool {
    has_extension(file, "ala")
}

/// Whether a file has the extension of a LithTech model.
pub fn is_abc(file: &Path) -> bool {
    has_extension(file, "abc")
}

/// Whether a file has the extension of a LithTech texture.
pub fn is_dtx(file: &Path) -> bool {
    has_extension(file, "dtx")
}

/// Whether a file has the extension of an LGW model.
pub fn is_lgw(file: &Path) -> bool {
    has_extension(file, "lgw")
}

/// Whether models of this format have textures in separate files. True for animations and manifests too.
fn has_textures(file: &Path) -> bool {
    is_alo(file) || is_ala(file) || is_abc(file) || is_lgw(file) || is_manifest(file)
}

/// Whether an animation's name begins with the name of an Alamo model and `_`.
pub fn belongs_to(clip: &Path, model: &Path) -> bool {
    let stem = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().to_lowercase()
    };
    let clip = stem(clip);
    let rest = clip.strip_prefix(&stem(model));
    is_alo(model) && rest.is_some_and(|rest| rest.starts_with('_'))
}

/// The models to show: the given models. If only animations are given, the models beside them. If no file is given, all
/// sample models, sorted by name.
pub fn models_to_show(files: &[PathBuf]) -> Vec<PathBuf> {
    let needs_model = |file: &PathBuf| is_ala(file) || is_dtx(file);
    let (others, models): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(needs_model);
    if !models.is_empty() {
        return models;
    }
    if others.is_empty() {
        let samples = classic_models_support::samples().join("models");
        // Beside particle systems, which need much space, the models would be small.
        return list(&samples, |file| is_model(file) && !is_particle_file(file));
    }
    let mut models: Vec<_> = others
        .iter()
        .filter_map(|clip| model_beside(clip))
        .collect();
    models.dedup();
    models
}

/// The models and textures of a sheet. A LithTech texture is the skin of the LithTech models, if there are any.
pub fn files_of_sheet(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() {
        return models_to_show(files);
    }
    let has_abc = files.iter().any(|file| is_abc(file));
    let is_skin = |file: &Path| has_abc && is_dtx(file);
    let is_shown = |file: &&PathBuf| !is_ala(file) && !is_skin(file);
    files.iter().filter(is_shown).cloned().collect()
}

/// Whether a file is a particle system of an Alamo game.
fn is_particle_file(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    is_alo(file) && read.is_ok() && is_particle_system(&start)
}

/// The model that an animation's name begins with, in the same folder. The longest name applies.
fn model_beside(clip: &Path) -> Option<PathBuf> {
    let clip = absolute(clip);
    let mut models = siblings(&clip);
    models.retain(|file| belongs_to(&clip, file));
    models.sort();
    models.into_iter().max_by_key(|file| file.as_os_str().len())
}

/// The files of a folder that pass a filter, sorted by name.
fn list(folder: &Path, filter: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| filter(file))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::Folders;
    use crate::archive_sources::ArchiveSources;
    use bevy::asset::AssetPath;
    use std::path::Path;

    #[test]
    fn skins_are_in_the_same_source_as_their_models() {
        let folders = Folders::of(&[], &[], ArchiveSources::default());
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
