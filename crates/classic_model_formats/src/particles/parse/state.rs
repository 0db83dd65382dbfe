//! The parser's type, its state, and reading of values that all chunks share.

use crate::chunk::MiniChunk;
use crate::chunk_parser;
use crate::particles::file::SpawnEvent;

/// The parser of a particle system: the current path of chunks, the warnings, and the links between emitters.
pub(super) type Parser = chunk_parser::Parser<Vec<Link>>;

/// A stored link from an emitter to one that its particles spawn.
pub(super) struct Link {
    pub(super) emitter: u32,
    pub(super) event: SpawnEvent,
    /// The stored index, which may be out of range.
    pub(super) child: i32,
    /// File offset of the index.
    pub(super) offset: u64,
}

impl Parser {
    /// Sets the value of a mini-chunk. Warns if an earlier mini-chunk of the same type has another value.
    pub(super) fn replace<T: PartialEq>(
        &mut self,
        slot: &mut Option<T>,
        value: T,
        mini: &MiniChunk<'_>,
    ) {
        if slot.as_ref().is_some_and(|earlier| *earlier != value) {
            self.warn_repeated(mini);
        }
        *slot = Some(value);
    }

    pub(super) fn warn_repeated(&mut self, mini: &MiniChunk<'_>) {
        self.warn("repeated mini-chunk", mini.offset, |parser| {
            let path = parser.at("");
            format!(
                "mini-chunk {} of {path} is repeated with another value: the last one is used",
                mini.id
            )
        });
    }
}
