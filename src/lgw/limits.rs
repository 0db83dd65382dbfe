//! How many things a model may have for its size.
//!
//! Most things cost Bevy more than the few bytes that a file may say them in. A file that says nothing
//! else would take more heap than is promised of any file (16 times its size, and 1 MiB). Models
//! are far from these limits: the text of a single vertex has 70 bytes.

use crate::lgw::text::LgwFile;
use crate::read::{ErrorKind, Format, ParseError, TextPosition};

/// How many there may be in any file, and for how many bytes of it there may be one more.
const MESHES: (usize, usize) = (192, 384);
const MATERIALS: (usize, usize) = (128, 512);

/// Refuses models that would cost more than is promised.
pub(super) fn check(file: &LgwFile<'_>, length: usize) -> Result<(), ParseError> {
    for (found, (least, bytes), told) in [
        (
            file.meshes.len(),
            MESHES,
            "192 meshes, and one for each 384 bytes of the file",
        ),
        (
            file.materials.len(),
            MATERIALS,
            "128 materials, and one for each 512 bytes of the file",
        ),
    ] {
        if found > least + length / bytes {
            return Err(ParseError {
                format: Format::Lgw,
                offset: 0,
                // It is the whole that is too much.
                position: Some(TextPosition { line: 1, column: 1 }),
                context: "model".into(),
                kind: ErrorKind::LimitExceeded { limit: told },
            });
        }
    }
    Ok(())
}
