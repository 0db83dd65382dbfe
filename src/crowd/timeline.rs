//! The times of a clip's frames, which may be regular or not, and the times at which it is sampled.
//!
//! Samples are regular. So a clip whose keyframes have individual times is sampled by positions: the index of a keyframe
//! plus the fraction of the way to the next one. At keyframes, its poses are exact.

use crate::gpu::pose_table::PosePair;
use crate::playback::skeletal::pose_source::Timeline;

/// The most samples from one frame to the next.
const MAX_PER_FRAME: u32 = 16;

/// The same for frames at individual times. Some are seconds apart, and turn bones by 180°.
const MAX_PER_KEYFRAME: u32 = 64;

impl Timeline {
    /// The frames to sample. `holds` is whether some values are held until the next frame.
    pub(crate) fn frames(&self, holds: bool) -> ClipFrames {
        match self {
            Self::Rate { count, fps } => ClipFrames {
                count: *count,
                fps: *fps,
                holds,
                max_per_frame: MAX_PER_FRAME,
            },
            Self::Keyframes { times, .. } => ClipFrames {
                count: times.len().try_into().unwrap_or(u32::MAX),
                fps: 1.0,
                holds,
                max_per_frame: MAX_PER_KEYFRAME,
            },
        }
    }
}

/// The most samples of a clip.
pub(crate) const MAX_SAMPLES: u32 = 65_536;

/// The samples of a clip, in the order of their times.
///
/// Between two frames there are `per_frame` intervals of equal length. If a clip holds values until the next frame,
/// each frame also has a sample just before its end, because the value jumps there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SampleTimes {
    /// The count of frames; at least 1.
    frames: u32,
    /// Frames per second.
    fps: f32,
    /// Intervals between two frames; at least 1.
    per_frame: u32,
    /// Whether some values are held until the next frame.
    holds: bool,
}

impl SampleTimes {
    /// `None` if there are more than [`MAX_SAMPLES`] samples.
    pub(crate) fn new(frames: u32, fps: f32, per_frame: u32, holds: bool) -> Option<Self> {
        let times = Self {
            frames: frames.max(1),
            fps,
            per_frame: per_frame.max(1),
            holds,
        };
        let count = u64::from(times.frames - 1) * u64::from(times.stride()) + 1;
        (count <= u64::from(MAX_SAMPLES)).then_some(times)
    }

    /// Samples from one frame to the next.
    pub(crate) fn stride(&self) -> u32 {
        self.per_frame.saturating_add(u32::from(self.holds))
    }

    /// The count of samples.
    pub(crate) fn count(&self) -> u32 {
        (self.frames - 1) * self.stride() + 1
    }

    /// The time of a sample, in seconds, and the frame that it belongs to.
    pub(crate) fn time(&self, sample: u32) -> (f32, u32) {
        let (frame, step) = (sample / self.stride(), sample % self.stride());
        let fraction = if step == self.per_frame {
            1.0 - end_gap(frame)
        } else {
            step as f32 / self.per_frame as f32
        };
        ((frame as f32 + fraction) / self.fps, frame)
    }

    /// The sample at the same time as one of other times of the same clip.
    pub(crate) fn same_sample(&self, sample: u32, of: &Self) -> Option<u32> {
        let (frame, step) = (sample / of.stride(), sample % of.stride());
        let first = frame * self.stride();
        match step {
            0 => Some(first),
            // The sample before the next frame.
            _ => (step == of.per_frame).then_some(first + self.per_frame),
        }
    }

    /// The times in the middle between samples, in seconds, each with the index of the sample before it.
    pub(crate) fn middle(&self, sample: u32) -> Option<f32> {
        let (frame, step) = (sample / self.stride(), sample % self.stride());
        let is_last = frame + 1 >= self.frames || step == self.per_frame;
        let fraction = (step as f32 + 0.5) / self.per_frame as f32;
        (!is_last).then(|| (frame as f32 + fraction) / self.fps)
    }

    /// The samples around a time in seconds. The time is clamped to the clip.
    #[inline]
    pub(crate) fn locate(&self, seconds: f32) -> PosePair {
        let (frame, fraction) = self.frame(seconds);
        let first = frame * self.stride();
        if frame + 1 >= self.frames {
            return PosePair {
                a: first,
                b: first,
                towards_b: 0.0,
            };
        }
        let position = fraction * self.per_frame as f32;
        let step = (position as u32).min(self.per_frame - 1);
        PosePair {
            a: first + step,
            b: first + step + 1,
            towards_b: (position - step as f32).clamp(0.0, 1.0),
        }
    }

    /// The frame at a time, and the fraction of the way to the next one. The time of a frame gives exactly that frame.
    #[inline]
    fn frame(&self, seconds: f32) -> (u32, f32) {
        /// The largest relative rounding error of a frame's time times the frames per second.
        const ROUNDING: f32 = 3e-7;
        // NaN maps to the first frame.
        let time = (seconds * self.fps).max(0.0).min((self.frames - 1) as f32);
        let nearest = (time + 0.5) as u32;
        if (time - nearest as f32).abs() <= time * ROUNDING {
            return (nearest, 0.0);
        }
        (time as u32, time.fract())
    }
}

