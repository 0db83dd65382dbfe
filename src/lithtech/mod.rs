//! The models and pictures of LithTech's first engine: Shogo, Blood II, KISS: Psycho Circus.
//!
//! The rooms: [`abc`] knows models, [`dtx`] knows the pictures that they wear, and both nothing of
//! Bevy.
//!
//! What may not enter: anything another format could use; that belongs in [`scene`](crate::scene) or
//! [`texture`](crate::texture).

pub mod abc;
pub mod dtx;
