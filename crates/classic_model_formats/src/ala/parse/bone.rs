//! One bone, chunk 0x1002.

use super::blocks::Blocks;
use super::record::{Packed, Record};
use super::state::{Parser, WithOffset};
use crate::ala::file::{AlaBone, Track};
use crate::chunk::Chunk;
use crate::read::{Cursor, ParseError};
use zerocopy::little_endian::I16;

const BONE_RECORD: u32 = 0x1003;
const TRANSLATION: u32 = 0x1004;
const SCALE: u32 = 0x1005;
const ROTATION: u32 = 0x1006;
const VISIBILITY: u32 = 0x1007;
const STEPS: u32 = 0x1008;

impl Parser {
    pub(super) fn bone<'a>(
        &mut self,
        container: &Chunk<'a>,
        blocks: &Blocks<'a>,
        bones: &mut Vec<AlaBone<'a>>,
    ) -> Result<(), ParseError> {
        let is_v1 = self.state.sizes.is_none();
        let mut record = None;
        let (mut translation, mut scale, mut rotation) = (None, None, None);
        let (mut visibility, mut steps) = (None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                BONE_RECORD => {
                    let read =
                        self.data(&chunk, |parser, _| match parser.usual_record(&chunk) {
                            Some(record) => Ok(record),
                            None => parser.record(&chunk),
                        })?;
                    self.name_element(&read.name);
                    self.once(&mut record, read, &chunk, "records")?;
                }
                TRANSLATION if is_v1 => {
                    let track = self.data(&chunk, |parser, body| parser.words(body, 3))?;
                    self.once(&mut translation, track, &chunk, "tracks")?;
                }
                SCALE if is_v1 => {
                    let track = self.data(&chunk, |parser, body| parser.words(body, 3))?;
                    self.once(&mut scale, track, &chunk, "tracks")?;
                }
                ROTATION if is_v1 => {
                    let track = self.data(&chunk, Self::rotation_words)?;
                    self.once(&mut rotation, track, &chunk, "tracks")?;
                }
                VISIBILITY => {
                    let bits = self.data(&chunk, |parser, body| parser.bits(body))?;
                    self.once(&mut visibility, bits, &chunk, "tracks")?;
                }
                STEPS => {
                    let bits = self.data(&chunk, |parser, body| parser.bits(body))?;
                    self.once(&mut steps, bits, &chunk, "tracks")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let record: Record<'_> = self.require(record, &container.body, "its record (0x1003)")?;
        let mut bone = AlaBone {
            name: record.name,
            index: record.index,
            unknown: record.unknown,
            translation_offset: record.translation_offset,
            translation_scale: [0.0; 3],
            scale_offset: record.scale_offset,
            scale_scale: [0.0; 3],
            default_rotation: None,
            translation: translation.map(|words| Track::new(words, 0, 3)),
            scale: scale.map(|words| Track::new(words, 0, 3)),
            rotation: None,
            visibility,
            steps,
        };
        match rotation {
            // A single quaternion is constant for all frames, also if there is only one frame.
            Some([x, y, z, w]) => bone.default_rotation = Some([x, y, z, w].map(|word| word.get())),
            Some(words) => bone.rotation = Some(Track::new(words, 0, 4)),
            None => {}
        }
        if let Some(packed) = record.packed {
            let body = &container.body;
            let Packed {
                translation,
                scale,
                rotation,
                default_rotation,
            } = packed;
            bone.translation = self.track(&blocks.translations, translation, body)?;
            bone.scale = self.track(&blocks.scales, scale, body)?;
            bone.rotation = self.track(&blocks.rotations, rotation, body)?;
            bone.default_rotation = Some(default_rotation.value);
            if bone.rotation.is_none() && default_rotation.value == [0; 4] {
                self.warn("zero quaternion", default_rotation.offset, |parser| {
                    let path = parser.at("default rotation");
                    format!("{path} is zero: the identity is used")
                });
            }
        }
        if let Some(track) = &bone.rotation
            && !blocks.rotations.stride.is_multiple_of(4)
            && let Some(frame) = track.iter().position(|words| words == [I16::ZERO; 4])
        {
            self.warn("zero quaternion", container.offset, |parser| {
                let path = parser.at("");
                format!("the rotation of {path} is zero at frame {frame}: the identity is used")
            });
        }
        bone.translation_scale = self.factor(
            bone.translation.is_some(),
            bone.translation_offset,
            record.translation_scale,
            &container.body,
            "translation",
        )?;
        bone.scale_scale = self.factor(
            bone.scale.is_some(),
            bone.scale_offset,
            record.scale_scale,
            &container.body,
            "scale",
        )?;
        bones.push(bone);
        Ok(())
    }

    /// The factor for the words of a track. With a track, the value of the greatest word, 65535, must be finite; all other
    /// values are between it and the offset. Without a track nothing uses the factor, so it may be anything.
    fn factor(
        &mut self,
        has_track: bool,
        offset: [f32; 3],
        factor: WithOffset<[f32; 3]>,
        cursor: &Cursor<'_>,
        field: &str,
    ) -> Result<[f32; 3], ParseError> {
        if !has_track && !factor.value.iter().all(|value| value.is_finite()) {
            self.warn("unused factor", factor.offset, |parser| {
                let path = parser.at(field);
                format!("the factor of {path} is not a finite number, and not used: 0 is stored")
            });
            return Ok([0.0; 3]);
        }
        for (axis, (offset, value)) in offset.into_iter().zip(factor.value).enumerate() {
            let value_offset = factor.offset + 4 * axis as u64;
            let extreme = offset + f32::from(u16::MAX) * value;
            if has_track {
                cursor.check_finite(extreme, value_offset, self.at(field))?;
            }
        }
        Ok(factor.value)
    }
}
