//! The animation targets of bones.

use bevy::animation::AnimationTargetId;
use std::sync::LazyLock;

/// The count of precomputed targets. Hashing takes longer than the rest of the work on a curve.
const PRECOMPUTED: usize = 512;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..PRECOMPUTED).map(hashed).collect());

/// The animation target of the bone at an index: the hash of `["alamo", index]`.
pub fn bone_target(index: usize) -> AnimationTargetId {
    let target = TARGETS.get(index).copied();
    target.unwrap_or_else(|| hashed(index))
}

fn hashed(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["alamo", &index.to_string()])
}
