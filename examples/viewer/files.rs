//! Where the models' files are, and under which asset paths.

use crate::shelves::Shelves;
use bevy::asset::AssetPath;
use bevy::asset::io::AssetSourceBuilder;
use bevy::asset::io::file::FileAssetReader;
use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// Folder of the assets, and folders of files elsewhere, so that palettes and textures beside a model
/// are found there too: of Quake models each an asset source of its own, of Alamo models the folder
/// that `Models` and `Textures` lie in.
#[derive(Resource, Clone)]
pub struct Folders {
    pub assets: PathBuf,
    outside: Vec<PathBuf>,
    shelves: Shelves,
    /// Further folders of textures.
    textures: Vec<PathBuf>,
}

impl Folders {
    /// The folders of these files, and further ones of textures.
    pub fn of(files: &[PathBuf], textures: &[PathBuf]) -> Self {
        let mut folders = Self {
            assets: absolute(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")),
            outside: Vec::new(),
            shelves: Shelves::default(),
            textures: textures.iter().map(|folder| absolute(folder)).collect(),
        };
        for file in files.iter().filter(|file| !is_alo(file)) {
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

    /// The asset path of a file, whatever characters are in its name.
    pub fn asset_path(&self, file: &Path) -> AssetPath<'static> {
        let inside = file.strip_prefix(&self.assets);
        // Models look for textures in their own asset source.
        let elsewhere = is_alo(file) && !self.textures.is_empty();
        if let Ok(inside) = inside
            && !elsewhere
        {
            return AssetPath::from_path_buf(inside.to_path_buf());
        }
        if is_alo(file)
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

    /// The asset path of an Alamo model: in the folder above its own, if there is one.
    fn on_shelf(&self, file: &Path) -> Option<AssetPath<'static>> {
        let own = file.parent()?;
        self.shelves.path(own.parent().unwrap_or(own), file)
    }
}

/// Whether a file is an Alamo model, as its name says.
pub fn is_alo(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("alo"))
}

/// A path that says the same wherever the program runs.
pub fn absolute(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_path_buf())
}

/// The given files, or all samples by name if none are given.
pub fn files_or_samples(files: &[PathBuf]) -> Vec<PathBuf> {
    if !files.is_empty() {
        return files.to_vec();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let is_model = |path: &PathBuf| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("mdl"))
            || is_alo(path)
    };
    let mut samples: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_model)
        .collect();
    samples.sort();
    samples
}
