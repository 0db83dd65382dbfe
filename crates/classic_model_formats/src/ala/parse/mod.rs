//! The `.ala` parser: bytes to [`AlaFile`].

mod blocks;
mod bone;
mod info;
mod record;
mod state;

use super::file::{AlaBlocks, AlaBone, AlaFile};
use crate::chunk::{Chunk, Chunks};
use crate::chunk_parser::Segment;
use crate::read::{Cursor, Format, ParseError};
use blocks::{BlockChunks, Blocks, ROTATIONS, SCALES, TRANSLATIONS};
use state::Parser;

const ANIMATION: u32 = 0x1000;
const INFO: u32 = 0x1001;
const BONE: u32 = 0x1002;

/// Maximum frame count of an animation: 2^24, so that an `f32` can represent each frame exactly.
///
/// At 30 frames per second that is six days.
pub const MAX_FRAMES: u32 = 1 << 24;

/// Minimum size of a bone in the file, in bytes: one of version 1 with an empty name and without optional chunks.
const MIN_BONE_SIZE: u64 = 8 + 8 + 2 + 6 + 4 * 14;

/// Parses an animation. Tracks are not copied: the result borrows them from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the error, such as
/// `0x1000 / 0x1002 bone 3 "Turret" / 0x1007`.
pub fn parse(bytes: &[u8]) -> Result<AlaFile<'_>, ParseError> {
    let mut cursor = Cursor::new(Format::Ala, bytes);
    let mut parser = Parser::default();
    let zeros = leading_zeros(bytes);
    if zeros > 0 {
        cursor.take(zeros, "zero bytes")?;
        parser.warn("zeros", 0, |_| {
            format!("{zeros} zero bytes before the animation are skipped")
        });
    }
    check_magic(&cursor)?;
    let mut animation = None;
    let mut chunks = Chunks::new(cursor.clone());
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) if chunk.id == ANIMATION => {
                let read = parser.enter(&chunk, Segment::Chunk(ANIMATION), |parser| {
                    parser.animation(&chunk)
                })?;
                parser.once(&mut animation, read, &chunk, "animations")?;
            }
            Ok(chunk) => parser.skip(&chunk)?,
            Err(error) => match begin {
                Some(rest) if animation.is_some() && !starts_with_animation(&rest) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} trailing bytes are ignored")
                    });
                }
                _ => return Err(error),
            },
        }
    }
    let animation = parser.require(animation, &cursor, "an animation (0x1000)")?;
    Ok(AlaFile {
        warnings: parser.into_warnings(),
        ..animation
    })
}

/// An empty list with capacity for the declared bone count, limited to the bones that fit into `body`.
fn with_bone_capacity<T>(bone_count: u32, body: &Cursor<'_>) -> Vec<T> {
    let capacity = (body.remaining() / MIN_BONE_SIZE).min(bone_count.into());
    Vec::with_capacity(usize::try_from(capacity).unwrap_or_default())
}

/// Whether a chunk that cannot be read has the type of an animation, so that the file is truncated.
fn starts_with_animation(rest: &Cursor<'_>) -> bool {
    rest.clone().u32("").is_ok_and(|id| id == ANIMATION)
}

/// The count of zero bytes before an animation: some real files begin with thousands. 0 if anything else follows them.
fn leading_zeros(bytes: &[u8]) -> u64 {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    // The lowest byte of the animation's type is 0 too.
    let begin = zeros.saturating_sub(1);
    let rest = bytes.get(begin..).unwrap_or_default();
    match rest.starts_with(&ANIMATION.to_le_bytes()) {
        true => begin as u64,
        false => 0,
    }
}

/// Checks the type of the first chunk. The error names known other formats.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    match cursor.clone().u32("type of the first chunk")? {
        ANIMATION => Ok(()),
        _ => Err(cursor.unrecognized("first chunk")),
    }
}

impl Parser {
    fn animation<'a>(&mut self, container: &Chunk<'a>) -> Result<AlaFile<'a>, ParseError> {
        // Two passes: parsing bones needs the header, which precedes them, and the blocks, which follow them.
        let mut info = None;
        let mut chunks = BlockChunks::default();
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                INFO => {
                    let read = self.data(&chunk, |parser, _| parser.info(&chunk))?;
                    self.once(&mut info, read, &chunk, "headers")?;
                }
                ROTATIONS => {
                    let slot = &mut chunks.rotations;
                    self.once(slot, chunk.clone(), &chunk, "blocks of rotations")?;
                }
                TRANSLATIONS => {
                    let slot = &mut chunks.translations;
                    self.once(slot, chunk.clone(), &chunk, "blocks of translations")?;
                }
                SCALES => {
                    let slot = &mut chunks.scales;
                    self.once(slot, chunk.clone(), &chunk, "blocks of scales")?;
                }
                _ => {}
            }
        }
        let info = self.require(info, &container.body, "its header (0x1001)")?;
        self.state = info;
        let blocks = match &info.sizes {
            Some(sizes) => self.blocks(sizes, &chunks)?,
            None => Blocks::default(),
        };
        let mut bones = with_bone_capacity(info.bone_count, &container.body);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                INFO => {}
                BONE => {
                    let segment = Segment::element(BONE, "bone", bones.len());
                    // Bones are large: pushing them in place avoids copies.
                    let read = |parser: &mut Self| parser.bone(&chunk, &blocks, &mut bones);
                    self.enter(&chunk, segment, read)?;
                }
                ROTATIONS | TRANSLATIONS | SCALES if info.sizes.is_some() => {}
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        self.check_declared_count(
            body,
            info.bone_count_offset,
            "bones",
            bones.len(),
            info.bone_count,
        )?;
        self.warn_about_repeated_bones(&bones, container.offset);
        Ok(AlaFile {
            version: if info.sizes.is_some() { 2 } else { 1 },
            frames: info.frames,
            fps: info.fps,
            bones,
            blocks: AlaBlocks {
                translations: blocks.translations.words,
                scales: blocks.scales.words,
                rotations: blocks.rotations.words,
            },
            warnings: Vec::new(),
        })
    }

    fn warn_about_repeated_bones(&mut self, bones: &[AlaBone<'_>], offset: u64) {
        let mut indices: Vec<u32> = bones.iter().map(|bone| bone.index).collect();
        indices.sort_unstable();
        let mut pairs = indices.windows(2);
        if let Some([index, _]) = pairs.find(|pair| matches!(pair, [a, b] if a == b)) {
            self.warn("repeated bones", offset, |_| {
                format!("bone {index} is animated more than once")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loading an animation may take 16 times the heap of its file. This limit leaves enough of that for the values that
    /// are converted from the parsed ones.
    #[test]
    fn parsed_bones_take_less_than_5_times_their_file_size() {
        // The bone, and its index in the search for repeated bones.
        let size = size_of::<AlaBone<'_>>() + size_of::<u32>();
        let factor = size as f64 / MIN_BONE_SIZE as f64;
        assert!(
            factor < 5.0,
            "{size} bytes in memory for {MIN_BONE_SIZE} bytes in the file"
        );
    }
}
