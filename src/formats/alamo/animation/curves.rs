//! The curves of a file's tracks.

use crate::formats::alamo::animation::packed::{
    Block, NO_STEPS, PackedRotations, PackedVectors, TrackOffset,
};
use crate::formats::alamo::animation::timing::{Bits, Timing};
use crate::formats::alamo::animation::visibility::VisibilityCurve;
use classic_model_formats::ala::{AlaBone, AlaFile};
use std::sync::Arc;
use zerocopy::little_endian::{I16, U16};

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
