//! Advances the playback time of a clip and the progress of a cross-fade, detects restarts, and computes which frames a clip
//! passes in one step of its playback, for all formats.

use crate::root::play::{ClipRef, Playback, Repeat, ResolvedPlay};
use core::iter;
use core::ops::Range;

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

/// The maximum count of whole passes through a clip whose frames are counted in one step. Without a limit, a clip of a
/// tiny length would pass its frames billions of times in one step.
const MAX_WHOLE_PASSES: u32 = 62;

/// One step of a clip's playback. Times are in seconds from the start of the clip.
///
/// A step includes the time at which it begins and excludes the time at which it ends, so that the steps of a playback
/// cover every time exactly once per pass. The end of the clip belongs to the step that reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ClipStep {
    /// The time before the step.
    pub(crate) from: f32,
    /// The time after the step.
    pub(crate) to: f32,
    /// How often the clip has started again. A clip that plays backward starts again at its end.
    pub(crate) loops: u32,
    /// Whether the clip plays backward.
    pub(crate) is_reversed: bool,
    /// Whether the clip has ended in this step: at its last frame, or at its first one if it plays backward.
    pub(crate) ends: bool,
}

impl ClipStep {
    /// The step of a clip that repeats. It moves the clip by `moved` seconds, from one time of the clip to another.
    pub(crate) fn repeating(from: f32, moved: f32, to: f32, length: f32) -> Self {
        let is_reversed = moved < 0.0;
        // In doubles, which represent the sum exactly enough for any count of loops that matters.
        let beyond = f64::from(from) + f64::from(moved) - f64::from(to);
        let beyond = if is_reversed { -beyond } else { beyond };
        Self {
            from,
            to,
            // The conversion saturates, and NaN becomes 0.
            loops: (beyond / f64::from(length)).round() as u32,
            is_reversed,
            ends: false,
        }
    }

    /// The step of a clip that plays once.
    pub(crate) fn once(from: f32, to: f32, is_reversed: bool, ends: bool) -> Self {
        Self {
            from,
            to,
            loops: 0,
            is_reversed,
            ends,
        }
    }

    /// The count of passes through a clip of `length` seconds; negative if it plays backward.
    pub(crate) fn passes(self, length: f32) -> f32 {
        let loops = self.loops as f32;
        let loops = if self.is_reversed { -loops } else { loops };
        loops + (self.to - self.from) / length
    }

