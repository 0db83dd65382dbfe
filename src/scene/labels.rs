//! Labels that the files of all formats have.

use bevy::asset::AssetPath;

/// Label of the scene in the files of all formats.
pub(super) const SCENE: &str = "Scene";

/// The path of the scene of a model.
pub(super) fn scene_path(model: &AssetPath<'static>) -> AssetPath<'static> {
    model.clone().with_label(SCENE)
}
