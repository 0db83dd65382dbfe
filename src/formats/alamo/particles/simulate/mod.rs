//! Runs spawned particle systems: adds births to their records, and removes them when they are over.
//!
//! What is drawn follows from the records alone, so nothing here computes positions of living particles, but those that
//! carry emitters, and those that the shader cannot compute.

// For maintainers: the formulas of motion are in `classic_model_formats::particles`.

pub(crate) mod advance;
pub(crate) mod control;
pub(crate) mod instance;
pub(crate) mod mesh;
pub(crate) mod proxies;
pub(crate) mod stage;
pub(crate) mod systems;

use crate::formats::alamo::particles::simulate::advance::simulate;
use crate::formats::alamo::particles::simulate::control::{
    DespawnWhenFinished, ParticleBudget, ParticleDemand, ParticleEmission, ParticleGround,
    ParticleSeed, ParticleSpeed, ParticleTint,
};
use crate::formats::alamo::particles::simulate::mesh::EmissionMeshes;
use crate::formats::alamo::particles::simulate::proxies::{
    is_proxy_loading, spawn_proxy_systems, update_proxies,
};
use crate::formats::alamo::particles::simulate::systems::{
    compute_particles, on_system_removed, start_systems, update_bounds,
};
use crate::load::reloads::add_loading_check;
use crate::root::environment::ClassicModelsSystems;
use bevy::app::AnimationSystems;
use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;

/// The sets of systems of particles in `PostUpdate`, in this order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParticleSet {
    /// Creates and stops the systems of proxies. After animations, before Bevy's transforms.
    Spawn,
    /// Starts systems. After asset events.
    Start,
    /// Updates the `Aabb` of systems. Between Bevy's transforms and visibility.
    Bounds,
    /// Adds, removes and computes particles. After Bevy's visibility, because culled systems have no births.
    Simulate,
}

/// Runs particle systems.
pub(crate) struct ParticleSimulationPlugin;

impl Plugin for ParticleSimulationPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ParticleGround>()
            .init_resource::<ParticleBudget>()
            .init_resource::<ParticleDemand>()
            .init_resource::<EmissionMeshes>()
            .register_type::<ParticleEmission>()
            .register_type::<ParticleSpeed>()
            .register_type::<ParticleSeed>()
            .register_type::<ParticleTint>()
            .register_type::<DespawnWhenFinished>()
            .add_observer(on_system_removed)
            .configure_sets(
                PostUpdate,
                (
                    ParticleSet::Spawn
                        .after(ClassicModelsSystems::Appearance)
                        .after(AnimationSystems)
                        .before(TransformSystems::Propagate)
                        .before(VisibilitySystems::VisibilityPropagate),
                    // Reloaded files restart their systems before they are simulated. Visibility may be propagated before: UI widgets of
                    // Bevy 0.20 run between that and `AssetEventSystems`.
                    ParticleSet::Start.after(AssetEventSystems),
                    ParticleSet::Bounds
                        .after(TransformSystems::Propagate)
                        .before(VisibilitySystems::CheckVisibility),
                    ParticleSet::Simulate
                        .after(VisibilitySystems::MarkNewlyHiddenEntitiesInvisible),
                )
                    .chain(),
            )
            .add_systems(
                PostUpdate,
                (
                    (spawn_proxy_systems, update_proxies)
                        .chain()
                        .in_set(ParticleSet::Spawn),
                    start_systems.in_set(ParticleSet::Start),
                    update_bounds.in_set(ParticleSet::Bounds),
                    (simulate, compute_particles)
                        .chain()
                        .in_set(ParticleSet::Simulate),
                ),
            );
        add_loading_check(app, is_proxy_loading);
    }
}
