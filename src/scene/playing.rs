//! What the players of all formats with clips share: when a clip begins anew, and times in a loop.

use crate::scene::clip_ref::{ClipRef, Repeat};
use crate::scene::play::ResolvedPlay;

/// What of a [`PlayClip`](super::PlayClip) begins anew where it changes. `None` inside is no `PlayClip` at all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipSelection(Option<Choice>);

#[derive(Clone, Debug, PartialEq)]
struct Choice {
    clip: ClipRef,
    asked: ClipRef,
    /// As it is asked for: another end that is stated does not begin anew.
    repeat: Repeat,
    /// By its bits: a start that is not a number is still the same start.
    start: Option<u32>,
}

impl ClipSelection {
    pub(crate) fn new(stated: Option<&ResolvedPlay>) -> Self {
        Self(stated.map(|stated| Choice {
            clip: stated.play.clip.clone(),
            asked: stated.asked.clone(),
            repeat: stated.asked_repeat,
            start: stated.play.start.map(f32::to_bits),
        }))
    }

    /// Whether it is what is asked for now.
    pub(crate) fn is(&self, stated: Option<&ResolvedPlay>) -> bool {
        match (&self.0, stated) {
            (None, None) => true,
            (Some(choice), Some(stated)) => {
                (&choice.clip, &choice.asked) == (&stated.play.clip, &stated.asked)
                    && choice.repeat == stated.asked_repeat
                    && choice.start == stated.play.start.map(f32::to_bits)
            }
            _ => false,
        }
    }
}

/// `time` modulo `length`, from 0 up to but not including it; 0 for a clip without length.
pub(crate) fn wrap(time: f32, length: f32) -> f32 {
    if length <= 0.0 {
        return 0.0;
    }
    let wrapped = time.rem_euclid(length);
    // The remainder of a tiny negative number rounds up to the length itself.
    if wrapped < length { wrapped } else { 0.0 }
}
