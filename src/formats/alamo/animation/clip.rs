//! Converts a file to a Bevy `AnimationClip`, and to the curves of its tracks.

use crate::formats::alamo::animation::asset::{AlaTracks, BoneTracks, Track};
use crate::formats::alamo::animation::binding::bone_target;
use crate::formats::alamo::animation::packed::{
    Bits, Block, NO_STEPS, PackedRotations, PackedVectors, Timing, TrackOffset, unpacked,
};
use crate::formats::alamo::animation::visibility::VisibilityCurve;
use crate::playback::properties::{Rotation, Scale, Translation};
use bevy::math::curve::{ConstantCurve, Interval};
use bevy::prelude::*;
use classic_model_formats::ala::{AlaBone, AlaFile};
use std::sync::Arc;
use zerocopy::little_endian::{I16, U16};

/// A scale that differs from 1 by less than this counts as 1. Exporters rounded the values that they wrote.
const SCALE_TOLERANCE: f32 = 5e-6;

/// Converts a file to a clip. Any `AnimationPlayer` can play it on the bones of any model with a matching skeleton. The
/// tracks stay packed as in the file.
///
/// Targets are [`bone_target`]s. Translation and rotation without a track are constant, and so is the scale if it is
/// not 1. Bones that are not in the file are not animated. The duration in seconds is (frames − 1) / fps, or 1 / fps
/// for a single frame. [`Ala::bound`](crate::alamo::Ala::bound) adapts it to a model.
pub fn clip(file: &AlaFile<'_>) -> AnimationClip {
    clip_of(file, &AlaCurves::new(file))
}

/// The same with the curves of the file.
pub(crate) fn clip_of(file: &AlaFile<'_>, all: &AlaCurves) -> AnimationClip {
    let mut clip = AnimationClip::default();
    clip.set_duration(Timing::new(file.frames, file.fps).duration());
    let all_curves = clip.curves_mut();
    all_curves.reserve(file.bones.len());
    for (bone, tracks) in all.bones(file) {
        // If two entries have the same bone index, the first is used.
        all_curves
            .entry(bone_target(bone.index as usize))
            .or_insert_with(|| curves(bone, tracks));
    }
    clip
}

/// The tracks of a file, for poses without Bevy's animation. `curves` are those of the file.
pub(crate) fn tracks(file: &AlaFile<'_>, curves: &AlaCurves) -> AlaTracks {
    let tracks = |(bone, curves): (&AlaBone<'_>, BoneCurves)| BoneTracks {
        bone: bone.index as usize,
        translation: match curves.translation {
            Some(packed) => Track::Packed(packed),
            None => Track::Fixed(bone.translation_offset.into()),
        },
        rotation: match (curves.rotation, bone.default_rotation) {
            (Some(packed), _) => Some(Track::Packed(packed)),
            (None, Some(fixed)) => Some(Track::Fixed(unpacked(fixed))),
            (None, None) => None,
        },
        scale: match curves.scale {
            Some(packed) => Track::Packed(packed),
            None => Track::Fixed(bone.scale_offset.into()),
        },
        visibility: curves.visibility.unwrap_or(VisibilityCurve::VISIBLE),
    };
    AlaTracks::new(curves.bones(file).map(tracks).collect())
}

fn curves(bone: &AlaBone<'_>, tracks: BoneCurves) -> Vec<VariableCurve> {
    let rotates = tracks.rotation.is_some() || bone.default_rotation.is_some();
    let scales = tracks.scale.is_some() || !is_one(bone.scale_offset);
    let count =
        1 + usize::from(rotates) + usize::from(scales) + usize::from(tracks.visibility.is_some());
    let mut curves = Vec::with_capacity(count);
    curves.push(match tracks.translation {
        Some(track) => VariableCurve::new(AnimatableCurve::new(Translation, track)),
        None => {
            let constant = constant(Vec3::from(bone.translation_offset));
            VariableCurve::new(AnimatableCurve::new(Translation, constant))
        }
    });
    match (tracks.rotation, bone.default_rotation) {
        (Some(track), _) => {
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, track)));
        }
        (None, Some(rotation)) => {
            let constant = constant(unpacked(rotation));
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, constant)));
        }
        (None, None) => {}
    }
    match tracks.scale {
        Some(track) => curves.push(VariableCurve::new(AnimatableCurve::new(Scale, track))),
        None if scales => {
            let constant = constant(Vec3::from(bone.scale_offset));
            curves.push(VariableCurve::new(AnimatableCurve::new(Scale, constant)));
        }
        None => {}
    }
    curves.extend(tracks.visibility.map(VariableCurve::new));
    curves
}

fn constant<T: Clone>(value: T) -> ConstantCurve<T> {
    ConstantCurve::new(Interval::EVERYWHERE, value)
}

fn is_one(scale: [f32; 3]) -> bool {
    scale
        .iter()
        .all(|scale| (scale - 1.0).abs() < SCALE_TOLERANCE)
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
    /// Whether what is connected to the bone is shown. Without it, the bone is visible.
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
