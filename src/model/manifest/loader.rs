//! [`ManifestLoader`]: the asset loader of manifests.

use super::classic_model::is_manifest;
use super::find_files::ManifestReader;
use super::loader_settings::ManifestLoaderSettings;
use super::manifest_error::ManifestLoaderError;
use super::model_manifest::ModelManifest;
use super::preload::Preloader;
use crate::scene::all_cases;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::ecs::world::{FromWorld, World};
use bevy::reflect::TypePath;
use std::sync::LazyLock;

/// Loads manifests. The model, clips, skins and attachments of a manifest, and their dependencies, are dependencies of
/// its asset.
///
/// Files without the extension `.model.ron` are treated as models: the loader does not read them, and returns a
/// manifest that contains only the path.
#[derive(TypePath)]
pub struct ManifestLoader {
    files: ManifestReader,
    preloader: Preloader,
}

impl FromWorld for ManifestLoader {
    fn from_world(world: &mut World) -> Self {
        Self {
            files: ManifestReader::of(world),
            preloader: Preloader::from_world(world),
        }
    }
}

/// `model.ron` in all combinations of upper and lower case.
pub(super) static EXTENSIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for model in all_cases(&["model"]) {
        for ron in all_cases(&["ron"]) {
            all.push(&*format!("{model}.{ron}").leak());
        }
    }
    all
});

impl AssetLoader for ManifestLoader {
    type Asset = ModelManifest;
    type Settings = ManifestLoaderSettings;
    type Error = ManifestLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &ManifestLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<ModelManifest, ManifestLoaderError> {
        let path = load_context.path().clone_owned();
        if !is_manifest(&path) {
            let manifest = ModelManifest::of(path);
            self.preloader.preload_model(load_context, &manifest);
            return Ok(manifest);
        }
        let preloader = &self.preloader;
        let load = self.files.load(preloader, reader, load_context, *settings);
        load.await
    }

    fn extensions(&self) -> &[&str] {
        &EXTENSIONS
    }
}
