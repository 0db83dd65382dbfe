//! Advances the playback time of a clip and the progress of a cross-fade, and detects restarts.

use crate::playback::clip_step::ClipStep;
use crate::root::play::{ClipRef, Playback, Repeat, ResolvedPlay};

/// The result of a step of a clip's playback.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    /// The times that the clip has passed.
    pub(crate) step: ClipStep,
    /// Whether a clip that plays once ended in this step.
    pub(crate) has_ended: bool,
}

impl Playback {
    /// Advances the playback time of a clip of `length` seconds.
    pub(crate) fn advance(&mut self, seconds: f32, length: f32, repeat: Repeat) -> Advance {
        match repeat {
            Repeat::Loop | Repeat::FromManifest => {
                let from = wrap(finite_or_zero(self.time), length);
                self.time = wrap(finite_or_zero(from + seconds), length);
                self.finished = false;
                Advance {
                    step: ClipStep::repeating(from, seconds, self.time, length),
                    has_ended: false,
                }
            }
            Repeat::Once => {
                let from = finite_or_zero(self.time).clamp(0.0, length);
                let time = finite_or_zero(from + seconds);
                self.time = time.clamp(0.0, length);
                let at_end = (seconds > 0.0 && time >= length) || (seconds < 0.0 && time <= 0.0);
                let moved_away = seconds != 0.0 && !at_end;
                let has_ended = at_end && !self.finished;
                let ends = has_ended || (at_end && from != self.time);
                self.finished = at_end || (self.finished && !moved_away);
                Advance {
                    step: ClipStep::once(from, self.time, seconds < 0.0, ends),
                    has_ended,
                }
            }
        }
    }
}

fn finite_or_zero(time: f32) -> f32 {
    if time.is_finite() { time } else { 0.0 }
}

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

/// A cross-fade. Times are in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fade {
    duration: f32,
    remaining: f32,
}

impl Fade {
    /// `None` if the duration is not a positive number.
    pub(crate) fn new(duration: f32) -> Option<Self> {
        (duration > 0.0 && duration.is_finite()).then_some(Self {
            duration,
            remaining: duration,
        })
    }

    /// Returns false once the fade is over.
    pub(crate) fn advance(&mut self, seconds: f32) -> bool {
        self.remaining -= seconds;
        self.remaining > 0.0
    }

    /// The fraction that remains, from 1 to 0.
    pub(crate) fn fraction(&self) -> f32 {
        self.remaining / self.duration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_wraps_in_both_directions() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.9, 0.8, Repeat::Loop).has_ended);
        assert!((playback.time - 0.1).abs() < 1e-6);
        playback.advance(-0.2, 0.8, Repeat::Loop);
        assert!((playback.time - 0.7).abs() < 1e-6);
        playback.advance(f32::NAN, 0.8, Repeat::Loop);
        assert_eq!(playback.time, 0.0);
        assert_eq!(wrap(-1e-9, 0.8), 0.0);
        assert_eq!(wrap(3.0, 0.0), 0.0);
    }

    #[test]
    fn once_reports_its_end_again_after_a_seek() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.5, 0.8, Repeat::Once).has_ended);
        assert!(playback.advance(0.5, 0.8, Repeat::Once).has_ended);
        assert_eq!((playback.time, playback.finished), (0.8, true));
        assert!(!playback.advance(0.5, 0.8, Repeat::Once).has_ended);
        playback.time = 0.0;
        assert!(!playback.advance(0.1, 0.8, Repeat::Once).has_ended);
        assert!(!playback.finished);
        assert!(playback.advance(1.0, 0.8, Repeat::Once).has_ended);
        playback.finished = false;
        assert!(playback.advance(-1.0, 0.8, Repeat::Once).has_ended);
        assert_eq!(playback.time, 0.0);
    }

    /// The poses at these times that a step passes.
    fn passed(playback: &mut Playback, seconds: f32, repeat: Repeat) -> Vec<f32> {
        const POSES: [f32; 4] = [0.0, 0.2, 0.4, 0.6];
        let step = playback.advance(seconds, 0.8, repeat).step;
        step.passed(&POSES, |time| *time).copied().collect()
    }

    #[test]
    fn steps_pass_each_pose_once() {
        let mut playback = Playback::default();
        assert_eq!(passed(&mut playback, 0.0, Repeat::Loop), [0.0; 0]);
        assert_eq!(passed(&mut playback, 0.1, Repeat::Loop), [0.0]);
        assert_eq!(
            passed(&mut playback, 0.8, Repeat::Loop),
            [0.2, 0.4, 0.6, 0.0]
        );
        assert_eq!(passed(&mut playback, -0.2, Repeat::Loop), [0.0]);
        playback.time = 0.5;
        assert_eq!(passed(&mut playback, 0.2, Repeat::Once), [0.6]);
        assert_eq!(passed(&mut playback, 0.2, Repeat::Once), [0.0; 0]);
        assert!(playback.finished);
        assert_eq!(passed(&mut playback, 0.2, Repeat::Once), [0.0; 0]);
        // Backward from the end to the beginning, which is passed once.
        assert_eq!(passed(&mut playback, -0.7, Repeat::Once), [0.6, 0.4, 0.2]);
        assert_eq!(passed(&mut playback, -0.7, Repeat::Once), [0.0]);
        assert_eq!(passed(&mut playback, -0.7, Repeat::Once), [0.0; 0]);
        // A jump from the end, and the end again in one step.
        playback.time = 0.5;
        assert_eq!(passed(&mut playback, -9.0, Repeat::Once), [0.4, 0.2, 0.0]);
        playback.time = f32::NAN;
        assert_eq!(passed(&mut playback, 0.1, Repeat::Loop), [0.0]);
    }
}
