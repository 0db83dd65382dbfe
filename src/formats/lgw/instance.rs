//! Adds [`LgwInstance`] to the root of a model when its scene is spawned.

use crate::formats::lgw::asset::{Lgw, LgwModel};
use crate::formats::lgw::components::{LgwInstance, LgwMesh, LgwScene};
use crate::load::names::missing_part;
use crate::spawn::instance::{ModelFormat, ModelInstance, SharedModel};
use crate::spawn::reload::ReadyScenes;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;

impl SharedModel for LgwModel {
    fn named<'a>(&'a self, name: &'a str) -> Box<dyn Iterator<Item = usize> + 'a> {
        Box::new(self.meshes_named(name).iter().copied())
    }

    fn missing_part(&self, name: &str) -> Option<String> {
        missing_part(!self.meshes_named(name).is_empty(), name)
    }

    fn bounds(&self) -> Option<Aabb3d> {
        self.bounds
    }
}

/// Inserts or replaces the [`LgwInstance`] of a root whose scene was spawned or respawned.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, Lgw>,
    spawned: Query<&LgwMesh>,
) {
    let Some((_, LgwScene(model), entities)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let with_index = |entity| Some((spawned.get(entity).ok()?.index, entity));
    let mut meshes: Vec<_> = entities.into_iter().filter_map(with_index).collect();
    meshes.sort_unstable();
    let model_instance = ModelInstance::new(
        ModelFormat::UfoAftermath,
        model.clone(),
        meshes.iter().copied(),
    );
    let meshes = meshes.into_iter().map(|(_, entity)| entity).collect();
    let instance = LgwInstance { model, meshes };
    commands
        .entity(ready.entity)
        .try_insert((instance, model_instance));
}
