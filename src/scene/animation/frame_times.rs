//! Frames that have times of their own.

use crate::scene::animation::frames::Frames;

/// How long a clip of a single frame takes where its format does not say: a player that repeats divides by it.
pub(crate) const STILL: f32 = 1.0 / 30.0;

/// When each frame is, in seconds that never descend, and when the clip ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameTimes<'a> {
    pub(crate) times: &'a [f32],
    pub(crate) end: f32,
}

impl Frames for FrameTimes<'_> {
    fn count(&self) -> u32 {
        self.times.len().try_into().unwrap_or(u32::MAX)
    }

    fn time(&self, frame: u32) -> f32 {
        self.times.get(frame as usize).copied().unwrap_or_default()
    }

    fn end(&self) -> f32 {
        self.end
    }

    fn still(&self) -> f32 {
        STILL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ops::Range;

    fn span(frames: &impl Frames, range: Range<u32>) -> Option<[f32; 3]> {
        let span = frames.span(&range)?;
        Some([span.start, span.end, span.length])
    }

    #[test]
    fn frames_at_times_of_their_own() {
        let times = [0.0, 0.1, 0.1, 0.5];
        let frames = FrameTimes {
            times: &times,
            end: 0.75,
        };
        assert_eq!(span(&frames, 0..4), Some([0.0, 0.75, 0.75]));
        assert_eq!(span(&frames, 0..2), Some([0.0, 0.1, 0.1]));
        assert_eq!(
            span(&frames, 3..4),
            Some([0.5, 0.75, 0.25]),
            "and what is after it"
        );
        assert_eq!(span(&frames, 1..3), Some([0.1, 0.1, STILL]), "of no length");
        assert_eq!(
            span(
                &FrameTimes {
                    times: &[],
                    end: 1.0
                },
                0..1
            ),
            None
        );
    }
}
