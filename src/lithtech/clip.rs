//! Converts animations to Bevy's animation clips.

use crate::lithtech::abc::Animation;
use crate::lithtech::asset::AbcEvent;
use crate::lithtech::handedness::Handedness;
use crate::lithtech::tracks::AbcCurves;
use crate::scene::{EventTrack, Rotation, Translation};
use bevy::animation::animation_curves::AnimatableCurve;
use bevy::animation::{
    AnimationClip, AnimationEvent, AnimationEventTrigger, AnimationTargetId, VariableCurve,
};
use std::sync::{Arc, LazyLock};

/// Triggered when a clip passes a keyframe that has a string.
///
/// The target is the entity with the `AnimationPlayer`, which is the root of a spawned model; `On<AbcKeyframeEvent>`
/// has it as its trigger's target. The event is triggered once per pass, but at most twice per frame. A looping clip of
/// one keyframe passes it 30 times per second. Clips that fade out trigger events too, and so do clips in your own
/// animation graphs.
#[derive(AnimationEvent, Clone, Debug, PartialEq)]
pub struct AbcKeyframeEvent {
    /// The string in the file, such as `FOOTSTEP_KEY` or `sound a\b.wav`.
    pub string: Arc<str>,
    /// Index of the animation in its file.
    pub animation: usize,
    /// Name of the animation.
    pub name: Arc<str>,
    /// Seconds from the start of the animation.
    pub seconds: f32,
}

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
pub(super) fn events(animation: &Animation<'_>) -> Vec<AbcEvent> {
    let keyframes = animation.keyframes.iter();
    let with_string = keyframes.filter(|keyframe| !keyframe.event.is_empty());
    with_string
        .map(|keyframe| AbcEvent {
            seconds: (f64::from(keyframe.time) / 1000.0) as f32,
            string: (*keyframe.event).into(),
        })
        .collect()
}

/// Converts an animation to a clip, which moves all nodes of its model.
pub(super) fn clip(
    animation: &Animation<'_>,
    (index, name): (usize, &Arc<str>),
    events: &[AbcEvent],
    handedness: Handedness,
) -> AnimationClip {
    let tracks = AbcCurves::new(animation, handedness);
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
    if !events.is_empty() {
        event_track(events, (index, name)).insert(&mut clip);
    }
    clip
}

fn event_track(events: &[AbcEvent], (animation, name): (usize, &Arc<str>)) -> EventTrack {
    let seconds = events.iter().map(|event| event.seconds);
    let triggered: Arc<[AbcKeyframeEvent]> = events
        .iter()
        .map(|AbcEvent { seconds, string }| AbcKeyframeEvent {
            string: string.clone(),
            animation,
            name: name.clone(),
            seconds: *seconds,
        })
        .collect();
    EventTrack::new(seconds, move |commands, target, index| {
        if let Some(event) = triggered.get(index) {
            commands.trigger_with(event.clone(), AnimationEventTrigger { target });
        }
    })
}
