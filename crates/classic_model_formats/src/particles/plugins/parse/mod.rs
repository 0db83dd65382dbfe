//! The parser of particle systems made of plug-ins: bytes to [`PluginFile`].

mod links;
mod plugin;
mod values;

use super::file::{LightField, Plugin, PluginEmitter, PluginFile};
use super::value::Role;
use crate::chunk::Chunk;
use crate::chunk_parser::{self, Segment, root_chunk, vec_for_chunks};
use crate::read::{Cursor, Format, ParseError};
use std::borrow::Cow;

const SYSTEM: u32 = 0x1500;
const NAME: u32 = 0;
const UNKNOWN_1: u32 = 1;
const UNKNOWN_2: u32 = 2;
const LIGHT_FIELD: u32 = 3;
const EMITTERS: u32 = 0x1520;
const EMITTER: u32 = 0x1540;

/// The chunks of an emitter after its name.
const CREATOR: u32 = 1;
const TRANSLATOR: u32 = 2;
const KILLER: u32 = 3;
const RENDERER: u32 = 4;
const MODIFIER: u32 = 5;

/// Minimum size of a plug-in in the file, in bytes: without parameters.
const MIN_PLUGIN_SIZE: u64 = 8 + (8 + 4) + 8 + 8;
/// Minimum size of an emitter in the file, in bytes: with an empty name, and without modifiers.
const MIN_EMITTER_SIZE: u64 = 8 + 4 * MIN_PLUGIN_SIZE;

/// The parser: the current path of chunks, the warnings, and the file offset of each emitter's creator.
type Parser = chunk_parser::Parser<Vec<u64>>;

/// Whether a file with these first bytes is a particle system made of plug-ins. Models have the same extension.
pub fn is_plugin_system(bytes: &[u8]) -> bool {
    bytes.starts_with(&SYSTEM.to_le_bytes())
}

/// Parses a particle system made of plug-ins.
///
/// Plug-ins that the evaluation does not know fully are listed in the warnings: see [`PluginKind::limit`].
///
/// [`PluginKind::limit`]: super::PluginKind::limit
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the error, such as
/// `0x1500 / 0x1520 / 0x1540 emitter 2 "Sparks" / 0x3 killer "age" / 0x1 / 0x0 / lifetime`.
pub fn parse(bytes: &[u8]) -> Result<PluginFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Particles, bytes);
    if cursor.clone().u32("type of the first chunk")? != SYSTEM {
        return Err(cursor.unrecognized("first chunk"));
    }
    let mut parser = Parser::default();
    let system = root_chunk(
        &mut parser,
        &cursor,
        (SYSTEM, "a particle system (0x1500)"),
        Parser::system,
    )?;
    Ok(PluginFile {
        warnings: parser.into_warnings(),
        ..system
    })
}

impl Parser {
    fn system<'a>(&mut self, container: &Chunk<'a>) -> Result<PluginFile<'a>, ParseError> {
        let (mut name, mut unknown_1, mut unknown_2) = (None, None, None);
        let (mut emitters, mut light_field) = (None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                NAME => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut name, read, &chunk, "names")?;
                }
                UNKNOWN_1 | UNKNOWN_2 => {
                    let read = self.data(&chunk, |_, body| Ok(Cow::from(body.remainder())))?;
                    let slot = match chunk.id {
                        UNKNOWN_1 => &mut unknown_1,
                        _ => &mut unknown_2,
                    };
                    self.once(slot, read, &chunk, "chunks")?;
                }
                LIGHT_FIELD => {
                    let read = self.data(&chunk, Self::light_field)?;
                    self.once(&mut light_field, read, &chunk, "lights")?;
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
        let emitters = self.require(emitters, &container.body, "its emitters (0x1520)")?;
        self.check_links(&emitters);
        Ok(PluginFile {
            name: name.unwrap_or_default(),
            unknown_1,
            unknown_2,
            emitters,
            light_field,
            warnings: Vec::new(),
        })
    }

    fn emitters<'a>(
        &mut self,
        container: &Chunk<'a>,
    ) -> Result<Vec<PluginEmitter<'a>>, ParseError> {
        let mut emitters = vec_for_chunks(&container.body, MIN_EMITTER_SIZE, |id| id == EMITTER);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            if chunk.id == EMITTER {
                let segment = Segment::element(EMITTER, "emitter", emitters.len());
                let read = self.enter(&chunk, segment, |parser| parser.emitter(&chunk))?;
                emitters.push(read);
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

    fn emitter<'a>(&mut self, container: &Chunk<'a>) -> Result<PluginEmitter<'a>, ParseError> {
        let (mut name, mut creator, mut translator) = (None, None, None);
        let (mut killer, mut renderer) = (None, None);
        let body = &container.body;
        let mut modifiers = vec_for_chunks(body, MIN_PLUGIN_SIZE, |id| id == MODIFIER);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                NAME => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.name_element(&read);
                    self.once(&mut name, read, &chunk, "names")?;
                }
                CREATOR => {
                    self.state.push(chunk.offset);
                    self.only(&mut creator, &chunk, Role::Creator)?;
                }
                TRANSLATOR => self.only(&mut translator, &chunk, Role::Translator)?,
                KILLER => self.only(&mut killer, &chunk, Role::Killer)?,
                RENDERER => self.only(&mut renderer, &chunk, Role::Renderer)?,
                MODIFIER => modifiers.push(self.plugin(&chunk, Role::Modifier)?),
                _ => self.skip(&chunk)?,
            }
        }
        Ok(PluginEmitter {
            name: name.unwrap_or_default(),
            creator: self.require(creator, body, "its creator (0x1)")?,
            translator: self.require(translator, body, "its translator (0x2)")?,
            killer: self.require(killer, body, "its killer (0x3)")?,
            renderer: self.require(renderer, body, "its renderer (0x4)")?,
            modifiers,
        })
    }

    /// Reads a plug-in of which an emitter has one.
    fn only<'a>(
        &mut self,
        slot: &mut Option<Plugin<'a>>,
        chunk: &Chunk<'a>,
        role: Role,
    ) -> Result<(), ParseError> {
        let read = self.plugin(chunk, role)?;
        self.once(slot, read, chunk, "plug-ins")
    }

    fn light_field(&mut self, body: &mut Cursor<'_>) -> Result<LightField, ParseError> {
        self.fixed_length(body, 62)?;
        Ok(LightField {
            position: self.finite_array(body, "position")?,
            width: self.finite(body, "width")?,
            length: self.finite(body, "length")?,
            height: self.finite(body, "height")?,
            diffuse: self.finite_array(body, "diffuse")?,
            intensity: self.finite(body, "intensity")?,
            affected_by_global_intensity: self.flag(body)?,
            intensity_noise_scale: self.finite(body, "intensity noise scale")?,
            intensity_noise_time_scale: self.finite(body, "intensity noise time scale")?,
            fades_by_time: self.flag(body)?,
            auto_destruct_time: self.finite(body, "auto destruct time")?,
            auto_destruct_fade_time: self.finite(body, "auto destruct fade time")?,
            particles: body.u32(self.at("particles"))?,
        })
    }
}
