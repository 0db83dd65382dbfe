//! The `.mdl` format (Quake alias models): bytes to plain values, and with the feature `write` back to bytes.
//!
//! [`parse`] borrows from the file's bytes and returns for any input: see [`read`](crate::read).

// For maintainers: code that decodes pixels or positions does not belong in this module.

mod file;
mod loops;
mod normals;
mod parse;
mod records;
mod timing;
#[cfg(feature = "write")]
pub mod write;

pub use file::{Frame, FrameGroup, Header, MdlFile, Pose, Precision, Skin};
pub use loops::is_loop;
pub use normals::{nearest_normal, normals};
pub use parse::parse;
pub use records::{StVertex, TriVertex, Triangle};
pub use timing::{DEFAULT_FRAME_RATE, Timing};

/// File offset of the header's skin width, in bytes; for errors.
pub const SKIN_WIDTH_OFFSET: u64 = records::offsets::SKIN_WIDTH;

/// File offset of the header's skin height, in bytes; for errors.
pub const SKIN_HEIGHT_OFFSET: u64 = records::offsets::SKIN_HEIGHT;

/// Count of the precalculated normals that vertices refer to by index.
pub const NORMAL_COUNT: usize = 162;
