//! Where the models' files are, and under which asset paths.

use crate::view::shelves::Shelves;
use bevy::asset::AssetPath;
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// How many folders up from a model the game's may be.
const FOLDERS_ABOVE: usize = 6;

/// Folder of the assets, and folders of files elsewhere, so that palettes and textures beside a model
/// are found there too: of Quake models each an asset source of its own, of the others the folder that
/// `ModelQuery` and `Textures` or `Skins` lie in.
#[derive(Resource, Clone)]
pub struct Folders {
    pub assets: PathBuf,
    outside: Vec<PathBuf>,
    shelves: Shelves,
    /// Further folders of textures.
    textures: Vec<PathBuf>,
    /// Names of the skins that were given.
    skins: Vec<String>,
}

impl Folders {
    /// The folders of these files, and further ones of textures.
    pub fn of(files: &[PathBuf], textures: &[PathBuf]) -> Self {
        let mut folders = Self {
            assets: absolute(&classic_models_support::samples()),
            outside: Vec::new(),
            shelves: Shelves::default(),
            textures: textures.iter().map(|folder| absolute(folder)).collect(),
            skins: Vec::new(),
        };
        for file in files.iter().filter(|file| is_dtx(file)) {
            let file = absolute(file);
            let name = file.file_name().unwrap_or_default();
            folders.skins.push(name.to_string_lossy().into_owned());
            folders
                .textures
                .extend(file.parent().map(Path::to_path_buf));
        }
        let alone = files
            .iter()
            .filter(|file| !has_textures(file) && !is_dtx(file));
        for file in alone {
            if let Some(folder) = absolute(file).parent()
                && !folder.starts_with(&folders.assets)
                && !folders.outside.iter().any(|known| known == folder)
            {
                folders.outside.push(folder.to_path_buf());
            }
        }
        folders
    }

    /// Makes them known, before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        for (index, folder) in self.outside.iter().cloned().enumerate() {
            let reader = move || Box::new(FileAssetReader::new(&folder)) as Box<_>;
            let source = AssetSourceBuilder::new(reader);
            app.register_asset_source(format!("dir{index}"), source);
        }
        self.shelves.register(app);
        app.insert_resource(self.clone());
    }

    /// Folders of textures, as the loader's settings have them.
    pub fn texture_folders(&self) -> Vec<String> {
        let folders = self.textures.iter();
        folders
            .map(|folder| self.shelves.number(folder).to_string())
            .collect()
    }

    /// The folders above a file as the loader's settings have them, the nearest first; none for a file
    /// among the assets.
    pub fn above(&self, file: &Path) -> Vec<String> {
        let folders = match self.asset_path(file).source() {
            AssetSourceId::Default => None,
            _ => file.parent(),
        };
        let folders = folders.into_iter().flat_map(Path::ancestors);
        let number = |folder: &Path| self.shelves.number(folder).to_string();
        folders.take(FOLDERS_ABOVE).map(number).collect()
    }

    /// Names of the skins that were given, which are in those folders.
    pub fn skins(&self) -> Vec<String> {
        self.skins.clone()
    }

    /// The asset path of a file, whatever characters are in its name.
    pub fn asset_path(&self, file: &Path) -> AssetPath<'static> {
        let inside = file.strip_prefix(&self.assets);
        // Models look for textures in their own asset source.
        let elsewhere = has_textures(file) && !self.textures.is_empty();
        if let Ok(inside) = inside
            && !elsewhere
        {
            return AssetPath::from_path_buf(inside.to_path_buf());
        }
        if has_textures(file)
            && let Some(path) = self.on_shelf(file)
        {
            return path;
        }
        let folder = |known: &PathBuf| file.parent() == Some(known);
        match (self.outside.iter().position(folder), file.file_name()) {
            (Some(index), Some(name)) => {
                AssetPath::from_path_buf(name.into()).with_source(format!("dir{index}"))
            }
            // Dropped later: the asset server has to allow such paths.
            _ => AssetPath::from_path_buf(file.to_path_buf()),
        }
    }

    /// Where the file of an asset path is, of one that [`asset_path`](Self::asset_path) may tell.
    pub fn file_of(&self, path: &AssetPath) -> Option<PathBuf> {
        match path.source() {
            AssetSourceId::Default => Some(self.assets.join(path.path())),
            _ => self.shelves.file(path),
        }
    }

    /// The asset path of a file that lies in a folder beside those of its textures: in the folder
    /// above both, if there is one.
    fn on_shelf(&self, file: &Path) -> Option<AssetPath<'static>> {
        let own = file.parent()?;
        // Models of the LithTech engine may lie deeper.
        let is_models = |folder: &&Path| {
            let name = folder.file_name();
            is_abc(file) && name.is_some_and(|name| name.eq_ignore_ascii_case("models"))
        };
        let beside = own.ancestors().find(is_models).unwrap_or(own);
        let path = self.shelves.path(beside.parent().unwrap_or(own), file);
        if is_manifest(file) {
            // Any of them may be the root that it names files from.
            for folder in own.ancestors().take(FOLDERS_ABOVE) {
                self.shelves.number(folder);
            }
        }
        path
    }
}

