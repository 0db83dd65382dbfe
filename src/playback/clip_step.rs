//! Which frames a clip passes in one step of its playback, for all formats. Pure functions of times.

use core::iter;
use core::ops::Range;

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
