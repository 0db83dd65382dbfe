//! Adds [`LgwInstance`] to the root of a model when its scene is spawned, shows and hides its meshes, and answers
//! questions about it for code on any format.

use crate::appearance::parts::Selections;
use crate::appearance::parts::visibility;
use crate::formats::lgw::asset::Lgw;
use crate::formats::lgw::components::{LgwInstance, LgwMesh, LgwScene};
use crate::spawn::format::{ModelInfo, NamedEntity};
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::ReadyScenes;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
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

/// The spawned models of UFO: Aftermath.
#[derive(SystemParam)]
pub(crate) struct LgwInfo<'w, 's> {
    roots: Query<'w, 's, &'static LgwInstance>,
}

/// These models have no animations, skins and bones.
impl ModelInfo for LgwInfo<'_, '_> {
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        self.roots.get(root).ok()?.model().bounds
    }

    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let Ok(instance) = self.roots.get(root) else {
            return Vec::new();
        };
        let meshes = instance.meshes().iter().zip(&instance.model().meshes);
        meshes
            .map(|(entity, mesh)| NamedEntity {
                entity: *entity,
                name: mesh.name.to_string(),
                parent: None,
            })
            .collect()
    }
}

/// Shows and hides the meshes of models whose selected parts changed.
pub(crate) fn show_parts(
    mut selections: Selections<LgwInstance>,
    roots: Query<&LgwInstance>,
    mut meshes: Query<&mut Visibility>,
) {
    for root in selections.changed() {
        let Ok(instance) = roots.get(root) else {
            continue;
        };
        let selected = selections.get(root);
        for (info, mesh) in instance.model.meshes.iter().zip(&instance.meshes) {
            if let Ok(mut current) = meshes.get_mut(*mesh) {
                let is_shown = selected.hides(&info.name) != Some(true);
                current.set_if_neq(visibility(is_shown));
            }
        }
    }
}
