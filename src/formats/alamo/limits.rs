//! Limits on the counts of a model's items, relative to the file's size.
//!
//! Most items cost Bevy more memory than the few bytes that they need in a file: a sub-mesh of one triangle becomes
//! three assets and an entity. Without limits, a file of nothing but small items would use more heap than the
//! documented maximum of 16 times the file's size plus 1 MiB. Real models are far below these limits: they have
//! kilobytes of vertices for every sub-mesh, and a few dozen of each other item.

use classic_model_formats::alo::AloFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError};

// The maximum counts for an empty file. Each KiB of the file allows one more.
const BONES: usize = 4096;
const MESHES: usize = 1024;
const SUBMESHES: usize = 128;
const LIGHTS: usize = 64;
const PROXIES: usize = 512;
const DAZZLES: usize = 32;

/// Returns an error if a count exceeds its limit.
pub(crate) fn check_counts(file: &AloFile<'_>, length: usize) -> Result<(), ParseError> {
    let submeshes = file.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    for (found, elements, limit, limit_text) in [
        (
            file.bones.len(),
            "bones",
            BONES,
            "a model has at most 4096 bones, plus one per KiB of the file",
        ),
        (
            file.meshes.len(),
            "meshes",
            MESHES,
            "a model has at most 1024 meshes, plus one per KiB of the file",
        ),
        (
            submeshes,
            "sub-meshes",
            SUBMESHES,
            "a model has at most 128 sub-meshes, plus one per KiB of the file",
        ),
        (
            file.lights.len(),
            "lights",
            LIGHTS,
            "a model has at most 64 lights, plus one per KiB of the file",
        ),
        (
            file.proxies.len(),
            "proxies",
            PROXIES,
            "a model has at most 512 proxies, plus one per KiB of the file",
        ),
        (
            file.dazzles.len(),
            "dazzles",
            DAZZLES,
            "a model has at most 32 dazzles, plus one per KiB of the file",
        ),
    ] {
        if found > limit + length / 1024 {
            return Err(ParseError {
                format: Format::Alo,
                offset: 0,
                position: None,
                context: format!("model with {found} {elements}"),
                kind: ErrorKind::LimitExceeded { limit: limit_text },
            });
        }
    }
    Ok(())
}
