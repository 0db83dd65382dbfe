//! Where the models' files are, and under which asset paths.

use bevy::asset::AssetPath;
use bevy::asset::io::AssetSourceBuilder;
use bevy::asset::io::file::FileAssetReader;
use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// Folder of the assets, and folders of files elsewhere, each an asset source of its own, so that
/// palettes beside a model are found there too.
#[derive(Resource, Clone)]
pub struct Folders {
    pub assets: PathBuf,
    outside: Vec<PathBuf>,
}

impl Folders {
    /// The folders of these files.
    pub fn of(files: &[PathBuf]) -> Self {
        let mut folders = Self {
            assets: absolute(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")),
            outside: Vec::new(),
        };
        for file in files {
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
        app.insert_resource(self.clone());
    }

    /// The asset path of a file, whatever characters are in its name.
    pub fn asset_path(&self, file: &Path) -> AssetPath<'static> {
        if let Ok(inside) = file.strip_prefix(&self.assets) {
            return AssetPath::from_path_buf(inside.to_path_buf());
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
    };
    let mut samples: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_model)
        .collect();
    samples.sort();
    samples
}
