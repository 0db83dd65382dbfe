//! The `.abc` format of version 6: bytes to plain values and (feature `write`) back, without Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any bytes whatever: see
//! [`read`](crate::read). Plain functions beside the values say what they mean, and favor
//! being right over being fast: how nodes and vertices stand at a time of an animation
//! ([`AbcFile::node_poses`], [`AbcFile::vertex_positions`]), and what is left of the triangles at a
//! level of detail ([`Geometry::lod`]).
//!
//! A model's space is left-handed: +X is its right, +Y up, +Z forward. Units are those of the game.

mod file;
mod lod;
mod parse;
mod pose;
mod records;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    AbcFile, Animation, Geometry, Keyframe, Node, NodeTrack, TransformInfo, node_flags,
};
pub use lod::{Lod, LodTriangle};
pub use parse::{MAX_DEPTH, parse};
pub use pose::{KeyBlend, NodePose};
pub use records::{LARGEST_UV, NodeKey, Triangle, Vertex};
