//! Limits on the counts of nodes, animations, keyframe strings and meshes, by file size.
//!
//! This crate loads any file in at most 16 times its size plus 1 MiB of heap. Each of these items takes Bevy more
//! memory than that per byte of the file, so their counts are limited. Real models have dozens of each, far below the
//! limits.

use classic_model_formats::abc::AbcFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError};

// Limits for a file of any size, plus one per KiB.
const NODES: usize = 1024;
const ANIMATIONS: usize = 512;
const KEYFRAME_STRINGS: usize = 4096;

// Limits for a file of any size, plus one per 4 KiB.
const DEFORMING_NODES: usize = 64;
const MESHES: usize = 192;

/// Maximum depth of nested nodes in a scene. The root has depth 1. Real files have at most 18.
///
/// Bevy despawns children recursively, which takes 2 KiB of the stack per level, and a thread's stack may be only 2
/// MiB.
pub const MAX_SCENE_DEPTH: usize = 256;

/// Checks that the nodes are not nested too deep for a scene.
pub(crate) fn check_depth(file: &AbcFile<'_>) -> Result<(), ParseError> {
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

/// Maximum count of nodes with vertex animation: each has its own textures and materials. `length` is the file's, in
/// bytes.
pub(crate) fn max_deforming_nodes(length: usize) -> usize {
    DEFORMING_NODES + length / 4096
}

/// Maximum count of LODs to make if each has `meshes` meshes. `length` is the file's, in bytes.
pub(crate) fn max_levels(meshes: usize, length: usize) -> usize {
    ((MESHES + length / 4096) / meshes.max(1)).max(1)
}

/// Checks the counts of nodes, animations and keyframe strings. `length` is the file's, in bytes.
pub(crate) fn check_counts(file: &AbcFile<'_>, length: usize) -> Result<(), ParseError> {
    let keyframes = file
        .animations
        .iter()
        .flat_map(|animation| &animation.keyframes);
    let strings = keyframes.filter(|keyframe| !keyframe.event.is_empty());
    for (found, elements, limit, limit_text) in [
        (
            file.nodes.len(),
            "nodes",
            NODES,
            "a model has at most 1024 nodes, plus one per KiB of the file",
        ),
        (
            file.animations.len(),
            "animations",
            ANIMATIONS,
            "a model has at most 512 animations, plus one per KiB of the file",
        ),
        (
            strings.count(),
            "keyframe strings",
            KEYFRAME_STRINGS,
            "a model has at most 4096 keyframe strings, plus one per KiB of the file",
        ),
    ] {
        if found > limit + length / 1024 {
            return Err(ParseError {
                format: Format::Abc,
                offset: 0,
                position: None,
                context: format!("model with {found} {elements}"),
                kind: ErrorKind::LimitExceeded { limit: limit_text },
            });
        }
    }
    Ok(())
}
