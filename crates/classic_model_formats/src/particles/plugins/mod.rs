//! Particle systems of Universe at War (`.alo` files whose first chunk is 0x1500): bytes to plain values, and with the
//! feature `write` back to bytes.
//!
//! An emitter has a creator, a translator, a killer, a renderer and any count of modifiers. Each is a plug-in with
//! parameters: [`PLUGINS`] has those that are known. [`ParticleSystem::from_plugins`] evaluates them.
//!
//! [`ParticleSystem::from_plugins`]: crate::particles::evaluate::ParticleSystem::from_plugins
//!
//! ```
//! use classic_model_formats::particles::{evaluate::ParticleSystem, plugins};
//! use classic_model_formats::read::ParseError;
//!
//! /// Prints how many particles each emitter has after one second.
//! fn print_particles(bytes: &[u8]) -> Result<(), ParseError> {
//!     let file = plugins::parse(bytes)?;
//!     let seed = 0;
//!     let state = ParticleSystem::from_plugins(&file).state(seed, 1.0);
//!     for (emitter, particles) in file.emitters.iter().zip(&state.emitters) {
//!         println!("{}, {}: {}", emitter.name, emitter.creator.name(), particles.len());
//!     }
//!     Ok(())
//! }
//! # assert!(print_particles(b"").is_err());
//! ```

mod drawing;
mod file;
mod parameters;
mod parse;
#[cfg(feature = "serde")]
mod serialize;
mod spawner;
mod table;
mod value;
#[cfg(feature = "write")]
pub mod write;

pub use drawing::{Anchor, DrawStyle, Drawing};
pub use file::{LightField, Plugin, PluginEmitter, PluginFile};
pub(super) use parameters::track;
pub use parse::{is_plugin_system, parse};
pub(super) use spawner::{Spawner, spawners};
pub use table::{PLUGINS, Parameter, PluginKind, ValueKind};
pub use value::{GROUP_SHAPES, PropertyGroup, Role, Value, Vec4Key};
