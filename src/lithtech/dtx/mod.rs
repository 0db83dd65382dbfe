//! The `.dtx` format: bytes to plain values and (feature `write`) back.
//!
//! [`parse`] borrows from the file's bytes and holds for any bytes whatever: see
//! [`read`](crate::read). Versions −2 and −3 have a palette, and are what models of version 6 wear;
//! version −5, of the engine's second generation, has colours as they are or in blocks.
//!
//! What may not enter: anything of Bevy, I/O, and how blocks are decoded; that is in
//! [`texture`](crate::texture).

mod file;
mod parse;
#[cfg(all(test, feature = "write"))]
mod tests;
#[cfg(feature = "write")]
pub mod write;

pub use file::{DtxFile, DtxLevel, DtxTexels, picture_flags};
pub use parse::parse;
pub(crate) use parse::{HEADER, begins_full_bright};
