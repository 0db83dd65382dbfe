//! The times of a clip's frames, and parts of clips.

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

    pub(crate) fn bits(&self) -> [u32; 3] {
        [self.start, self.end, self.length].map(f32::to_bits)
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
