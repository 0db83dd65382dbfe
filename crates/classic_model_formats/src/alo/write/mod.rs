//! The `.alo` writer: plain values to bytes, for samples, tests and tools that make models.
//!
//! [`write()`] writes an [`AloFile`], which borrows its arrays: from the bytes of another file, or from
//! [`SubmeshBuffers`], which are made of plain numbers. Meshes are written before lights, and connections use that
//! order.

mod bounds;
mod build;
mod check;
mod encode;
mod tree;

pub use crate::chunk_write::WriteError;
pub use build::SubmeshBuffers;
pub use tree::TreeBuffers;

use super::file::AloFile;
use crate::chunk_write::check_length;

/// Writes a model. [`parse`](super::parse) reads the same model from the bytes.
///
/// # Errors
/// A [`WriteError`] if the format cannot store a value, such as a text that contains NUL, or if the parser would
/// reject the file or drop a part of it.
pub fn write(file: &AloFile<'_>) -> Result<Vec<u8>, WriteError> {
    check::check(file)?;
    let bytes = encode::encode(file);
    check_length(&bytes)?;
    check::check_read_back(file, &super::parse(&bytes)?)?;
    Ok(bytes)
}

/// Writes a model without any check, for tests of malformed files.
///
/// Values that do not fit into their field are truncated.
pub fn write_unchecked(file: &AloFile<'_>) -> Vec<u8> {
    encode::encode(file)
}
