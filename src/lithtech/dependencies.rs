//! Files that a model names: finds its skins.

use crate::lithtech::dtx;
use crate::lithtech::settings::AbcLoaderSettings;
use crate::scene::{FileSearch, ModelLoad, clean_path, in_kinds, same_name};
use crate::texture::{GLOW, Placeholder, load_picture};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::Image;
use bevy::log::warn;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A picture that a model wears.
pub(super) struct SkinPicture {
    pub(super) image: Handle<Image>,
    /// What of it is unlit; none if nothing is.
    pub(super) glow: Option<Handle<Image>>,
}

/// Finds the pictures that a model wears: those of the settings, else that which the games' folders
/// suggest.
pub(super) async fn find_skins(
    load: &ModelLoad<'_>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Vec<SkinPicture> {
    if !settings.load_textures {
        return Vec::new();
    }
    let mut search = load.search();
    let mut paths = named(&mut search, settings, load_context).await;
    if paths.is_empty() {
        let candidates = candidates(load_context.path().path(), &settings.texture_folders);
        paths.extend(search.first("", &candidates).await);
    }
    let mut pictures = Vec::with_capacity(paths.len());
    for path in paths {
        // To ask for what is unlit has the file read once more, and few pictures have it.
        let start = search.start(&path, dtx::HEADER_SIZE).await;
        let glows = start.is_some_and(|start| dtx::is_full_bright_header(&start));
        let glow = glows.then(|| path.clone().with_label(GLOW));
        let mut picture = |path| load_picture(load_context, path, true, Placeholder::Checkers);
        // First, because once the file is being loaded the label may be there without its settings.
        let glow = glow.map(&mut picture);
        pictures.push(SkinPicture {
            image: picture(path),
            glow,
        });
    }
    pictures
}

/// The pictures that the settings name, with one warning for each that is nowhere.
async fn named(
    search: &mut FileSearch<'_>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Vec<AssetPath<'static>> {
    let mut found = Vec::new();
    for name in &settings.skins {
        let skin = search.find_variant(name, &settings.texture_folders, as_skin);
        match skin.await {
            Ok(path) => found.push(path),
            Err(not_found) => warn!("{}: skin {not_found}", load_context.path()),
        }
    }
    found
}

/// What the file of a skin may be called: the games shipped it as DTX.
fn as_skin(name: &Path) -> Vec<PathBuf> {
    in_kinds(name, &["dtx", "dds", "tga"])
}

/// Where the picture of a model may be that nobody names, in the order of trying: where the games
/// had it, then near the model.
fn candidates(model: &Path, folders: &[String]) -> Vec<PathBuf> {
    let Some(stem) = model.file_stem() else {
        return Vec::new();
    };
    let mut name = PathBuf::from(stem);
    // The stem may have dots of its own.
    name.as_mut_os_string().push(".dtx");
    let own = model.parent().unwrap_or(Path::new(""));
    let sibling = own.parent().map(|parent| parent.join("Skins"));
    let folders = folders.iter().map(|folder| clean_path(folder));
    let folders = in_skins(own)
        .into_iter()
        .chain([own.to_path_buf()])
        .chain(sibling)
        .chain(folders);
    let mut candidates: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let candidate = folder.join(&name);
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

/// The folder of the skins of the models in a folder, as the games had them: that of the same place
/// below `Skins` as below `ModelQuery`.
fn in_skins(folder: &Path) -> Option<PathBuf> {
    let parts: Vec<&OsStr> = folder.iter().collect();
    let is_models = |part: &&OsStr| same_name(&part.to_string_lossy(), "models");
    let models = parts.iter().rposition(is_models)?;
    let parts = parts.iter().enumerate();
    let part = |(place, part): (usize, &&OsStr)| match place == models {
        true => OsStr::new("Skins").to_os_string(),
        false => part.to_os_string(),
    };
    Some(parts.map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(model: &str, folders: &[&str]) -> Vec<String> {
        let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
        let tried = candidates(Path::new(model), &folders);
        let tried = tried.iter().map(|path| path.to_string_lossy().into_owned());
        tried.collect()
    }

    #[test]
    fn skins_are_beside_models_as_the_games_had_them() {
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
