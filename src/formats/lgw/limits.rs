//! Limits on the counts of a model's items, relative to the file's size: see [`load::error`](crate::load::error). In real
//! models, the text of a single vertex has about 70 bytes.

use crate::load::error::{check_counts, limit};
use classic_model_formats::lgw::LgwFile;
use classic_model_formats::read::{Format, ParseError, TextPosition};

/// Returns an error if a count exceeds its limit. `length` is the file's, in bytes.
pub(crate) fn check_limits(file: &LgwFile<'_>, length: usize) -> Result<(), ParseError> {
    let limits = [
        limit!(file.meshes.len(), "meshes", 192, per 384, "384 bytes"),
        limit!(file.materials.len(), "materials", 128, per 512, "512 bytes"),
    ];
    let start = TextPosition { line: 1, column: 1 };
    check_counts(Format::Lgw, Some(start), length, &limits)
}
