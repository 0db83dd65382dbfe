//! Places the scenes that manifests gave, as they state it.

use crate::model::components::SceneTransform;
use crate::model::manifest::state::ModelState;
use crate::model::manifest::transform::ManifestTransform;
use crate::scene::Mirror;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::ecs::world::World;
use bevy::math::Quat;
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldInstanceReady, WorldInstanceSpawner};

/// Places a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_instance_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    spawner: Res<WorldInstanceSpawner>,
    states: Query<&ModelState>,
    roots: Query<(&ChildOf, &Transform, Option<&Mirror>)>,
) {
    let Ok(state) = states.get(ready.entity) else {
        return;
    };
    for entity in spawner.iter_instance_entities(ready.instance_id) {
        let root = roots.get(entity);
        let root = root.ok().filter(|(of, ..)| of.parent() == ready.entity);
        if let Some((_, own, mirror)) = root {
            let mirror = mirror.copied().unwrap_or_default();
            let before = SceneTransform { own: *own, mirror };
            let stand = state.stand.apply(before);
            commands.entity(entity).try_insert((before, stand));
        }
    }
}

/// What the manifest of a root states: the factor of its scale, and its rotation.
pub(in crate::model) fn manifest_transform(
    world: &World,
    root: Entity,
    scene: SceneTransform,
) -> (f32, Option<Quat>) {
    let state = world.get::<ModelState>(root);
    let stand = state.map_or(ManifestTransform::default(), |state| state.stand);
    (stand.scale, stand.rotation(scene.mirror))
}
