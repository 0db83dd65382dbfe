//! One bone, chunk 0x1002.

use super::record::{Packed, Record};
use super::state::{Parser, WithOffset};
use crate::ala::file::{AlaBlocks, AlaBone, Track};
use crate::chunk::Chunk;
use crate::read::{Cursor, ParseError};

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
        blocks: AlaBlocks<'a>,
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
            translation_scale: record.translation_scale.value,
            scale_offset: record.scale_offset,
            scale_scale: record.scale_scale.value,
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
        if let (Some(packed), Some(sizes)) = (record.packed, self.state.sizes) {
            let body = &container.body;
            let Packed {
                translation,
                scale,
                rotation,
                default_rotation,
            } = packed;
            bone.translation =
                self.track(blocks.translations, translation, sizes.translations, body)?;
            bone.scale = self.track(blocks.scales, scale, sizes.scales, body)?;
            bone.rotation = self.track(blocks.rotations, rotation, sizes.rotations, body)?;
            bone.default_rotation = Some(default_rotation.value);
            if bone.rotation.is_none() && default_rotation.value == [0; 4] {
                self.warn("zero quaternion", default_rotation.offset, |parser| {
                    let path = parser.at("default rotation");
                    format!("{path} is zero: the identity is used")
                });
            }
        }
        if bone.translation.is_some() {
            self.check_extent(
                bone.translation_offset,
                record.translation_scale,
                &container.body,
                "translation",
            )?;
        }
        if bone.scale.is_some() {
            self.check_extent(
                bone.scale_offset,
                record.scale_scale,
                &container.body,
                "scale",
            )?;
        }
        bones.push(bone);
        Ok(())
    }

    /// Checks that the value of the greatest word, 65535, is finite; all other values of a track are between it and the
    /// offset.
    fn check_extent(
        &self,
        offset: [f32; 3],
        scale: WithOffset<[f32; 3]>,
        cursor: &Cursor<'_>,
        field: &str,
    ) -> Result<(), ParseError> {
        for (axis, (offset, factor)) in offset.into_iter().zip(scale.value).enumerate() {
            let factor_offset = scale.offset + 4 * axis as u64;
            let extreme = offset + f32::from(u16::MAX) * factor;
            cursor.check_finite(extreme, factor_offset, self.at(field))?;
        }
        Ok(())
    }
}
