//! Answers questions about spawned models for code on any format.

use crate::formats::lgw::components::LgwInstance;
use crate::root::play::ClipRef;
use crate::spawn::format::{ModelClip, ModelInfo, ModelPose, NamedEntity};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use core::ops::Range;

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
