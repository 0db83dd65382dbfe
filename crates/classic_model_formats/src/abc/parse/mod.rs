//! Parses bytes to an [`AbcFile`].
//!
//! A file is a chain of chunks. Each chunk stores the offset of the next one. The parser finds all chunks first and then
//! reads them, so their order does not matter.

mod animations;
mod geometry;
mod magic;
mod nodes;

pub use nodes::MAX_DEPTH;

use super::file::{AbcFile, TransformInfo};
use super::records::finite_or_zero;
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted, WarningCollector};
use core::fmt::Display;
use std::borrow::Cow;
use zerocopy::little_endian::{F32, U16};

/// The offset of the next chunk in the last chunk.
const LAST: i32 = -1;

/// Parses a model of version 6.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value. Its context is the path of elements to the value, such as
/// `Animation / animation 2 "Run" / node 4 "Arm" keys`. Harmless flaws are reported in [`AbcFile::warnings`] instead: for
/// example trailing bytes, unknown chunks, or NaN in positions.
pub fn parse(bytes: &[u8]) -> Result<AbcFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Abc, bytes);
    magic::check(&cursor)?;
    let mut parser = Parser::default();
    let chunks = parser.chunks(cursor.clone())?;
    let command_string = parser.header(chunks.header)?;
    let geometry = parser.geometry(chunks.geometry)?;
    let nodes = parser.nodes(chunks.nodes, geometry.vertices())?;
    let geometry = geometry.checked(&cursor, &nodes)?;
    let mut animations = parser.animations(chunks.animation, &nodes)?;
    if let Some(body) = chunks.dims {
        parser.dims(body, &mut animations)?;
    }
    let transform_info = match chunks.transform_info {
        Some(body) => Some(parser.transform_info(body)?),
        None => None,
    };
    Ok(AbcFile {
        command_string,
        geometry,
        nodes,
        animations,
        transform_info,
        warnings: parser.warnings.into_warnings(),
    })
}

/// The bodies of the known chunks.
struct Chunks<'a> {
    header: Cursor<'a>,
    geometry: Cursor<'a>,
    nodes: Cursor<'a>,
    animation: Cursor<'a>,
    dims: Option<Cursor<'a>>,
    transform_info: Option<Cursor<'a>>,
}

/// The methods of the parser, which share the collected warnings.
#[derive(Default)]
struct Parser {
    warnings: WarningCollector,
}

