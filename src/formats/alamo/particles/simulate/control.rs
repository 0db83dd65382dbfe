//! Components and resources with which a game controls particle systems, the event that it gets from them, and the limit
//! of particles.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::evaluate::{EmitMode, MAX_ALIVE};
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::cmp::Reverse;
use core::fmt;
use std::sync::Arc;

/// Whether a particle system emits. Without this component, it does.
///
/// Insert it on the root of the model (the entity that has the `ClassicModel` or the `WorldAssetRoot`), or on the entity
/// that has the [`AloParticleSystem`](crate::alamo::AloParticleSystem). It is kept when the file is reloaded.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParticleEmission {
    /// It emits. After any of the states below but [`Paused`](Self::Paused), it restarts.
    ///
    /// A system whose births are finite emits once. To repeat it, call [`restart`](Self::restart).
    #[default]
    Playing,
    /// Its clock is paused.
    Paused,
    /// It stops as its file says: its particles finish their life, or vanish at once.
    Stopped,
    /// It stops, and its particles finish their life, with all that they spawn.
    Finishing,
    /// It stops, and its particles vanish at once.
    Killed,
    /// Its particles are removed, and it restarts. The value then becomes [`Playing`](Self::Playing).
    Restarting,
}

impl ParticleEmission {
    /// Removes all particles and restarts.
    pub fn restart(&mut self) {
        *self = Self::Restarting;
    }
}

/// Sent to the root when its particle system is over: nothing will be born, and no particle lives.
///
/// It is sent once, and again after each further start. A system that is stopped before it begins is over at once; so is a
/// stopped system whose scene is reloaded, because its entity is a new one. A system that emits without end sends it after
/// it was stopped.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticlesFinished {
    /// The root of the model, or the entity that has the `AloParticleSystem` if it is not part of a model's scene.
    pub entity: Entity,
}

/// Despawns the root of a particle system when it is over, after [`ParticlesFinished`]: for explosions.
///
/// Insert it on the same entity as [`ParticleEmission`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct DespawnWhenFinished;

/// The speed of a particle system's time: 1 by default. Negative numbers and NaN are 0.
///
/// Insert it on the same entity as [`ParticleEmission`].
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ParticleSpeed(pub f32);

impl Default for ParticleSpeed {
    /// 1.
    fn default() -> Self {
        Self(1.0)
    }
}

impl ParticleSpeed {
    /// The speed, never negative and never NaN.
    pub(crate) fn checked(self) -> f64 {
        // Not for NaN.
        if self.0 > 0.0 {
            f64::from(self.0.min(f32::MAX))
        } else {
            0.0
        }
    }
}

/// The seed of a particle system's random numbers. Systems with the same file and seed have the same particles each
/// time that they begin.
///
/// Without this component, each system and each start has other particles. Those of a model's proxies and of a manifest's
/// attachments do not depend on the order of loading: they follow from the id of the model's root, and from the proxy's index
/// or the attachment's path, bone and index. A change takes effect when the system restarts. Insert it on the same entity as [`ParticleEmission`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ParticleSeed(pub u64);

/// Multiplies the colors of a particle system.
///
/// Insert it on the same entity as [`ParticleEmission`].
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ParticleTint(pub Color);

impl Default for ParticleTint {
    /// White: colors stay as they are.
    fn default() -> Self {
        Self(Color::WHITE)
    }
}

/// The sum of the particles that all systems may have at once.
#[derive(Resource, Default)]
pub(crate) struct ParticleDemand(pub(crate) u64);

/// About how many particles a simulation of a system may have at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Of emitters that have the same count for all meshes.
    fixed: u64,
    /// For each vertex of the mesh: of emitters that emit from all vertices, and of those that their particles spawn.
    per_vertex: u64,
}

impl Demand {
    pub(crate) fn new(particles: &AloParticles) -> Self {
        let mut demand = Self {
            fixed: 0,
            per_vertex: 0,
        };
        for (index, info) in particles.emitters.iter().enumerate() {
            let root = particles.prepared_emitter(root(particles, index));
            let is_per_vertex = root.is_some_and(|root| root.emit_mode == EmitMode::EveryVertex);
            let sum = if is_per_vertex {
                &mut demand.per_vertex
            } else {
                &mut demand.fixed
            };
            // The count of an asset is limited, that of a running system is not.
            *sum = if info.max_alive < MAX_ALIVE {
                sum.saturating_add(info.max_alive)
            } else {
                u64::MAX
            };
        }
        demand
    }

