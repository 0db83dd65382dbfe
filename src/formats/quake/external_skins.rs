//! Finds images in place of the skins of a model, by the rules of DarkPlaces. It must not load them.
//!
//! Source: DarkPlaces, `Mod_IDP0_Load` in `model_alias.c` (names, further skins), `imageformats_other` in `image.c` (folders and
//! formats), `R_SkinFrame_LoadExternal_SkinFrame` in `gl_rmain.c` (DDS, glow).

use crate::load::find::FileSearch;
use crate::load::find::paths::has_loader;
use bevy::asset::AssetPath;
use classic_model_formats::mdl::Skin;
use std::path::{Path, PathBuf};

/// The folders of images, in the folder of the game, in the order of the search.
const FOLDERS: [&str; 3] = ["override/", "textures/", ""];

/// The formats of images in each folder. DarkPlaces also has PCX and LMP, which no loader reads.
const EXTENSIONS: [&str; 3] = ["tga", "png", "jpg"];

/// What follows the name of an image in that of its fullbright image. The second one is of Tenebrae.
const GLOW: [&str; 2] = ["_glow", "_luma"];

/// An image in place of one of a model's skins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalImage {
    /// The image that is lit.
    pub image: AssetPath<'static>,
    /// The fullbright image, which is added to the lit one.
    pub glow: Option<AssetPath<'static>>,
}

/// The images in place of a model's skins.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExternalSkins {
    /// For each skin of the file, those of its images.
    pub replaced: Vec<Vec<Option<ExternalImage>>>,
    /// Skins behind those of the file.
    pub added: Vec<ExternalImage>,
}

impl ExternalSkins {
    /// Searches for the images of the model at a path from the root of the asset source.
    pub async fn find(search: &mut FileSearch<'_>, model: &Path, skins: &[Skin<'_>]) -> Self {
        let mut found = Self::default();
        for (index, skin) in skins.iter().enumerate() {
            let mut images = Vec::new();
            let count = skin.images().count();
            for image in 0..count {
                let name = match count {
                    1 => format!("_{index}"),
                    _ => format!("_{index}_{image}"),
                };
                images.push(find_image(search, model, &name).await);
            }
            found.replaced.push(images);
        }
        while let Some(image) = {
            let index = skins.len() + found.added.len();
            find_image(search, model, &format!("_{index}")).await
        } {
            found.added.push(image);
        }
        found
    }

    /// The image in place of one of the file.
    pub fn replacement(&self, skin: usize, image: usize) -> Option<&ExternalImage> {
        self.replaced.get(skin)?.get(image)?.as_ref()
    }
}

/// Finds the image whose name is that of the model and `index`.
async fn find_image(
    search: &mut FileSearch<'_>,
    model: &Path,
    index: &str,
) -> Option<ExternalImage> {
    let images = candidates(model, index);
    let image = search.find_first(index, &images).await.ok()?;
    let glows: Vec<PathBuf> = GLOW
        .iter()
        .flat_map(|glow| candidates(model, &format!("{index}{glow}")))
        .collect();
    let glow = search.find_first(index, &glows).await.ok();
    Some(ExternalImage { image, glow })
}

/// The paths of an image, in the order of the search. The folder of the game is not known: it is one above that of the model.
fn candidates(model: &Path, end: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for game in model.ancestors().skip(1) {
        // A game has its models in a folder.
        if model.parent() == Some(game) && game != Path::new("") {
            continue;
        }
        let name = model.strip_prefix(game).unwrap_or(model).display();
        let in_folder = |folder: &&str| EXTENSIONS.map(|it| format!("{folder}{name}{end}.{it}"));
        let others = FOLDERS.iter().flat_map(in_folder);
        let paths = [format!("dds/{name}{end}.dds")].into_iter().chain(others);
        for path in paths.map(|path| game.join(path)) {
            if has_loader(&path) && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use std::path::Path;

    /// The candidates that all builds can load, for skin 0.
    #[track_caller]
    fn assert_candidates(model: &str, expected: &[&str]) {
        let mut paths = candidates(Path::new(model), "_0");
        paths.retain(|path| path.extension() != Some("png".as_ref()));
        paths.retain(|path| path.extension() != Some("jpg".as_ref()));
        let expected: Vec<_> = expected.iter().map(Path::new).collect();
        assert_eq!(paths, expected, "{model}");
    }

    #[test]
    fn images_are_searched_in_the_order_of_darkplaces() {
        assert_candidates(
            "progs/a.mdl",
            &[
                "dds/progs/a.mdl_0.dds",
                "override/progs/a.mdl_0.tga",
                "textures/progs/a.mdl_0.tga",
                "progs/a.mdl_0.tga",
            ],
        );
    }

    #[test]
    fn the_game_can_be_in_any_folder() {
        assert_candidates(
            "id1/progs/a.mdl",
            &[
                "id1/dds/progs/a.mdl_0.dds",
                "id1/override/progs/a.mdl_0.tga",
                "id1/textures/progs/a.mdl_0.tga",
                "id1/progs/a.mdl_0.tga",
                "dds/id1/progs/a.mdl_0.dds",
                "override/id1/progs/a.mdl_0.tga",
                "textures/id1/progs/a.mdl_0.tga",
            ],
        );
        assert_candidates(
            "a.mdl",
            &[
                "dds/a.mdl_0.dds",
                "override/a.mdl_0.tga",
                "textures/a.mdl_0.tga",
                "a.mdl_0.tga",
            ],
        );
    }
}
