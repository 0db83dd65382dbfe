//! Petroglyph's Alamo engine: its models, and how they become Bevy assets that look as the games
//! drew them.
//!
//! The rooms: [`chunk`] is the container of all the engine's files; [`alo`] knows models and nothing
//! of Bevy; [`billboard`] turns bones to the camera, the light or the wind.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod alo;
pub mod billboard;
pub mod chunk;
mod plugin;

pub use billboard::{AloBillboard, AloRoot, Billboard};
pub use plugin::AlamoPlugin;
