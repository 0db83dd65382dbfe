//! The record of a bone, chunk 0x1003.

use super::state::{Parser, WithOffset};
use crate::chunk::{Chunk, MiniChunk};
use crate::chunk_parser::Mini;
use crate::read::ParseError;
use std::borrow::Cow;
use zerocopy::little_endian::{F32, I16, U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// A bone's record, chunk 0x1003.
pub(super) struct Record<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) index: u32,
    pub(super) unknown: Option<u32>,
    pub(super) translation_offset: [f32; 3],
    pub(super) translation_scale: WithOffset<[f32; 3]>,
    pub(super) scale_offset: [f32; 3],
    pub(super) scale_scale: WithOffset<[f32; 3]>,
    /// The fields of version 2.
    pub(super) packed: Option<Packed>,
}

/// For each track of a bone in version 2, the index of its first word in each frame of the block. `u16::MAX` means that
/// there is no track.
pub(super) struct Packed {
    pub(super) translation: WithOffset<u16>,
    pub(super) scale: WithOffset<u16>,
    pub(super) rotation: WithOffset<u16>,
    pub(super) default_rotation: WithOffset<[i16; 4]>,
}

/// The mini-chunks after the name in chunk 0x1003 of all real files.
///
/// Reading them at once is an optimization: one by one they take most of the parsing time.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualRecord {
    index: Mini<U32>,
    unknown: Mini<U32>,
    vectors: [Mini<[F32; 3]>; 4],
}

/// The mini-chunks after [`UsualRecord`] in version 2.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualPacked {
    indices: [Mini<U16>; 3],
    default_rotation: Mini<[I16; 4]>,
}

impl Parser {
    /// Reads a record that has the mini-chunks of all real files in their order.
    ///
    /// `None` if the mini-chunks differ or need an error or a warning: then [`record`](Self::record) reads them.
    pub(super) fn usual_record<'a>(&mut self, chunk: &Chunk<'a>) -> Option<Record<'a>> {
        let mut body = chunk.body.clone();
        let [id, length]: &[u8; 2] = body.record("").ok()?;
        if *id != 4 {
            return None;
        }
        let mut name = body.part((*length).into(), "").ok()?;
        let begin = body.offset();
        let UsualRecord {
            index,
            unknown,
            vectors,
        } = body.record("").ok()?;
        let is_usual = index.is(5)
            && unknown.is(10)
            && (6..).zip(vectors).all(|(id, vector)| {
                vector.is(id) && vector.value.iter().all(|value| value.get().is_finite())
            });
        if !is_usual {
            return None;
        }
        let packed = if self.state.sizes.is_some() {
            let begin = body.offset();
            let UsualPacked {
                indices,
                default_rotation,
            } = body.record("").ok()?;
            let [translation, scale, rotation] = indices;
            let is_usual =
                translation.is(14) && scale.is(15) && rotation.is(16) && default_rotation.is(17);
            if !is_usual {
                return None;
            }
            let index = |position: u64, index: &Mini<U16>| WithOffset {
                value: index.value.get(),
                offset: begin + 4 * position + 2,
            };
            Some(Packed {
                translation: index(0, translation),
                scale: index(1, scale),
                rotation: index(2, rotation),
                default_rotation: WithOffset {
                    value: default_rotation.value.map(I16::get),
                    offset: begin + 4 * 3 + 2,
                },
            })
        } else {
            None
        };
        if body.remaining() != 0 {
            return None;
        }
        let vector = |position: u64, vector: &Mini<[F32; 3]>| WithOffset {
            value: vector.value.map(F32::get),
            offset: begin + 6 * 2 + 14 * position + 2,
        };
        let [t_offset, t_scale, s_offset, s_scale] = vectors;
        Some(Record {
            name: self.string(&mut name),
            index: index.value.get(),
            unknown: Some(unknown.value.get()),
            translation_offset: vector(0, t_offset).value,
            translation_scale: vector(1, t_scale),
            scale_offset: vector(2, s_offset).value,
            scale_scale: vector(3, s_scale),
            packed,
        })
    }

    /// Reads a record of any mini-chunks.
    pub(super) fn record<'a>(&mut self, chunk: &Chunk<'a>) -> Result<Record<'a>, ParseError> {
        let is_v2 = self.state.sizes.is_some();
        let (mut name, mut index, mut unknown) = (None, None, None);
        let mut vectors = [None; 4];
        let mut indices = [None; 3];
        let mut default_rotation = None;
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                4 => name = Some(self.string(&mut mini.body.clone())),
                5 => index = Some(self.mini_u32(&mini)?),
                10 => unknown = Some(self.mini_u32(&mini)?),
                6..=9 => {
                    let vector = self.vector(&mini)?;
                    if let Some(slot) = vectors.get_mut(usize::from(mini.id - 6)) {
                        *slot = Some(vector);
                    }
                }
                14..=16 if is_v2 => {
                    let body = self.fixed_mini(&mini, 2)?;
                    let word = body.clone().record::<U16>(self.at(""))?;
                    if let Some(slot) = indices.get_mut(usize::from(mini.id - 14)) {
                        *slot = Some(WithOffset {
                            value: word.get(),
                            offset: body.offset(),
                        });
                    }
                }
                17 if is_v2 => {
                    let body = self.fixed_mini(&mini, 8)?;
                    let words = body.clone().record::<[I16; 4]>(self.at(""))?;
                    default_rotation = Some(WithOffset {
                        value: words.map(|word| word.get()),
                        offset: body.offset(),
                    });
                }
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let [t_offset, t_scale, s_offset, s_scale] = vectors;
        let [t_index, s_index, r_index] = indices;
        let packed = if is_v2 {
            Some(Packed {
                translation: self.require(
                    t_index,
                    body,
                    "its translation index (mini-chunk 14)",
                )?,
                scale: self.require(s_index, body, "its scale index (mini-chunk 15)")?,
                rotation: self.require(r_index, body, "its rotation index (mini-chunk 16)")?,
                default_rotation: self.require(
                    default_rotation,
                    body,
                    "its default rotation (mini-chunk 17)",
                )?,
            })
        } else {
            None
        };
        Ok(Record {
            name: self.require(name, body, "its name (mini-chunk 4)")?,
            index: self.require(index, body, "its index (mini-chunk 5)")?,
            unknown,
            translation_offset: self
                .require(t_offset, body, "its translation offset (mini-chunk 6)")?
                .value,
            translation_scale: self.require(
                t_scale,
                body,
                "its translation scale (mini-chunk 7)",
            )?,
            scale_offset: self
                .require(s_offset, body, "its scale offset (mini-chunk 8)")?
                .value,
            scale_scale: self.require(s_scale, body, "its scale factor (mini-chunk 9)")?,
            packed,
        })
    }

    fn vector(&self, mini: &MiniChunk<'_>) -> Result<WithOffset<[f32; 3]>, ParseError> {
        let mut body = self.fixed_mini(mini, 12)?;
        let offset = body.offset();
        let field = match mini.id {
            6 => "translation offset",
            _ => "scale offset",
        };
        // Only tracks use the factors, so they are checked with the tracks.
        let is_factor = matches!(mini.id, 7 | 9);
        let mut value = [0.0; 3];
        for value in &mut value {
            let offset = body.offset();
            *value = body.f32("")?;
            if !is_factor {
                body.check_finite(*value, offset, self.at(field))?;
            }
        }
        Ok(WithOffset { value, offset })
    }
}