/// The part of a frame after its last sample if values are held. It is more than the rounding error of the time.
fn end_gap(frame: u32) -> f32 {
    (frame as f32 * 1e-6).max(1.0 / 4096.0)
}

/// The frames of a clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipFrames {
    /// The count of frames.
    pub(crate) count: u32,
    /// Frames per second.
    pub(crate) fps: f32,
    /// Whether some values are held until the next frame.
    pub(crate) holds: bool,
    /// The most samples from one frame to the next.
    pub(crate) max_per_frame: u32,
}

impl ClipFrames {
    /// The times of one sample per frame. `None` if there are more than [`MAX_SAMPLES`] samples.
    pub(crate) fn fewest_samples(&self) -> Option<SampleTimes> {
        SampleTimes::new(self.count, self.fps, 1, self.holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn positions_of_keyframes_are_their_indices() {
        let times = [0.0, 0.1, 0.4, 0.4, 1.0];
        let timeline = Timeline::Keyframes {
            times: times.into(),
            end: 1.5,
        };
        assert_eq!(timeline.frames(false).count, 5);
        for (seconds, expected) in [
            (f32::NAN, 0.0),
            (-1.0, 0.0),
            (0.0, 0.0),
            (0.1, 1.0),
            (0.25, 1.5),
            // Of two keyframes at one time, the last one is shown.
            (0.4, 3.0),
            (0.7, 3.5),
            (1.0, 4.0),
            (1.4, 4.0),
        ] {
            let found = timeline.position(seconds, None);
            assert!((found - expected).abs() < 1e-6, "{seconds}: {found}");
        }
        assert!((timeline.position(0.15, Some(&(1..3))) - 1.5).abs() < 1e-5);
        assert_eq!(timeline.position(9.0, Some(&(1..3))), 3.0);
    }

    #[test]
    fn a_clip_without_keyframes_has_one_position() {
        let timeline = Timeline::Keyframes {
            times: Arc::default(),
            end: 1.0,
        };
        assert_eq!(timeline.position(0.7, None), 0.0);
        assert_eq!(timeline.position(0.7, Some(&(0..3))), 0.0);
    }

    #[test]
    fn times_of_frames_are_located_exactly() {
        for (per_frame, holds) in [(1, false), (4, false), (1, true), (3, true)] {
            let times = SampleTimes::new(601, 29.97, per_frame, holds).unwrap();
            for frame in 0..601 {
                let pair = times.locate(frame as f32 / 29.97);
                assert_eq!((pair.a, pair.towards_b), (frame * times.stride(), 0.0));
                let (seconds, of_frame) = times.time(pair.a);
                assert_eq!((seconds, of_frame), (frame as f32 / 29.97, frame));
            }
        }
    }

    #[test]
    fn held_values_have_a_sample_before_the_next_frame() {
        let times = SampleTimes::new(3, 10.0, 2, true).unwrap();
        assert_eq!(times.count(), 7);
        let (seconds, frame) = times.time(2);
        assert!(seconds < 0.1 && seconds > 0.099, "{seconds}");
        assert_eq!(frame, 0);
        let pair = times.locate(0.075);
        assert_eq!((pair.a, pair.b), (1, 2));
        assert!((pair.towards_b - 0.5).abs() < 1e-4);
        assert_eq!(times.middle(2), None);
    }

    #[test]
    fn finer_samples_at_the_times_of_coarse_ones_are_found() {
        for holds in [false, true] {
            let times = |per_frame| SampleTimes::new(5, 30.0, per_frame, holds).unwrap();
            let (coarse, fine) = (times(1), times(3));
            let mut found = Vec::new();
            for sample in 0..fine.count() {
                if let Some(same) = coarse.same_sample(sample, &fine) {
                    assert_eq!(coarse.time(same), fine.time(sample));
                    found.push(same);
                }
            }
            assert_eq!(found, Vec::from_iter(0..coarse.count()));
        }
    }

    #[test]
    fn times_outside_of_the_clip_are_clamped() {
        let times = SampleTimes::new(4, 10.0, 1, false).unwrap();
        for (seconds, sample) in [(-1.0, 0), (f32::NAN, 0), (0.3, 3), (9.0, 3)] {
            let pair = times.locate(seconds);
            assert_eq!((pair.a, pair.towards_b), (sample, 0.0), "{seconds}");
        }
    }

    #[test]
    fn clips_have_a_maximum_count_of_samples() {
        let count = |frames, per_frame| {
            SampleTimes::new(frames, 30.0, per_frame, false).map(|times| times.count())
        };
        assert_eq!(count(MAX_SAMPLES, 1), Some(MAX_SAMPLES));
        assert_eq!(count(MAX_SAMPLES + 1, 1), None);
        assert_eq!(count(u32::MAX, u32::MAX), None);
        assert_eq!(count(0, 1), Some(1));
    }
}
