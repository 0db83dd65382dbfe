//! Parser state shared by Alamo models, animations and particle systems: the path of chunks for error messages, and the
//! warnings.

use crate::chunk::{Chunk, Chunks, MAX_DEPTH, MiniChunk};
use crate::read::{Cursor, ErrorKind, ParseError, Quoted, Warning, WarningCollector};
use core::fmt::{self, Display};
use std::borrow::Cow;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// One level of the path of chunks that the parser is in.
pub(crate) enum Segment {
    Chunk(u32),
    Element {
        id: u32,
        what: &'static str,
        index: usize,
        name: Option<Name>,
    },
    /// A plug-in of a particle system. The name is empty before it is known.
    Plugin {
        id: u32,
        role: &'static str,
        name: &'static str,
    },
    /// The value of a parameter.
    Value(&'static str),
}

/// A mini-chunk with a value of fixed size.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(crate) struct Mini<T> {
    id: u8,
    length: u8,
    pub(crate) value: T,
}

impl<T> Mini<T> {
    /// Whether this is a mini-chunk of type `id` and the length of `T`.
    pub(crate) fn is(&self, id: u8) -> bool {
        self.id == id && usize::from(self.length) == size_of::<T>()
    }
}

/// The name of an element for messages, cut to a limited length. Quoting happens only in `Display`, because few elements
/// appear in a message.
pub(crate) struct Name {
    text: Box<str>,
    is_truncated: bool,
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ellipsis = if self.is_truncated { "…" } else { "" };
        write!(f, "{:?}{ellipsis}", self.text)
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
            Self::Plugin { id, role, name: "" } => write!(f, "{id:#x} {role}"),
            Self::Plugin { id, role, name } => write!(f, "{id:#x} {role} {name:?}"),
            Self::Value(name) => f.write_str(name),
        }
    }
}

/// The context of an error: the path of chunks, and the value that is read there.
pub(crate) struct Context<'p>(&'p [Segment], &'p str);

impl Display for Context<'_> {
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

/// An empty vector with the capacity for all chunks whose type satisfies `is_wanted`. Each of them has at least
/// `min_size` bytes, so the capacity is at most what the remaining bytes can hold.
///
/// Reserving the exact capacity limits the peak memory: while a vector grows, the old and the larger new buffer exist at
/// the same time, and elements may be three times as large in memory as in the file.
pub(crate) fn vec_for_chunks<T>(
    body: &Cursor<'_>,
    min_size: u64,
    is_wanted: impl Fn(u32) -> bool,
) -> Vec<T> {
    let chunks = Chunks::new(body.clone()).map_while(Result::ok);
    let count = chunks.filter(|chunk| is_wanted(chunk.id)).count();
    let max = usize::try_from(body.remaining() / min_size).unwrap_or(usize::MAX);
    Vec::with_capacity(count.min(max))
}

/// Reads a file whose chunks are one container of type `id` and unknown ones. `what` is the container.
///
/// Bytes after the container that are no chunk are a warning, unless they are the start of a second container.
pub(crate) fn root_chunk<'a, State, T>(
    parser: &mut Parser<State>,
    cursor: &Cursor<'a>,
    (id, what): (u32, &'static str),
    read: fn(&mut Parser<State>, &Chunk<'a>) -> Result<T, ParseError>,
) -> Result<T, ParseError> {
    let mut root = None;
    let mut chunks = Chunks::new(cursor.clone());
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) if chunk.id == id => {
                let read =
                    parser.enter(&chunk, Segment::Chunk(id), |parser| read(parser, &chunk))?;
                parser.once(&mut root, read, &chunk, "containers of the whole file")?;
            }
            Ok(chunk) => parser.skip(&chunk)?,
            Err(error) => match begin {
                // With the type of the container, the file is truncated.
                Some(rest) if root.is_some() && rest.clone().u32("").ok() != Some(id) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} trailing bytes are ignored")
                    });
                }
                _ => return Err(error),
            },
        }
    }
    parser.require(root, cursor, what)
}

/// The path of the chunk that is parsed, state of the format's parser, and the warnings so far.
#[derive(Default)]
pub(crate) struct Parser<State> {
    path: Vec<Segment>,
    /// Values from earlier chunks that the format's parser needs for later ones.
    pub(crate) state: State,
    warnings: WarningCollector,
}

impl<State> Parser<State> {
    /// Reads a chunk that must be a container. `segment` is on the path meanwhile.
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

    /// Calls a function while `segment` is on the path.
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

    /// Reads a chunk that must hold data. `segment` is on the path meanwhile.
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

    fn check_kind(&self, chunk: &Chunk<'_>, is_container: bool) -> Result<(), ParseError> {
        if chunk.is_container == is_container {
            return Ok(());
        }
        let name = |is_container| {
            if is_container { "a container" } else { "data" }
        };
        let kind = ErrorKind::WrongChunkKind {
            found: name(chunk.is_container),
            expected: name(is_container),
        };
        Err(chunk.body.error(chunk.offset, self.at(""), kind))
    }

