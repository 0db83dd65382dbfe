//! The label and the path of a model's scene, loads of scenes without a label, as in `WorldAssetRoot(assets.load("ogre.mdl"))`,
//! and file extensions in any case.

use crate::load::names::{ends_with_extension, folded};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, AssetServer, LoadContext};
use bevy::prelude::*;
use core::marker::PhantomData;
use thiserror::Error;

/// The label of a model's scene, the same for all formats.
pub(crate) const SCENE: &str = "Scene";

/// The asset path of a model's scene.
pub(crate) fn scene_path(model: &AssetPath<'static>) -> AssetPath<'static> {
    model.clone().with_label(SCENE)
}

/// Whether a model or its scene is loaded or being loaded.
///
/// A dropped asset counts until Bevy removes it, because Bevy does not load it again if it is requested before.
pub(crate) fn is_model_in_use(server: &AssetServer, model: &AssetPath<'static>) -> bool {
    let is_in_use = |path: &AssetPath<'static>| !server.get_path_ids(path).is_empty();
    is_in_use(model) || is_in_use(&scene_path(model))
}

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
        extensions.any(|extension| ends_with_extension(&name, &folded(extension)))
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

/// The maximum count of cases of an extension: those of eight letters. Other letters are in lower case.
const MAX_CASES: usize = 1 << 8;

/// Reserves extensions, in any case, for a loader that is registered later. The asset server does not ask the loader for
/// them again.
pub(crate) fn reserve_extensions<L: AssetLoader>(app: &mut App, extensions: &[impl AsRef<str>]) {
    let all = all_cases(extensions);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    app.preregister_asset_loader::<L>(&all);
}

/// Every combination of upper and lower case, because the asset server compares extensions exactly.
fn all_cases(extensions: &[impl AsRef<str>]) -> Vec<String> {
    let mut all = Vec::new();
    for extension in extensions {
        let mut cases = vec![String::new()];
        for letter in extension.as_ref().chars() {
            let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
            let mut with_upper = Vec::new();
            if cases.len() < MAX_CASES && lower != upper {
                with_upper.extend(cases.iter().map(|case| format!("{case}{upper}")));
            }
            cases.iter_mut().for_each(|case| case.push(lower));
            cases.extend(with_upper);
        }
        all.extend(cases);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_of_three_letters_has_eight_cases() {
        let cases = all_cases(&["mdl"]);
        assert_eq!(cases.len(), 8);
        for case in ["MDL", "mdl", "Mdl"] {
            assert!(cases.iter().any(|other| other == case), "{case}");
        }
    }
}
