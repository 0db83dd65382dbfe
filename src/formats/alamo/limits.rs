//! Limits on the counts of a model's items, relative to the file's size: see [`load::error`](crate::load::error).

use crate::load::error::{check_counts, limit};
use classic_model_formats::alo::AloFile;
use classic_model_formats::read::{Format, ParseError};

/// Returns an error if a count exceeds its limit. `length` is the file's, in bytes.
pub(crate) fn check_limits(file: &AloFile<'_>, length: usize) -> Result<(), ParseError> {
    let submeshes = file.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    let limits = [
        limit!(file.bones.len(), "bones", 4096, per 1024, "KiB"),
        limit!(file.meshes.len(), "meshes", 1024, per 1024, "KiB"),
        limit!(submeshes, "sub-meshes", 128, per 1024, "KiB"),
        limit!(file.lights.len(), "lights", 64, per 1024, "KiB"),
        limit!(file.proxies.len(), "proxies", 512, per 1024, "KiB"),
        limit!(file.dazzles.len(), "dazzles", 32, per 1024, "KiB"),
    ];
    check_counts(Format::Alo, None, length, &limits)
}
