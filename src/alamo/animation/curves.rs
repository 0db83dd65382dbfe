//! Curves over the words of a file, which are decoded when they are sampled.
//!
//! The words of all bones lie together, once for each kind of track; a curve is a place in them.

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

/// Where no step bits are.
const NO_STEPS: u32 = u32::MAX;

/// The words of one kind of track, of all bones.
struct Block<T> {
    words: Box<[T]>,
    /// Words from a frame to the next.
    stride: u32,
    timing: Timing,
    steps: Arc<Bits>,
}

impl<T> fmt::Debug for Block<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&self.words.len()).finish()
    }
}

/// A place in a block.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Which word is the first of the first frame.
    word: u32,
    /// Which byte is the first of the bits that say where values hold until the next frame.
    steps: u32,
}

impl<T: Copy> Block<T> {
    /// The words of a frame. The parser has seen that all are there.
    #[inline]
    fn key<const N: usize>(&self, place: Place, frame: u32) -> Option<[T; N]> {
        let begin = u64::from(frame) * u64::from(self.stride) + u64::from(place.word);
        let words = self.words.get(usize::try_from(begin).ok()?..)?;
        words.first_chunk().copied()
    }

    /// The frame at a time, and the way to the next; none where there is no way to go.
    #[inline]
    fn moment(&self, place: Place, seconds: f32) -> (u32, f32) {
        let (frame, way) = self.timing.frame(seconds);
        let holds = place.steps != NO_STEPS && self.steps.get(place.steps, frame);
        (frame, if holds { 0.0 } else { way })
    }
}

/// Translations or scales: three words a frame, times a scale, plus an offset.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub struct PackedVectors {
    block: Arc<Block<U16>>,
    place: Place,
    offset: Vec3,
    scale: Vec3,
}

impl PackedVectors {
    #[inline]
    fn key(&self, frame: u32) -> DVec3 {
        let words = self.block.key::<3>(self.place, frame);
        DVec3::from_array(words.unwrap_or_default().map(|word| f64::from(word.get())))
    }
}

