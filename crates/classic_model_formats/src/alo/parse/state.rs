//! State that the parser of a model keeps across chunks.

use crate::chunk_parser;

/// The parser of a model: the current path of chunks, the warnings, and [`State`].
pub(super) type Parser = chunk_parser::Parser<State>;

#[derive(Default)]
pub(super) struct State {
    /// Offset of each sub-mesh's palette in the file; 0 for a sub-mesh without one.
    pub(super) palette_offsets: Vec<u64>,
    /// Whether vertices are not searched for non-finite numbers.
    pub(super) skips_vertex_warnings: bool,
    /// For each bone, the count of bones from its root down to itself.
    pub(super) bone_depths: Vec<u16>,
}
