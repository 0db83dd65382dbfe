//! How large a scene is and how it is turned, for each instance: several manifests can state that about one model.

use super::manifest::{ManifestAxes, ModelManifest};
use crate::model::components::{BevySpace, SceneTransform};
use crate::scene::{Mirror, SceneScale};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::Children;
use bevy::ecs::world::World;
use bevy::math::Quat;
use bevy::transform::components::Transform;

/// What a manifest states about how its model stands.
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
    pub(super) fn stated(manifest: &ModelManifest) -> Self {
        Self {
            scale: manifest.scale,
            axes: manifest.axes,
        }
    }

    pub(super) fn rotation(self, mirror: Mirror) -> Option<Quat> {
        self.axes.and_then(|axes| axes.rotation_in(mirror))
    }

    pub(super) fn apply(self, SceneTransform { own, mirror }: SceneTransform) -> Transform {
        Transform {
            translation: own.translation,
            rotation: self.rotation(mirror).unwrap_or(own.rotation),
            scale: own.scale * self.scale,
        }
    }
}

/// Places the scene below a root that stands otherwise from now on.
pub(super) fn apply_stand(world: &mut World, root: Entity, stand: ManifestTransform) {
    if let Ok(mut root) = world.get_entity_mut(root) {
        let scale = SceneScale(stand.scale);
        if stand.scale == 1.0 {
            root.remove::<SceneScale>();
        } else if root.get::<SceneScale>() != Some(&scale) {
            root.insert(scale);
        }
    }
    let children = world.get::<Children>(root);
    let children: Vec<Entity> = children.into_iter().flatten().copied().collect();
    for child in children {
        let before = world.get::<SceneTransform>(child).copied();
        let transform = world.get_mut::<Transform>(child);
        if let (Some(before), Some(mut transform)) = (before, transform) {
            *transform = stand.apply(before);
        }
    }
    // What it chooses is applied to the new transform.
    if let Some(mut space) = world.get_mut::<BevySpace>(root) {
        space.set_changed();
    }
}