    /// The count of this many simulations of a system, whose mesh has this many vertices.
    pub(crate) fn count(&self, vertices: usize, simulations: usize) -> u64 {
        let of_mesh = self.per_vertex.saturating_mul(vertices.max(1) as u64);
        let of_one = self.fixed.saturating_add(of_mesh);
        of_one.saturating_mul(simulations as u64)
    }
}

/// The emitter that no particle spawns, from which an emitter descends.
fn root(particles: &AloParticles, emitter: usize) -> usize {
    let parent = |emitter: &usize| {
        let parent = particles.emitters.get(*emitter)?.emitter.parent?;
        Some(parent.emitter as usize)
    };
    // Links are a forest, so there are fewer steps than emitters.
    let ancestors = core::iter::successors(Some(emitter), parent).take(particles.emitters.len());
    ancestors.last().unwrap_or(emitter)
}

/// The active 3D cameras.
#[derive(SystemParam)]
pub(crate) struct Viewers<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera3d>>,
}

/// The rank of a system: those with a lower rank emit first.
pub(crate) type Rank = (Reverse<i32>, Reverse<u64>);

impl Viewers<'_, '_> {
    /// Larger on the screen comes first, and of about the same size the newer one. Sizes differ by less than a factor of
    /// two if they are about the same.
    pub(crate) fn rank(&self, bounds: &Aabb, world_from_system: &Affine3A, order: u64) -> Rank {
        let center = world_from_system.transform_point3a(bounds.center);
        let radius = world_from_system
            .transform_vector3a(bounds.half_extents)
            .length();
        let cameras = self.cameras.iter().filter(|(camera, _)| camera.is_active);
        let sizes = cameras.map(|(_, camera)| radius / distance(camera, center));
        let size = sizes.fold(0.0, f32::max);
        (Reverse(size.log2().floor() as i32), Reverse(order))
    }
}

fn distance(camera: &GlobalTransform, point: Vec3A) -> f32 {
    camera
        .translation_vec3a()
        .distance(point)
        .max(f32::MIN_POSITIVE)
}

/// The ground, at which particles of some emitters die, bounce or stop.
///
/// Up is Y, or Z for files that are loaded with `convert_axes: false`.
#[derive(Resource, Clone)]
pub enum ParticleGround {
    /// A plane at this height in the world.
    Height(f32),
    /// Terrain: a function of the position in the world. It is called with the position of the system when it has births.
    /// For these particles, the ground is a plane at the returned height.
    ///
    /// An emitter has one plane for all particles that bounce: that of its latest births. If the system moves to another
    /// height, older particles move to that plane after their first contact.
    Terrain(Arc<TerrainHeight>),
}

/// Returns the height of the terrain at a position in the world. The height of the position itself is that of a particle
/// system, for worlds with several floors.
pub type TerrainHeight = dyn Fn(Vec3) -> f32 + Send + Sync;

impl ParticleGround {
    /// A ground that is not a plane.
    pub fn terrain(height: impl Fn(Vec3) -> f32 + Send + Sync + 'static) -> Self {
        Self::Terrain(Arc::new(height))
    }

    /// The height of the ground at a position in the world. 0 if a terrain has no finite height there.
    pub fn height(&self, position: Vec3) -> f32 {
        let height = match self {
            Self::Height(height) => *height,
            Self::Terrain(height) => height(position),
        };
        if height.is_finite() { height } else { 0.0 }
    }
}

impl Default for ParticleGround {
    /// A plane at height 0.
    fn default() -> Self {
        Self::Height(0.0)
    }
}

impl fmt::Debug for ParticleGround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Height(height) => f.debug_tuple("Height").field(height).finish(),
            Self::Terrain(_) => f.debug_tuple("Terrain").finish_non_exhaustive(),
        }
    }
}

/// The most particles that may live at once. Births beyond it are dropped, with a warning the first time.
///
/// Births are dropped first for the systems that are smallest on the screen, and of those of about the same size for the
/// oldest. Particles that live already are not removed.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticleBudget {
    /// The most particles of all systems together, 64 bytes each. 262,144 by default.
    pub total: usize,
    /// The most particles of each system. 65,536 by default. An emitter with more than 2,097,152 needs a buffer of over
    /// 256 MiB, which not all adapters have.
    pub per_system: usize,
}

impl Default for ParticleBudget {
    fn default() -> Self {
        Self {
            total: 262_144,
            per_system: 65_536,
        }
    }
}
