//! Plain values back to bytes: for samples, fixtures and tools that make models.
//!
//! [`AloFile`] is what is written, and borrows; what it borrows from may be the bytes of another
//! file, or [`SubmeshBuffers`], which are made of plain numbers. Meshes come before lights, and are
//! numbered so.

mod build;
mod check;
mod encode;
mod tree;

pub use build::SubmeshBuffers;
pub use tree::TreeBuffers;

use super::file::AloFile;
use crate::read::{ErrorKind, ParseError};
use thiserror::Error;

/// A model that no file can hold: where in the model, and why not.
///
/// Displays as a sentence, for instance
/// `0x400 mesh 0 "Hull" / 0x10000 sub-mesh 0 / 0x10004 index 5 uses vertex 900 of 478`.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{context} {kind}")]
pub struct WriteError {
    /// The path to the value at fault, by the chunks that would hold it.
    pub context: String,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

impl From<ParseError> for WriteError {
    fn from(error: ParseError) -> Self {
        Self {
            context: error.context,
            kind: error.kind,
        }
    }
}

/// The bytes of a model, which [`parse`](super::parse) reads as the same model.
///
/// # Errors
/// A [`WriteError`] for what the format cannot say, such as a text with a NUL in it, and for what
/// the parser would refuse or drop.
pub fn write(file: &AloFile<'_>) -> Result<Vec<u8>, WriteError> {
    check::check(file)?;
    let bytes = encode::encode(file);
    check::check_length(&bytes)?;
    check::check_read_back(file, &super::parse(&bytes)?)?;
    Ok(bytes)
}

/// The bytes of a model, sensible or not: for tests of bad files.
///
/// What does not fit into its field is cut off.
pub fn write_unchecked(file: &AloFile<'_>) -> Vec<u8> {
    encode::encode(file)
}
