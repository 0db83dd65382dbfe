//! What all parts of the parser share: where it is, and what it has to say.

use crate::alamo::chunk::{Chunk, MAX_DEPTH, MiniChunk};
use crate::read::{Cursor, ErrorKind, ParseError, Warning};
use core::fmt::{self, Display};
use std::borrow::Cow;

/// One step of the path to where the parser is.
pub(super) enum Segment {
    Chunk(u32),
    Element {
        id: u32,
        what: &'static str,
        index: usize,
        name: Option<Box<str>>,
    },
}

impl Segment {
    pub(super) fn element(id: u32, what: &'static str, index: usize) -> Self {
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
                name.as_ref().map_or(Ok(()), |name| write!(f, " {name:?}"))
            }
        }
    }
}

/// A path and what is read at its end, as errors tell it.
pub(super) struct Place<'p>(&'p [Segment], &'p str);

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

/// A flaw of one kind: its first place, and how often it was seen.
struct Flaw {
    kind: &'static str,
    first: Warning,
    count: u32,
}

/// Where the parser is, and the flaws it has seen.
#[derive(Default)]
pub(super) struct Parser {
    path: Vec<Segment>,
    /// Offsets of the palettes of all sub-meshes, 0 where there is none.
    pub(super) palettes: Vec<u64>,
    flaws: Vec<Flaw>,
}

impl Parser {
    /// Reads a chunk that must be a container, with its place on the path.
    pub(super) fn enter<'a, T>(
        &mut self,
        chunk: &Chunk<'a>,
        segment: Segment,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.path.push(segment);
        let result = match self.check_kind(chunk, true) {
            Ok(()) => read(self),
            Err(error) => Err(error),
        };
        self.path.pop();
        result
    }

    /// Reads a chunk that must hold data.
    pub(super) fn data<'a, T>(
        &mut self,
        chunk: &Chunk<'a>,
        read: impl FnOnce(&mut Self, &mut Cursor<'a>) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.path.push(Segment::Chunk(chunk.id));
        let result = match self.check_kind(chunk, false) {
            Ok(()) => read(self, &mut chunk.body.clone()),
            Err(error) => Err(error),
        };
        self.path.pop();
        result
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
    pub(super) fn name_element(&mut self, called: &str) {
        if let Some(Segment::Element { name, .. }) = self.path.last_mut() {
            *name = Some(called.into());
        }
    }

    /// The path, and what is read at its end.
    pub(super) fn at<'p>(&'p self, what: &'p str) -> Place<'p> {
        Place(&self.path, what)
    }

    /// An error of the chunk reader, with the path in front.
    pub(super) fn within(&self, error: ParseError) -> ParseError {
        if self.path.is_empty() {
            return error;
        }
        let context = format!("{} / {}", self.at(""), error.context);
        ParseError { context, ..error }
    }

    /// Passes over a chunk that nobody knows.
    pub(super) fn skip(&mut self, chunk: &Chunk<'_>) -> Result<(), ParseError> {
        debug_assert!(self.path.len() < MAX_DEPTH, "known chunks are not deep");
        let nesting = chunk.check_nesting(self.path.len());
        nesting.map_err(|error| self.within(error))?;
        let message = format!("unknown chunk {:#x} is skipped", chunk.id);
        self.warn("unknown chunk", chunk.offset, message);
        Ok(())
    }

    /// Passes over a mini-chunk that nobody knows.
    pub(super) fn skip_mini(&mut self, mini: &MiniChunk<'_>) {
        let message = format!(
            "unknown mini-chunk {} of {} is skipped",
            mini.id,
            self.at("")
        );
        self.warn("unknown mini-chunk", mini.offset, message);
    }

    /// Takes down a flaw; of each kind the first is told and the others are counted.
    pub(super) fn warn(&mut self, kind: &'static str, offset: u64, message: String) {
        match self.flaws.iter_mut().find(|flaw| flaw.kind == kind) {
            Some(flaw) => flaw.count += 1,
            None => self.flaws.push(Flaw {
                kind,
                first: Warning { offset, message },
                count: 1,
            }),
        }
    }

    /// All flaws, in the order in which their kinds were first seen.
    pub(super) fn into_warnings(self) -> Vec<Warning> {
        let warning = |flaw: Flaw| match flaw.count {
            1 => flaw.first,
            count => Warning {
                message: format!("{} (and {} more like it)", flaw.first.message, count - 1),
                ..flaw.first
            },
        };
        self.flaws.into_iter().map(warning).collect()
    }

    /// Fills what a chunk may say once.
    pub(super) fn once<T>(
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
    pub(super) fn require<T>(
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
    pub(super) fn check_announced(
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
    pub(super) fn string<'a>(&mut self, cursor: &mut Cursor<'a>) -> Cow<'a, str> {
        let offset = cursor.offset();
        let bytes = cursor.remainder();
        let end = bytes.iter().position(|byte| *byte == 0);
        if end.is_none() {
            let message = format!("text of {} has no NUL at its end", self.at(""));
            self.warn("text without NUL", offset, message);
        }
        let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(lossy) = &text {
            let message = format!("text of {} is not UTF-8: taken for {lossy:?}", self.at(""));
            self.warn("text not UTF-8", offset, message);
        }
        text
    }

    /// The body of a mini-chunk, which must be of this length.
    pub(super) fn fixed_mini<'a>(
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
    pub(super) fn mini_u32(&self, mini: &MiniChunk<'_>) -> Result<u32, ParseError> {
        self.fixed_mini(mini, 4)?.u32("value")
    }

    /// The numbers in a mini-chunk, zero where they are none.
    pub(super) fn mini_floats<const N: usize>(
        &mut self,
        mini: &MiniChunk<'_>,
    ) -> Result<[f32; N], ParseError> {
        let mut body = self.fixed_mini(mini, 4 * N as u64)?;
        self.floats(&mut body)
    }

    /// Numbers that nothing depends on: made zero, with a warning, where they are none.
    pub(super) fn floats<const N: usize>(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<[f32; N], ParseError> {
        let mut values = [0.0; N];
        for value in &mut values {
            let offset = cursor.offset();
            *value = cursor.f32("value")?;
            if !value.is_finite() {
                *value = 0.0;
                let message = format!("a number of {} is not finite: made zero", self.at(""));
                self.warn("number not finite", offset, message);
            }
        }
        Ok(values)
    }

    /// A record of at least `needed` bytes, which all writers known pad to 128.
    pub(super) fn padded_record<'a>(
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
            let message = format!("{} is {length} bytes long instead of {PADDED}", self.at(""));
            self.warn("record not padded", offset, message);
        }
        Ok(cursor.clone())
    }
}
