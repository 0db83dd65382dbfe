//! [`ManifestTransform`]: the size and the axes of a manifest.

use crate::manifest::model_manifest::{FileAxis, ManifestAxes, ModelManifest};
use crate::root::space::SceneTransform;
use bevy::math::Quat;

/// The size and the axes of a manifest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ManifestTransform {
    /// A factor for the size.
    pub(crate) scale: f32,
    axes: Option<ManifestAxes>,
    facing: Option<FileAxis>,
    /// Meters per unit of the file.
    pub(crate) meters: Option<f32>,
    /// The height at rest, in meters.
    pub(crate) height: Option<f32>,
}

impl Default for ManifestTransform {
    fn default() -> Self {
        Self {
            scale: 1.0,
            axes: None,
            facing: None,
            meters: None,
            height: None,
        }
    }
}

impl ManifestTransform {
    pub(crate) fn from_manifest(manifest: &ModelManifest) -> Self {
        Self {
            scale: manifest.scale,
            axes: manifest.axes,
            facing: manifest.facing,
            meters: manifest.meters,
            height: manifest.height,
        }
    }

    /// The rotation of a scene, if the manifest has the model's axes or its front.
    pub(crate) fn rotation(self, scene: SceneTransform) -> Option<Quat> {
        let axes = self.axes.and_then(|axes| axes.rotation_in(scene.mirror));
        let turn = self.facing.and_then(FileAxis::turn_to_front);
        axes.or(turn.map(|turn| turn * scene.original.rotation))
    }
}
