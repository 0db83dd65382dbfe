//! Particle systems of Universe at War (`.alo` files whose first chunk is 0x1500): bytes to plain values, and with the
//! feature `write` back to bytes.
//!
//! An emitter has a creator, a translator, a killer, a renderer and any count of modifiers. Each is a plug-in with
//! parameters: [`PLUGINS`] has those that are known.

mod file;
mod parse;
#[cfg(feature = "serde")]
mod serialize;
mod table;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    GROUP_SHAPES, LightField, Plugin, PluginEmitter, PluginFile, PropertyGroup, Role, Value,
    Vec4Key,
};
pub use parse::{is_plugin_system, parse};
pub use table::{PLUGINS, Parameter, PluginKind, ValueKind};
