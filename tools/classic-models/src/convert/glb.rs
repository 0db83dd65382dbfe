//! The containers of glTF: binary files (`.glb`), and JSON files with an embedded buffer (`.gltf`). It must not know the
//! content of the JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The first bytes of a binary file.
const MAGIC: [u8; 4] = *b"glTF";
const VERSION: u32 = 2;
const JSON_CHUNK: [u8; 4] = *b"JSON";
const BINARY_CHUNK: [u8; 4] = *b"BIN\0";

/// A binary file of this JSON and this buffer, which is buffer 0.
///
/// # Errors
/// If the file would be larger than 4 GiB, which the format cannot store.
pub fn binary(json: &Value, buffer: &[u8]) -> Result<Vec<u8>, String> {
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let padded = buffer.len().next_multiple_of(4);
    let chunks = 12 + 8 + json.len() + if buffer.is_empty() { 0 } else { 8 + padded };
    let size = |length: usize| {
        u32::try_from(length).map_err(|_| "the result is larger than 4 GiB".to_owned())
    };
    let mut bytes = Vec::with_capacity(chunks);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(size(chunks)?.to_le_bytes());
    bytes.extend(size(json.len())?.to_le_bytes());
    bytes.extend(JSON_CHUNK);
    bytes.extend(json);
    if !buffer.is_empty() {
        bytes.extend(size(padded)?.to_le_bytes());
        bytes.extend(BINARY_CHUNK);
        bytes.extend_from_slice(buffer);
        bytes.resize(chunks, 0);
    }
    Ok(bytes)
}

/// A text file of this JSON, with the buffer as a data URI.
pub fn text(mut json: Value, buffer: &[u8]) -> Vec<u8> {
    if !buffer.is_empty() {
        let uri = format!(
            "data:application/octet-stream;base64,{}",
            STANDARD.encode(buffer)
        );
        json["buffers"][0]["uri"] = json!(uri);
    }
    format!("{json:#}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_padded_and_lengths_include_them() {
        let bytes = binary(&json!({"a": 1}), &[7; 5]).unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((word(4), word(8) as usize), (2, bytes.len()));
        assert_eq!(&bytes[12..20], [8, 0, 0, 0, b'J', b'S', b'O', b'N']);
        assert_eq!(&bytes[20..28], b"{\"a\":1} ");
        assert_eq!(
            &bytes[28..],
            [8, 0, 0, 0, b'B', b'I', b'N', 0, 7, 7, 7, 7, 7, 0, 0, 0]
        );
    }

    #[test]
    fn a_document_without_data_has_no_binary_chunk() {
        assert_eq!(binary(&json!({}), &[]).unwrap().len(), 24);
        assert_eq!(text(json!({}), &[]), b"{}\n");
    }
}
