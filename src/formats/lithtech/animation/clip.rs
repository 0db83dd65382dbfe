//! Converts animations to Bevy's animation clips.

use crate::formats::lithtech::animation::tracks::AbcCurves;
use crate::formats::lithtech::asset::AbcEvent;
use crate::playback::graph::rest_poses::{Rotation, Translation};
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use classic_model_formats::abc::Animation;
use std::sync::LazyLock;

/// Count of nodes whose targets are cached: hashing takes longer than the rest of making a curve.
const CACHED_TARGETS: usize = 128;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..CACHED_TARGETS).map(hash_target).collect());

/// The animation target of a node: a hash of `["lithtech", index]`.
pub fn node_target(index: usize) -> AnimationTargetId {
    let cached = TARGETS.get(index).copied();
    cached.unwrap_or_else(|| hash_target(index))
}

fn hash_target(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["lithtech", &index.to_string()])
}

/// The keyframe strings of an animation, in order of time.
pub(crate) fn events(animation: &Animation<'_>) -> Vec<AbcEvent> {
    let keyframes = animation.keyframes.iter().zip(0..);
    let with_string = keyframes.filter(|(keyframe, _)| !keyframe.event.is_empty());
    with_string
        .map(|(keyframe, frame)| AbcEvent {
            frame,
            seconds: (f64::from(keyframe.time) / 1000.0) as f32,
            string: (*keyframe.event).into(),
        })
        .collect()
}

/// The clip of an animation, which moves all nodes of its model.
pub(crate) fn clip(tracks: &AbcCurves) -> AnimationClip {
    let mut clip = AnimationClip::default();
    clip.set_duration(tracks.duration());
    let curves = clip.curves_mut();
    curves.reserve(tracks.nodes());
    for node in 0..tracks.nodes() {
        let (translations, rotations) = tracks.node(node);
        let node_curves = vec![
            VariableCurve::new(AnimatableCurve::new(Translation, translations)),
            VariableCurve::new(AnimatableCurve::new(Rotation, rotations)),
        ];
        curves.insert(node_target(node), node_curves);
    }
    clip
}
