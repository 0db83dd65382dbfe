//! The parser's type, its state, and reading of values that all chunks share.

use crate::chunk::MiniChunk;
use crate::chunk_parser;
use crate::particles::file::SpawnEvent;
use crate::read::{Cursor, ErrorKind, ParseError};

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
    /// Checks that a body has this length in bytes.
    pub(super) fn fixed_length(&self, body: &Cursor<'_>, expected: u64) -> Result<(), ParseError> {
        let found = body.remaining();
        if found == expected {
            return Ok(());
        }
        let kind = ErrorKind::WrongLength { found, expected };
        Err(body.error(body.offset(), self.at(""), kind))
    }

    /// Reads a number, which must be finite.
    pub(super) fn finite(&self, body: &mut Cursor<'_>, field: &str) -> Result<f32, ParseError> {
        let offset = body.offset();
        let value = body.f32(self.at(field))?;
        body.check_finite(value, offset, self.at(field))
    }

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