impl Curve<Vec3> for PackedVectors {
    fn domain(&self) -> Interval {
        self.block.timing.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Vec3 {
        let (frame, way) = self.block.moment(self.place, t);
        let mut words = self.key(frame);
        if way > 0.0 {
            words = words.lerp(self.key(frame + 1), f64::from(way));
        }
        // The steps of a long way are as small as a float is exact there: in doubles none is lost.
        (words * self.scale.as_dvec3() + self.offset.as_dvec3()).as_vec3()
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// Rotations: a quaternion a frame, on the shorter way from one to the next.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
pub struct PackedRotations {
    block: Arc<Block<I16>>,
    place: Place,
}

impl PackedRotations {
    #[inline]
    fn key(&self, frame: u32) -> Quat {
        let words = self.block.key::<4>(self.place, frame);
        unpacked(words.unwrap_or_default().map(I16::get))
    }
}

impl Curve<Quat> for PackedRotations {
    fn domain(&self) -> Interval {
        self.block.timing.domain()
    }

    #[inline]
    fn sample_clamped(&self, t: f32) -> Quat {
        let (frame, way) = self.block.moment(self.place, t);
        let rotation = self.key(frame);
        if way > 0.0 {
            slerp(rotation, self.key(frame + 1), way)
        } else {
            rotation
        }
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

/// A packed quaternion as one of length 1; no rotation if it has no length.
#[inline]
fn unpacked(words: [i16; 4]) -> Quat {
    const UNIT: f32 = 1.0 / 32767.0;
    let words = Vec4::from_array(words.map(f32::from)) * UNIT;
    let square = words.length_squared();
    let beyond = square - 1.0;
    // What is packed was of length 1 but for its last digits. Near there the first terms of the root's
    // series are exact, and are had much sooner than the root.
    let factor = if beyond.abs() < 1e-3 {
        1.0 - beyond * (0.5 - 0.375 * beyond)
    } else if square > 0.0 {
        1.0 / square.sqrt()
    } else {
        return Quat::IDENTITY;
    };
    Quat::from_vec4(words * factor)
}

/// A vector that stays as it is.
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

/// A rotation that stays as it is.
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

/// The curves of all tracks of an animation. Those of one kind share their data.
pub struct AlaCurves {
    translations: Option<Arc<Block<U16>>>,
    scales: Option<Arc<Block<U16>>>,
    rotations: Option<Arc<Block<I16>>>,
    bits: Arc<Bits>,
    /// Bytes of the bits of one bone.
    bytes: u32,
    frames: u32,
    version: u8,
}

/// The curves of one bone. `None` where there is no track.
pub struct BoneCurves {
    /// Where it is.
    pub translation: Option<PackedVectors>,
    /// How it is turned.
    pub rotation: Option<PackedRotations>,
    /// How large it is.
    pub scale: Option<PackedVectors>,
    /// Whether what hangs on it is drawn.
    pub visibility: Option<VisibilityCurve>,
}

/// How much of what lies one bone after the other is taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    translations: u32,
    scales: u32,
    rotations: u32,
    bits: u32,
}

/// Takes some of a count, and tells where it begins.
fn take(taken: &mut u32, count: u32) -> u32 {
    let begin = *taken;
    *taken += count;
    begin
}

impl AlaCurves {
    /// Copies the tracks out of a file.
    pub fn new(file: &AlaFile<'_>) -> Self {
        let timing = Timing::new(file.frames, file.fps);
        let bytes = file.frames.div_ceil(8);
        let with_bits = |bone: &AlaBone<'_>| {
            usize::from(bone.visibility.is_some()) + usize::from(bone.steps.is_some())
        };
        let count: usize = file.bones.iter().map(with_bits).sum();
        let mut all_bits = Vec::with_capacity(count * bytes as usize);
        for bone in &file.bones {
            for bits in [bone.visibility, bone.steps].into_iter().flatten() {
                let end = all_bits.len() + bytes as usize;
                all_bits.extend_from_slice(bits);
                // No more than is needed; what is missing is off.
                all_bits.resize(end, 0);
            }
        }
        let bits = Arc::new(Bits::new(all_bits.into(), timing));
        let blocks = (file.version == 2).then_some(&file.blocks);
        let block = Shared { file, bits: &bits };
        Self {
            translations: block.of(blocks.map(|blocks| blocks.translations), |bone| {
                bone.translation
                    .map(|track| (track.words(), track.stride()))
            }),
            scales: block.of(blocks.map(|blocks| blocks.scales), |bone| {
                bone.scale.map(|track| (track.words(), track.stride()))
            }),
            rotations: block.of(blocks.map(|blocks| blocks.rotations), |bone| {
                bone.rotation.map(|track| (track.words(), track.stride()))
            }),
            bits,
            bytes,
            frames: file.frames,
            version: file.version,
        }
    }

    /// The curves of the file's bones, in file order. It must be the file that this was made of.
    pub fn bones<'f>(
        &'f self,
        file: &'f AlaFile<'_>,
    ) -> impl Iterator<Item = (&'f AlaBone<'f>, BoneCurves)> {
        let mut taken = Taken::default();
        file.bones
            .iter()
            .map(move |bone| (bone, self.bone(bone, &mut taken)))
    }

    fn bone(&self, bone: &AlaBone<'_>, taken: &mut Taken) -> BoneCurves {
        let visibility = bone.visibility.map(|_| take(&mut taken.bits, self.bytes));
        let steps = bone.steps.map(|_| take(&mut taken.bits, self.bytes));
        let place = |first: u32, taken: &mut u32, width: u32| Place {
            // In format 1 each bone has words of its own, which lie here in the order of the bones.
            word: if self.version == 2 {
                first
            } else {
                take(taken, self.frames * width)
            },
            steps: steps.unwrap_or(NO_STEPS),
        };
        BoneCurves {
            translation: bone.translation.and_then(|track| {
                Some(PackedVectors {
                    place: place(track.first(), &mut taken.translations, 3),
                    block: self.translations.clone()?,
                    offset: bone.translation_offset.into(),
                    scale: bone.translation_scale.into(),
                })
            }),
            rotation: bone.rotation.and_then(|track| {
                Some(PackedRotations {
                    place: place(track.first(), &mut taken.rotations, 4),
                    block: self.rotations.clone()?,
                })
            }),
            scale: bone.scale.and_then(|track| {
                Some(PackedVectors {
                    place: place(track.first(), &mut taken.scales, 3),
                    block: self.scales.clone()?,
                    offset: bone.scale_offset.into(),
                    scale: bone.scale_scale.into(),
                })
            }),
            visibility: visibility.map(|first| VisibilityCurve::shared(self.bits.clone(), first)),
        }
    }
}

/// What blocks of one file have in common.
struct Shared<'a, 'f> {
    file: &'a AlaFile<'f>,
    bits: &'a Arc<Bits>,
}

impl<'f> Shared<'_, 'f> {
    /// The words of one kind of track; `None` if no bone has any.
    fn of<T: Copy>(
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
