//! Applies the size and the axes of manifests to the scenes of their models.

use crate::geometry::axes::SceneScale;
use crate::manifest::model_manifest::{FileAxis, ManifestAxes, ModelManifest};
use crate::root::space::{BevySpace, SceneTransform};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::Children;
use bevy::ecs::world::World;
use bevy::math::Quat;
use bevy::transform::components::Transform;

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

    pub(crate) fn apply(self, scene: SceneTransform) -> Transform {
        let original = scene.original;
        Transform {
            translation: original.translation,
            rotation: self.rotation(scene).unwrap_or(original.rotation),
            scale: original.scale * self.scale,
        }
    }
}

/// Updates the transform of the scene below a root, and the root's [`SceneScale`].
pub(crate) fn apply_transform(world: &mut World, root: Entity, transform: ManifestTransform) {
    if let Ok(mut root) = world.get_entity_mut(root) {
        let scale = SceneScale(transform.scale);
        if transform.scale == 1.0 {
            root.remove::<SceneScale>();
        } else if root.get::<SceneScale>() != Some(&scale) {
            root.insert(scale);
        }
    }
    let children = world.get::<Children>(root);
    let children: Vec<Entity> = children.into_iter().flatten().copied().collect();
    for child in children {
        let loaded = world.get::<SceneTransform>(child).copied();
        let current = world.get_mut::<Transform>(child);
        if let (Some(loaded), Some(mut current)) = (loaded, current) {
            *current = transform.apply(loaded);
        }
    }
    // Applies the `BevySpace` to the new transform.
    if let Some(mut space) = world.get_mut::<BevySpace>(root) {
        space.set_changed();
    }
}
