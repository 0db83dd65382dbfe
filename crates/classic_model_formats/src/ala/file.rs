//! What an `.ala` file holds, as plain values that borrow from its bytes.

use crate::interpolate::{normalized, slerp, weighted};
use crate::read::Warning;
use core::fmt;
use std::borrow::Cow;
use zerocopy::little_endian::{I16, U16};

/// A parsed animation. Its values are in the space of each bone's parent, and take the place of
/// what the model says there.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AlaFile<'a> {
    /// 1 if the tracks of each bone are kept with the bone, 2 if they are in [`blocks`](Self::blocks).
    pub version: u8,
    /// How many frames there are; at least one. The last is the end, and in loops equals the first.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// What moves, in file order.
    pub bones: Vec<AlaBone<'a>>,
    /// The tracks of all bones, in format 2; empty in format 1.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub blocks: AlaBlocks<'a>,
    /// Flaws of the file that do no harm.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// The tracks of all bones of a file of format 2: for each frame, the values of every bone that has
/// a track. A bone's [`Track`] lies in one of these.
#[derive(Clone, Copy, Default)]
pub struct AlaBlocks<'a> {
    /// Three words for each bone that moves.
    pub translations: &'a [U16],
    /// Three words for each bone that grows.
    pub scales: &'a [U16],
    /// Four words for each bone that turns.
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

/// How one bone moves.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AlaBone<'a> {
    /// Name of the bone, by which to see whether the animation is for the model.
    pub name: Cow<'a, str>,
    /// Index of the bone in the model; nothing is known here of how many that has.
    pub index: u32,
    /// Mini-chunk 10, which is 0 or 1 in real files and has no known meaning.
    pub unknown: Option<u32>,
    /// Where the bone is, if there is no track; else what is added to that.
    pub translation_offset: [f32; 3],
    /// What the words of the track are multiplied with. Without a track it means nothing.
    pub translation_scale: [f32; 3],
    /// How large the bone is, if there is no track; else what is added to that.
    pub scale_offset: [f32; 3],
    /// What the words of the track are multiplied with. Without a track it means nothing.
    pub scale_scale: [f32; 3],
    /// The rotation if there is no track. There is always one in format 2. In format 1 there is one
    /// where the file has a single quaternion; without that the bone is turned as the model says.
    pub default_rotation: Option<[i16; 4]>,
    /// Where the bone is, frame by frame.
    pub translation: Option<VectorTrack<'a>>,
    /// How large it is, frame by frame. No real file has this.
    pub scale: Option<VectorTrack<'a>>,
    /// How it is turned, frame by frame.
    pub rotation: Option<QuaternionTrack<'a>>,
    /// Whether what hangs on it is drawn: a [`bit`] for each frame.
    pub visibility: Option<&'a [u8]>,
    /// Where the [`bit`] of a frame is set, its values hold until the next frame.
    pub steps: Option<&'a [u8]>,
}

/// Three words a frame: a translation or a scale.
pub type VectorTrack<'a> = Track<'a, U16, 3>;
/// Four words a frame: X, Y, Z and W of a quaternion, in 32767ths.
pub type QuaternionTrack<'a> = Track<'a, I16, 4>;

/// `N` words for each frame of an animation, where they lie in the file.
///
/// The parser makes only tracks that have all frames of their animation.
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

    /// The words that hold it: a whole block in format 2, and nothing else than it in format 1.
    pub fn words(&self) -> &'a [T] {
        self.words
    }

    /// Which of the words is the first of the first frame.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// How many words lie between a frame and the next.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// The words of a frame; `None` beyond the last.
    pub fn get(&self, frame: u32) -> Option<[T; N]> {
        // At most 2^24 frames of 2^31 words.
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
        // A block in every bone would be more than anybody reads.
        f.debug_struct("Track")
            .field("words", &self.words.len())
            .field("first", &self.first)
            .field("stride", &self.stride)
            .finish()
    }
}

/// Whether the bit of a frame is set; not beyond the last.
pub fn bit(bits: &[u8], frame: u32) -> bool {
    let byte = usize::try_from(frame / 8)
        .ok()
        .and_then(|byte| bits.get(byte));
    byte.is_some_and(|byte| byte >> (frame % 8) & 1 == 1)
}

/// A packed quaternion as one of length 1; no rotation if it has no length.
pub fn quaternion(packed: [i16; 4]) -> [f32; 4] {
    normalized(packed.map(|value| f32::from(value) / 32767.0))
}

/// A bone at some time of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AlaPose {
    /// Where it is.
    pub translation: [f32; 3],
    /// How it is turned: X, Y, Z and W of a quaternion of length 1. `None` as the model says.
    pub rotation: Option<[f32; 4]>,
    /// How large it is.
    pub scale: [f32; 3],
    /// Whether what hangs on it is drawn. `None` as the model says.
    pub visible: Option<bool>,
}

/// A time between two frames.
#[derive(Clone, Copy)]
struct Time {
    frame: u32,
    /// From `frame` to the next; 0 if that is not needed.
    t: f32,
}

impl AlaFile<'_> {
    /// How long it takes from the first frame to the last; 0 if that is the same.
    pub fn seconds(&self) -> f32 {
        self.frames.saturating_sub(1) as f32 / self.fps
    }

    /// A bone at a time, told in frames. Before the first frame is as at the first, after the last
    /// as at the last.
    ///
    /// This is what the format means, said plainly: one bone at one time.
    pub fn sample(&self, bone: &AlaBone<'_>, time: f32) -> AlaPose {
        let last = self.frames.saturating_sub(1);
        // A NaN is as at the first frame.
        let time = time.max(0.0).min(last as f32);
        // Frames are few enough for a float to tell each.
        let frame = time.floor() as u32;
        let holds = bone.steps.is_some_and(|steps| bit(steps, frame));
        let time = Time {
            frame,
            t: if holds { 0.0 } else { time - frame as f32 },
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
