//! Components of spawned models.

use crate::formats::lgw::asset::LgwModel;
use bevy::prelude::*;
use std::sync::Arc;

/// A mesh of a spawned model. On the entity of the mesh.
///
/// This crate sets the entity's `Visibility`. Use [`PartVisibility`](crate::root::PartVisibility) on the
/// root to change it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct LgwMesh {
    /// Index of the mesh in the file.
    pub index: usize,
}

/// A spawned model of UFO: Aftermath. Inserted on the root entity when its scene is spawned.
#[derive(Component, Debug)]
pub struct LgwInstance {
    pub(crate) model: Arc<LgwModel>,
    pub(crate) meshes: Vec<Entity>,
}

impl LgwInstance {
    /// The model, with its names, materials and other data.
    pub fn model(&self) -> &Arc<LgwModel> {
        &self.model
    }

    /// The entities of the meshes, in file order.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// The entity of the first mesh with a name, ignoring case.
    pub fn mesh(&self, name: &str) -> Option<Entity> {
        let index = self.model.meshes_named(name).first()?;
        self.meshes.get(*index).copied()
    }
}
