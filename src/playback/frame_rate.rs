//! Frames at a constant rate.

use crate::playback::frames::Frames;

/// Frames at a constant rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameRate {
    /// The count of frames.
    pub(crate) count: u32,
    /// Frames per second; greater than 0.
    pub(crate) fps: f32,
}

impl Frames for FrameRate {
    fn count(&self) -> u32 {
        self.count
    }

    fn time(&self, frame: u32) -> f32 {
        (frame as f32 / self.fps).min(f32::MAX)
    }

    fn end(&self) -> f32 {
        self.time(self.count.saturating_sub(1))
    }

    fn single_frame_seconds(&self) -> f32 {
        (1.0 / self.fps).min(f32::MAX)
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
    fn spans_have_the_times_of_the_frame_rate() {
        let frames = FrameRate {
            count: 5,
            fps: 10.0,
        };
        assert_eq!(span(&frames, 0..5), Some([0.0, 0.4, 0.4]));
        assert_eq!(span(&frames, 1..3), Some([0.1, 0.2, 0.1]));
        assert_eq!(span(&frames, 3..u32::MAX), Some([0.3, 0.4, 0.4 - 0.3]));
        assert_eq!(span(&frames, 4..5), Some([0.4, 0.4, 0.1]), "a single frame");
        for empty in [
            0..0,
            2..2,
            5..9,
            u32::MAX..u32::MAX,
            Range { start: 3, end: 1 },
        ] {
            assert_eq!(span(&frames, empty), None);
        }
    }

    #[test]
    fn any_time_is_clamped_to_the_span() {
        for frames in [1..4, 2..3] {
            let span = FrameRate {
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
