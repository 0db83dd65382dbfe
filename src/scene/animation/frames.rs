//! The times of the frames of a clip, and of a part of it.

use core::ops::Range;

/// How long a clip of a single frame takes where its format does not say: a player that repeats divides by it.
pub(crate) const STILL: f32 = 1.0 / 30.0;

/// When the frames of a clip are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frames<'a> {
    /// So many, and so many a second.
    Rate { count: u32, fps: f32 },
    /// Each at its time, in seconds that never descend, and when the clip ends.
    Times { times: &'a [f32], end: f32 },
}

/// A part of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// The time of its first frame in the clip, in seconds.
    start: f32,
    /// That of its last.
    end: f32,
    /// How long it takes; greater than 0.
    pub(super) length: f32,
}

impl Frames<'_> {
    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Rate { count, .. } => *count,
            Self::Times { times, .. } => times.len().try_into().unwrap_or(u32::MAX),
        }
    }

    /// The part that consists of some of them; `None` if the clip has none of these.
    pub(crate) fn span(&self, frames: &Range<u32>) -> Option<Span> {
        let count = self.count();
        let last = frames.end.min(count).checked_sub(1)?;
        if last < frames.start {
            return None;
        }
        let start = self.time(frames.start);
        let end = match self {
            // What comes after the last frame belongs to it.
            Self::Times { end, .. } if last + 1 == count => *end,
            _ => self.time(last),
        };
        let length = if end > start {
            end - start
        } else {
            self.still()
        };
        Some(Span { start, end, length })
    }

    fn time(&self, frame: u32) -> f32 {
        match self {
            Self::Rate { fps, .. } => (frame as f32 / fps).min(f32::MAX),
            Self::Times { times, .. } => times.get(frame as usize).copied().unwrap_or_default(),
        }
    }

    /// How long a single one takes.
    fn still(&self) -> f32 {
        match self {
            Self::Rate { fps, .. } => (1.0 / fps).min(f32::MAX),
            Self::Times { .. } => STILL,
        }
    }
}

impl Span {
    /// The time in the whole clip at a time of the part, which is clamped to it.
    #[inline]
    pub(crate) fn time(&self, time: f32) -> f32 {
        if time >= self.length {
            return self.end;
        }
        // A number that is none is as the beginning.
        (self.start + time.max(0.0)).min(self.end)
    }

    /// The other way round; `None` if it is not in the part.
    pub(super) fn time_within(&self, time: f32) -> Option<f32> {
        let is_within = (self.start..=self.end).contains(&time);
        is_within.then(|| (time - self.start).min(self.length))
    }

    pub(super) fn bits(&self) -> [u32; 3] {
        [self.start, self.end, self.length].map(f32::to_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(frames: Frames<'_>, range: Range<u32>) -> Option<[f32; 3]> {
        let span = frames.span(&range)?;
        Some([span.start, span.end, span.length])
    }

    #[test]
    fn frames_at_a_rate() {
        let frames = Frames::Rate {
            count: 5,
            fps: 10.0,
        };
        assert_eq!(span(frames, 0..5), Some([0.0, 0.4, 0.4]));
        assert_eq!(span(frames, 1..3), Some([0.1, 0.2, 0.1]));
        assert_eq!(span(frames, 3..u32::MAX), Some([0.3, 0.4, 0.4 - 0.3]));
        assert_eq!(span(frames, 4..5), Some([0.4, 0.4, 0.1]), "a single one");
        for nothing in [
            0..0,
            2..2,
            5..9,
            u32::MAX..u32::MAX,
            Range { start: 3, end: 1 },
        ] {
            assert_eq!(span(frames, nothing), None);
        }
    }

    #[test]
    fn frames_at_times_of_their_own() {
        let times = [0.0, 0.1, 0.1, 0.5];
        let frames = Frames::Times {
            times: &times,
            end: 0.75,
        };
        assert_eq!(span(frames, 0..4), Some([0.0, 0.75, 0.75]));
        assert_eq!(span(frames, 0..2), Some([0.0, 0.1, 0.1]));
        assert_eq!(
            span(frames, 3..4),
            Some([0.5, 0.75, 0.25]),
            "and what is after it"
        );
        assert_eq!(span(frames, 1..3), Some([0.1, 0.1, STILL]), "of no length");
        assert_eq!(
            span(
                Frames::Times {
                    times: &[],
                    end: 1.0
                },
                0..1
            ),
            None
        );
    }

    #[test]
    fn any_time_is_in_the_part() {
        for frames in [1..4, 2..3] {
            let span = Frames::Rate {
                count: 9,
                fps: 10.0,
            }
            .span(&frames)
            .unwrap();
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
