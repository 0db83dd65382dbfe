//! What happens when the scene of a model is ready, and when it is removed.

use crate::lgw::components::{LgwInstance, LgwMesh, LgwScene};
use crate::scene::OwnScenes;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query};
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, LgwScene>,
    spawned: Query<(Option<&LgwScene>, Option<&LgwMesh>)>,
    instances: Query<&LgwInstance>,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let mut model = None;
    let mut meshes = Vec::new();
    for entity in entities {
        let Ok((scene, mesh)) = spawned.get(entity) else {
            continue;
        };
        model = scene.map(|scene| &scene.0).or(model);
        meshes.extend(mesh.map(|mesh| (mesh.index, entity)));
    }
    let Some(model) = model else {
        if instances.contains(root) {
            commands.entity(root).try_remove::<LgwInstance>();
        }
        return;
    };
    meshes.sort_unstable();
    commands.entity(root).try_insert(LgwInstance {
        model: model.clone(),
        meshes: meshes.into_iter().map(|(_, entity)| entity).collect(),
    });
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<LgwInstance>();
}
