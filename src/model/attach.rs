//! Things that hang on models: guns in hands, turrets on hardpoints.

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;

/// Hangs an entity on a bone of a spawned model: it moves with it, is hidden with it, and stays when the
/// model's file changes and its bones are spawned anew.
///
/// The entity's own `Transform` is its place on the bone. It is despawned with the model's root.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct Attached {
    /// The root of the model.
    #[entities]
    pub to: Entity,
    /// The bone, by its name in any case: see [`Models::bone`](super::Models::bone). Where the model has
    /// none of this name, the entity hangs on the model's root.
    pub bone: String,
}
