//! What the parsers of models and animations share: where they are, and what they have to say.

use crate::chunk::{Chunk, Chunks, MAX_DEPTH, MiniChunk};
use crate::read::{Cursor, ErrorKind, Flaws, ParseError, Quoted, Warning};
use core::fmt::{self, Display};
use std::borrow::Cow;

/// One step of the path to where the parser is.
pub(crate) enum Segment {
    Chunk(u32),
    Element {
        id: u32,
        what: &'static str,
        index: usize,
        name: Option<Name>,
    },
}

/// What is told of an element's name. Every element gets one and few are told of, so it is put in
/// quotes only then.
pub(crate) struct Name {
    begin: Box<str>,
    is_cut: bool,
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.begin, if self.is_cut { "…" } else { "" })
    }
}

impl Segment {
    pub(crate) fn element(id: u32, what: &'static str, index: usize) -> Self {
        Self::Element {
            id,
            what,
            index,
            name: None,
        }
    }
}

impl Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(id) => write!(f, "{id:#x}"),
            Self::Element {
                id,
                what,
                index,
                name,
            } => {
                write!(f, "{id:#x} {what} {index}")?;
                name.as_ref().map_or(Ok(()), |name| write!(f, " {name}"))
            }
        }
    }
}

/// A path and what is read at its end, as errors tell it.
pub(crate) struct Place<'p>(&'p [Segment], &'p str);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " / " };
            write!(f, "{separator}{segment}")?;
        }
        match (self.0, self.1) {
            (_, "") => Ok(()),
            ([], what) => f.write_str(what),
            (_, what) => write!(f, " {what}"),
        }
    }
}

/// An empty list with room for all chunks of some types, of which each has `least` bytes or more.
///
/// A list that grows is there twice while it does, the second time with room for twice as much: too
/// much for what may be three times as large in memory as in the file. No more room is made than the
/// bytes there can fill.
pub(crate) fn room<T>(body: &Cursor<'_>, least: u64, wanted: impl Fn(u32) -> bool) -> Vec<T> {
    let chunks = Chunks::new(body.clone()).map_while(Result::ok);
    let count = chunks.filter(|chunk| wanted(chunk.id)).count();
    let most = usize::try_from(body.remaining() / least).unwrap_or(usize::MAX);
    Vec::with_capacity(count.min(most))
}

/// Where a parser is, and the flaws it has seen.
#[derive(Default)]
pub(crate) struct Parser<Known> {
    path: Vec<Segment>,
    /// What the parser of a format has learnt of the file that its later parts need.
    pub(crate) known: Known,
    flaws: Flaws,
}

