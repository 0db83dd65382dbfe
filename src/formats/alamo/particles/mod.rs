//! Particle systems of Empire at War and Forces of Corruption: `.alo` files whose first chunk is 0x900.
//!
//! Without Bevy: [`parse`] and [`evaluate`], and with the feature `write` the writer. They are those of
//! `classic_model_formats::particles`.
//!
//! [`AloParticles`](crate::alamo::AloParticles) is the asset, and [`AloParticleSystem`](crate::alamo::AloParticleSystem) spawns a
//! system. See the guide `docs/particles.md`.

// For maintainers: `record` is the interface between the simulation, which adds and removes birth records, and the
// drawing, which only reads them.

pub(crate) mod asset;
pub(crate) mod bounds;
pub(crate) mod draw;
pub(crate) mod record;
pub(crate) mod simulate;

#[doc(inline)]
pub use classic_model_formats::particles::*;
