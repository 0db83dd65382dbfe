//! From the asset server's bytes to a [`ModelManifest`] whose files are found.

use super::classic_model::is_manifest;
#[cfg(feature = "manifest")]
use super::find_files::ManifestReader;
use super::manifest::ModelManifest;
use super::preload::Preloader;
#[cfg(feature = "manifest")]
use super::read::ManifestError;
use crate::scene::all_cases;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::ecs::world::{FromWorld, World};
use bevy::reflect::TypePath;
use thiserror::Error;

/// Loads manifests. The model, clips, skins and attachments that a manifest names, with all that those need, are
/// dependencies of its asset.
///
/// Files of other names it takes for models, as manifests that say nothing but where those are, and does not read
/// them.
#[derive(TypePath)]
pub struct ManifestLoader {
    #[cfg(feature = "manifest")]
    files: ManifestReader,
    preloader: Preloader,
    extensions: Vec<&'static str>,
}

/// Why a manifest could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestLoaderError {
    /// The file could not be read.
    #[cfg(feature = "manifest")]
    #[error("{path}: cannot be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// The error of the asset source.
        source: std::io::Error,
    },
    /// The file is not a manifest, or a file that it names is missing. Begins with `path:line:column:`.
    #[cfg(feature = "manifest")]
    #[error("{path}:{source}")]
    Manifest {
        /// The asset's path.
        path: String,
        /// Where and why.
        source: ManifestError,
    },
    /// The crate was built without the feature `manifest`.
    #[cfg(not(feature = "manifest"))]
    #[error("{path}: manifests need the feature `manifest` of bevy_classic_models")]
    Disabled {
        /// The asset's path.
        path: String,
    },
}

impl FromWorld for ManifestLoader {
    fn from_world(world: &mut World) -> Self {
        Self {
            #[cfg(feature = "manifest")]
            files: ManifestReader::of(world),
            preloader: Preloader::from_world(world),
            extensions: extensions(),
        }
    }
}

/// `model.ron` in all cases.
pub(super) fn extensions() -> Vec<&'static str> {
    let mut all = Vec::new();
    for model in all_cases(&["model"]) {
        for ron in all_cases(&["ron"]) {
            // The server keeps loaders for ever, and asks them for borrowed names.
            all.push(&*format!("{model}.{ron}").leak());
        }
    }
    all
}

impl AssetLoader for ManifestLoader {
    type Asset = ModelManifest;
    type Settings = ();
    type Error = ManifestLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<ModelManifest, ManifestLoaderError> {
        let path = load_context.path().clone_owned();
        if !is_manifest(&path) {
            let manifest = ModelManifest::of(path);
            self.preloader.preload_bare(load_context, &manifest);
            return Ok(manifest);
        }
        #[cfg(feature = "manifest")]
        return self.files.load(&self.preloader, reader, load_context).await;
        #[cfg(not(feature = "manifest"))]
        {
            let _ = reader;
            let path = path.to_string();
            Err(ManifestLoaderError::Disabled { path })
        }
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
