//! Components with which a game controls particle systems, and the event that it gets from them.

use bevy::prelude::*;

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
