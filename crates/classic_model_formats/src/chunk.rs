//! The container of all Alamo files: chunks and mini-chunks.
//!
//! A chunk is a 32-bit type, a 32-bit size and a body. The highest bit of the size is set if the body consists of chunks.
//! A mini-chunk is a type of one byte, a size of one byte and a body. There is no padding. All numbers are little-endian.
//! The iterators borrow from the file's bytes and copy nothing.

use crate::read::{Cursor, ErrorKind, ParseError};

/// The maximum nesting depth of containers, including the outermost one.
pub const MAX_DEPTH: usize = 16;

/// The bit of a chunk's size that marks a container of chunks.
pub(super) const CONTAINER_BIT: u32 = 1 << 31;

/// One chunk of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// The type of the chunk.
    pub id: u32,
    /// Whether the chunk is marked as a container of chunks.
    pub is_container: bool,
    /// Absolute offset of the header, in bytes.
    pub offset: u64,
    /// The bytes after the header.
    pub body: Cursor<'a>,
}

impl<'a> Chunk<'a> {
    /// Iterates over the chunks in the body. [`is_container`](Self::is_container) is not checked.
    pub fn children(&self) -> Chunks<'a> {
        Chunks::new(self.body.clone())
    }

    /// Iterates over the mini-chunks in the body. Only the chunk's type determines whether it has any.
    pub fn minis(&self) -> MiniChunks<'a> {
        MiniChunks(self.body.clone())
    }

    /// Checks that all nested chunks fit into their containers. Use it for chunks of unknown types. `depth` is the count
    /// of containers around this chunk.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if a chunk extends beyond its container, [`ErrorKind::TooDeep`] if containers are nested
    /// deeper than [`MAX_DEPTH`].
    pub fn check_nesting(&self, depth: usize) -> Result<(), ParseError> {
        if depth >= MAX_DEPTH {
            let kind = ErrorKind::TooDeep { limit: MAX_DEPTH };
            let context = format_args!("chunk {:#x}", self.id);
            return Err(self.body.error(self.offset, context, kind));
        }
        if self.is_container {
            for child in self.children() {
                child?.check_nesting(depth + 1)?;
            }
        }
        Ok(())
    }
}

/// Iterates over consecutive chunks. Ends after an error.
#[derive(Clone, Debug)]
pub struct Chunks<'a>(Option<Cursor<'a>>);

impl<'a> Chunks<'a> {
    /// Starts at the position of the cursor.
    pub fn new(cursor: Cursor<'a>) -> Self {
        Self(Some(cursor))
    }

    /// The bytes from the next chunk on; `None` after an error.
    pub fn rest(&self) -> Option<&Cursor<'a>> {
        self.0.as_ref()
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, ParseError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let cursor = self.0.as_mut()?;
        if cursor.remaining() == 0 {
            return None;
        }
        let chunk = chunk(cursor);
        if chunk.is_err() {
            self.0 = None;
        }
        Some(chunk)
    }
}

#[inline]
fn chunk<'a>(cursor: &mut Cursor<'a>) -> Result<Chunk<'a>, ParseError> {
    let offset = cursor.offset();
    let [id, size]: &[zerocopy::little_endian::U32; 2] = cursor.record("header of a chunk")?;
    let (id, size) = (id.get(), size.get());
    let length = u64::from(size & !CONTAINER_BIT);
    Ok(Chunk {
        id,
        is_container: size & CONTAINER_BIT != 0,
        offset,
        body: cursor.part(length, format_args!("chunk {id:#x}"))?,
    })
}

/// One mini-chunk.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MiniChunk<'a> {
    /// The type of the mini-chunk.
    pub id: u8,
    /// Absolute offset of the header, in bytes.
    pub offset: u64,
    /// The bytes after the header.
    pub body: Cursor<'a>,
}

/// Iterates over consecutive mini-chunks. Ends after an error.
#[derive(Clone, Debug)]
pub struct MiniChunks<'a>(Cursor<'a>);

impl<'a> Iterator for MiniChunks<'a> {
    type Item = Result<MiniChunk<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.remaining() == 0 {
            return None;
        }
        let mini = mini(&mut self.0);
        if mini.is_err() {
            self.0.remainder();
        }
        Some(mini)
    }
}

fn mini<'a>(cursor: &mut Cursor<'a>) -> Result<MiniChunk<'a>, ParseError> {
    let offset = cursor.offset();
    let [id, size]: &[u8; 2] = cursor.record("header of a mini-chunk")?;
    Ok(MiniChunk {
        id: *id,
        offset,
        body: cursor.part((*size).into(), format_args!("mini-chunk {id}"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Format;

    fn bytes(id: u32, container: bool, body: &[u8]) -> Vec<u8> {
        let size = body.len() as u32 | if container { CONTAINER_BIT } else { 0 };
        [&id.to_le_bytes()[..], &size.to_le_bytes(), body].concat()
    }

    fn nested(depth: usize) -> Vec<u8> {
        (1..depth).fold(bytes(1, true, &[]), |inner, _| bytes(1, true, &inner))
    }

    fn first(bytes: &[u8]) -> Result<Chunk<'_>, ParseError> {
        Chunks::new(Cursor::new(Format::Alo, bytes)).next().unwrap()
    }

    #[test]
    fn chunks_and_mini_chunks_have_absolute_offsets() {
        let minis = [3, 2, 7, 8, 1, 0];
        let file = [
            bytes(0x10, true, &bytes(0x11, false, &minis)),
            bytes(0x20, false, &[]),
        ]
        .concat();
        let chunks: Vec<_> = Chunks::new(Cursor::new(Format::Alo, &file))
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(chunks.len(), 2);
        assert_eq!((chunks[1].id, chunks[1].offset), (0x20, 22));
        let inner = chunks[0].children().next().unwrap().unwrap();
        assert_eq!(
            (inner.id, inner.is_container, inner.offset),
            (0x11, false, 8)
        );
        let minis: Vec<_> = inner.minis().collect::<Result<_, _>>().unwrap();
        assert_eq!((minis[0].id, minis[0].offset), (3, 16));
        assert_eq!(minis[0].body.clone().remainder(), [7, 8]);
        assert_eq!((minis[1].id, minis[1].body.remaining()), (1, 0));
    }

    #[test]
    fn truncated_chunk_ends_the_iteration_with_an_error() {
        let mut file = bytes(0x20, false, &[1, 2, 3]);
        file.pop();
        let mut chunks = Chunks::new(Cursor::new(Format::Alo, &file));
        let error = chunks.next().unwrap().unwrap_err();
        assert_eq!(error.offset, 8);
        assert!(chunks.next().is_none());
    }

    #[test]
    fn containers_nest_at_most_16_deep() {
        assert!(first(&nested(16)).unwrap().check_nesting(0).is_ok());
        let error = first(&nested(17)).unwrap().check_nesting(0).unwrap_err();
        assert_eq!(
            (error.offset, error.kind),
            (16 * 8, ErrorKind::TooDeep { limit: 16 })
        );
    }
}
