//! Curves over the packed values of a file. Sampling decodes them.
//!
//! The values of all bones are in one block for each kind of track. A curve has its offset in the block.

use crate::alamo::ala::{AlaBone, AlaFile};
use crate::alamo::animation::timing::{Bits, Timing};
use crate::alamo::animation::visibility::VisibilityCurve;
use crate::scene::slerp;
use bevy::math::curve::{Curve, Interval};
use bevy::math::{DVec3, Quat, Vec3, Vec4};
use bevy::reflect::Reflect;
use core::fmt;
use std::sync::Arc;
use zerocopy::little_endian::{I16, U16};

/// The offset of the step bits if a track has none.
const NO_STEPS: u32 = u32::MAX;

/// The packed values of one kind of track, for all bones.
struct Block<T> {
    words: Box<[T]>,
    /// The count of words from one frame to the next.
    stride: u32,
    timing: Timing,
    steps: Arc<Bits>,
}

impl<T> fmt::Debug for Block<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&self.words.len()).finish()
    }
}

/// The offset of a track in a block.
#[derive(Clone, Copy, Debug)]
struct TrackOffset {
    /// The index of the first word of the first frame.
    word: u32,
    /// The index of the first byte of the step bits. In a frame whose bit is set, the value is held until the next
    /// frame.
    steps: u32,
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
    block: Arc<Block<U16>>,
    track: TrackOffset,
    offset: Vec3,
    scale: Vec3,
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
    block: Arc<Block<I16>>,
    track: TrackOffset,
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
fn unpacked(words: [i16; 4]) -> Quat {
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

/// A constant vector.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(super) struct FixedVector(pub(super) [f32; 3]);

impl Curve<Vec3> for FixedVector {
    fn domain(&self) -> Interval {
        Interval::EVERYWHERE
    }

    #[inline]
    fn sample_clamped(&self, _: f32) -> Vec3 {
        Vec3::from_array(self.0)
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// A constant rotation, as a packed quaternion.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub(super) struct FixedRotation(pub(super) [i16; 4]);

impl Curve<Quat> for FixedRotation {
    fn domain(&self) -> Interval {
        Interval::EVERYWHERE
    }

    #[inline]
    fn sample_clamped(&self, _: f32) -> Quat {
        unpacked(self.0)
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

/// The curves of all tracks of an animation. Tracks of one kind share their data.
pub struct AlaCurves {
    translations: Option<Arc<Block<U16>>>,
    scales: Option<Arc<Block<U16>>>,
    rotations: Option<Arc<Block<I16>>>,
    bits: Arc<Bits>,
    /// The count of bytes of one track of bits.
    bit_bytes: u32,
    frames: u32,
    version: u8,
}

/// The curves of one bone. `None` if the bone has no such track.
pub struct BoneCurves {
    /// The local translation, in the file's units.
    pub translation: Option<PackedVectors>,
    /// The local rotation.
    pub rotation: Option<PackedRotations>,
    /// The local scale.
    pub scale: Option<PackedVectors>,
    /// Whether the parts on the bone and on its children are drawn.
    pub visibility: Option<VisibilityCurve>,
}

/// The offsets of the next bone's tracks, in the blocks of format 1 and in the bits.
#[derive(Clone, Copy, Default)]
struct NextOffsets {
    translations: u32,
    scales: u32,
    rotations: u32,
    bits: u32,
}

/// Advances an offset by a count. Returns the offset before.
fn advance(offset: &mut u32, count: u32) -> u32 {
    let begin = *offset;
    *offset += count;
    begin
}

impl AlaCurves {
    /// Copies the tracks of a file.
    pub fn new(file: &AlaFile<'_>) -> Self {
        let timing = Timing::new(file.frames, file.fps);
        let bit_bytes = file.frames.div_ceil(8);
        let bit_tracks = |bone: &AlaBone<'_>| {
            usize::from(bone.visibility.is_some()) + usize::from(bone.steps.is_some())
        };
        let count: usize = file.bones.iter().map(bit_tracks).sum();
        let mut all_bits = Vec::with_capacity(count * bit_bytes as usize);
        for bone in &file.bones {
            for bits in [bone.visibility, bone.steps].into_iter().flatten() {
                let end = all_bits.len() + bit_bytes as usize;
                all_bits.extend_from_slice(bits);
                // Ignore surplus bytes; missing bits are 0.
                all_bits.resize(end, 0);
            }
        }
        let bits = Arc::new(Bits::new(all_bits.into(), timing));
        let blocks = (file.version == 2).then_some(&file.blocks);
        let builder = BlockBuilder { file, bits: &bits };
        Self {
            translations: builder.build(blocks.map(|blocks| blocks.translations), |bone| {
                bone.translation
                    .map(|track| (track.words(), track.stride()))
            }),
            scales: builder.build(blocks.map(|blocks| blocks.scales), |bone| {
                bone.scale.map(|track| (track.words(), track.stride()))
            }),
            rotations: builder.build(blocks.map(|blocks| blocks.rotations), |bone| {
                bone.rotation.map(|track| (track.words(), track.stride()))
            }),
            bits,
            bit_bytes,
            frames: file.frames,
            version: file.version,
        }
    }

    /// The curves of the file's bones, in file order. `file` must be the file that was passed to [`new`](Self::new).
    pub fn bones<'f>(
        &'f self,
        file: &'f AlaFile<'_>,
    ) -> impl Iterator<Item = (&'f AlaBone<'f>, BoneCurves)> {
        let mut next = NextOffsets::default();
        file.bones
            .iter()
            .map(move |bone| (bone, self.bone(bone, &mut next)))
    }

    fn bone(&self, bone: &AlaBone<'_>, next: &mut NextOffsets) -> BoneCurves {
        let visibility = bone
            .visibility
            .map(|_| advance(&mut next.bits, self.bit_bytes));
        let steps = bone.steps.map(|_| advance(&mut next.bits, self.bit_bytes));
        let track_offset = |first: u32, next: &mut u32, width: u32| TrackOffset {
            // In format 1 each bone has its own words. The block has them in the order of the bones.
            word: if self.version == 2 {
                first
            } else {
                advance(next, self.frames * width)
            },
            steps: steps.unwrap_or(NO_STEPS),
        };
        BoneCurves {
            translation: bone.translation.and_then(|track| {
                Some(PackedVectors {
                    track: track_offset(track.first(), &mut next.translations, 3),
                    block: self.translations.clone()?,
                    offset: bone.translation_offset.into(),
                    scale: bone.translation_scale.into(),
                })
            }),
            rotation: bone.rotation.and_then(|track| {
                Some(PackedRotations {
                    track: track_offset(track.first(), &mut next.rotations, 4),
                    block: self.rotations.clone()?,
                })
            }),
            scale: bone.scale.and_then(|track| {
                Some(PackedVectors {
                    track: track_offset(track.first(), &mut next.scales, 3),
                    block: self.scales.clone()?,
                    offset: bone.scale_offset.into(),
                    scale: bone.scale_scale.into(),
                })
            }),
            visibility: visibility.map(|first| VisibilityCurve::shared(self.bits.clone(), first)),
        }
    }
}

/// Builds the blocks of one file.
struct BlockBuilder<'a, 'f> {
    file: &'a AlaFile<'f>,
    bits: &'a Arc<Bits>,
}

impl<'f> BlockBuilder<'_, 'f> {
    /// The block of one kind of track; `None` if no bone has such a track. `whole` is the file's block of format 2.
    fn build<T: Copy>(
        &self,
        whole: Option<&'f [T]>,
        track: impl Fn(&AlaBone<'f>) -> Option<(&'f [T], u32)>,
    ) -> Option<Arc<Block<T>>> {
        let mut tracks = self.file.bones.iter().filter_map(track).peekable();
        let (_, stride) = *tracks.peek()?;
        let count = self.file.frames as usize * stride as usize;
        let words = match whole {
            Some(words) => words.into(),
            None => {
                let tracks: Vec<&[T]> =
                    tracks.filter_map(|(words, _)| words.get(..count)).collect();
                tracks.concat().into()
            }
        };
        Some(Arc::new(Block {
            words,
            stride,
            timing: Timing::new(self.file.frames, self.file.fps),
            steps: self.bits.clone(),
        }))
    }
}
