//! The `.dtx` format: bytes to plain values and (feature `write`) back, without Bevy.
//!
//! [`parse`] borrows from the file's bytes and returns for any bytes whatever: see
//! [`read`](crate::read). Versions −2 and −3 have a palette, and are the skins of models of version 6;
//! version −5, of the engine's second generation, has colors as they are or in blocks.

// For maintainers: how blocks are decoded is in `texture`.

mod file;
mod parse;
#[cfg(feature = "write")]
pub mod write;

pub use file::{DtxFile, DtxLevel, DtxTexels, picture_flags};
pub use parse::parse;
pub use parse::{HEADER, begins_full_bright};
