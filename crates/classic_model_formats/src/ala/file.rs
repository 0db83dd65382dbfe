//! The contents of an `.ala` file: plain values that borrow from the file's bytes.

use crate::interpolate::{normalized, slerp, weighted};
use crate::read::Warning;
use core::fmt;
use std::borrow::Cow;
use zerocopy::little_endian::{I16, U16};

/// A parsed animation.
///
/// Its values are in the space of each bone's parent, in the model's units, and replace the model's rest pose.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AlaFile<'a> {
    /// 1 if each bone has its own tracks, 2 if the tracks of all bones are in [`blocks`](Self::blocks).
    pub version: u8,
    /// Frame count, at least 1. The last frame is the end of the animation; in loops it equals the first.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// The animated bones, in file order.
    pub bones: Vec<AlaBone<'a>>,
    /// The tracks of all bones in version 2; empty in version 1.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub blocks: AlaBlocks<'a>,
    /// Harmless flaws of the file.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// The tracks of all bones in a file of version 2: for each frame, the words of every bone that has a track.
///
/// Each bone's [`Track`] is a part of one of these blocks.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct AlaBlocks<'a> {
    /// Per frame, three words for each bone with a translation track.
    pub translations: &'a [U16],
    /// Per frame, three words for each bone with a scale track.
    pub scales: &'a [U16],
    /// Per frame, four words for each bone with a rotation track.
    pub rotations: &'a [I16],
}

impl fmt::Debug for AlaBlocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlaBlocks")
            .field("translations", &self.translations.len())
            .field("scales", &self.scales.len())
            .field("rotations", &self.rotations.len())
            .finish()
    }
}

/// The animation of one bone.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AlaBone<'a> {
    /// Name of the bone, to check that the animation belongs to the model.
    pub name: Cow<'a, str>,
    /// Index of the bone in the model. It is not checked, because the model's bone count is not in the file.
    pub index: u32,
    /// Mini-chunk 10: 0 or 1 in real files, meaning unknown.
    pub unknown: Option<u32>,
    /// With a translation track, the offset added to its scaled words; otherwise the constant translation.
    pub translation_offset: [f32; 3],
    /// The factor for the words of the translation track. Meaningless without a track.
    pub translation_scale: [f32; 3],
    /// With a scale track, the offset added to its scaled words; otherwise the constant scale.
    pub scale_offset: [f32; 3],
    /// The factor for the words of the scale track. Meaningless without a track.
    pub scale_scale: [f32; 3],
    /// The rotation for a bone without a track: X, Y, Z and W of a quaternion, in 32767ths.
    ///
    /// Always present in version 2. In version 1 it is present if the file has a single quaternion for the bone. A bone
    /// with neither a track nor this keeps the model's rotation.
    pub default_rotation: Option<[i16; 4]>,
    /// The translation for each frame.
    pub translation: Option<VectorTrack<'a>>,
    /// The scale for each frame. No known file has this.
    pub scale: Option<VectorTrack<'a>>,
    /// The rotation for each frame.
    pub rotation: Option<QuaternionTrack<'a>>,
    /// Whether objects connected to the bone are visible: a [`bit`] for each frame. Without it, they are.
    pub visibility: Option<&'a [u8]>,
    /// Whether values are constant until the next frame instead of interpolated: a [`bit`] for each frame.
    pub steps: Option<&'a [u8]>,
}

/// A track of translations or scales: three words per frame.
pub type VectorTrack<'a> = Track<'a, U16, 3>;
/// A track of rotations: four words per frame, X, Y, Z and W of a quaternion in 32767ths.
pub type QuaternionTrack<'a> = Track<'a, I16, 4>;

/// `N` words for each frame of an animation, borrowed from the file.
///
/// Tracks made by the parser have all frames of their animation.
#[derive(Clone, Copy)]
pub struct Track<'a, T, const N: usize> {
    words: &'a [T],
    first: u32,
    stride: u32,
}

impl<'a, T: Copy, const N: usize> Track<'a, T, N> {
    pub(super) fn new(words: &'a [T], first: u32, stride: u32) -> Self {
        Self {
            words,
            first,
            stride,
        }
    }

    /// The words that contain the track: in version 2 the whole block of all bones, in version 1 only this track.
    pub fn words(&self) -> &'a [T] {
        self.words
    }

    /// Index of the first frame's first word in [`words`](Self::words).
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Distance between the first words of successive frames, in words.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// The words of a frame; `None` beyond the last frame.
    pub fn get(&self, frame: u32) -> Option<[T; N]> {
        // Cannot overflow: at most 2^24 frames of at most 2^31 words.
        let begin = u64::from(frame) * u64::from(self.stride) + u64::from(self.first);
        let words = self.words.get(usize::try_from(begin).ok()?..)?;
        words.first_chunk().copied()
    }

    /// The words of all frames in order.
    pub fn iter(&self) -> impl Iterator<Item = [T; N]> + '_ {
        (0..).map_while(|frame| self.get(frame))
    }
}

