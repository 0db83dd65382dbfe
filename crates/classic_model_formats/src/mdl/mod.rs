//! Quake alias models, `.mdl`: bytes to plain values and (feature `write`) back.
//!
//! [`parse`] borrows from the file's bytes and returns for any bytes whatever: see [`read`](crate::read).

// For maintainers: pixels or positions decoded from what the file stores do not belong here.

mod file;
mod normals;
mod parse;
mod records;
mod timing;
#[cfg(feature = "write")]
pub mod write;

pub use file::{Frame, FrameGroup, Header, MdlFile, Pose, Precision, Skin};
pub use normals::{nearest_normal, normals};
pub use parse::parse;
pub use records::{StVertex, TriVertex, Triangle};
pub use timing::{DEFAULT_FRAME_RATE, Timing};

/// Offset of the header's field for the width of all skins, for errors about it.
pub const SKIN_WIDTH_OFFSET: u64 = records::offsets::SKIN_WIDTH;

/// Offset of the header's field for the height of all skins, for errors about it.
pub const SKIN_HEIGHT_OFFSET: u64 = records::offsets::SKIN_HEIGHT;

/// Precalculated normals that a vertex can name.
pub const NORMAL_COUNT: usize = 162;
