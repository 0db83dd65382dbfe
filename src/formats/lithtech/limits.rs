//! Limits on the counts of a model's items, relative to the file's size: see [`load::error`](crate::load::error).

use crate::load::error::{check_counts, limit};
use classic_model_formats::abc::AbcFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError};

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

/// Returns an error if a count exceeds its limit. `length` is the file's, in bytes.
pub(crate) fn check_limits(file: &AbcFile<'_>, length: usize) -> Result<(), ParseError> {
    let keyframes = file
        .animations
        .iter()
        .flat_map(|animation| &animation.keyframes);
    let strings = keyframes.filter(|keyframe| !keyframe.event.is_empty());
    let limits = [
        limit!(file.nodes.len(), "nodes", 1024, per 1024, "KiB"),
        limit!(file.animations.len(), "animations", 512, per 1024, "KiB"),
        limit!(strings.count(), "keyframe strings", 4096, per 1024, "KiB"),
    ];
    check_counts(Format::Abc, None, length, &limits)
}
