//! Components of spawned models.

use crate::lgw::asset::LgwModel;
use crate::scene::SceneModel;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use std::sync::Arc;

/// On the root entity of a scene's own world: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct LgwScene(pub(super) Arc<LgwModel>);

/// On the entity of a mesh of a spawned model. Its `Visibility` is this crate's to set: see
/// [`PartVisibility`](crate::scene::PartVisibility).
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct LgwMesh {
    /// Its index in the file.
    pub index: usize,
}

/// A spawned model of UFO: Aftermath. On the root entity, once its scene is there.
#[derive(Component, Debug)]
pub struct LgwInstance {
    pub(super) model: Arc<LgwModel>,
    pub(super) meshes: Vec<Entity>,
}

impl LgwInstance {
    /// The model, for its names, materials and all else.
    pub fn model(&self) -> &Arc<LgwModel> {
        &self.model
    }

    /// The entities of the meshes, in file order.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// The entity of the first mesh of a name, in any case.
    pub fn mesh(&self, name: &str) -> Option<Entity> {
        let index = self.model.meshes_named(name).first()?;
        self.meshes.get(*index).copied()
    }
}

impl SceneModel for LgwScene {
    type Instance = LgwInstance;

    fn is_of(&self, instance: &LgwInstance) -> bool {
        Arc::ptr_eq(&self.0, &instance.model)
    }
}
