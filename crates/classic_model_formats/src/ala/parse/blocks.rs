//! The words of tracks: the blocks of version 2, chunks 0x1009 to 0x100B, and the tracks of version 1.

use super::state::{BlockSizes, Parser, WithOffset};
use crate::ala::file::Track;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::{I16, U16};
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

/// A block of version 2.
pub(super) struct Block<'a, T> {
    pub(super) words: &'a [T],
    /// Words per frame, by the length of the block.
    pub(super) stride: u32,
    /// The error about a block whose length the frames do not divide. It is harmless unless a bone uses the block.
    error: Option<ParseError>,
}

/// The blocks of version 2; empty in version 1.
#[derive(Default)]
pub(super) struct Blocks<'a> {
    pub(super) rotations: Block<'a, I16>,
    pub(super) translations: Block<'a, U16>,
    pub(super) scales: Block<'a, U16>,
}

impl<T> Default for Block<'_, T> {
    fn default() -> Self {
        Self {
            words: &[],
            stride: 0,
            error: None,
        }
    }
}

impl Parser {
    /// The blocks of version 2.
    pub(super) fn blocks<'a>(
        &mut self,
        sizes: &BlockSizes,
        chunks: &BlockChunks<'a>,
    ) -> Result<Blocks<'a>, ParseError> {
        let blocks = Blocks {
            translations: self.block(sizes.translations, &chunks.translations, "translation")?,
            scales: self.block(sizes.scales, &chunks.scales, "scale")?,
            rotations: self.block(Some(sizes.rotations), &chunks.rotations, "rotation")?,
        };
        // Otherwise the quaternions are not aligned to the words of a frame.
        if let Some(chunk) = &chunks.rotations
            && blocks.rotations.stride.is_multiple_of(4)
        {
            self.inside(Segment::Chunk(ROTATIONS), |parser| {
                parser.warn_about_zero_quaternions(blocks.rotations.words, chunk.body.offset());
            });
        }
        Ok(blocks)
    }

    /// A block, which can be missing if no bone uses it. Its length decides how many words it has per frame, because some
    /// writers store uninitialized sizes, or the count of curves.
    fn block<'a, T>(
        &mut self,
        size: Option<WithOffset<u32>>,
        chunk: &Option<Chunk<'a>>,
        name: &'static str,
    ) -> Result<Block<'a, T>, ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let mut block = Block::default();
        if let Some(chunk) = chunk {
            block = self.data(chunk, |parser, body| parser.block_words(body))?;
        }
        if let Some(WithOffset { value, offset }) = size
            && value != block.stride
            && block.error.is_none()
        {
            let found = block.stride;
            self.warn("block size", offset, |_| {
                format!("the header has {value} words of {name} per frame, but the block has {found}: the block is used")
            });
        }
        Ok(block)
    }

    fn block_words<'a, T>(&mut self, body: &mut Cursor<'a>) -> Result<Block<'a, T>, ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let (offset, length) = (body.offset(), body.remaining());
        let word_bytes = 2 * u64::from(self.state.frames);
        if !length.is_multiple_of(word_bytes) {
            let kind = ErrorKind::NotMultiple {
                value: length,
                of: word_bytes,
            };
            let error = body.error(offset, self.at("length"), kind);
            self.warn("block length", offset, |parser| {
                let path = parser.at("");
                format!("{path} is {length} bytes long, which is no multiple of {word_bytes}: it is ignored, because no bone uses it")
            });
            return Ok(Block {
                error: Some(error),
                ..Block::default()
            });
        }
        Ok(Block {
            words: body.array(length / 2, self.at(""))?,
            // A chunk is shorter than 2^31 bytes.
            stride: (length / word_bytes) as u32,
            error: None,
        })
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
        block: &Block<'a, T>,
        first: WithOffset<u16>,
        cursor: &Cursor<'_>,
    ) -> Result<Option<Track<'a, T, N>>, ParseError> {
        let WithOffset { value, offset } = first;
        if value == u16::MAX {
            return Ok(None);
        }
        if let Some(error) = &block.error {
            return Err(error.clone());
        }
        if usize::from(value) + N > block.stride as usize {
            let kind = ErrorKind::IndexOutOfRange {
                element: "word",
                index: value.into(),
                count: block.stride.into(),
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
        Ok(Some(Track::new(block.words, value.into(), block.stride)))
    }
}
