//! Limits on the counts of meshes and materials, by file size.
//!
//! A mesh or material can take much more memory in Bevy than its text in the file. The limits ensure that
//! loading takes at most 16 times the file's size plus 1 MiB of heap. Real models are far below them: the
//! text of a single vertex has about 70 bytes.

use classic_model_formats::lgw::LgwFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError, TextPosition};

// The limit for a file of any size, and the count of bytes per additional one.
const MESHES: (usize, usize) = (192, 384);
const MATERIALS: (usize, usize) = (128, 512);

/// Checks the counts of meshes and materials. `length` is the file's, in bytes.
pub(crate) fn check_counts(file: &LgwFile<'_>, length: usize) -> Result<(), ParseError> {
    for (found, elements, (limit, bytes), limit_text) in [
        (
            file.meshes.len(),
            "meshes",
            MESHES,
            "a model has at most 192 meshes, plus one per 384 bytes of the file",
        ),
        (
            file.materials.len(),
            "materials",
            MATERIALS,
            "a model has at most 128 materials, plus one per 512 bytes of the file",
        ),
    ] {
        if found > limit + length / bytes {
            return Err(ParseError {
                format: Format::Lgw,
                offset: 0,
                // The error is about the whole file.
                position: Some(TextPosition { line: 1, column: 1 }),
                context: format!("model with {found} {elements}"),
                kind: ErrorKind::LimitExceeded { limit: limit_text },
            });
        }
    }
    Ok(())
}