impl<Known> Parser<Known> {
    /// Reads a chunk that must be a container, with its place on the path.
    pub(crate) fn enter<'a, T>(
        &mut self,
        chunk: &Chunk<'a>,
        segment: Segment,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.inside(segment, |parser| {
            parser.check_kind(chunk, true)?;
            read(parser)
        })
    }

    /// Does something with a place on the path.
    pub(crate) fn inside<T>(&mut self, segment: Segment, run: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let result = run(self);
        self.path.pop();
        result
    }

    /// Reads a chunk that must hold data.
    pub(crate) fn data<'a, T>(
        &mut self,
        chunk: &Chunk<'a>,
        read: impl FnOnce(&mut Self, &mut Cursor<'a>) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.data_at(chunk, Segment::Chunk(chunk.id), read)
    }

    /// Reads a chunk that must hold data, with its place on the path.
    pub(crate) fn data_at<'a, T>(
        &mut self,
        chunk: &Chunk<'a>,
        segment: Segment,
        read: impl FnOnce(&mut Self, &mut Cursor<'a>) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.inside(segment, |parser| {
            parser.check_kind(chunk, false)?;
            read(parser, &mut chunk.body.clone())
        })
    }

    fn check_kind(&self, chunk: &Chunk<'_>, container: bool) -> Result<(), ParseError> {
        if chunk.is_container == container {
            return Ok(());
        }
        let kind = |container| if container { "a container" } else { "data" };
        let kind = ErrorKind::WrongChunkKind {
            found: kind(chunk.is_container),
            expected: kind(container),
        };
        Err(chunk.body.error(chunk.offset, self.at(""), kind))
    }

    /// Names the element that the path ends with.
    pub(crate) fn name_element(&mut self, called: &str) {
        if let Some(Segment::Element { name, .. }) = self.path.last_mut() {
            let (begin, is_cut) = Quoted(called).told();
            *name = Some(Name {
                begin: begin.into(),
                is_cut,
            });
        }
    }

    /// The path, and what is read at its end.
    pub(crate) fn at<'p>(&'p self, what: &'p str) -> Place<'p> {
        Place(&self.path, what)
    }

    /// An error of the chunk reader, with the path in front.
    pub(crate) fn within(&self, error: ParseError) -> ParseError {
        if self.path.is_empty() {
            return error;
        }
        let context = format!("{} / {}", self.at(""), error.context);
        ParseError { context, ..error }
    }

    /// Passes over a chunk that nobody knows.
    pub(crate) fn skip(&mut self, chunk: &Chunk<'_>) -> Result<(), ParseError> {
        debug_assert!(self.path.len() < MAX_DEPTH, "known chunks are not deep");
        let nesting = chunk.check_nesting(self.path.len());
        nesting.map_err(|error| self.within(error))?;
        self.warn("unknown chunk", chunk.offset, |_| {
            format!("unknown chunk {:#x} is skipped", chunk.id)
        });
        Ok(())
    }

    /// Passes over a mini-chunk that nobody knows.
    pub(crate) fn skip_mini(&mut self, mini: &MiniChunk<'_>) {
        self.warn("unknown mini-chunk", mini.offset, |parser| {
            let place = parser.at("");
            format!("unknown mini-chunk {} of {place} is skipped", mini.id)
        });
    }

    /// Takes down a flaw; of each kind the first is told and the others are counted.
    pub(crate) fn warn(
        &mut self,
        kind: &'static str,
        offset: u64,
        message: impl FnOnce(&Self) -> String,
    ) {
        if !self.flaws.counts(kind) {
            let message = message(self);
            self.flaws.begin(kind, offset, message);
        }
    }

    /// All flaws, in the order in which their kinds were first seen.
    pub(crate) fn into_warnings(self) -> Vec<Warning> {
        self.flaws.into_warnings()
    }

    /// Fills what a chunk may say once.
    pub(crate) fn once<T>(
        &self,
        slot: &mut Option<T>,
        value: T,
        chunk: &Chunk<'_>,
        elements: &'static str,
    ) -> Result<(), ParseError> {
        if slot.is_some() {
            let kind = ErrorKind::CountMismatch {
                elements,
                found: 2,
                expected: 1,
            };
            let what = format!("{:#x}", chunk.id);
            return Err(chunk.body.error(chunk.offset, self.at(&what), kind));
        }
        *slot = Some(value);
        Ok(())
    }

    /// What must have been there by the end of a container.
    pub(crate) fn require<T>(
        &self,
        slot: Option<T>,
        container: &Cursor<'_>,
        what: &'static str,
    ) -> Result<T, ParseError> {
        let missing = || {
            let kind = ErrorKind::Missing { what };
            container.error(container.offset(), self.at(""), kind)
        };
        slot.ok_or_else(missing)
    }

    /// Whether a number of things is the one announced at `offset`.
    pub(crate) fn check_announced(
        &self,
        cursor: &Cursor<'_>,
        offset: u64,
        elements: &'static str,
        found: usize,
        expected: u32,
    ) -> Result<(), ParseError> {
        if found as u64 == u64::from(expected) {
            return Ok(());
        }
        let kind = ErrorKind::CountMismatch {
            elements,
            found: found as u64,
            expected: expected.into(),
        };
        Err(cursor.error(offset, self.at(""), kind))
    }

    /// The rest of a body as text, up to its first NUL.
    pub(crate) fn string<'a>(&mut self, cursor: &mut Cursor<'a>) -> Cow<'a, str> {
        let offset = cursor.offset();
        let bytes = cursor.remainder();
        let end = bytes.iter().position(|byte| *byte == 0);
        if end.is_none() {
            self.warn("text without NUL", offset, |parser| {
                format!("text of {} has no NUL at its end", parser.at(""))
            });
        }
        let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(lossy) = &text {
            self.warn("text not UTF-8", offset, |parser| {
                let (place, lossy) = (parser.at(""), Quoted(lossy));
                format!("text of {place} is not UTF-8: taken for {lossy}")
            });
        }
        text
    }

    /// The body of a mini-chunk, which must be of this length.
    pub(crate) fn fixed_mini<'a>(
        &self,
        mini: &MiniChunk<'a>,
        length: u64,
    ) -> Result<Cursor<'a>, ParseError> {
        let found = mini.body.remaining();
        if found == length {
            return Ok(mini.body.clone());
        }
        let what = format!("mini-chunk {}", mini.id);
        let kind = ErrorKind::WrongLength {
            found,
            expected: length,
        };
        Err(mini.body.error(mini.offset, self.at(&what), kind))
    }

    /// The number in a mini-chunk.
    pub(crate) fn mini_u32(&self, mini: &MiniChunk<'_>) -> Result<u32, ParseError> {
        self.fixed_mini(mini, 4)?.u32("value")
    }

    /// The numbers in a mini-chunk, zero where they are none.
    pub(crate) fn mini_floats<const N: usize>(
        &mut self,
        mini: &MiniChunk<'_>,
    ) -> Result<[f32; N], ParseError> {
        let mut body = self.fixed_mini(mini, 4 * N as u64)?;
        self.floats(&mut body)
    }

    /// Numbers that nothing depends on: made zero, with a warning, where they are none.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<[f32; N], ParseError> {
        let mut values = [0.0; N];
        for value in &mut values {
            let offset = cursor.offset();
            *value = cursor.f32("value")?;
            if !value.is_finite() {
                *value = 0.0;
                self.warn("number not finite", offset, |parser| {
                    format!("a number of {} is not finite: made zero", parser.at(""))
                });
            }
        }
        Ok(values)
    }

    /// A record of at least `needed` bytes, which all writers known pad to 128.
    pub(crate) fn padded_record<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        needed: u64,
    ) -> Result<Cursor<'a>, ParseError> {
        const PADDED: u64 = 128;
        let (offset, length) = (cursor.offset(), cursor.remaining());
        if length < needed {
            let kind = ErrorKind::WrongLength {
                found: length,
                expected: PADDED,
            };
            return Err(cursor.error(offset, self.at(""), kind));
        }
        if length != PADDED {
            self.warn("record not padded", offset, |parser| {
                let place = parser.at("");
                format!("{place} is {length} bytes long instead of {PADDED}")
            });
        }
        Ok(cursor.clone())
    }
}
