//! Scenes that are loaded without a label, as in `WorldAssetRoot(assets.load("ogre.mdl"))`.

use super::classic_model::is_manifest;
use super::formats::FormatsByExtension;
use super::loader::extensions;
use super::spawn::manifest_scene;
use crate::scene::all_cases;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, LoadContext};
use bevy::reflect::TypePath;
use bevy::world_serialization::WorldAsset;
use thiserror::Error;

/// Loads a model or a manifest as a scene, whose root then gets a [`ClassicModel`](super::ClassicModel).
///
/// It has the extensions of all formats, but it is registered before their loaders, which Bevy therefore uses for paths
/// with a label and for loads without a type.
#[derive(TypePath)]
pub(super) struct UnlabeledSceneLoader {
    formats: FormatsByExtension,
    extensions: Vec<&'static str>,
}

/// A file that is no model was loaded as a scene.
#[derive(Debug, Error)]
#[error(
    "{0} cannot be spawned as a scene: it has no extension of a model format; if the file has scenes, \
     load one by its label, as in {0}#Scene0"
)]
pub(super) struct NoModel(AssetPath<'static>);

impl UnlabeledSceneLoader {
    pub(super) fn new(formats: FormatsByExtension) -> Self {
        Self {
            extensions: scene_extensions(&formats),
            formats,
        }
    }
}

/// The extensions of models and manifests in all cases.
pub(super) fn scene_extensions(formats: &FormatsByExtension) -> Vec<&'static str> {
    let mut all = all_cases(&formats.extensions());
    all.extend(extensions());
    all
}

impl AssetLoader for UnlabeledSceneLoader {
    type Asset = WorldAsset;
    type Settings = ();
    type Error = NoModel;

    async fn load(
        &self,
        _: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<WorldAsset, NoModel> {
        let path = load_context.path().clone_owned();
        match is_manifest(&path) || self.formats.has(&path) {
            true => Ok(manifest_scene(path)),
            false => Err(NoModel(path)),
        }
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
