//! The particle system parser: bytes to [`ParticleFile`].

mod emitter;
mod groups;
mod links;
mod properties;
mod state;
mod tracks;

use super::file::{Emitter, ParticleFile};
use crate::chunk::Chunk;
use crate::chunk_parser::{Segment, root_chunk, vec_for_chunks};
use crate::read::{Cursor, Format, ParseError};
use state::Parser;

const SYSTEM: u32 = 0x900;
const NAME: u32 = 0;
const ID: u32 = 1;
const LEAVE_PARTICLES: u32 = 2;
const EMITTERS: u32 = 0x800;
const EMITTER: u32 = 0x700;

/// Minimum size of an emitter in the file, in bytes: without properties, texture name and keys.
const MIN_EMITTER_SIZE: u64 =
    8 + 8 + 8 + (8 + 3 * (8 + 8 + 64)) + (8 + 14 * 8 + 4 * (3 + 3 + 6) + 3 * (6 + 6 + 6));

/// Whether a file with these first bytes is a particle system of version 1. Models have the same extension.
pub fn is_particle_system(bytes: &[u8]) -> bool {
    bytes.starts_with(&SYSTEM.to_le_bytes())
}

/// Parses a particle system.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the error, such as
/// `0x900 / 0x800 / 0x700 emitter 2 "Sparks" / 0x2 lifetime`.
pub fn parse(bytes: &[u8]) -> Result<ParticleFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Particles, bytes);
    check_magic(&cursor)?;
    let mut parser = Parser::default();
    let system = root_chunk(
        &mut parser,
        &cursor,
        (SYSTEM, "a particle system (0x900)"),
        Parser::system,
    )?;
    Ok(ParticleFile {
        warnings: parser.into_warnings(),
        ..system
    })
}

/// Checks the type of the first chunk. The error names known other formats.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    match cursor.clone().u32("type of the first chunk")? {
        SYSTEM => Ok(()),
        _ => Err(cursor.unrecognized("first chunk")),
    }
}

impl Parser {
    fn system<'a>(&mut self, container: &Chunk<'a>) -> Result<ParticleFile<'a>, ParseError> {
        let (mut name, mut id, mut leave_particles, mut emitters) = (None, None, None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                NAME => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut name, read, &chunk, "names")?;
                }
                ID => {
                    let read = self.data(&chunk, |parser, body| {
                        parser.fixed_length(body, 4)?;
                        body.u32(parser.at(""))
                    })?;
                    self.once(&mut id, read, &chunk, "identifiers")?;
                }
                LEAVE_PARTICLES => {
                    let read = self.data(&chunk, |parser, body| {
                        parser.fixed_length(body, 1)?;
                        let byte: &u8 = body.record(parser.at(""))?;
                        Ok(*byte != 0)
                    })?;
                    self.once(&mut leave_particles, read, &chunk, "flags")?;
                }
                EMITTERS => {
                    let read = self.enter(&chunk, Segment::Chunk(EMITTERS), |parser| {
                        parser.emitters(&chunk)
                    })?;
                    self.once(&mut emitters, read, &chunk, "lists of emitters")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let mut emitters = self.require(emitters, &container.body, "its emitters (0x800)")?;
        links::resolve(self, &mut emitters);
        Ok(ParticleFile {
            name: name.unwrap_or_default(),
            id: id.unwrap_or_default(),
            leave_particles: leave_particles.unwrap_or(true),
            emitters,
            warnings: Vec::new(),
        })
    }

    fn emitters<'a>(&mut self, container: &Chunk<'a>) -> Result<Vec<Emitter<'a>>, ParseError> {
        let mut emitters = vec_for_chunks(&container.body, MIN_EMITTER_SIZE, |id| id == EMITTER);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            if chunk.id == EMITTER {
                let segment = Segment::element(EMITTER, "emitter", emitters.len());
                let read = |parser: &mut Self| parser.emitter(&chunk, &mut emitters);
                self.enter(&chunk, segment, read)?;
            } else {
                self.skip(&chunk)?;
            }
        }
        if emitters.is_empty() {
            self.warn("no emitters", container.offset, |_| {
                "the particle system has no emitters".to_owned()
            });
        }
        Ok(emitters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use state::Link;

    /// Loading may take 16 times the heap of its file. This limit leaves most of that for the values that are converted
    /// from the parsed ones.
    #[test]
    fn parsed_emitters_take_less_than_5_times_their_file_size() {
        let keys = 7 * 2 * size_of::<crate::particles::file::Key>();
        let links = 2 * size_of::<Link>() + size_of::<u32>();
        let size = size_of::<Emitter<'_>>() + keys + links;
        let factor = size as f64 / MIN_EMITTER_SIZE as f64;
        assert!(
            factor < 5.0,
            "{size} bytes in memory for {MIN_EMITTER_SIZE} bytes in the file"
        );
    }
}
