//! Resources that concern all particle systems: the ground, and the limit of particles.

use bevy::prelude::*;
use core::fmt;
use std::sync::Arc;

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
