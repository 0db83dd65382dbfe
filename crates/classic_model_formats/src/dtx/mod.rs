//! LithTech textures, `.dtx`: a parser and (feature `write`) a writer.
//!
//! [`parse`] borrows from the file's bytes and accepts any bytes: see [`read`](crate::read). Versions −2 and −3 have a
//! palette of 256 colors; models of version 6 use them as skins. Version −5 belongs to the second generation of the
//! engine. Its texels are 32-bit colors or compressed blocks (DXT1, DXT3, DXT5). Blocks are not decoded here.

mod file;
mod parse;
#[cfg(feature = "write")]
pub mod write;

pub use file::{DtxFile, DtxLevel, DtxTexelFormat, texture_flags};
pub use parse::{HEADER_SIZE, is_full_bright_header, parse};
