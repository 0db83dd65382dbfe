//! What the parser knows while it reads a model.

use crate::segments;

/// Where the parser is, and what it has learnt.
pub(super) type Parser = segments::Parser<Known>;

#[derive(Default)]
pub(super) struct Known {
    /// Offsets of the palettes of all sub-meshes, 0 where there is none.
    pub(super) palettes: Vec<u64>,
    /// Whether numbers of vertices are not looked at.
    pub(super) ignores_numbers: bool,
    /// How deep each bone is below its root.
    pub(super) depths: Vec<u16>,
}
