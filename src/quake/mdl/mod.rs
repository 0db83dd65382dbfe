//! Quake alias models, `.mdl`: bytes to plain values and (feature `write`) back.
//!
//! What may not enter: Bevy (but for the vectors of `bevy_math`), I/O, pixels or positions decoded from what the file stores.
//! [`parse`] borrows everything from the file's bytes and promises never to panic on them.

mod file;
mod parse;
mod records;
mod timing;
#[cfg(feature = "write")]
pub mod write;

pub use file::{Frame, FrameGroup, Header, MdlFile, Pose, Precision, Skin};
pub use parse::parse;
pub(super) use records::offsets::{
    SKIN_HEIGHT as SKIN_HEIGHT_OFFSET, SKIN_WIDTH as SKIN_WIDTH_OFFSET,
};
pub use records::{StVertex, TriVertex, Triangle};
pub use timing::{DEFAULT_FRAME_RATE, Timing};

/// Precalculated normals that a vertex can name.
pub const NORMAL_COUNT: usize = 162;
