//! Petroglyph's Alamo engine: its models, and how they become Bevy assets that look as the games
//! drew them.
//!
//! The rooms: [`chunk`] is the container of all the engine's files; [`alo`] knows models and nothing
//! of Bevy; [`billboard`] turns bones to the camera, the light or the wind; [`dazzle`] draws small
//! blinking lights.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod alo;
pub mod billboard;
pub mod chunk;
pub mod dazzle;
mod plugin;

pub use billboard::{AloBillboard, AloRoot, Billboard};
pub use dazzle::{
    AloDazzles, DAZZLE_DISC, DazzleMaterial, dazzle_aabb, dazzle_intensity, dazzle_mesh,
};
pub use plugin::AlamoPlugin;
