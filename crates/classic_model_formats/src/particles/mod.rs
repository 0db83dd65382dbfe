//! Particle systems of Empire at War and Forces of Corruption (`.alo` files whose first chunk is 0x900): bytes to plain
//! values, with the feature `write` back to bytes, and the simulation in plain numbers. Without Bevy. Those of Universe at
//! War have another format: see [`plugins`].
//!
//! [`parse`] borrows names from the file's bytes and returns for any input: see [`read`](crate::read).
//!
//! A system has emitters, which create particles. An emitter is a root, or is created by the particles of another one.
//! [`evaluate`] computes when particles are born, and their motion and appearance at any time.
//!
//! ```
//! use classic_model_formats::particles::{self, evaluate::ParticleSystem};
//! use classic_model_formats::read::ParseError;
//!
//! /// Prints how many particles each emitter has after one second.
//! fn print_particles(bytes: &[u8]) -> Result<(), ParseError> {
//!     let file = particles::parse(bytes)?;
//!     let seed = 0;
//!     let state = ParticleSystem::new(&file).state(seed, 1.0);
//!     for (emitter, particles) in file.emitters.iter().zip(&state.emitters) {
//!         println!("{}: {}", emitter.name, particles.len());
//!     }
//!     Ok(())
//! }
//! # assert!(print_particles(b"").is_err());
//! ```

pub mod evaluate;
mod file;
mod parse;
pub mod plugins;
mod properties;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    DEFAULT_SECONDARY_TEXTURE, Emitter, Group, Interpolation, Key, Parent, ParticleFile, SHAPES,
    Shape, SpawnEvent, Track, Tracks, file_name,
};
pub use parse::{is_particle_system, parse};
pub use properties::{BLEND_MODES, Properties, PropertyValue};
