//! Applies the size and the axes of manifests to the scenes of their models.

use crate::model::components::SceneTransform;
use crate::model::manifest::state::ModelState;
use crate::model::manifest::transform::ManifestTransform;
use crate::scene::Mirror;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::ecs::world::World;
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldInstanceReady, WorldInstanceSpawner};

/// Sets the transform of a scene that was spawned or respawned.
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
        if let Some((_, original, mirror)) = root {
            let loaded = SceneTransform {
                original: *original,
                mirror: mirror.copied().unwrap_or_default(),
            };
            let transform = state.transform.apply(loaded);
            commands.entity(entity).try_insert((loaded, transform));
        }
    }
}

/// The size and the axes from the manifest of a root. The default without a manifest.
pub(in crate::model) fn manifest_transform(world: &World, root: Entity) -> ManifestTransform {
    let state = world.get::<ModelState>(root);
    state.map_or(ManifestTransform::default(), |state| state.transform)
}
