//! Asset labels that all formats share.

use bevy::asset::AssetPath;

/// The label of a model's scene, the same for all formats.
pub(super) const SCENE: &str = "Scene";

/// The asset path of a model's scene.
pub(super) fn scene_path(model: &AssetPath<'static>) -> AssetPath<'static> {
    model.clone().with_label(SCENE)
}
