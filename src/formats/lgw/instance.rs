//! Adds [`LgwInstance`] to the root of a model when its scene is spawned, shows and hides its meshes, and answers
//! questions about it for code on any format.

use crate::appearance::bone_visibility::visibility;
use crate::appearance::parts::Selections;
use crate::formats::lgw::asset::{Lgw, LgwModel};
use crate::formats::lgw::components::{LgwInstance, LgwMesh, LgwScene};
use crate::load::names::missing_part;
use crate::root::clip_ref::ClipRef;
use crate::spawn::info::{ModelClip, ModelInfo, ModelPose, NamedEntity};
use crate::spawn::instance::{ModelFormat, ModelInstance, SharedModel};
use crate::spawn::scenes::ReadyScenes;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;
use core::ops::Range;

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

/// The spawned models of UFO: Aftermath.
#[derive(SystemParam)]
pub(crate) struct LgwInfo<'w, 's> {
    roots: Query<'w, 's, &'static LgwInstance>,
    parents: Query<'w, 's, &'static ChildOf>,
}

/// These models have no animations, skins and bones.
impl ModelInfo for LgwInfo<'_, '_> {
    fn scene_root(&self, root: Entity) -> Option<Entity> {
        let first = self.roots.get(root).ok()?.meshes().first()?;
        Some(self.parents.get(*first).ok()?.parent())
    }

    fn clips(&self, _: Entity) -> Vec<ModelClip> {
        Vec::new()
    }

    fn pose(&self, _: Entity, _: f32, _: Option<&Range<u32>>) -> Option<ModelPose> {
        None
    }

    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        self.roots.get(root).ok()?.model().bounds
    }

    fn clip_bounds(&self, _: Entity, _: &ClipRef) -> Option<Aabb3d> {
        None
    }

    fn skins(&self, _: Entity) -> usize {
        0
    }

    fn bones(&self, _: Entity) -> Vec<NamedEntity> {
        Vec::new()
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
