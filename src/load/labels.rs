//! The labels and the paths of a model's scenes.

use bevy::asset::{AssetPath, AssetServer};

/// The label of a model's scene, the same for all formats.
pub(crate) const SCENE: &str = "Scene";

/// The label of the scene of a crowd's member, the same for all formats that have crowds.
pub(crate) const CROWD: &str = "Crowd";

/// The asset path of a model's scene.
pub(crate) fn scene_path(model: &AssetPath<'static>) -> AssetPath<'static> {
    model.clone().with_label(SCENE)
}

/// The asset paths of all scenes of a model.
pub(crate) fn scene_paths(model: &AssetPath<'static>) -> [AssetPath<'static>; 2] {
    [SCENE, CROWD].map(|label| model.clone().with_label(label))
}

/// Whether a model or one of its scenes is loaded or being loaded.
///
/// A dropped asset counts until Bevy removes it, because Bevy does not load it again if it is requested before.
pub(crate) fn is_model_in_use(server: &AssetServer, model: &AssetPath<'static>) -> bool {
    let is_in_use = |path: &AssetPath<'static>| !server.get_path_ids(path).is_empty();
    is_in_use(model) || scene_paths(model).iter().any(is_in_use)
}
