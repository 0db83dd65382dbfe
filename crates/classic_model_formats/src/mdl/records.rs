//! The arrays of the file, as they lie in it.

use zerocopy::little_endian::{F32, I32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What the file begins with, after its four magic bytes.
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

/// Offsets of the header's fields that an error can point at.
pub(crate) mod offsets {
    pub const MAGIC: u64 = 0;
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

/// Where a vertex lies on the skin, in texels.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct StVertex {
    /// Not zero where the front and the back half of the skin meet.
    pub on_seam: I32,
    /// Texels from the left edge, of the front half if the vertex is on the seam.
    pub s: I32,
    /// Texels from the top edge.
    pub t: I32,
}

/// Three vertices, clockwise when seen from outside.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Triangle {
    /// Zero if vertices on the seam take the back half of the skin; any other value is front.
    pub faces_front: I32,
    /// Indices into the vertices.
    pub vertices: [I32; 3],
}

/// A vertex of one pose, quantised.
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
    /// Steps of the model's scale from its origin, per axis.
    pub position: [u8; 3],
    /// Index into the precalculated normals.
    pub normal: u8,
}

/// A pose, up to its vertices.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct PoseHeader {
    pub min: TriVertex,
    pub max: TriVertex,
    pub name: [u8; 16],
}
