//! Answers questions about spawned models for code on any format.

use crate::formats::lgw::components::LgwInstance;
use crate::spawn::format::{ModelInfo, NamedEntity};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

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
