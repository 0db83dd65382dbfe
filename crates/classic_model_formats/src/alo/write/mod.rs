//! Plain values back to bytes: for samples, fixtures and tools that make models.
//!
//! [`AloFile`] is what is written, and borrows; what it borrows from may be the bytes of another
//! file, or [`SubmeshBuffers`], which are made of plain numbers. Meshes come before lights, and are
//! numbered so.

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

/// The bytes of a model, which [`parse`](super::parse) reads as the same model.
///
/// # Errors
/// A [`WriteError`] for what the format cannot say, such as a text with a NUL in it, and for what
/// the parser would refuse or drop.
pub fn write(file: &AloFile<'_>) -> Result<Vec<u8>, WriteError> {
    check::check(file)?;
    let bytes = encode::encode(file);
    check_length(&bytes)?;
    check::check_read_back(file, &super::parse(&bytes)?)?;
    Ok(bytes)
}

/// The bytes of a model, sensible or not: for tests of bad files.
///
/// What does not fit into its field is cut off.
pub fn write_unchecked(file: &AloFile<'_>) -> Vec<u8> {
    encode::encode(file)
}
