//! The header, chunk 0x1001.

use super::MAX_FRAMES;
use super::state::{BlockSizes, Info, Parser, WithOffset};
use crate::chunk::{Chunk, MiniChunk};
use crate::read::{ErrorKind, ParseError};

impl Parser {
    pub(super) fn info(&mut self, chunk: &Chunk<'_>) -> Result<Info, ParseError> {
        let (mut frames, mut fps, mut bone_count) = (None, None, None);
        let (mut rotations, mut translations, mut scales) = (None, None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                1 => {
                    frames = Some(self.count(&mini, 1, MAX_FRAMES, "frame count")?.value);
                }
                2 => fps = Some(self.fps(&mini)?),
                3 => bone_count = Some(self.count(&mini, 0, i32::MAX as u32, "bone count")?),
                11 => rotations = Some(self.block_size(&mini)?),
                12 => translations = Some((self.block_size(&mini)?, mini)),
                13 => scales = Some((self.block_size(&mini)?, mini)),
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let frames = self.require(frames, body, "its frame count (mini-chunk 1)")?;
        let fps: WithOffset<f32> =
            self.require(fps, body, "its frames per second (mini-chunk 2)")?;
        let bone_count = self.require(bone_count, body, "its bone count (mini-chunk 3)")?;
        if !((frames - 1) as f32 / fps.value).is_finite() {
            let kind = ErrorKind::NotFinite;
            return Err(body.error(fps.offset, self.at("duration"), kind));
        }
        let sizes = match rotations {
            Some(rotations) => Some(BlockSizes {
                rotations,
                translations: translations.map(|(size, _)| size),
                scales: scales.map(|(size, _)| size),
            }),
            None => {
                for (_, mini) in [translations, scales].into_iter().flatten() {
                    self.skip_mini(&mini);
                }
                None
            }
        };
        Ok(Info {
            frames,
            fps: fps.value,
            bone_count: bone_count.value,
            bone_count_offset: bone_count.offset,
            sizes,
        })
    }

    /// The count in a mini-chunk, from `min` to `max`.
    fn count(
        &self,
        mini: &MiniChunk<'_>,
        min: i32,
        max: u32,
        field: &str,
    ) -> Result<WithOffset<u32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let max = i32::try_from(max).unwrap_or(i32::MAX);
        let value = body.count(min, max, self.at(field))?;
        Ok(WithOffset { value, offset })
    }

    fn fps(&self, mini: &MiniChunk<'_>) -> Result<WithOffset<f32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let context = self.at("frames per second");
        let value = body.f32("")?;
        let value = body.check_finite(value, offset, &context)?;
        if value <= 0.0 {
            return Err(body.error(offset, context, ErrorKind::NotPositive));
        }
        Ok(WithOffset { value, offset })
    }

    /// The words per frame of a block, as stored: some writers store anything, so the length of the block decides.
    fn block_size(&self, mini: &MiniChunk<'_>) -> Result<WithOffset<u32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let value = body.u32("")?;
        Ok(WithOffset { value, offset })
    }
}
