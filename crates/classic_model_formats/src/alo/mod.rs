//! The `.alo` format (Alamo models): bytes to plain values, and with the feature `write` back to bytes. Without Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any input: see [`read`](crate::read). The chunks and
//! their meanings were checked against the games' own files. Where these contradict the published format documents,
//! a comment says so.

mod file;
mod parse;
mod records;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "write")]
pub mod write;

pub use file::{
    AloFile, Bone, Dazzle, Light, LightKind, Mesh, Parameter, ParameterValue, Proxy, Submesh, Tree,
};
pub use parse::parse;
pub use parse::parse_without_vertex_warnings;
pub use records::floats;
pub use records::{
    TreeNode, Vertex, VertexHead, VertexRecord, VertexTail, VertexV1, VertexV2, Vertices,
};

/// Maximum count of bones in a sub-mesh's palette.
pub const MAX_PALETTE: usize = 24;
