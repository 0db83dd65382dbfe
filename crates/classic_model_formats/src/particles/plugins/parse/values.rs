//! The values of parameters.

use super::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::particles::file::Key;
use crate::particles::plugins::table::{Parameter, ValueKind};
use crate::particles::plugins::value::{GROUP_SHAPES, PropertyGroup, Value, Vec4Key};
use crate::read::{Cursor, ErrorKind, ParseError};

/// In the value of a group that is a container, the chunk with the value.
const GROUP: u32 = 1;
/// Length of a group in bytes.
const GROUP_LENGTH: u64 = 4 + 25 * 4;

impl Parser {
    /// Reads the value of a parameter. A group may be in one more chunk.
    pub(super) fn value<'a>(
        &mut self,
        chunk: &Chunk<'a>,
        parameter: &'static Parameter,
    ) -> Result<Value<'a>, ParseError> {
        let segment = Segment::Value(parameter.name);
        if parameter.kind == ValueKind::Group && chunk.is_container {
            return self.enter(chunk, segment, |parser| {
                let mut group = None;
                for inner in chunk.children() {
                    let inner = inner.map_err(|error| parser.within(error))?;
                    if inner.id == GROUP {
                        let read = parser.data(&inner, Self::group)?;
                        parser.once(&mut group, read, &inner, "groups")?;
                    } else {
                        parser.skip(&inner)?;
                    }
                }
                parser.require(group, &chunk.body, "its group (0x1)")
            });
        }
        self.data_at(chunk, segment, |parser, body| {
            parser.value_of(body, parameter.kind)
        })
    }

    fn value_of<'a>(
        &mut self,
        body: &mut Cursor<'a>,
        kind: ValueKind,
    ) -> Result<Value<'a>, ParseError> {
        let length = match kind {
            ValueKind::Bool => Some(1),
            ValueKind::I32 | ValueKind::F32 => Some(4),
            ValueKind::Vec3 => Some(12),
            ValueKind::Vec4 | ValueKind::Color => Some(16),
            _ => None,
        };
        if let Some(length) = length {
            self.fixed_length(body, length)?;
        }
        Ok(match kind {
            ValueKind::Bool => Value::Bool(self.flag(body)?),
            ValueKind::I32 => Value::I32(body.i32(self.at(""))?),
            ValueKind::F32 => Value::F32(self.finite(body, "")?),
            ValueKind::Vec3 => Value::Vec3(self.finite_array(body, "")?),
            ValueKind::Vec4 => Value::Vec4(self.finite_array(body, "")?),
            ValueKind::Color => Value::Color(self.finite_array(body, "")?),
            ValueKind::Text => Value::Text(self.string(body)),
            ValueKind::Group => self.group(body)?,
            ValueKind::Keys => Value::Keys(self.list(body, 8, |parser, body, earlier| {
                let time = parser.time(body, earlier)?;
                let value = parser.finite(body, "value")?;
                Ok(Key { time, value })
            })?),
            ValueKind::ColorKeys => Value::ColorKeys(self.vec4_keys(body)?),
            ValueKind::Vec4Keys => Value::Vec4Keys(self.vec4_keys(body)?),
            ValueKind::Vec4List => Value::Vec4List(self.list(body, 16, |parser, body, _| {
                parser.finite_array(body, "item")
            })?),
        })
    }

    fn vec4_keys(&mut self, body: &mut Cursor<'_>) -> Result<Vec<Vec4Key>, ParseError> {
        self.list(body, 20, |parser, body, earlier| {
            let time = parser.time(body, earlier)?;
            let value = parser.finite_array(body, "value")?;
            Ok(Vec4Key { time, value })
        })
    }

    /// Reads a count and so many items of a size in bytes. `read` gets the time of the item before, and may change it.
    fn list<T>(
        &mut self,
        body: &mut Cursor<'_>,
        size: u64,
        read: impl Fn(&mut Self, &mut Cursor<'_>, &mut f32) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let offset = body.offset();
        let count = body.u32(self.at("count of items"))?;
        let (found, expected) = (body.remaining(), size.saturating_mul(count.into()));
        if found != expected {
            let kind = ErrorKind::CountMismatch {
                elements: "bytes of items",
                found,
                expected,
            };
            return Err(body.error(offset, self.at(""), kind));
        }
        if count == 0 {
            self.warn("empty list", offset, |parser| {
                format!("{} is empty: it has no effect", parser.at(""))
            });
        }
        // The bytes exist, so the count is limited by the file.
        let mut items = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
        let mut earlier = f32::NEG_INFINITY;
        for _ in 0..count {
            items.push(read(self, body, &mut earlier)?);
        }
        Ok(items)
    }

    /// Reads the time of a key, which must not be before that of the key before it.
    fn time(&self, body: &mut Cursor<'_>, earlier: &mut f32) -> Result<f32, ParseError> {
        let offset = body.offset();
        let time = self.finite(body, "time")?;
        if time < *earlier {
            return Err(body.error(offset, self.at("time"), ErrorKind::UnorderedTime));
        }
        *earlier = time;
        Ok(time)
    }

    fn group<'a>(&mut self, body: &mut Cursor<'a>) -> Result<Value<'a>, ParseError> {
        self.fixed_length(body, GROUP_LENGTH)?;
        let offset = body.offset();
        let shape = body.u32(self.at("shape"))?;
        if shape >= GROUP_SHAPES {
            let kind = ErrorKind::IndexOutOfRange {
                element: "shape",
                index: shape.into(),
                count: GROUP_SHAPES.into(),
            };
            return Err(body.error(offset, self.at(""), kind));
        }
        let group = PropertyGroup {
            shape,
            point: self.finite_array(body, "point")?,
            direction: self.finite_array(body, "direction")?,
            magnitude: self.finite_array(body, "magnitude")?,
            radius: self.finite_array(body, "radius")?,
            min: self.finite_array(body, "minimum")?,
            max: self.finite_array(body, "maximum")?,
            sphere_angle: self.finite_array(body, "angle of the sphere")?,
            sphere_radius: self.finite_array(body, "radius of the sphere")?,
            cylinder_radius: self.finite(body, "radius of the cylinder")?,
            cylinder_height: self.finite_array(body, "height of the cylinder")?,
            torus_radius: self.finite(body, "radius of the torus")?,
            tube_radius: self.finite(body, "radius of the tube")?,
        };
        Ok(Value::Group(Box::new(group)))
    }

    /// Reads a byte that is true if it is not 0.
    pub(super) fn flag(&self, body: &mut Cursor<'_>) -> Result<bool, ParseError> {
        let byte: &u8 = body.record(self.at(""))?;
        Ok(*byte != 0)
    }

    /// Reads numbers, which must be finite.
    pub(super) fn finite_array<const N: usize>(
        &self,
        body: &mut Cursor<'_>,
        field: &str,
    ) -> Result<[f32; N], ParseError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.finite(body, field)?;
        }
        Ok(values)
    }
}
