//! How many things a model may have for its size.
//!
//! Most things cost Bevy more than the few bytes that a file may say them in: a sub-mesh of one
//! triangle is three assets and an entity. A file that says nothing else would take more heap than
//! is promised of any file (16 times its size, and 1 MiB). Real models are far from these limits: they
//! have kilobytes of vertices for every sub-mesh, and a few dozen of everything else.

use crate::alamo::alo::AloFile;
use crate::read::{ErrorKind, Format, ParseError};

/// How many there may be in any file; and one more for each KiB of it.
const BONES: usize = 4096;
const MESHES: usize = 1024;
const SUBMESHES: usize = 128;
const LIGHTS: usize = 64;
const PROXIES: usize = 512;
const DAZZLES: usize = 32;

/// Refuses models that would cost more than is promised.
pub(super) fn check(file: &AloFile<'_>, length: usize) -> Result<(), ParseError> {
    let submeshes = file.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    for (found, limit, told) in [
        (
            file.bones.len(),
            BONES,
            "4096 bones, and one for each KiB of the file",
        ),
        (
            file.meshes.len(),
            MESHES,
            "1024 meshes, and one for each KiB of the file",
        ),
        (
            submeshes,
            SUBMESHES,
            "128 sub-meshes, and one for each KiB of the file",
        ),
        (
            file.lights.len(),
            LIGHTS,
            "64 lights, and one for each KiB of the file",
        ),
        (
            file.proxies.len(),
            PROXIES,
            "512 proxies, and one for each KiB of the file",
        ),
        (
            file.dazzles.len(),
            DAZZLES,
            "32 dazzles, and one for each KiB of the file",
        ),
    ] {
        if found > limit + length / 1024 {
            return Err(ParseError {
                format: Format::Alo,
                offset: 0,
                position: None,
                context: "model".into(),
                kind: ErrorKind::LimitExceeded { limit: told },
            });
        }
    }
    Ok(())
}
