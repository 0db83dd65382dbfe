//! The `.ala` format: bytes to plain values and (feature `write`) back, without Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any bytes whatever: see
//! [`read`](crate::read). Everything that sampling relies on is checked there, once. There are two
//! formats: the first keeps the tracks of each bone with the bone, the second those of all bones
//! together, frame by frame. What is parsed looks the same: a [`Track`] tells where its frames lie.

mod file;
mod parse;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    AlaBlocks, AlaBone, AlaFile, AlaPose, QuaternionTrack, Track, VectorTrack, bit, quaternion,
};
pub use parse::{MAX_FRAMES, parse};
