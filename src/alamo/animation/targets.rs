//! What animations know a bone by.

use bevy::animation::AnimationTargetId;
use std::sync::LazyLock;

/// Bones that have their name at hand: a hash takes longer than all else about a curve.
const KNOWN: usize = 512;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..KNOWN).map(hashed).collect());

/// What animations know a bone by: the hash of `["alamo", index]`.
pub fn bone_target(index: usize) -> AnimationTargetId {
    let known = TARGETS.get(index).copied();
    known.unwrap_or_else(|| hashed(index))
}

fn hashed(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["alamo", &index.to_string()])
}
