//! The words of tracks: the blocks of version 2, chunks 0x1009 to 0x100B, and the tracks of version 1.

use super::state::{BlockSizes, Parser, WithOffset};
use crate::ala::file::{AlaBlocks, Track};
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::I16;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

pub(super) const ROTATIONS: u32 = 0x1009;
pub(super) const TRANSLATIONS: u32 = 0x100A;
pub(super) const SCALES: u32 = 0x100B;

/// The chunks of the blocks of version 2.
#[derive(Default)]
pub(super) struct BlockChunks<'a> {
    pub(super) rotations: Option<Chunk<'a>>,
    pub(super) translations: Option<Chunk<'a>>,
    pub(super) scales: Option<Chunk<'a>>,
}

impl Parser {
    /// The blocks of version 2.
    pub(super) fn blocks<'a>(
        &mut self,
        sizes: BlockSizes,
        chunks: &BlockChunks<'a>,
        container: &Chunk<'a>,
    ) -> Result<AlaBlocks<'a>, ParseError> {
        let blocks = AlaBlocks {
            translations: self.block(
                sizes.translations,
                &chunks.translations,
                container,
                "a block of translations (0x100a)",
            )?,
            scales: self.block(
                sizes.scales,
                &chunks.scales,
                container,
                "a block of scales (0x100b)",
            )?,
            rotations: self.block(
                sizes.rotations,
                &chunks.rotations,
                container,
                "a block of rotations (0x1009)",
            )?,
        };
        if let Some(chunk) = &chunks.rotations {
            self.inside(Segment::Chunk(ROTATIONS), |parser| {
                parser.warn_about_zero_quaternions(blocks.rotations, chunk.body.offset());
            });
        }
        Ok(blocks)
    }

    /// The words of a block, which can be missing if it has no words per frame.
    fn block<'a, T>(
        &mut self,
        size: u32,
        chunk: &Option<Chunk<'a>>,
        container: &Chunk<'a>,
        name: &'static str,
    ) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        match chunk {
            Some(chunk) => self.data(chunk, |parser, body| parser.words(body, size)),
            None if size == 0 => Ok(&[]),
            None => self.require(None, &container.body, name),
        }
    }

    /// The body of a chunk that holds `per_frame` words for each frame.
    pub(super) fn words<'a, T>(
        &mut self,
        body: &mut Cursor<'a>,
        per_frame: u32,
    ) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        // Cannot overflow: at most 2^24 * 2^31.
        let count = u64::from(self.state.frames) * u64::from(per_frame);
        let (offset, found, expected) = (body.offset(), body.remaining(), 2 * count);
        if found < expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(offset, self.at(""), kind));
        }
        if found > expected {
            self.warn("long track", offset + expected, |parser| {
                let (path, extra) = (parser.at(""), found - expected);
                format!("{extra} bytes of {path} beyond the last frame are ignored")
            });
        }
        body.array(count, self.at(""))
    }

    fn warn_about_zero_quaternions(&mut self, words: &[I16], offset: u64) {
        let (quaternions, _) = words.as_chunks::<4>();
        // Compares 64-bit words without branches, for speed: there may be millions of quaternions.
        let is_zero = |quaternion: &[I16; 4]| {
            let word: u64 = zerocopy::transmute!(*quaternion);
            word == 0
        };
        let found = quaternions
            .iter()
            .fold(false, |found, quaternion| found | is_zero(quaternion));
        if !found {
            return;
        }
        for (index, quaternion) in quaternions.iter().enumerate() {
            if is_zero(quaternion) {
                let offset = offset + 8 * index as u64;
                self.warn("zero quaternion", offset, |parser| {
                    let path = parser.at("");
                    format!("quaternion {index} of {path} is zero: the identity is used")
                });
            }
        }
    }

    /// Chunk 0x1006: a quaternion for each frame, or one for all frames.
    pub(super) fn rotation_words<'a>(
        &mut self,
        body: &mut Cursor<'a>,
    ) -> Result<&'a [I16], ParseError> {
        let offset = body.offset();
        let words = if body.remaining() == 8 {
            body.array(4, self.at(""))?
        } else {
            self.words(body, 4)?
        };
        self.warn_about_zero_quaternions(words, offset);
        Ok(words)
    }

    /// A bit for each frame.
    pub(super) fn bits<'a>(&self, body: &mut Cursor<'a>) -> Result<&'a [u8], ParseError> {
        let (found, expected) = (body.remaining(), self.state.frames.div_ceil(8).into());
        if found != expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        Ok(body.remainder())
    }

    /// The track of a bone in a block; `None` if the bone has no track.
    pub(super) fn track<'a, T: Copy, const N: usize>(
        &mut self,
        words: &'a [T],
        first: WithOffset<u16>,
        stride: u32,
        cursor: &Cursor<'_>,
    ) -> Result<Option<Track<'a, T, N>>, ParseError> {
        let WithOffset { value, offset } = first;
        if value == u16::MAX {
            return Ok(None);
        }
        if usize::from(value) + N > stride as usize {
            let kind = ErrorKind::IndexOutOfRange {
                element: "word",
                index: value.into(),
                count: stride.into(),
            };
            return Err(cursor.error(offset, self.at("track"), kind));
        }
        if !usize::from(value).is_multiple_of(N) {
            self.warn("overlapping track", offset, |parser| {
                let path = parser.at("");
                format!(
                    "a track of {path} overlaps others: its first word {value} is not a multiple of {N}"
                )
            });
        }
        Ok(Some(Track::new(words, value.into(), stride)))
    }
}
