//! The `.ala` format (Alamo animations): bytes to plain values, and with the feature `write` back to bytes. Without
//! Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any input: see [`read`](crate::read). It checks everything
//! that sampling relies on.
//!
//! The format has two versions. Version 1 stores the tracks of each bone with the bone. Version 2 stores the tracks of
//! all bones in shared blocks, frame by frame. Both parse to the same values: a [`Track`] has the layout of its frames.

mod file;
mod parse;
#[cfg(feature = "serde")]
mod serialize;
pub mod sfx_map;
pub mod sound_events;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    AlaBlocks, AlaBone, AlaFile, AlaPose, QuaternionTrack, Track, VectorTrack, bit, quaternion,
};
pub use parse::{MAX_FRAMES, parse};
