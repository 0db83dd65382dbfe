//! The distributions of an emitter, chunk 0x29: velocity, lifetime and position.

use super::state::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::particles::file::{Group, SHAPES};
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

const GROUP: u32 = 0x1100;
const GROUP_RECORD: u32 = 0x1101;
/// Length of a record in bytes.
const RECORD_LENGTH: u64 = 64;

/// The record of a group.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Record {
    shape: U32,
    min: [F32; 3],
    max: [F32; 3],
    side: F32,
    sphere_radius: F32,
    sphere_surface: U32,
    cylinder_radius: F32,
    cylinder_surface: U32,
    cylinder_height: F32,
    value: [F32; 3],
}

const _: () = assert!(size_of::<Record>() as u64 == RECORD_LENGTH);

impl Record {
    /// The offset of the first number that is not finite, in bytes.
    fn first_not_finite(&self) -> Option<u64> {
        let words: &[F32; 16] = zerocopy::transmute_ref!(self);
        let is_integer = |index| matches!(index, 0 | 9 | 11);
        let mut words = (0..).zip(words);
        let found = words.find(|(index, word)| !word.get().is_finite() && !is_integer(*index));
        found.map(|(index, _)| 4 * index)
    }

    fn group(&self) -> Group {
        Group {
            shape: self.shape.get(),
            min: self.min.map(F32::get),
            max: self.max.map(F32::get),
            side: self.side.get(),
            sphere_radius: self.sphere_radius.get(),
            sphere_surface: self.sphere_surface.get(),
            cylinder_radius: self.cylinder_radius.get(),
            cylinder_surface: self.cylinder_surface.get(),
            cylinder_height: self.cylinder_height.get(),
            value: self.value.map(F32::get),
        }
    }
}

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
            if chunk.id == GROUP_RECORD {
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
        let record: &Record = body.record(self.at(name))?;
        let shape = record.shape.get();
        if is_used {
            if shape >= SHAPES {
                let kind = ErrorKind::IndexOutOfRange {
                    element: "shape",
                    index: shape.into(),
                    count: SHAPES.into(),
                };
                return Err(body.error(begin, self.at(name), kind));
            }
            if let Some(offset) = record.first_not_finite() {
                return Err(body.error(begin + offset, self.at(name), ErrorKind::NotFinite));
            }
        }
        let group = record.group();
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
