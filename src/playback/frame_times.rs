//! Frames at individual times.

use crate::playback::frames::Frames;

/// The duration of a clip of a single frame if its format defines none, in seconds. It is not 0, because a player that
/// repeats divides by it.
pub(crate) const SINGLE_FRAME_SECONDS: f32 = 1.0 / 30.0;

/// Frames at individual times, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameTimes<'a> {
    /// The time of each frame. Times never descend.
    pub(crate) times: &'a [f32],
    /// The end of the clip.
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

    fn single_frame_seconds(&self) -> f32 {
        SINGLE_FRAME_SECONDS
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
    use core::ops::Range;

    fn span(frames: &impl Frames, range: Range<u32>) -> Option<[f32; 3]> {
        let span = frames.span(&range)?;
        Some([span.start, span.end, span.length])
    }

    #[test]
    fn spans_have_the_times_of_their_frames() {
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
            "the last frame lasts to the end of the clip"
        );
        assert_eq!(
            span(&frames, 1..3),
            Some([0.1, 0.1, SINGLE_FRAME_SECONDS]),
            "two frames at one time"
        );
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
