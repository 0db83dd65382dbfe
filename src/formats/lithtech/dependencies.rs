//! Finds and loads the skin textures of a model.

use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::load::find::FileSearch;
use crate::load::find::paths::{clean_source_path, with_extensions};
use crate::load::loading::ModelLoad;
use crate::load::names::same_name;
use crate::texture::loader::GLOW;
use crate::texture::loader::model_images::load_model_image;
use crate::texture::placeholder::Placeholder;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use classic_model_formats::dtx;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The textures of a skin.
pub(crate) struct SkinImages {
    pub(crate) image: Handle<Image>,
    /// The emissive part of the skin, if the file has one.
    pub(crate) glow: Option<Handle<Image>>,
}

/// Finds the skins that the settings name, otherwise the skin at the games' conventional path, and starts loading them.
pub(crate) async fn find_skins(
    load: &ModelLoad<'_>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Vec<SkinImages> {
    if !settings.load_textures {
        return Vec::new();
    }
    let mut search = load.search();
    let mut paths = find_named_skins(&mut search, settings, load_context).await;
    if paths.is_empty() {
        let candidate_paths =
            skin_candidate_paths(load_context.path().path(), &settings.texture_folders);
        paths.extend(search.find_first("", &candidate_paths).await);
    }
    let mut skins = Vec::with_capacity(paths.len());
    for path in paths {
        // Loading the emissive part reads the file a second time. Few skins have it, so check the header first.
        let start = search.start(&path, dtx::HEADER_SIZE).await;
        let has_glow = start.is_some_and(|start| dtx::is_full_bright_header(&start));
        let glow = has_glow.then(|| path.clone().with_label(GLOW));
        let mut load_image =
            |path| load_model_image(load_context, path, true, Placeholder::Checkers);
        // Before the image: once the whole file is loading, the label may resolve without its settings.
        let glow = glow.map(&mut load_image);
        skins.push(SkinImages {
            image: load_image(path),
            glow,
        });
    }
    skins
}

/// The paths of the skins that the settings name. Warns once about each missing skin.
async fn find_named_skins(
    search: &mut FileSearch<'_>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Vec<AssetPath<'static>> {
    let mut found = Vec::new();
    for name in &settings.skins {
        let skin = search.find_variant(name, &settings.texture_folders, skin_file_names);
        match skin.await {
            Ok(path) => found.push(path),
            Err(not_found) => warn!("{}: skin {not_found}", load_context.path()),
        }
    }
    found
}

/// The file names to try for a skin's name. The games shipped DTX files.
fn skin_file_names(name: &Path) -> Vec<PathBuf> {
    with_extensions(name, &["dtx", "dds", "tga"])
}

/// The paths to try for the skin of the model with this path, if the settings name none, in this order: the games' `Skins`
/// folder, the model's folder, its sibling `Skins`, then `folders`.
///
/// For `Models/A/B.abc`, the first is `Skins/A/B.dtx`. Names are as in the model's path; files of other case count too.
pub fn skin_candidate_paths(model: &Path, folders: &[String]) -> Vec<PathBuf> {
    let Some(stem) = model.file_stem() else {
        return Vec::new();
    };
    let mut name = PathBuf::from(stem);
    // Not `set_extension`: the stem may contain dots.
    name.as_mut_os_string().push(".dtx");
    let model_folder = model.parent().unwrap_or(Path::new(""));
    let sibling = model_folder.parent().map(|parent| parent.join("Skins"));
    let folders = folders.iter().map(|folder| clean_source_path(folder));
    let folders = skins_folder(model_folder)
        .into_iter()
        .chain([model_folder.to_path_buf()])
        .chain(sibling)
        .chain(folders);
    let mut candidate_paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let candidate = folder.join(&name);
        if !candidate_paths.contains(&candidate) {
            candidate_paths.push(candidate);
        }
    }
    candidate_paths
}

/// The games' skin folder for a model folder: the same path, with the last component `Models` replaced by `Skins`.
fn skins_folder(folder: &Path) -> Option<PathBuf> {
    let parts: Vec<&OsStr> = folder.iter().collect();
    let is_models_folder = |part: &&OsStr| same_name(&part.to_string_lossy(), "models");
    let models = parts.iter().rposition(is_models_folder)?;
    let parts = parts.iter().enumerate();
    let replaced = |(index, part): (usize, &&OsStr)| {
        if index == models {
            OsStr::new("Skins").to_os_string()
        } else {
            part.to_os_string()
        }
    };
    Some(parts.map(replaced).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(model: &str, folders: &[&str]) -> Vec<String> {
        let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
        let tried = skin_candidate_paths(Path::new(model), &folders);
        let tried = tried.iter().map(|path| path.to_string_lossy().into_owned());
        tried.collect()
    }

    #[test]
    fn skin_paths_follow_the_games_folder_layout() {
        assert_eq!(
            tried("rez/MODELS/Chars/Hero.abc", &[r"more\Art"]),
            [
                "rez/Skins/Chars/Hero.dtx",
                "rez/MODELS/Chars/Hero.dtx",
                "rez/MODELS/Skins/Hero.dtx",
                "more/Art/Hero.dtx",
            ]
        );
        assert_eq!(
            tried("Models/Models/a.b.ABC", &[]),
            ["Models/Skins/a.b.dtx", "Models/Models/a.b.dtx"]
        );
        assert_eq!(tried("hero.abc", &[]), ["hero.dtx"]);
    }
}
