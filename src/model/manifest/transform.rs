//! The scale and axes of a manifest. They are applied to each instance, because several manifests can have one model.

use super::model_manifest::{ManifestAxes, ModelManifest};
use crate::model::components::{BevySpace, SceneTransform};
use crate::scene::{Mirror, SceneScale};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::Children;
use bevy::ecs::world::World;
use bevy::math::Quat;
use bevy::transform::components::Transform;

/// The scale and axes of a manifest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ManifestTransform {
    pub(super) scale: f32,
    axes: Option<ManifestAxes>,
}

impl Default for ManifestTransform {
    fn default() -> Self {
        Self {
            scale: 1.0,
            axes: None,
        }
    }
}

impl ManifestTransform {
    pub(super) fn from_manifest(manifest: &ModelManifest) -> Self {
        Self {
            scale: manifest.scale,
            axes: manifest.axes,
        }
    }

    pub(super) fn rotation(self, mirror: Mirror) -> Option<Quat> {
        self.axes.and_then(|axes| axes.rotation_in(mirror))
    }

    pub(super) fn apply(self, SceneTransform { original, mirror }: SceneTransform) -> Transform {
        Transform {
            translation: original.translation,
            rotation: self.rotation(mirror).unwrap_or(original.rotation),
            scale: original.scale * self.scale,
        }
    }
}

/// Updates the transform of the scene below a root, and the root's [`SceneScale`].
pub(super) fn apply_transform(world: &mut World, root: Entity, transform: ManifestTransform) {
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
