//! What the writers of all formats share: why something cannot be written, and plain numbers.
//!
//! What may not enter: any knowledge of a particular format.

use crate::read::{ErrorKind, ParseError};
use thiserror::Error;

/// What no file can hold: where in the model or animation it is, and why not.
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

pub(crate) fn u32s<const N: usize>(out: &mut Vec<u8>, values: [u32; N]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

pub(crate) fn floats(out: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// Offsets and sizes have 31 bits.
pub(crate) fn check_length(bytes: &[u8]) -> Result<(), WriteError> {
    if i32::try_from(bytes.len()).is_ok() {
        return Ok(());
    }
    let limit = "a file is at most 2 GiB long";
    fail("file", ErrorKind::LimitExceeded { limit })
}

pub(crate) fn fail(context: impl Into<String>, kind: ErrorKind) -> Result<(), WriteError> {
    Err(WriteError {
        context: context.into(),
        kind,
    })
}

/// Puts a place in front of an error's.
pub(crate) fn within(place: impl Fn() -> String) -> impl Fn(WriteError) -> Result<(), WriteError> {
    move |error| fail(format!("{} {}", place(), error.context), error.kind)
}

pub(crate) fn finite(what: &str, values: &[f32]) -> Result<(), WriteError> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    fail(what, ErrorKind::NotFinite)
}
