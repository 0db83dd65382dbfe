//! Helpers of the clip players of all formats: detection of restarts, and loop times.

use crate::root::clip_ref::{ClipRef, Repeat};
use crate::root::play::ResolvedPlay;

/// The fields of a [`PlayClip`](crate::root::PlayClip) that restart playback when they change. `None` if there is no
/// `PlayClip`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipSelection(Option<Choice>);

#[derive(Clone, Debug, PartialEq)]
struct Choice {
    clip: ClipRef,
    requested: ClipRef,
    /// As requested, so that a change of the manifest's end behavior does not restart playback.
    repeat: Repeat,
    /// As bits, so that NaN equals itself.
    start: Option<u32>,
}

impl ClipSelection {
    pub(crate) fn new(resolved: Option<&ResolvedPlay>) -> Self {
        Self(resolved.map(|resolved| Choice {
            clip: resolved.play.clip.clone(),
            requested: resolved.requested.clone(),
            repeat: resolved.requested_repeat,
            start: resolved.play.start.map(f32::to_bits),
        }))
    }

    /// Whether a request selects the same playback, so that it must not restart.
    pub(crate) fn matches(&self, resolved: Option<&ResolvedPlay>) -> bool {
        match (&self.0, resolved) {
            (None, None) => true,
            (Some(choice), Some(resolved)) => {
                (&choice.clip, &choice.requested) == (&resolved.play.clip, &resolved.requested)
                    && choice.repeat == resolved.requested_repeat
                    && choice.start == resolved.play.start.map(f32::to_bits)
            }
            _ => false,
        }
    }
}

/// The time at which a clip without an explicit start begins, in seconds.
pub(crate) fn first_time(repeat: Repeat, speed: f32, length: f32) -> f32 {
    if repeat == Repeat::Once && speed < 0.0 {
        length
    } else {
        0.0
    }
}

/// `time` modulo `length`, in the range `0..length`; 0 if `length` is not positive.
pub(crate) fn wrap(time: f32, length: f32) -> f32 {
    if length <= 0.0 {
        return 0.0;
    }
    let wrapped = time.rem_euclid(length);
    // The remainder of a tiny negative number rounds up to the length itself.
    if wrapped < length { wrapped } else { 0.0 }
}
