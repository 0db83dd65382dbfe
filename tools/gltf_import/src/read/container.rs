//! The container of a file, and the files beside it.

use super::ReadFile;
use crate::error::{At, Error, Result};
use crate::json::{self, Root};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use std::collections::HashSet;

/// The JSON of a file, and the binary chunk of a `.glb` file.
pub fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let Some(body) = bytes.strip_prefix(b"glTF") else {
        return match bytes.trim_ascii_start().first() {
            Some(b'{') | Some(0xEF) => {
                Ok((bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), None))
            }
            _ => Err(Error::new(
                "not a glTF file: expected the first bytes `glTF` or JSON",
            )),
        };
    };
    let word = |at: usize| {
        let bytes = body.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    match word(0) {
        Some(2) => {}
        Some(version) => {
            return Err(Error::new(format_args!(
                "glTF container version {version}; expected 2"
            )));
        }
        None => return Err(Error::new("the file ends in its header")),
    }
    // After the version and the length of the file.
    let chunk = |at: usize, kind: &[u8; 4]| {
        let length = word(at)? as usize;
        let start = at + 8;
        let is_kind = body.get(at + 4..start) == Some(kind);
        let end = start.checked_add(length)?;
        body.get(start..end)
            .filter(|_| is_kind)
            .map(|chunk| (chunk, end))
    };
    let (json, end) =
        chunk(8, b"JSON").ok_or_else(|| Error::new("the JSON chunk is not complete"))?;
    let binary = chunk(end.next_multiple_of(4), b"BIN\0").map(|(chunk, _)| chunk);
    Ok((json, binary))
}

pub fn buffers(
    root: &Root,
    binary: Option<&[u8]>,
    read_file: &ReadFile<'_>,
) -> Result<Vec<Vec<u8>>> {
    let mut uris = HashSet::new();
    let buffer = |(index, buffer): (usize, &json::Buffer)| {
        let bytes = match &buffer.uri {
            Some(uri) if !uri.starts_with("data:") && !uris.insert(uri.clone()) => {
                Err(Error::new("another buffer has the same uri"))
            }
            Some(uri) => resource(uri, read_file),
            None if index == 0 => {
                let binary = binary.map(<[u8]>::to_vec);
                binary.ok_or_else(|| Error::new("the file has no complete binary chunk"))
            }
            None => Err(Error::new("no uri")),
        };
        let bytes = bytes.and_then(|bytes| match buffer.byte_length {
            expected if bytes.len() < expected => {
                let found = bytes.len();
                Err(Error::new(format_args!(
                    "{found} bytes instead of {expected}"
                )))
            }
            _ => Ok(bytes),
        });
        bytes.at(format_args!("buffers[{index}]"))
    };
    root.buffers.iter().enumerate().map(buffer).collect()
}

/// The bytes of a data URI, or of an external file.
pub fn resource(uri: &str, read_file: &ReadFile<'_>) -> Result<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data
            .split_once(";base64,")
            .ok_or_else(|| Error::new("a data URI that is not base64"))?;
        return STANDARD
            .decode(data)
            .map_err(|error| Error::new(format_args!("data URI: {error}")));
    }
    let path = percent_decode_str(uri)
        .decode_utf8_lossy()
        .replace('\\', "/");
    let is_outside = path.starts_with('/')
        || path.contains(':')
        || path
            .split('/')
            .any(|name| name == ".." || name.contains('\0'));
    if is_outside || path.is_empty() {
        return Err(Error::new(format_args!(
            "{uri:?} is not a path inside of the file's folder"
        )));
    }
    read_file(&path).map_err(|error| Error::new(format_args!("{path}: {error}")))
}
