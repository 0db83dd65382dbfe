//! Errors and number encoding, shared by the writers of all formats.

use crate::read::{ErrorKind, ParseError};
use thiserror::Error;

/// The error for a value that the format cannot store.
///
/// Displays as one sentence, for example
/// `0x400 mesh 0 "Hull" / 0x10000 sub-mesh 0 / 0x10004 index 5 uses vertex 900, but only 478 exist`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{context} {kind}")]
#[non_exhaustive]
pub struct WriteError {
    /// The path of chunks or elements to the faulty value.
    pub context: String,
    /// The reason, as a predicate of the value.
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

/// Checks that offsets and sizes fit into 31 bits.
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

/// Prepends a path to the context of an error. Use it with `or_else`.
pub(crate) fn within(path: impl Fn() -> String) -> impl Fn(WriteError) -> Result<(), WriteError> {
    move |error| fail(format!("{} {}", path(), error.context), error.kind)
}

pub(crate) fn check_finite(what: &str, values: &[f32]) -> Result<(), WriteError> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    fail(what, ErrorKind::NotFinite)
}
