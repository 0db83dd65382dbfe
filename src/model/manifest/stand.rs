//! How large a scene is and how it is turned, for each instance: several manifests can state that about one model.

use super::document::{FileAxis, ManifestAxes, ModelManifest};
use super::spawn::ModelState;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::ecs::world::World;
use bevy::math::Quat;
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldInstanceReady, WorldInstanceSpawner};

/// On the root entity of a spawned scene: the transform that it was spawned with.
#[derive(Component)]
pub(super) struct SceneStand(Transform);

/// What a manifest states about how its model stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stand {
    scale: f32,
    rotation: Option<Quat>,
}

impl Default for Stand {
    fn default() -> Self {
        Self {
            scale: 1.0,
            rotation: None,
        }
    }
}

impl Stand {
    /// Of a model whose third axis was mirrored when it was loaded, or not.
    pub(super) fn stated(manifest: &ModelManifest, mirrors_z: bool) -> Self {
        let mirrored = |axes: ManifestAxes| match mirrors_z {
            true => ManifestAxes {
                up: mirrored(axes.up),
                forward: mirrored(axes.forward),
            },
            false => axes,
        };
        let axes = manifest.axes.map(mirrored);
        Self {
            scale: manifest.scale,
            rotation: axes.and_then(ManifestAxes::rotation),
        }
    }

    fn apply(self, own: &Transform) -> Transform {
        Transform {
            translation: own.translation,
            rotation: self.rotation.unwrap_or(own.rotation),
            scale: own.scale * self.scale,
        }
    }
}

fn mirrored(axis: FileAxis) -> FileAxis {
    match axis {
        FileAxis::Z => FileAxis::NegZ,
        FileAxis::NegZ => FileAxis::Z,
        other => other,
    }
}

/// Places a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_instance_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    states: Query<&ModelState>,
    roots: Query<(&ChildOf, &Transform)>,
) {
    let Ok(state) = states.get(ready.entity) else {
        return;
    };
    for entity in spawner.iter_instance_entities(ready.instance_id) {
        let root = roots.get(entity);
        let root = root.ok().filter(|(of, _)| of.parent() == ready.entity);
        if let Some((_, own)) = root {
            let stand = state.stand.apply(own);
            commands
                .entity(entity)
                .try_insert((SceneStand(*own), stand));
        }
    }
}

/// Places the scene below a root that stands otherwise from now on.
pub(super) fn apply_stand(world: &mut World, root: Entity, stand: Stand) {
    let children = world.get::<Children>(root);
    let children: Vec<Entity> = children.into_iter().flatten().copied().collect();
    for child in children {
        let own = world.get::<SceneStand>(child).map(|own| own.0);
        let transform = world.get_mut::<Transform>(child);
        if let (Some(own), Some(mut transform)) = (own, transform) {
            *transform = stand.apply(&own);
        }
    }
}