    /// Sets the name of the last element of the path.
    pub(crate) fn name_element(&mut self, new_name: &str) {
        if let Some(Segment::Element { name, .. }) = self.path.last_mut() {
            let (text, is_truncated) = Quoted(new_name).truncated();
            *name = Some(Name {
                text: text.into(),
                is_truncated,
            });
        }
    }

    /// Sets the name of a plug-in that is the last element of the path.
    pub(crate) fn name_plugin(&mut self, new_name: &'static str) {
        if let Some(Segment::Plugin { name, .. }) = self.path.last_mut() {
            *name = new_name;
        }
    }

    /// The count of containers around the next chunk.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// The context of an error: the path, and the value that is read there. `what` may be empty.
    pub(crate) fn at<'p>(&'p self, what: &'p str) -> Context<'p> {
        Context(&self.path, what)
    }

    /// Prepends the path to the context of an error of the chunk reader.
    pub(crate) fn within(&self, error: ParseError) -> ParseError {
        if self.path.is_empty() {
            return error;
        }
        let context = format!("{} / {}", self.at(""), error.context);
        ParseError { context, ..error }
    }

    /// Skips a chunk of an unknown type, with a warning.
    pub(crate) fn skip(&mut self, chunk: &Chunk<'_>) -> Result<(), ParseError> {
        debug_assert!(
            self.path.len() < MAX_DEPTH,
            "the known chunks are nested less than {MAX_DEPTH} deep"
        );
        let nesting = chunk.check_nesting(self.path.len());
        nesting.map_err(|error| self.within(error))?;
        self.warn("unknown chunk", chunk.offset, |_| {
            format!("unknown chunk {:#x} is skipped", chunk.id)
        });
        Ok(())
    }

    /// Skips a mini-chunk of an unknown type, with a warning.
    pub(crate) fn skip_mini(&mut self, mini: &MiniChunk<'_>) {
        self.warn("unknown mini-chunk", mini.offset, |parser| {
            let path = parser.at("");
            format!("unknown mini-chunk {} of {path} is skipped", mini.id)
        });
    }

    /// Adds a warning. Only the first warning of each kind gets a message, the others are counted.
    pub(crate) fn warn(
        &mut self,
        kind: &'static str,
        offset: u64,
        message: impl FnOnce(&Self) -> String,
    ) {
        if !self.warnings.count_repeat(kind) {
            let message = message(self);
            self.warnings.push_first(kind, offset, message);
        }
    }

    /// All warnings, in the order in which their kinds first occurred.
    pub(crate) fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_warnings()
    }

    /// Sets a value that may occur only once. Fails if `slot` already has one.
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

    /// The value of a slot that must be set at the end of a container.
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

    /// Checks that the count of elements found equals the count declared at `offset`.
    pub(crate) fn check_declared_count(
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

    /// The rest of a body as a string, up to its first NUL.
    pub(crate) fn string<'a>(&mut self, cursor: &mut Cursor<'a>) -> Cow<'a, str> {
        let offset = cursor.offset();
        let bytes = cursor.remainder();
        let end = bytes.iter().position(|byte| *byte == 0);
        if end.is_none() {
            self.warn("text without NUL", offset, |parser| {
                format!("text of {} has no NUL terminator", parser.at(""))
            });
        }
        let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(lossy) = &text {
            self.warn("text not UTF-8", offset, |parser| {
                let (path, lossy) = (parser.at(""), Quoted(lossy));
                format!("text of {path} is not UTF-8, read as {lossy}")
            });
        }
        text
    }

    /// Checks that a body has this length in bytes.
    pub(crate) fn fixed_length(&self, body: &Cursor<'_>, expected: u64) -> Result<(), ParseError> {
        let found = body.remaining();
        if found == expected {
            return Ok(());
        }
        let kind = ErrorKind::WrongLength { found, expected };
        Err(body.error(body.offset(), self.at(""), kind))
    }

    /// Reads a number, which must be finite.
    pub(crate) fn finite(&self, body: &mut Cursor<'_>, field: &str) -> Result<f32, ParseError> {
        let offset = body.offset();
        let value = body.f32(self.at(field))?;
        body.check_finite(value, offset, self.at(field))
    }

    /// The body of a mini-chunk that must have this length in bytes.
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

    /// The numbers of a mini-chunk. Non-finite numbers become 0, with a warning.
    pub(crate) fn mini_floats<const N: usize>(
        &mut self,
        mini: &MiniChunk<'_>,
    ) -> Result<[f32; N], ParseError> {
        let mut body = self.fixed_mini(mini, 4 * N as u64)?;
        self.floats(&mut body)
    }

    /// Reads numbers that no other value depends on. Non-finite numbers become 0, with a warning.
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
                    format!("a number of {} is not finite: 0 is used", parser.at(""))
                });
            }
        }
        Ok(values)
    }

    /// A record of at least `needed` bytes. All known writers pad it to 128 bytes.
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
                let path = parser.at("");
                format!("{path} is {length} bytes long instead of {PADDED}")
            });
        }
        Ok(cursor.clone())
    }
}
