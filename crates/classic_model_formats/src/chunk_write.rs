//! Chunks and NUL-terminated strings, shared by the writers of Alamo models, animations and particle systems.

use crate::chunk::CONTAINER_BIT;
use crate::read::ErrorKind;
use crate::write::u32s;

pub use crate::write::WriteError;
pub(crate) use crate::write::{check_finite, check_length, fail, within};

pub(crate) fn container(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
    chunk(out, id, CONTAINER_BIT, body);
}

pub(crate) fn data(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
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

/// Writes a mini-chunk, whose body is cut off at 255 bytes: its size field is one byte.
pub(crate) fn mini(out: &mut Vec<u8>, id: u8, body: &[u8]) {
    let body = body.get(..255).unwrap_or(body);
    out.extend_from_slice(&[id, body.len() as u8]);
    out.extend_from_slice(body);
}

pub(crate) fn mini_u32(out: &mut Vec<u8>, id: u8, value: u32) {
    mini(out, id, &value.to_le_bytes());
}

pub(crate) fn mini_floats(out: &mut Vec<u8>, id: u8, values: &[f32]) {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    mini(out, id, &bytes);
}

pub(crate) fn mini_text(out: &mut Vec<u8>, id: u8, text: &str) {
    mini(out, id, &[text.as_bytes(), &[0]].concat());
}

/// Checks that a string can be stored with a terminating NUL.
pub(crate) fn check_text(what: &str, text: &str) -> Result<(), WriteError> {
    if !text.contains('\0') {
        return Ok(());
    }
    let reason = "a string must not contain NUL";
    fail(what, ErrorKind::NotStorable { reason })
}

/// Checks that a string fits into a mini-chunk, whose size field is one byte.
pub(crate) fn check_short_text(what: &str, text: &str) -> Result<(), WriteError> {
    let length = text.len() as u64 + 1;
    if length <= 255 {
        return check_text(what, text);
    }
    let kind = ErrorKind::BadCount {
        value: length as i64,
        min: 1,
        max: 255,
    };
    fail(what, kind)
}
