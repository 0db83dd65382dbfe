//! The times of a clip's frames, parts of clips, and rotations between frames.

use bevy::prelude::*;
use core::ops::Range;

/// The duration of a part without a length if the frames have no rate, in seconds. It is not 0, because a player that
/// repeats divides by it.
pub(crate) const SINGLE_FRAME_SECONDS: f32 = 1.0 / 30.0;

/// The times of a clip's frames. Times never descend.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frames<'a> {
    /// Frames at a constant rate.
    Rate {
        count: u32,
        /// Frames per second; greater than 0.
        fps: f32,
    },
    /// Frames at individual times.
    Times {
        /// The time of each frame, in seconds.
        times: &'a [f32],
        /// The end of the clip, in seconds.
        end: f32,
    },
}

impl Frames<'_> {
    /// The count of frames.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Rate { count, .. } => *count,
            Self::Times { times, .. } => times.len().try_into().unwrap_or(u32::MAX),
        }
    }

    /// The time of a frame, in seconds.
    pub(crate) fn time(&self, frame: u32) -> f32 {
        match self {
            Self::Rate { fps, .. } => (frame as f32 / fps).min(f32::MAX),
            Self::Times { times, .. } => times.get(frame as usize).copied().unwrap_or_default(),
        }
    }

    /// The end of the last frame, in seconds. The time after the last frame belongs to it.
    pub(crate) fn end(&self) -> f32 {
        match self {
            Self::Rate { count, .. } => self.time(count.saturating_sub(1)),
            Self::Times { end, .. } => *end,
        }
    }

    /// The part that consists of a range of frames; `None` if the clip has no frame in the range.
    pub(crate) fn span(&self, frames: &Range<u32>) -> Option<Span> {
        let count = self.count();
        let last = frames.end.min(count).checked_sub(1)?;
        if last < frames.start {
            return None;
        }
        let start = self.time(frames.start);
        let end = if last + 1 == count {
            self.end()
        } else {
            self.time(last)
        };
        let length = match self {
            _ if end > start => end - start,
            Self::Rate { fps, .. } => (1.0 / fps).min(f32::MAX),
            Self::Times { .. } => SINGLE_FRAME_SECONDS,
        };
        Some(Span { start, end, length })
    }
}

/// A part of a clip. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// The time of its first frame in the clip.
    pub(crate) start: f32,
    /// The time of its last frame in the clip, or the clip's end if that is the clip's last frame.
    pub(crate) end: f32,
    /// Its duration; greater than 0.
    pub(crate) length: f32,
}

impl Span {
    /// Converts a time of the part to a time of the whole clip. Clamps it to the part.
    #[inline]
    pub(crate) fn time(&self, time: f32) -> f32 {
        if time >= self.length {
            return self.end;
        }
        // NaN maps to the start.
        (self.start + time.max(0.0)).min(self.end)
    }

    /// Converts a time of the whole clip to a time of the part; `None` if it is outside of the part.
    pub(crate) fn time_within(&self, time: f32) -> Option<f32> {
        let is_within = (self.start..=self.end).contains(&time);
        is_within.then(|| (time - self.start).min(self.length))
    }
}

/// The keyframe at or before a time, and how far the time is on the way to the next: at least 0 and less than 1.
#[inline]
pub(crate) fn keyframe_at(times: &[f32], seconds: f32) -> (usize, f32) {
    let next = times.partition_point(|time| *time <= seconds);
    // A time before the first keyframe, or NaN, maps to the first keyframe.
    let Some(key) = next.checked_sub(1) else {
        return (0, 0.0);
    };
    match (times.get(key), times.get(next)) {
        // No division by 0: from <= seconds < to.
        (Some(from), Some(to)) => (key, (seconds - from) / (to - from)),
        _ => (key, 0.0),
    }
}

/// Interpolates between two rotations along the shorter arc, with `t` from 0 to 1. It is as exact as `Quat::slerp`, to
/// the last bits of a float, in half its time.
///
/// The weights are the series of D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP", in
/// the cosine of the angle, without trigonometry. A smaller angle needs fewer terms.
#[inline]
pub(crate) fn slerp(from: Quat, to: Quat, t: f32) -> Quat {
    let cosine = from.dot(to);
    // A quaternion and its opposite are the same rotation.
    let (to, cosine) = if cosine < 0.0 {
        (-to, -cosine)
    } else {
        (to, cosine)
    };
    if cosine > 0.9 {
        weighted::<4>(from, to, t, cosine)
    } else {
        slerp_far(from, to, t, cosine)
    }
}

/// Interpolates rotations that are far from each other. If they are very far, it splits the arc in the middle.
fn slerp_far(from: Quat, to: Quat, t: f32, cosine: f32) -> Quat {
    if cosine > 0.7 {
        return weighted::<TERMS>(from, to, t, cosine);
    }
    let middle = (from + to).normalize();
    let cosine = (0.5 + 0.5 * cosine).sqrt();
    if t < 0.5 {
        weighted::<TERMS>(from, middle, 2.0 * t, cosine)
    } else {
        weighted::<TERMS>(middle, to, 2.0 * t - 1.0, cosine)
    }
}

