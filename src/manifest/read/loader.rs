//! [`ManifestLoader`]: the asset loader of manifests.

use crate::manifest::classic_model::is_manifest;
use crate::manifest::files::find::{ManifestLoaderSettings, ManifestReader};
use crate::manifest::files::preload::Preloader;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::ManifestLoaderError;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;

/// Loads manifests. The model, clips, skins and attachments of a manifest, and their dependencies, are dependencies of
/// its asset.
///
/// Files without the extension `.model.ron` are treated as models: the loader does not read them, and returns a
/// manifest that contains only the path.
#[derive(TypePath)]
#[type_path = "bevy_classic_models::manifest"]
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

/// The extension of manifests.
pub(crate) const EXTENSION: &str = "model.ron";

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
}
