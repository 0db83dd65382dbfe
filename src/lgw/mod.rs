//! The text models of UFO: Aftermath, and how they become Bevy assets.
//!
//! The rooms: [`text`] knows the files, and nothing of Bevy.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod text;

mod material;
mod settings;
mod textures;

pub use material::{LgwTexEnv, LgwTexEnvMaterial, LgwTexEnvUniform, LgwTexEnvUnit, tex_env_flags};
pub use settings::{LgwLoaderError, LgwLoaderSettings, LgwUp, LgwWinding};
