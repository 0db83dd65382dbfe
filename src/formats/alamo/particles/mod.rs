//! Particle systems: `.alo` files whose first chunk is 0x900 (Empire at War, Forces of Corruption) or 0x1500 (Universe at War:
//! see [`plugins`]).
//!
//! Without Bevy: [`parse`] and [`evaluate`], and with the feature `write` the writer. They are those of
//! `classic_model_formats::particles`.
//!
//! [`AloParticles`](crate::alamo::AloParticles) is the asset, and [`AloParticleSystem`](crate::alamo::AloParticleSystem) spawns a
//! system. See the guide `docs/particles.md`.

// For maintainers: `record` is the interface between the simulation, which adds and removes birth records, and the
// drawing, which only reads them. `computed` has the particles that no shader computes.

pub(crate) mod asset;
pub(crate) mod bounds;
pub(crate) mod computed;
pub(crate) mod draw;
pub(crate) mod drawn;
pub(crate) mod emitter;
pub(crate) mod record;
pub(crate) mod simulate;
pub(crate) mod upload;

#[doc(inline)]
pub use classic_model_formats::particles::*;
