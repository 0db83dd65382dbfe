//! Finds images in place of the skins of a model, by the rules of DarkPlaces. It must not load them.
//!
//! Source: DarkPlaces, `Mod_IDP0_Load` in `model_alias.c` (names, further skins), `imageformats_other` in `image.c` (folders and
//! formats), `R_SkinFrame_LoadExternal_SkinFrame` in `gl_rmain.c` (DDS, glow).

use crate::formats::quake::skins::ConvertedSkin;
use crate::load::find::FileSearch;
use crate::load::find::paths::has_loader;
use bevy::asset::AssetPath;
use std::path::{Path, PathBuf};

/// The folders of replaced images, from the root of the asset source, in the order of the search.
const FOLDERS: [&str; 3] = ["override/", "textures/", ""];

/// The formats of images in each folder. DarkPlaces also has PCX and LMP, which no loader reads.
const EXTENSIONS: [&str; 3] = ["tga", "png", "jpg"];

/// What follows the name of an image in that of its fullbright image. The second one is of Tenebrae.
const GLOW: [&str; 2] = ["_glow", "_luma"];

/// An image in place of one of a model's skins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExternalImage {
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
    pub async fn find(search: &mut FileSearch<'_>, model: &Path, skins: &[ConvertedSkin]) -> Self {
        let model = model.to_string_lossy().replace('\\', "/");
        let mut found = Self::default();
        for (index, skin) in skins.iter().enumerate() {
            let mut images = Vec::new();
            for image in 0..skin.images.len() {
                let name = match skin.images.len() {
                    1 => format!("{model}_{index}"),
                    _ => format!("{model}_{index}_{image}"),
                };
                images.push(find_image(search, &name).await);
            }
            found.replaced.push(images);
        }
        while let Some(image) = {
            let index = skins.len() + found.added.len();
            find_image(search, &format!("{model}_{index}")).await
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

async fn find_image(search: &mut FileSearch<'_>, name: &str) -> Option<ExternalImage> {
    let image = search.find_first(name, &candidates(name)).await.ok()?;
    let glows: Vec<PathBuf> = GLOW
        .iter()
        .flat_map(|glow| candidates(&format!("{name}{glow}")))
        .collect();
    let glow = search.find_first(name, &glows).await.ok();
    Some(ExternalImage { image, glow })
}

/// The paths of an image, in the order of the search.
fn candidates(name: &str) -> Vec<PathBuf> {
    let in_folder = |folder: &&str| EXTENSIONS.map(|it| format!("{folder}{name}.{it}"));
    let others = FOLDERS.iter().flat_map(in_folder);
    let paths = [format!("dds/{name}.dds")].into_iter().chain(others);
    let paths = paths.map(PathBuf::from);
    paths.filter(|path| has_loader(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use std::path::Path;

    #[test]
    fn images_are_searched_in_the_order_of_darkplaces() {
        let paths = candidates("progs/a.mdl_0");
        let tga = paths
            .iter()
            .filter(|path| path.extension() != Some("png".as_ref()));
        let tga: Vec<_> = tga
            .filter(|path| path.extension() != Some("jpg".as_ref()))
            .collect();
        let expected = [
            "dds/progs/a.mdl_0.dds",
            "override/progs/a.mdl_0.tga",
            "textures/progs/a.mdl_0.tga",
            "progs/a.mdl_0.tga",
        ];
        assert_eq!(tga, expected.map(Path::new));
    }
}
