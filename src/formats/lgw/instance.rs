//! Adds [`LgwInstance`] to the root of a model when its scene is spawned.

use crate::formats::lgw::asset::Lgw;
use crate::formats::lgw::components::{LgwInstance, LgwMesh, LgwScene};
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::ReadyScenes;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;

/// Inserts or replaces the [`LgwInstance`] of a root whose scene was spawned or respawned.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, Lgw>,
    spawned: Query<&LgwMesh>,
) {
    let Some((scene, LgwScene(model), entities)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let with_index = |entity| Some((spawned.get(entity).ok()?.index, entity));
    let mut meshes: Vec<_> = entities.into_iter().filter_map(with_index).collect();
    meshes.sort_unstable();
    let model_instance = ModelInstance::new(
        ModelFormat::UfoAftermath,
        model.shared.clone(),
        scene,
        meshes.iter().copied(),
    );
    let meshes = meshes.into_iter().map(|(_, entity)| entity).collect();
    let instance = LgwInstance { model, meshes };
    commands
        .entity(ready.entity)
        .try_insert((instance, model_instance));
}
