//! Frames and seconds of an animation, and bits for each frame.

use crate::alamo::ala::bit;
use bevy::math::curve::Interval;
use core::fmt;

/// Frames and seconds of an animation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// Frames per second.
    fps: f32,
    /// Number of the last frame, counted from 0.
    last: f32,
}

impl Timing {
    pub(super) fn new(frames: u32, fps: f32) -> Self {
        Self {
            fps,
            last: frames.saturating_sub(1) as f32,
        }
    }

    /// How long a clip of it takes: never 0, because a player that repeats divides by it.
    pub(super) fn duration(&self) -> f32 {
        (self.last.max(1.0) / self.fps).min(f32::MAX)
    }

    pub(super) fn domain(&self) -> Interval {
        Interval::new(0.0, self.duration()).unwrap_or(Interval::UNIT)
    }

    /// The frame at a time, and the way to the next from 0 to 1. Before the first it is the first,
    /// after the last the last.
    #[inline]
    pub(super) fn frame(&self, seconds: f32) -> (u32, f32) {
        /// The time of a frame, times the frames per second, is off by this part of itself at most.
        const ROUNDING: f32 = 3e-7;
        // A NaN is as at the first frame.
        let time = (seconds * self.fps).max(0.0).min(self.last);
        let nearest = (time + 0.5) as u32;
        let on_it = (time - nearest as f32).abs() <= time * ROUNDING;
        let frame = if on_it { nearest } else { time as u32 };
        (frame, (time - frame as f32).max(0.0))
    }
}

/// A bit for each frame, of all bones that have them.
pub(super) struct Bits {
    bytes: Box<[u8]>,
    pub(super) timing: Timing,
}

impl Bits {
    pub(super) fn new(bytes: Box<[u8]>, timing: Timing) -> Self {
        Self { bytes, timing }
    }

    /// The bit of a frame, of the bone whose bits begin at a byte; off beyond the end.
    #[inline]
    pub(super) fn get(&self, first: u32, frame: u32) -> bool {
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
