//! LithTech models of version 6, `.abc`: a parser and (feature `write`) a writer.
//!
//! [`parse`] borrows from the file's bytes and accepts any bytes: see [`read`](crate::read). Methods of the values
//! compute poses of nodes ([`AbcFile::node_poses`]), positions of vertices ([`AbcFile::vertex_positions`]) and levels of
//! detail ([`Geometry::lod`]). They are reference implementations: simple rather than fast.
//!
//! Model space is left-handed: +X is right, +Y up, +Z forward. Lengths are in units of the game.
//!
//! The rest pose of a model is the first keyframe of its first animation.

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
pub use records::{MAX_UV, NodeKey, Triangle, Vertex};