impl<T, const N: usize> fmt::Debug for Track<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the words: they are the whole block in each bone of version 2.
        f.debug_struct("Track")
            .field("words", &self.words.len())
            .field("first", &self.first)
            .field("stride", &self.stride)
            .finish()
    }
}

/// Whether the bit of a frame is set: bit `frame % 8`, from the least significant, of byte `frame / 8`.
///
/// `false` beyond the last byte.
pub fn bit(bits: &[u8], frame: u32) -> bool {
    let byte = usize::try_from(frame / 8)
        .ok()
        .and_then(|byte| bits.get(byte));
    byte.is_some_and(|byte| byte >> (frame % 8) & 1 == 1)
}

/// Unpacks a quaternion in 32767ths to X, Y, Z and W of length 1. A zero quaternion becomes the identity.
pub fn quaternion(packed: [i16; 4]) -> [f32; 4] {
    normalized(packed.map(|value| f32::from(value) / 32767.0))
}

/// The pose of a bone at one time of an animation, in the space of the bone's parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AlaPose {
    /// The translation.
    pub translation: [f32; 3],
    /// The rotation: X, Y, Z and W of a quaternion of length 1. `None` for the model's rotation.
    pub rotation: Option<[f32; 4]>,
    /// The scale.
    pub scale: [f32; 3],
    /// Whether objects connected to the bone are visible. `None` without a track: they are.
    pub visible: Option<bool>,
}

/// A time between two frames.
#[derive(Clone, Copy)]
struct Time {
    frame: u32,
    /// Interpolation factor from `frame` to the next, from 0 to 1.
    t: f32,
}

impl AlaFile<'_> {
    /// Duration from the first frame to the last, in seconds; 0 for a single frame.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.fps
    }

    /// The pose of a bone at a time in frames, clamped to the range from the first to the last frame. NaN is clamped to
    /// the first.
    ///
    /// Translation and scale are interpolated linearly, rotation by a shortest-path slerp. Visibility is not
    /// interpolated: it is that of the last frame at or before the time.
    ///
    /// This is a reference implementation of the format, not optimized for many bones or times.
    pub fn sample(&self, bone: &AlaBone<'_>, time: f32) -> AlaPose {
        let last = self.frames.saturating_sub(1);
        // `max` first: it turns a NaN into 0.
        let time = time.max(0.0).min(last as f32);
        // Exact: `MAX_FRAMES` is 2^24.
        let frame = time.floor() as u32;
        let is_constant = bone.steps.is_some_and(|steps| bit(steps, frame));
        let time = Time {
            frame,
            t: if is_constant {
                0.0
            } else {
                time - frame as f32
            },
        };
        let vector = |track: &Option<VectorTrack<'_>>, offset, scale| match track {
            Some(track) => vector_at(track, time, offset, scale),
            None => offset,
        };
        AlaPose {
            translation: vector(
                &bone.translation,
                bone.translation_offset,
                bone.translation_scale,
            ),
            rotation: match &bone.rotation {
                Some(track) => Some(quaternion_at(track, time)),
                None => bone.default_rotation.map(quaternion),
            },
            scale: vector(&bone.scale, bone.scale_offset, bone.scale_scale),
            visible: bone.visibility.map(|bits| bit(bits, frame)),
        }
    }
}

fn vector_at(
    track: &VectorTrack<'_>,
    Time { frame, t }: Time,
    offset: [f32; 3],
    scale: [f32; 3],
) -> [f32; 3] {
    let at = |frame| {
        let words = track.get(frame).unwrap_or_default();
        let mut values = offset;
        for ((value, word), scale) in values.iter_mut().zip(words).zip(scale) {
            *value += f32::from(word.get()) * scale;
        }
        values
    };
    if t > 0.0 {
        weighted(at(frame), at(frame.saturating_add(1)), [1.0 - t, t])
    } else {
        at(frame)
    }
}

fn quaternion_at(track: &QuaternionTrack<'_>, Time { frame, t }: Time) -> [f32; 4] {
    let at = |frame| quaternion(track.get(frame).unwrap_or_default().map(I16::get));
    if t > 0.0 {
        slerp(at(frame), at(frame.saturating_add(1)), t)
    } else {
        at(frame)
    }
}
