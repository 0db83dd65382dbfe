//! Reads the bytes of files in a `.vfs` archive. It must not parse tables.

use super::chains::{Chains, Extent};
use crate::archive::{Content, Record, Source};
use crate::read::{Cursor, ErrorKind, ParseError};
use core::fmt::Display;
use core::ops::Range;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

/// The clusters of an archive.
#[derive(Debug)]
pub(super) struct Volume {
    pub chains: Chains,
    /// The offset of cluster 1 in bytes.
    pub start: u64,
    /// The length of a cluster in bytes. Not 0.
    pub cluster_size: u32,
    /// The most that a compressed chunk inflates to, in bytes.
    pub window: u32,
}

impl Volume {
    /// The count of clusters that bytes need.
    pub fn clusters_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.cluster_size.into())
    }

    /// The offset of a cluster in the archive, in bytes.
    pub fn offset(&self, cluster: u32) -> u64 {
        let position = u64::from(cluster.saturating_sub(1)) * u64::from(self.cluster_size);
        self.start.saturating_add(position)
    }

    /// The pieces of the archive with a range of a file's stored bytes. `at` is the offset for errors about the chain.
    pub fn pieces(
        &self,
        source: &Source<'_>,
        at: u64,
        first: u32,
        range: Range<u64>,
        context: &dyn Display,
    ) -> Result<Vec<Range<u64>>, ParseError> {
        let extents = self.chains.extents(first, self.clusters_of(range.end));
        let extents = extents
            .map_err(|reason| source.error(at, context, ErrorKind::BrokenChain { reason }))?;
        Ok(self.pieces_of(&extents, range))
    }

    /// The pieces of the archive with a range of the bytes in extents.
    pub fn pieces_of(&self, extents: &[Extent], range: Range<u64>) -> Vec<Range<u64>> {
        let mut pieces = Vec::new();
        // The position of an extent in the file.
        let mut position = 0;
        for extent in extents {
            let len = u64::from(extent.count) * u64::from(self.cluster_size);
            let begin = range.start.max(position);
            let end = range.end.min(position + len);
            if begin < end {
                let offset = self.offset(extent.first);
                pieces.push(offset + (begin - position)..offset + (end - position));
            }
            position += len;
        }
        pieces
    }

    /// Reads pieces of the archive.
    pub fn read_pieces(
        &self,
        source: &Source<'_>,
        pieces: &[Range<u64>],
        context: &dyn Display,
    ) -> Result<Vec<u8>, ParseError> {
        // Checked before anything is allocated.
        for piece in pieces {
            if piece.end > source.length {
                let kind = ErrorKind::Truncated {
                    needed: piece.end - piece.start,
                    available: source.length.saturating_sub(piece.start),
                };
                return Err(source.error(piece.start, context, kind));
            }
        }
        let first = match pieces {
            [piece] => return source.bytes(piece.start, piece.end - piece.start, context),
            _ => pieces.first().map_or(0, |piece| piece.start),
        };
        let len: u64 = pieces.iter().map(|piece| piece.end - piece.start).sum();
        let mut bytes = source.buffer(len, first, context)?;
        for piece in pieces {
            source.append(&mut bytes, piece.start, piece.end - piece.start, context)?;
        }
        Ok(bytes)
    }
}

impl Content for Volume {
    fn read(
        &self,
        source: &Source<'_>,
        record: &Record,
        range: Range<u64>,
        context: &dyn Display,
    ) -> Result<Vec<u8>, ParseError> {
        if !record.is_compressed {
            let pieces = self.pieces(source, record.at, record.start, range, context)?;
            return self.read_pieces(source, &pieces, context);
        }
        let stored = 0..u64::from(record.stored);
        let pieces = self.pieces(source, record.at, record.start, stored, context)?;
        let bytes = self.read_pieces(source, &pieces, context)?;
        let cursor = source.cursor(&bytes, 0);
        let inflated = inflate(cursor, record.size.into(), range.end, self.window, context);
        let mut inflated =
            inflated.map_err(|error| self.in_archive(source, record, context, error))?;
        // A range that ends within a chunk.
        inflated.truncate(usize::try_from(range.end).unwrap_or(usize::MAX));
        inflated.drain(..usize::try_from(range.start).unwrap_or_default());
        Ok(inflated)
    }
}

impl Volume {
    /// An error with its offset in the archive, instead of the offset in the stored bytes.
    fn in_archive(
        &self,
        source: &Source<'_>,
        record: &Record,
        context: &dyn Display,
        error: ParseError,
    ) -> ParseError {
        let position = error.offset.min(u64::from(record.stored).saturating_sub(1));
        let pieces = self.pieces(
            source,
            record.at,
            record.start,
            position..position + 1,
            context,
        );
        let offset = match pieces.as_deref() {
            Ok([piece, ..]) => piece.start + (error.offset - position),
            _ => record.at,
        };
        ParseError { offset, ..error }
    }
}

/// Inflates chunks until `end` bytes are there. All chunks together must inflate to `size` bytes.
fn inflate(
    mut cursor: Cursor<'_>,
    size: u64,
    end: u64,
    window: u32,
    context: &dyn Display,
) -> Result<Vec<u8>, ParseError> {
    let mut out = Vec::new();
    while (out.len() as u64) < end {
        let at = cursor.clone();
        let left = size - out.len() as u64;
        let chunk = inflate_chunk(&mut cursor, left, window);
        let chunk = chunk
            .map_err(|reason| at.error(at.offset(), context, ErrorKind::Inflate { reason }))?;
        out.extend_from_slice(&chunk);
    }
    Ok(out)
}

/// Inflates a chunk to at most `left` and `window` bytes. The error is the reason.
fn inflate_chunk(cursor: &mut Cursor<'_>, left: u64, window: u32) -> Result<Vec<u8>, &'static str> {
    let len = cursor
        .u32("")
        .map_err(|_| "the chunks end before the file's size")?;
    let chunk = cursor
        .take(len.into(), "")
        .map_err(|_| "a chunk is longer than the rest of the entry")?;
    if chunk.is_empty() {
        return Err("a chunk is empty");
    }
    let limit = usize::try_from(left.min(window.into())).unwrap_or(usize::MAX);
    match decompress_to_vec_zlib_with_limit(chunk, limit) {
        Ok(inflated) if inflated.is_empty() => Err("a chunk inflates to nothing"),
        Ok(inflated) => Ok(inflated),
        Err(error) if error.status != TINFLStatus::HasMoreOutput => {
            Err("a chunk is not a valid zlib stream")
        }
        Err(_) if left <= window.into() => Err("the chunks inflate past the file's size"),
        Err(_) => Err("a chunk inflates past the limit of the archive"),
    }
}