/// Whether a file is an Alamo model, as its name says.
pub fn is_alo(file: &Path) -> bool {
    has_extension(file, "alo")
}

/// Whether a file is an Alamo animation, as its name says.
pub fn is_ala(file: &Path) -> bool {
    has_extension(file, "ala")
}

/// Whether a file is a LithTech model, as its name says.
pub fn is_abc(file: &Path) -> bool {
    has_extension(file, "abc")
}

/// Whether a file is a LithTech picture, as its name says.
pub fn is_dtx(file: &Path) -> bool {
    has_extension(file, "dtx")
}

/// Whether a file is an LGW model, as its name says.
pub fn is_lgw(file: &Path) -> bool {
    has_extension(file, "lgw")
}

/// Whether a file is a manifest, as its name says.
pub fn is_manifest(file: &Path) -> bool {
    let stem = file.file_stem().map(Path::new);
    has_extension(file, "ron") && stem.is_some_and(|stem| has_extension(stem, "model"))
}

/// Whether files of this kind have textures in files of their own, or are of those that have.
fn has_textures(file: &Path) -> bool {
    is_alo(file) || is_ala(file) || is_abc(file) || is_lgw(file) || is_manifest(file)
}

fn has_extension(file: &Path, expected: &str) -> bool {
    file.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
}

/// Whether an animation's name begins with that of an Alamo model.
pub fn belongs_to(clip: &Path, model: &Path) -> bool {
    let stem = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().to_lowercase()
    };
    let clip = stem(clip);
    let rest = clip.strip_prefix(&stem(model));
    is_alo(model) && rest.is_some_and(|rest| rest.starts_with('_'))
}

/// A path that says the same wherever the program runs.
pub fn absolute(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_path_buf())
}

/// The models that are shown: those that are given; without any, those beside the animations that are
/// given; without any file, all samples by name.
pub fn models_to_show(files: &[PathBuf]) -> Vec<PathBuf> {
    let worn_or_played = |file: &PathBuf| is_ala(file) || is_dtx(file);
    let (others, models): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(worn_or_played);
    if !models.is_empty() {
        return models;
    }
    if others.is_empty() {
        let samples = classic_models_support::samples().join("models");
        return list(&samples, |file| {
            has_extension(file, "mdl") || is_alo(file) || is_abc(file) || is_lgw(file)
        });
    }
    let mut models: Vec<_> = others
        .iter()
        .filter_map(|clip| model_beside(clip))
        .collect();
    models.dedup();
    models
}

/// The model that an animation is of, as its name says.
fn model_beside(clip: &Path) -> Option<PathBuf> {
    let clip = absolute(clip);
    let models = list(clip.parent()?, |file| belongs_to(&clip, file));
    models.into_iter().max_by_key(|file| file.as_os_str().len())
}

/// The files of a folder that are meant, by name.
fn list(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| is_meant(file))
        .collect();
    files.sort();
    files
}
