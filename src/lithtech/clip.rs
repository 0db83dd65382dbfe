//! Animations as Bevy's clips.

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

/// Triggered for the entity with the `AnimationPlayer`, which is the root of a spawned model, when a clip
/// passes a keyframe that has a string: once in each pass. If a clip passes more than twice in a frame, two
/// passes count. A looping clip of one keyframe passes that 30 times a second.
///
/// Clips that fade out trigger events too, and so do clips that a graph of your own plays.
/// `On<AbcKeyframeEvent>` has the entity as its trigger's target.
#[derive(AnimationEvent, Clone, Debug, PartialEq)]
pub struct AbcKeyframeEvent {
    /// What the file says, such as `FOOTSTEP_KEY` or `sound a\b.wav`.
    pub string: Arc<str>,
    /// Index of the animation in its file.
    pub animation: usize,
    /// Name of the animation.
    pub name: Arc<str>,
    /// Seconds from the start of the animation.
    pub seconds: f32,
}

/// Nodes that have their name at hand: a hash takes longer than all else about a curve.
const KNOWN: usize = 128;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..KNOWN).map(hashed).collect());

/// What animations know a node by: the hash of `["lithtech", index]`.
pub fn node_target(index: usize) -> AnimationTargetId {
    let known = TARGETS.get(index).copied();
    known.unwrap_or_else(|| hashed(index))
}

fn hashed(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["lithtech", &index.to_string()])
}

/// What an animation tells the game, in order.
pub(super) fn events(animation: &Animation<'_>) -> Vec<AbcEvent> {
    let keyframes = animation.keyframes.iter();
    let told = keyframes.filter(|keyframe| !keyframe.event.is_empty());
    told.map(|keyframe| AbcEvent {
        seconds: (f64::from(keyframe.time) / 1000.0) as f32,
        string: (*keyframe.event).into(),
    })
    .collect()
}

/// An animation as a clip, which moves all nodes of its model.
pub(super) fn clip(
    animation: &Animation<'_>,
    (index, name): (usize, &Arc<str>),
    events: &[AbcEvent],
    space: Handedness,
) -> AnimationClip {
    let tracks = AbcCurves::new(animation, space);
    let mut clip = AnimationClip::default();
    clip.set_duration(tracks.duration());
    let curves = clip.curves_mut();
    curves.reserve(tracks.nodes());
    for node in 0..tracks.nodes() {
        let (translations, rotations) = tracks.node(node);
        let of_node = vec![
            VariableCurve::new(AnimatableCurve::new(Translation, translations)),
            VariableCurve::new(AnimatableCurve::new(Rotation, rotations)),
        ];
        curves.insert(node_target(node), of_node);
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
