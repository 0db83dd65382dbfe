//! Loading of scenes without a label, as in `WorldAssetRoot(assets.load("ogre.mdl"))`.

use crate::load::extensions::reserve_extensions;
use crate::load::names::folded;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, LoadContext};
use bevy::prelude::*;
use core::marker::PhantomData;
use thiserror::Error;

/// The function that creates the scene for a file that is loaded without a label. Without it, the app does not support
/// such loads.
#[derive(Resource, Clone, Copy)]
pub(crate) struct UnlabeledScenes(pub(crate) fn(AssetPath<'static>) -> WorldAsset);

/// Loads the files of the asset `A`, models or manifests, as scenes without a label.
///
/// It is registered before the loader of `A`, so that Bevy uses the loader of `A` for paths with a label and for loads
/// without a type.
#[derive(TypePath)]
struct UnlabeledSceneLoader<A: Asset> {
    scenes: UnlabeledScenes,
    extensions: Vec<String>,
    asset: PhantomData<fn() -> A>,
}

/// The error if a file that is not a model is loaded as a scene.
#[derive(Debug, Error)]
#[error(
    "{0} cannot be spawned as a scene: it has no extension of a model format; if the file contains scenes, \
     load one by its label, such as {0}#Scene0"
)]
pub(crate) struct NotAModel(AssetPath<'static>);

impl<A: Asset> UnlabeledSceneLoader<A> {
    /// Whether a file has one of the extensions.
    ///
    /// Bevy falls back to the last loader of scenes for a file whose extension no loader of scenes has, and warns about
    /// `Multiple AssetLoaders`.
    fn has_extension(&self, path: &AssetPath<'_>) -> bool {
        let name = path.path().file_name().unwrap_or_default();
        let name = folded(&name.to_string_lossy());
        let mut extensions = self.extensions.iter();
        extensions.any(|extension| {
            let stem = name.strip_suffix(&folded(extension));
            stem.is_some_and(|stem| stem.ends_with('.'))
        })
    }
}

impl<A: Asset> AssetLoader for UnlabeledSceneLoader<A> {
    type Asset = WorldAsset;
    type Settings = ();
    type Error = NotAModel;

    async fn load(
        &self,
        _: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<WorldAsset, NotAModel> {
        let path = load_context.path().clone_owned();
        if self.has_extension(&path) {
            Ok(self.scenes.0(path))
        } else {
            Err(NotAModel(path))
        }
    }
}

/// Registers the loader of unlabeled scenes for the files of the asset `A`, if the app supports such loads. Call it
/// before the loader of `A` is registered.
pub(crate) fn register_unlabeled_loader<A: Asset>(app: &mut App, extensions: &[String]) {
    let Some(&scenes) = app.world().get_resource::<UnlabeledScenes>() else {
        return;
    };
    if !extensions.is_empty() {
        reserve_extensions::<UnlabeledSceneLoader<A>>(app, extensions);
        app.register_asset_loader(UnlabeledSceneLoader::<A> {
            scenes,
            extensions: extensions.to_vec(),
            asset: PhantomData,
        });
    }
}
