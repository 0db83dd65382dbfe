//! What the writers of models and animations share: chunks, and why something cannot be written.

use super::chunk::CONTAINER_BIT;
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

pub(super) fn container(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
    chunk(out, id, CONTAINER_BIT, body);
}

pub(super) fn data(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
    chunk(out, id, 0, body);
}

fn chunk(out: &mut Vec<u8>, id: u32, bit: u32, body: impl FnOnce(&mut Vec<u8>)) {
    u32s(out, [id, 0]);
    let begin = out.len();
    body(out);
    let size = (out.len() - begin) as u32 | bit;
    if let Some(field) = out.get_mut(begin - 4..begin) {
        field.copy_from_slice(&size.to_le_bytes());
    }
}

pub(super) fn mini(out: &mut Vec<u8>, id: u8, body: &[u8]) {
    let body = body.get(..255).unwrap_or(body);
    out.extend_from_slice(&[id, body.len() as u8]);
    out.extend_from_slice(body);
}

pub(super) fn mini_u32(out: &mut Vec<u8>, id: u8, value: u32) {
    mini(out, id, &value.to_le_bytes());
}

pub(super) fn mini_floats(out: &mut Vec<u8>, id: u8, values: &[f32]) {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    mini(out, id, &bytes);
}

pub(super) fn mini_text(out: &mut Vec<u8>, id: u8, text: &str) {
    mini(out, id, &[text.as_bytes(), &[0]].concat());
}

pub(super) fn u32s<const N: usize>(out: &mut Vec<u8>, values: [u32; N]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

pub(super) fn floats(out: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// The sizes of chunks have 31 bits.
pub(super) fn check_length(bytes: &[u8]) -> Result<(), WriteError> {
    if i32::try_from(bytes.len()).is_ok() {
        return Ok(());
    }
    let limit = "a file is at most 2 GiB long";
    fail("file", ErrorKind::LimitExceeded { limit })
}

pub(super) fn fail(context: impl Into<String>, kind: ErrorKind) -> Result<(), WriteError> {
    Err(WriteError {
        context: context.into(),
        kind,
    })
}

/// Puts a place in front of an error's.
pub(super) fn within(place: impl Fn() -> String) -> impl Fn(WriteError) -> Result<(), WriteError> {
    move |error| fail(format!("{} {}", place(), error.context), error.kind)
}

pub(super) fn text(what: &str, text: &str) -> Result<(), WriteError> {
    if !text.contains('\0') {
        return Ok(());
    }
    let limit = "a text ends at its first NUL";
    fail(what, ErrorKind::LimitExceeded { limit })
}

/// A text of a mini-chunk, whose size is one byte.
pub(super) fn short_text(what: &str, short: &str) -> Result<(), WriteError> {
    let length = short.len() as u64 + 1;
    if length <= 255 {
        return text(what, short);
    }
    let kind = ErrorKind::BadCount {
        value: length as i64,
        min: 1,
        max: 255,
    };
    fail(what, kind)
}

pub(super) fn finite(what: &str, values: &[f32]) -> Result<(), WriteError> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    fail(what, ErrorKind::NotFinite)
}