/// The most terms of the series that any angle needs.
const TERMS: usize = 9;

/// 1 / (i (2 i + 1)), and i / (2 i + 1), for each term i from 1.
const SERIES: [[f32; 2]; TERMS] = {
    let mut series = [[0.0; 2]; TERMS];
    let mut term = 0;
    while term < TERMS {
        let i = (term + 1) as f32;
        series[term] = [1.0 / (i * (2.0 * i + 1.0)), i / (2.0 * i + 1.0)];
        term += 1;
    }
    series
};

/// The weighted sum of both, from the first `COUNT` terms of the series.
#[inline]
fn weighted<const COUNT: usize>(from: Quat, to: Quat, t: f32, cosine: f32) -> Quat {
    let fractions = Vec2::new(1.0 - t, t);
    let squares = fractions * fractions;
    let mut sums = Vec2::ONE;
    for [of_square, of_one] in SERIES.iter().take(COUNT).rev() {
        let factors = squares * *of_square - Vec2::splat(*of_one);
        sums = Vec2::ONE + factors * (cosine - 1.0) * sums;
    }
    let weights = fractions * sums;
    from * weights.x + to * weights.y
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec3;

    fn span(frames: Frames<'_>, range: Range<u32>) -> Option<[f32; 3]> {
        let span = frames.span(&range)?;
        Some([span.start, span.end, span.length])
    }

    fn rate(count: u32) -> Frames<'static> {
        Frames::Rate { count, fps: 10.0 }
    }

    #[test]
    fn spans_have_the_times_of_the_frame_rate() {
        assert_eq!(span(rate(5), 0..5), Some([0.0, 0.4, 0.4]));
        assert_eq!(span(rate(5), 1..3), Some([0.1, 0.2, 0.1]));
        assert_eq!(span(rate(5), 3..u32::MAX), Some([0.3, 0.4, 0.4 - 0.3]));
        assert_eq!(span(rate(5), 4..5), Some([0.4, 0.4, 0.1]), "a single frame");
        for empty in [
            0..0,
            2..2,
            5..9,
            u32::MAX..u32::MAX,
            Range { start: 3, end: 1 },
        ] {
            assert_eq!(span(rate(5), empty), None);
        }
    }

    #[test]
    fn spans_have_the_times_of_their_frames() {
        let times = [0.0, 0.1, 0.1, 0.5];
        for (range, expected, why) in [
            (0..4, [0.0, 0.75, 0.75], "all frames"),
            (0..2, [0.0, 0.1, 0.1], "the first two"),
            (
                3..4,
                [0.5, 0.75, 0.25],
                "the last lasts to the end of the clip",
            ),
            (
                1..3,
                [0.1, 0.1, SINGLE_FRAME_SECONDS],
                "two frames at one time",
            ),
        ] {
            let frames = Frames::Times {
                times: &times,
                end: 0.75,
            };
            assert_eq!(span(frames, range), Some(expected), "{why}");
        }
        let empty = Frames::Times {
            times: &[],
            end: 1.0,
        };
        assert_eq!(span(empty, 0..1), None);
    }

    #[test]
    fn any_time_is_clamped_to_the_span() {
        for frames in [1..4, 2..3] {
            let span = rate(9).span(&frames).unwrap();
            assert_eq!(span.time(f32::INFINITY), span.end);
            for time in [f32::NAN, -0.0, -1.0, f32::NEG_INFINITY] {
                assert_eq!(span.time(time), span.start);
            }
            for step in 0..50 {
                let time = span.time(step as f32 * 0.01);
                assert!((span.start..=span.end).contains(&time));
            }
        }
    }

    /// Compares it with the formula with sines, in doubles.
    #[test]
    fn slerp_agrees_with_the_sine_formula() {
        let from = Quat::from_xyzw(0.1, -0.7, 0.3, 0.2).normalize();
        let axis = Vec3::new(0.3, 0.5, -0.8).normalize();
        for step in 0..=180 {
            // Half of the angle between the rotations, as quaternions have it.
            let angle = f64::from(step).to_radians() / 2.0;
            let to = Quat::from_axis_angle(axis, 2.0 * angle as f32) * from;
            for to in [to, -to] {
                for t in [0.0, 0.1, 0.25, 0.5, 0.7, 1.0] {
                    let weight = |t: f64| match step {
                        0 => t,
                        _ => (t * angle).sin() / angle.sin(),
                    };
                    let nearest = if from.dot(to) < 0.0 { -to } else { to };
                    let [a, b] = [from, nearest].map(|quat| quat.to_array().map(f64::from));
                    let found = slerp(from, to, t as f32).to_array();
                    for (axis, found) in found.into_iter().enumerate() {
                        let expected = a[axis] * weight(1.0 - t) + b[axis] * weight(t);
                        let off = (f64::from(found) - expected).abs();
                        assert!(off < 1e-6, "{step}° at {t}: {off}");
                    }
                }
            }
        }
    }
}
