//! Converts the seconds of an animation to frames, and stores one bit per frame.

use bevy::math::curve::Interval;
use classic_model_formats::ala::bit;
use core::fmt;

/// Converts the seconds of an animation to frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// Frames per second.
    fps: f32,
    /// The index of the last frame.
    last: f32,
}

impl Timing {
    pub(crate) fn new(frames: u32, fps: f32) -> Self {
        Self {
            fps,
            last: frames.saturating_sub(1) as f32,
        }
    }

    /// The duration of a clip, in seconds. It is never 0, because a player that repeats divides by it.
    pub(crate) fn duration(&self) -> f32 {
        (self.last.max(1.0) / self.fps).min(f32::MAX)
    }

    pub(crate) fn domain(&self) -> Interval {
        Interval::new(0.0, self.duration()).unwrap_or(Interval::UNIT)
    }

    /// The frame at a time in seconds, and the fraction of the way to the next frame, from 0 to 1. The time is clamped
    /// to the animation.
    #[inline]
    pub(crate) fn frame(&self, seconds: f32) -> (u32, f32) {
        /// The largest relative rounding error of a frame's time times the frames per second.
        const ROUNDING: f32 = 3e-7;
        // NaN maps to the first frame.
        let time = (seconds * self.fps).max(0.0).min(self.last);
        let nearest = (time + 0.5) as u32;
        let is_on_frame = (time - nearest as f32).abs() <= time * ROUNDING;
        let frame = if is_on_frame { nearest } else { time as u32 };
        (frame, (time - frame as f32).max(0.0))
    }
}

/// One bit per frame for several tracks, one track after the other.
pub(crate) struct Bits {
    bytes: Box<[u8]>,
    pub(crate) timing: Timing,
}

impl Bits {
    pub(crate) fn new(bytes: Box<[u8]>, timing: Timing) -> Self {
        Self { bytes, timing }
    }

    /// The bit of a frame in the track that begins at the byte `first`; false beyond the end.
    #[inline]
    pub(crate) fn get(&self, first: u32, frame: u32) -> bool {
        self.bytes
            .get(first as usize..)
            .is_some_and(|bits| bit(bits, frame))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bits").field(&self.bytes.len()).finish()
    }
}
