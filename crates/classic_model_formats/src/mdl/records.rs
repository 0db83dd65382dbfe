//! The header and the arrays of an `.mdl` file, with the layout of its bytes.

use zerocopy::little_endian::{F32, I32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The file's header, 84 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawHeader {
    pub magic: [u8; 4],
    pub version: I32,
    pub scale: [F32; 3],
    pub origin: [F32; 3],
    pub radius: F32,
    pub eye_position: [F32; 3],
    pub skin_count: I32,
    pub skin_width: I32,
    pub skin_height: I32,
    pub vertex_count: I32,
    pub triangle_count: I32,
    pub frame_count: I32,
    pub sync_type: I32,
    pub flags: U32,
    pub average_triangle_size: F32,
}

/// File offsets of header fields, in bytes; for errors.
pub(crate) mod offsets {
    pub const VERSION: u64 = 4;
    pub const SCALE: u64 = 8;
    pub const ORIGIN: u64 = 20;
    pub const RADIUS: u64 = 32;
    pub const EYE_POSITION: u64 = 36;
    pub const SKIN_COUNT: u64 = 48;
    pub const SKIN_WIDTH: u64 = 52;
    pub const SKIN_HEIGHT: u64 = 56;
    pub const VERTEX_COUNT: u64 = 60;
    pub const TRIANGLE_COUNT: u64 = 64;
    pub const FRAME_COUNT: u64 = 68;
}

/// The texture coordinates of a vertex, in texels.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct StVertex {
    /// Non-zero for a vertex on the seam between the front half and the back half of the skin.
    pub on_seam: I32,
    /// Texels from the left edge. For a vertex on the seam, the coordinate in the front half.
    pub s: I32,
    /// Texels from the top edge.
    pub t: I32,
}

/// A triangle. Front faces are clockwise.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Triangle {
    /// Zero if vertices on the seam use the back half of the skin; otherwise they use the front half.
    pub faces_front: I32,
    /// Vertex indices.
    pub vertices: [I32; 3],
}

/// A quantized vertex of a pose.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Unaligned,
)]
#[repr(C)]
pub struct TriVertex {
    /// Steps from the model's origin, per axis: the position is `origin + position * scale`.
    pub position: [u8; 3],
    /// Index into the precalculated [`normals`](super::normals()).
    pub normal: u8,
}

/// The bytes of a pose before its vertices.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct PoseHeader {
    pub min: TriVertex,
    pub max: TriVertex,
    pub name: [u8; 16],
}