impl Parser {
    /// Finds all chunks.
    fn chunks<'a>(&mut self, mut cursor: Cursor<'a>) -> Result<Chunks<'a>, ParseError> {
        let [mut header, mut geometry, mut nodes] = [None, None, None];
        let [mut animation, mut dims, mut transform_info] = [None, None, None];
        let end = cursor.remaining();
        loop {
            let offset = cursor.offset();
            let name = self.text(&mut cursor, "name of a chunk")?;
            let (body, is_last) = next_body(&mut cursor, &name, end)?;
            let slot = match &*name {
                "Header" => &mut header,
                "Geometry" => &mut geometry,
                "Nodes" => &mut nodes,
                "Animation" => &mut animation,
                "AnimDims" => &mut dims,
                "TransformInfo" => &mut transform_info,
                _ => {
                    self.warnings.warn("unknown chunk", offset, || {
                        format!("unknown chunk {} is skipped", Quoted(&name))
                    });
                    &mut None
                }
            };
            if slot.replace(body).is_some() {
                let kind = ErrorKind::CountMismatch {
                    elements: "chunks of this name",
                    found: 2,
                    expected: 1,
                };
                return Err(cursor.error(offset, name, kind));
            }
            if is_last {
                break;
            }
        }
        let require = |slot: Option<Cursor<'a>>, what| {
            let missing = || cursor.error(end, "file", ErrorKind::Missing { what });
            slot.ok_or_else(missing)
        };
        Ok(Chunks {
            header: require(header, "the chunk \"Header\"")?,
            geometry: require(geometry, "the chunk \"Geometry\"")?,
            nodes: require(nodes, "the chunk \"Nodes\"")?,
            animation: require(animation, "the chunk \"Animation\"")?,
            dims,
            transform_info,
        })
    }

    fn header<'a>(&mut self, mut body: Cursor<'a>) -> Result<Cow<'a, str>, ParseError> {
        self.text(&mut body, "Header / file type")?;
        let command_string = self.text(&mut body, "Header / command string")?;
        self.warn_about_rest(&body, "Header");
        Ok(command_string)
    }

    fn transform_info(&mut self, mut body: Cursor<'_>) -> Result<TransformInfo, ParseError> {
        let flip_geometry = body.i32("TransformInfo / geometry")? != 0;
        let flip_animation = body.i32("TransformInfo / animation")? != 0;
        self.warn_about_rest(&body, "TransformInfo");
        Ok(TransformInfo {
            flip_geometry,
            flip_animation,
        })
    }

    /// Reads a string with its 16-bit length before it.
    fn text<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        context: impl Display,
    ) -> Result<Cow<'a, str>, ParseError> {
        let length: &U16 = cursor.record(format_args!("length of {context}"))?;
        let offset = cursor.offset();
        let bytes = cursor.take(length.get().into(), &context)?;
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(lossy) = &text {
            self.warnings.warn("text not UTF-8", offset, || {
                format!("{context} is not UTF-8, read as {}", Quoted(lossy))
            });
        }
        Ok(text)
    }

    /// Reads the corners of a bounding box. No other value depends on them.
    fn bounds(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: impl Display,
    ) -> Result<[[f32; 3]; 2], ParseError> {
        let offset = cursor.offset();
        let corners: &[[F32; 3]; 2] = cursor.record(&context)?;
        Ok(self.finite_vectors(*corners, offset, context))
    }

    /// Replaces non-finite numbers by 0, with a warning. Use it for vectors that no other value depends on.
    fn finite_vectors<const N: usize>(
        &mut self,
        vectors: [[F32; 3]; N],
        offset: u64,
        context: impl Display,
    ) -> [[f32; 3]; N] {
        let numbers = vectors.as_flattened().iter();
        if let Some((_, offset)) = numbers
            .zip((offset..).step_by(4))
            .find(|(value, _)| is_not_finite(value))
        {
            self.warnings.warn("vector not finite", offset, || {
                format!("{context} is not finite: 0 is used")
            });
        }
        vectors.map(|vector| vector.map(|value| finite_or_zero(value.get())))
    }

    fn warn_about_rest(&mut self, body: &Cursor<'_>, chunk: &str) {
        let length = body.remaining();
        if length > 0 {
            self.warnings.warn("rest", body.offset(), || {
                format!("{length} trailing bytes in {chunk} are ignored")
            });
        }
    }
}

fn is_not_finite(value: &F32) -> bool {
    !value.get().is_finite()
}

/// The body of the chunk whose name was just read, and whether it is the last chunk. The cursor moves to the next chunk.
fn next_body<'a>(
    cursor: &mut Cursor<'a>,
    name: &str,
    end: u64,
) -> Result<(Cursor<'a>, bool), ParseError> {
    let offset = cursor.offset();
    let context = format_args!("{} / offset of the next chunk", Quoted(name));
    let next = cursor.i32(context)?;
    let begin = cursor.offset();
    let length = match u64::try_from(next) {
        _ if next == LAST => cursor.remaining(),
        Ok(next) if (begin..end).contains(&next) => next.saturating_sub(begin),
        _ => {
            let kind = ErrorKind::BadOffset {
                value: next.into(),
                min: begin,
                max: end.saturating_sub(1),
            };
            return Err(cursor.error(offset, context, kind));
        }
    };
    let body = cursor.part(length, Quoted(name))?;
    Ok((body, next == LAST))
}