    /// The elements that the step passes, in the order of playback. The elements must be in the order of their times,
    /// and each time must be within the clip.
    pub(crate) fn passed<T, F: Fn(&T) -> f32>(
        self,
        elements: &[T],
        time: F,
    ) -> impl Iterator<Item = &T> + use<'_, T, F> {
        let is_reversed = self.is_reversed;
        let indices = self.ranges(elements, time).flat_map(move |mut range| {
            iter::from_fn(move || {
                if is_reversed {
                    range.next_back()
                } else {
                    range.next()
                }
            })
        });
        indices.filter_map(|index| elements.get(index))
    }

    /// The ranges of elements that the step passes: one range per pass through the clip.
    fn ranges<T, F: Fn(&T) -> f32>(
        self,
        elements: &[T],
        time: F,
    ) -> impl Iterator<Item = Range<usize>> + use<T, F> {
        let count = elements.len();
        let before = |limit: f32| elements.partition_point(|element| time(element) < limit);
        let until = |limit: f32| elements.partition_point(|element| time(element) <= limit);
        let is_valid = self.from.is_finite() && self.to.is_finite();
        let repeats = is_valid && self.loops > 0 && !self.ends;
        let first = match (self.is_reversed, self.ends || repeats) {
            _ if !is_valid => 0..0,
            (false, false) => before(self.from)..before(self.to),
            (false, true) => before(self.from)..count,
            (true, false) => until(self.to)..until(self.from),
            (true, true) => 0..until(self.from),
        };
        let last = match self.is_reversed {
            _ if !repeats => 0..0,
            false => 0..before(self.to),
            true => until(self.to)..count,
        };
        let whole_passes = if repeats {
            (self.loops - 1).min(MAX_WHOLE_PASSES)
        } else {
            0
        };
        let whole = iter::repeat_n(0..count, whole_passes as usize);
        iter::once(first).chain(whole).chain(iter::once(last))
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
    fn poses_passed(playback: &mut Playback, seconds: f32, repeat: Repeat) -> Vec<f32> {
        const POSES: [f32; 4] = [0.0, 0.2, 0.4, 0.6];
        let step = playback.advance(seconds, 0.8, repeat).step;
        step.passed(&POSES, |time| *time).copied().collect()
    }

    #[test]
    fn steps_pass_each_pose_once() {
        let mut playback = Playback::default();
        assert_eq!(poses_passed(&mut playback, 0.0, Repeat::Loop), [0.0; 0]);
        assert_eq!(poses_passed(&mut playback, 0.1, Repeat::Loop), [0.0]);
        assert_eq!(
            poses_passed(&mut playback, 0.8, Repeat::Loop),
            [0.2, 0.4, 0.6, 0.0]
        );
        assert_eq!(poses_passed(&mut playback, -0.2, Repeat::Loop), [0.0]);
        playback.time = 0.5;
        assert_eq!(poses_passed(&mut playback, 0.2, Repeat::Once), [0.6]);
        assert_eq!(poses_passed(&mut playback, 0.2, Repeat::Once), [0.0; 0]);
        assert!(playback.finished);
        assert_eq!(poses_passed(&mut playback, 0.2, Repeat::Once), [0.0; 0]);
        // Backward from the end to the beginning, which is passed once.
        assert_eq!(
            poses_passed(&mut playback, -0.7, Repeat::Once),
            [0.6, 0.4, 0.2]
        );
        assert_eq!(poses_passed(&mut playback, -0.7, Repeat::Once), [0.0]);
        assert_eq!(poses_passed(&mut playback, -0.7, Repeat::Once), [0.0; 0]);
        // A jump from the end, and the end again in one step.
        playback.time = 0.5;
        assert_eq!(
            poses_passed(&mut playback, -9.0, Repeat::Once),
            [0.4, 0.2, 0.0]
        );
        playback.time = f32::NAN;
        assert_eq!(poses_passed(&mut playback, 0.1, Repeat::Loop), [0.0]);
    }

    /// Frames at 0, 0.1, 0.2 and 0.4 seconds. The last is also the end of the clip.
    const TIMES: [f32; 4] = [0.0, 0.1, 0.2, 0.4];
    const LENGTH: f32 = 0.4;

    fn passed(step: ClipStep, times: &[f32]) -> Vec<f32> {
        step.passed(times, |time| *time).copied().collect()
    }

    fn forward(from: f32, to: f32) -> ClipStep {
        ClipStep::once(from, to, false, false)
    }

    fn backward(from: f32, to: f32) -> ClipStep {
        ClipStep::once(from, to, true, false)
    }

    #[test]
    fn step_includes_its_beginning_and_excludes_its_end() {
        assert_eq!(passed(forward(0.0, 0.1), &TIMES), [0.0]);
        assert_eq!(passed(forward(0.1, 0.2), &TIMES), [0.1]);
        assert_eq!(passed(forward(0.05, 0.3), &TIMES), [0.1, 0.2]);
        assert_eq!(passed(forward(0.11, 0.19), &TIMES), [0.0; 0]);
        assert_eq!(passed(backward(0.4, 0.2), &TIMES), [0.4]);
        assert_eq!(passed(backward(0.2, 0.1), &TIMES), [0.2]);
        assert_eq!(passed(backward(0.3, 0.05), &TIMES), [0.2, 0.1]);
    }

    #[test]
    fn step_without_motion_passes_nothing() {
        for time in TIMES {
            assert_eq!(passed(forward(time, time), &TIMES), [0.0; 0]);
            assert_eq!(passed(backward(time, time), &TIMES), [0.0; 0]);
            let still = ClipStep::repeating(time, 0.0, time, LENGTH);
            assert_eq!((still.loops, still.is_reversed), (0, false));
            assert_eq!(passed(still, &TIMES), [0.0; 0]);
        }
        assert_eq!(passed(ClipStep::default(), &TIMES), [0.0; 0]);
    }

    #[test]
    fn end_passes_the_last_frame_and_a_reversed_end_the_first() {
        let end = |from, to, is_reversed| ClipStep::once(from, to, is_reversed, true);
        assert_eq!(passed(end(0.2, LENGTH, false), &TIMES), [0.2, 0.4]);
        assert_eq!(passed(end(LENGTH, LENGTH, false), &TIMES), [0.4]);
        assert_eq!(passed(end(0.1, 0.0, true), &TIMES), [0.1, 0.0]);
        assert_eq!(passed(end(0.0, 0.0, true), &TIMES), [0.0]);
    }

    #[test]
    fn repeated_clip_passes_its_last_and_first_frame_at_each_loop() {
        let step = ClipStep::repeating(0.3, 0.15, 0.05, LENGTH);
        assert_eq!(step.loops, 1);
        assert_eq!(passed(step, &TIMES), [0.4, 0.0]);
        let step = ClipStep::repeating(0.05, -0.15, 0.3, LENGTH);
        assert_eq!((step.loops, step.is_reversed), (1, true));
        assert_eq!(passed(step, &TIMES), [0.0, 0.4]);
        // A clip that plays backward and starts at its beginning.
        let step = ClipStep::repeating(0.0, -0.1, 0.3, LENGTH);
        assert_eq!(passed(step, &TIMES), [0.0, 0.4]);
    }

    #[test]
    fn step_onto_the_border_of_a_loop_counts_once() {
        // Forward, the end of the clip is the beginning.
        let step = ClipStep::repeating(0.2, 0.2, 0.0, LENGTH);
        assert_eq!((step.loops, passed(step, &TIMES)), (1, vec![0.2, 0.4]));
        // Backward, the beginning is still part of the pass.
        let step = ClipStep::repeating(0.2, -0.2, 0.0, LENGTH);
        assert_eq!((step.loops, passed(step, &TIMES)), (0, vec![0.2, 0.1]));
        let step = ClipStep::repeating(0.2, -0.6, 0.0, LENGTH);
        let expected = vec![0.2, 0.1, 0.0, 0.4, 0.2, 0.1];
        assert_eq!((step.loops, passed(step, &TIMES)), (1, expected));
        // A tiny step before the beginning, whose remainder is rounded to the beginning or to the end.
        for to in [0.0, LENGTH] {
            let step = ClipStep::repeating(0.0, -1e-9, to, LENGTH);
            let expected = if to == 0.0 { vec![] } else { vec![0.0] };
            assert_eq!(passed(step, &TIMES), expected, "to {to}");
        }
    }

    #[test]
    fn step_longer_than_the_clip_passes_its_frames_repeatedly() {
        let step = ClipStep::repeating(0.15, 1.0, 0.35, LENGTH);
        assert_eq!(step.loops, 2);
        let expected = [0.2, 0.4, 0.0, 0.1, 0.2, 0.4, 0.0, 0.1, 0.2];
        assert_eq!(passed(step, &TIMES), expected);
        let step = ClipStep::repeating(0.35, -1.0, 0.15, LENGTH);
        assert_eq!(step.loops, 2);
        let expected = [0.2, 0.1, 0.0, 0.4, 0.2, 0.1, 0.0, 0.4, 0.2];
        assert_eq!(passed(step, &TIMES), expected);
    }

    #[test]
    fn count_of_passes_is_limited() {
        for moved in [1e9, -1e9, f32::MAX, f32::MIN] {
            let step = ClipStep::repeating(0.0, moved, 0.2, LENGTH);
            assert!(step.loops > 1000);
            let count = passed(step, &[0.1]).len();
            assert!((62..=64).contains(&count), "{moved}: {count}");
        }
    }

    #[test]
    fn clip_of_one_frame_passes_it_once_per_loop() {
        let length = 1.0 / 30.0;
        let at_start = [0.0];
        assert_eq!(passed(forward(0.0, 0.01), &at_start), [0.0]);
        assert_eq!(passed(forward(0.01, 0.02), &at_start), [0.0; 0]);
        let step = ClipStep::repeating(0.03, 0.1, 0.13 - 3.0 * length, length);
        assert_eq!(passed(step, &at_start), [0.0; 3]);
        let step = ClipStep::repeating(0.0, -0.05, 2.0 * length - 0.05, length);
        assert_eq!(passed(step, &at_start), [0.0; 2]);
    }

    #[test]
    fn invalid_times_pass_nothing() {
        for invalid in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for is_reversed in [false, true] {
                for ends in [false, true] {
                    let step = ClipStep::once(invalid, 0.2, is_reversed, ends);
                    assert_eq!(passed(step, &TIMES), [0.0; 0]);
                    let step = ClipStep::once(0.2, invalid, is_reversed, ends);
                    assert_eq!(passed(step, &TIMES), [0.0; 0]);
                }
            }
            for step in [
                ClipStep::repeating(invalid, 0.1, 0.2, LENGTH),
                ClipStep::repeating(0.0, 0.1, invalid, LENGTH),
            ] {
                assert_eq!(passed(step, &TIMES), [0.0; 0]);
            }
        }
        assert_eq!(ClipStep::repeating(0.0, f32::NAN, 0.0, LENGTH).loops, 0);
        assert_eq!(ClipStep::repeating(0.0, 0.0, 0.0, 0.0).loops, 0);
    }

    #[test]
    fn jump_skips_the_frames_between() {
        // The player jumps between two steps, so the next one begins at the target.
        assert_eq!(passed(forward(0.0, 0.05), &TIMES), [0.0]);
        assert_eq!(passed(forward(0.3, 0.35), &TIMES), [0.0; 0]);
        assert_eq!(passed(forward(0.1, 0.15), &TIMES), [0.1], "onto a frame");
    }

    /// Every frame is passed exactly as often as the playback passes it, for steps of any length.
    #[test]
    fn steps_of_a_playback_cover_each_frame_once_per_pass() {
        for speed in [1.0_f32, -1.0] {
            for step in [0.0003_f32, 0.017, 0.05, 0.1, 0.3, 0.4, 0.77] {
                let (mut time, mut total) = (0.05_f32, 0.0_f64);
                let mut counts = [0_i64; TIMES.len()];
                let steps = 3000;
                for _ in 0..steps {
                    let from = time;
                    let moved = step * speed;
                    time = (from + moved).rem_euclid(LENGTH);
                    let passing = ClipStep::repeating(from, moved, time, LENGTH);
                    // The exact distance, without the rounding of the times.
                    let forward = f64::from(time) - f64::from(from);
                    let loops = f64::from(passing.loops) * f64::from(LENGTH);
                    total += forward + loops * f64::from(speed);
                    for passed in passed(passing, &TIMES) {
                        counts[TIMES.iter().position(|time| *time == passed).unwrap()] += 1;
                    }
                }
                let travelled = f64::from(step * speed) * f64::from(steps);
                assert!((total - travelled).abs() < 0.01, "{total} of {travelled}");
                let passes = total.abs() / f64::from(LENGTH);
                for count in counts {
                    let off = (count as f64 - passes).abs();
                    assert!(off <= 1.0, "{counts:?} in {passes} passes of {step}");
                }
            }
        }
    }
}
