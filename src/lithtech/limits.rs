//! How many things a model may have for its size.
//!
//! Most things cost Bevy more than the few bytes that a file may say them in. A file that says nothing
//! else would take more heap than is promised of any file (16 times its size, and 1 MiB). Real models
//! are far from these limits: they have dozens of each.

use crate::lithtech::abc::AbcFile;
use crate::read::{ErrorKind, Format, ParseError};

/// How many there may be in any file; and one more for each KiB of it.
const NODES: usize = 1024;
const ANIMATIONS: usize = 512;
const KEYFRAME_STRINGS: usize = 4096;

/// How many there may be in any file; and one more for each 4 KiB of it.
const DEFORMING_NODES: usize = 64;
const MESHES: usize = 192;

/// How deep nodes may be nested in a scene, the root being the first level. Real files have 18 at most.
///
/// Bevy despawns children by calling itself, which takes 2 KiB of the stack for each level. A thread may
/// have no more than 2 MiB.
pub const MAX_SCENE_DEPTH: usize = 256;

/// Refuses models that no scene can be made of.
pub(super) fn check_depth(file: &AbcFile<'_>) -> Result<(), ParseError> {
    if file.depth() <= MAX_SCENE_DEPTH {
        return Ok(());
    }
    Err(ParseError {
        format: Format::Abc,
        offset: 0,
        position: None,
        context: "skeleton of the scene".into(),
        kind: ErrorKind::TooDeep {
            limit: MAX_SCENE_DEPTH,
        },
    })
}

/// How many nodes may move vertices one by one: each has a texture and materials of its own.
pub(super) fn deforming_nodes(length: usize) -> usize {
    DEFORMING_NODES + length / 4096
}

/// How many levels of detail may be made that have so many meshes each.
pub(super) fn levels(meshes: usize, length: usize) -> usize {
    ((MESHES + length / 4096) / meshes.max(1)).max(1)
}

/// Refuses models that would cost more than is promised.
pub(super) fn check(file: &AbcFile<'_>, length: usize) -> Result<(), ParseError> {
    let keyframes = file.animations.iter().flat_map(|of| &of.keyframes);
    let strings = keyframes.filter(|keyframe| !keyframe.event.is_empty());
    for (found, limit, told) in [
        (
            file.nodes.len(),
            NODES,
            "1024 nodes, and one for each KiB of the file",
        ),
        (
            file.animations.len(),
            ANIMATIONS,
            "512 animations, and one for each KiB of the file",
        ),
        (
            strings.count(),
            KEYFRAME_STRINGS,
            "4096 keyframe strings, and one for each KiB of the file",
        ),
    ] {
        if found > limit + length / 1024 {
            return Err(ParseError {
                format: Format::Abc,
                offset: 0,
                position: None,
                context: "model".into(),
                kind: ErrorKind::LimitExceeded { limit: told },
            });
        }
    }
    Ok(())
}
