//! Components of spawned particle systems.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::spawn::render_layers::HasLayers;
use bevy::prelude::*;

/// A particle system, at the origin of its entity.
///
/// The entity's space is the file's, with Z up. The scene of an `.alo` file has this component on its root, which
/// converts the axes.
///
/// It sets the entity's `Aabb`. So insert it on a child of an entity with a mesh, not on that entity: the box of the
/// particles would cull the mesh.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(HasLayers, Transform, Visibility)]
pub struct AloParticleSystem(pub Handle<AloParticles>);
