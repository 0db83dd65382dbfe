//! The `.alo` format: bytes to plain values and (feature `write`) back, without Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any bytes whatever: see
//! [`read`](crate::read). The chunks and their meanings are those of the games' own files, which
//! here and there differ from what has been written about them; comments say where.

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
pub use parse::parse_without_numbers;
pub use records::floats;
pub use records::{
    TreeNode, Vertex, VertexHead, VertexRecord, VertexTail, VertexV1, VertexV2, Vertices,
};

/// Bones of a palette, at most.
pub const MAX_PALETTE: usize = 24;
