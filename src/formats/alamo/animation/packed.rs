//! Curves over the packed values of a file. Sampling decodes them.
//!
//! The values of all bones are in one block for each kind of track. A curve has its offset in the block.

use crate::playback::frames::slerp;
use bevy::math::DVec3;
use bevy::math::curve::Interval;
use bevy::prelude::*;
use classic_model_formats::ala::bit;
use core::fmt;
use std::sync::Arc;
use zerocopy::little_endian::{I16, U16};

/// The offset of the step bits if a track has none.
pub(crate) const NO_STEPS: u32 = u32::MAX;

/// The packed values of one kind of track, for all bones.
pub(crate) struct Block<T> {
    pub(crate) words: Box<[T]>,
    /// The count of words from one frame to the next.
    pub(crate) stride: u32,
    pub(crate) timing: Timing,
    pub(crate) steps: Arc<Bits>,
}

impl<T> fmt::Debug for Block<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&self.words.len()).finish()
    }
}

/// The offset of a track in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackOffset {
    /// The index of the first word of the first frame.
    pub(crate) word: u32,
    /// The index of the first byte of the step bits. In a frame whose bit is set, the value is held until the next
    /// frame.
    pub(crate) steps: u32,
}

impl<T: Copy> Block<T> {
    /// The words of a frame. The parser has checked that all frames exist.
    #[inline]
    fn key<const N: usize>(&self, track: TrackOffset, frame: u32) -> Option<[T; N]> {
        let begin = u64::from(frame) * u64::from(self.stride) + u64::from(track.word);
        let words = self.words.get(usize::try_from(begin).ok()?..)?;
        words.first_chunk().copied()
    }

    /// The frame at a time in seconds, and the fraction of the way to the next frame, from 0 to 1. The fraction is 0 if
    /// the frame is held.
    #[inline]
    fn frame_at(&self, track: TrackOffset, seconds: f32) -> (u32, f32) {
        let (frame, fraction) = self.timing.frame(seconds);
        let is_held = track.steps != NO_STEPS && self.steps.get(track.steps, frame);
        (frame, if is_held { 0.0 } else { fraction })
    }
}

/// A curve of translations or scales. Each frame has three words. A value is word × scale + offset.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub struct PackedVectors {
    pub(crate) block: Arc<Block<U16>>,
    pub(crate) track: TrackOffset,
    pub(crate) offset: Vec3,
    pub(crate) scale: Vec3,
}

impl PackedVectors {
    #[inline]
    fn key(&self, frame: u32) -> DVec3 {
        let words = self.block.key::<3>(self.track, frame);
        DVec3::from_array(words.unwrap_or_default().map(|word| f64::from(word.get())))
    }
}

impl Curve<Vec3> for PackedVectors {
    fn domain(&self) -> Interval {
        self.block.timing.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Vec3 {
        let (frame, fraction) = self.block.frame_at(self.track, t);
        let mut words = self.key(frame);
        if fraction > 0.0 {
            words = words.lerp(self.key(frame + 1), f64::from(fraction));
        }
        // In a large range, one word step is near the precision of `f32`. In doubles no step is lost.
        (words * self.scale.as_dvec3() + self.offset.as_dvec3()).as_vec3()
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// A curve of rotations. Each frame has one quaternion. Interpolation follows the shorter arc.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub struct PackedRotations {
    pub(crate) block: Arc<Block<I16>>,
    pub(crate) track: TrackOffset,
}

impl PackedRotations {
    #[inline]
    fn key(&self, frame: u32) -> Quat {
        let words = self.block.key::<4>(self.track, frame);
        unpacked(words.unwrap_or_default().map(I16::get))
    }
}

impl Curve<Quat> for PackedRotations {
    fn domain(&self) -> Interval {
        self.block.timing.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Quat {
        let (frame, fraction) = self.block.frame_at(self.track, t);
        let rotation = self.key(frame);
        if fraction > 0.0 {
            slerp(rotation, self.key(frame + 1), fraction)
        } else {
            rotation
        }
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

/// Decodes and normalizes a packed quaternion. One of length 0 gives the identity.
#[inline]
pub(crate) fn unpacked(words: [i16; 4]) -> Quat {
    const UNIT: f32 = 1.0 / 32767.0;
    let words = Vec4::from_array(words.map(f32::from)) * UNIT;
    let square = words.length_squared();
    let error = square - 1.0;
    // Packed quaternions had length 1 before rounding. Near 1, the first terms of the series of 1 / √(1 + error) are
    // exact, and much faster than the root.
    let factor = if error.abs() < 1e-3 {
        1.0 - error * (0.5 - 0.375 * error)
    } else if square > 0.0 {
        1.0 / square.sqrt()
    } else {
        return Quat::IDENTITY;
    };
    Quat::from_vec4(words * factor)
}

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
