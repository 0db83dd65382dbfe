//! The distributions of an emitter, chunk 0x29: velocity, lifetime and position.

use super::state::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::particles::file::{Group, SHAPES};
use crate::read::{Cursor, ErrorKind, ParseError};

const GROUP: u32 = 0x1100;
const RECORD: u32 = 0x1101;
/// Length of a record in bytes.
const RECORD_LENGTH: u64 = 64;

/// Name of each group, and whether its values must be valid. No reader uses the group of lifetimes.
const GROUPS: [(&str, bool); 3] = [("velocity", true), ("lifetime", false), ("position", true)];

impl Parser {
    pub(super) fn groups(&mut self, container: &Chunk<'_>) -> Result<[Group; 3], ParseError> {
        let mut groups = [Group::default(); 3];
        let mut found = 0;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            if chunk.id != GROUP {
                self.skip(&chunk)?;
                continue;
            }
            if let (Some(slot), Some((name, is_used))) = (groups.get_mut(found), GROUPS.get(found))
            {
                let segment = Segment::element(GROUP, "group", found);
                let read = |parser: &mut Self| parser.group(&chunk, name, *is_used);
                *slot = self.enter(&chunk, segment, read)?;
            }
            found += 1;
        }
        let body = &container.body;
        self.check_declared_count(body, body.offset(), "groups", found, 3)?;
        Ok(groups)
    }

    fn group(
        &mut self,
        container: &Chunk<'_>,
        name: &'static str,
        is_used: bool,
    ) -> Result<Group, ParseError> {
        let mut group = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            if chunk.id == RECORD {
                let read = self.data(&chunk, |parser, body| parser.record(body, name, is_used))?;
                self.once(&mut group, read, &chunk, "records")?;
            } else {
                self.skip(&chunk)?;
            }
        }
        self.require(group, &container.body, "its record (0x1101)")
    }

    fn record(
        &mut self,
        body: &mut Cursor<'_>,
        name: &'static str,
        is_used: bool,
    ) -> Result<Group, ParseError> {
        self.fixed_length(body, RECORD_LENGTH)?;
        let begin = body.offset();
        let shape = body.u32(self.at(name))?;
        if is_used && shape >= SHAPES {
            let kind = ErrorKind::IndexOutOfRange {
                element: "shape",
                index: shape.into(),
                count: SHAPES.into(),
            };
            return Err(body.error(begin, self.at(name), kind));
        }
        let number = |parser: &Self, body: &mut Cursor<'_>| {
            if is_used {
                parser.finite(body, name)
            } else {
                body.f32(parser.at(name))
            }
        };
        let vector = |parser: &Self, body: &mut Cursor<'_>| {
            let mut vector = [0.0; 3];
            for axis in &mut vector {
                *axis = number(parser, body)?;
            }
            Ok::<_, ParseError>(vector)
        };
        let group = Group {
            shape,
            min: vector(self, body)?,
            max: vector(self, body)?,
            side: number(self, body)?,
            sphere_radius: number(self, body)?,
            sphere_surface: body.u32(self.at(name))?,
            cylinder_radius: number(self, body)?,
            cylinder_surface: body.u32(self.at(name))?,
            cylinder_height: number(self, body)?,
            value: vector(self, body)?,
        };
        let is_reversed = group.min.iter().zip(group.max).any(|(min, max)| *min > max);
        if is_used && shape == 1 && is_reversed {
            self.warn("reversed box", begin + 4, |parser| {
                let path = parser.at(name);
                format!(
                    "the box of {path} has a minimum greater than its maximum: they are swapped"
                )
            });
        }
        Ok(group)
    }
}
