//! The label and the path of a model's scene.

use bevy::asset::{AssetPath, AssetServer};

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
    let scene = scene_path(model);
    !server.get_path_ids(model).is_empty() || !server.get_path_ids(scene).is_empty()
}
