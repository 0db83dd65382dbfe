//! The type of the parser, and the header that it keeps for later chunks.

use crate::chunk_parser;

/// The parser of an animation: the current path of chunks, the warnings, and the header.
pub(super) type Parser = chunk_parser::Parser<Info>;

/// The header, chunk 0x1001.
#[derive(Clone, Copy, Default)]
pub(super) struct Info {
    pub(super) frames: u32,
    pub(super) fps: f32,
    pub(super) bone_count: u32,
    /// File offset of the bone count.
    pub(super) bone_count_offset: u64,
    /// Sizes of the blocks of version 2; `None` in version 1.
    pub(super) sizes: Option<BlockSizes>,
}

/// Words per frame in each block, as stored.
#[derive(Clone, Copy)]
pub(super) struct BlockSizes {
    pub(super) rotations: WithOffset<u32>,
    pub(super) translations: Option<WithOffset<u32>>,
    pub(super) scales: Option<WithOffset<u32>>,
}

/// A value and its file offset.
#[derive(Clone, Copy)]
pub(super) struct WithOffset<T> {
    pub(super) value: T,
    pub(super) offset: u64,
}
