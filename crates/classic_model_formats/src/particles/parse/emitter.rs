//! One emitter, chunk 0x700.

use super::state::{Link, Parser};
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::particles::file::{Emitter, SpawnEvent};
use crate::read::ParseError;

const TRACKS: u32 = 1;
const PROPERTIES: u32 = 2;
const COLOR_TEXTURE: u32 = 3;
const NAME: u32 = 0x16;
const GROUPS: u32 = 0x29;
const LINKS: u32 = 0x36;
const SECONDARY_TEXTURE: u32 = 0x45;
const LINK_GROUP: u32 = 0x100;

/// The mini-chunks of [`LINKS`].
const ON_DEATH: u8 = 0x37;
const DURING_LIFE: u8 = 0x39;

impl Parser {
    /// Reads an emitter and appends it. Emitters are large: building them in place avoids copies.
    pub(super) fn emitter<'a>(
        &mut self,
        container: &Chunk<'a>,
        emitters: &mut Vec<Emitter<'a>>,
    ) -> Result<(), ParseError> {
        let index = u32::try_from(emitters.len()).unwrap_or(u32::MAX);
        self.name_emitter(container);
        let (mut properties, mut color_texture, mut name, mut groups) = (None, None, None, None);
        let (mut tracks, mut links, mut secondary_texture) = (None, None, None);
        let mut link_group = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                PROPERTIES => {
                    let read = self.data(&chunk, |parser, _| parser.properties(&chunk, index))?;
                    self.once(&mut properties, read, &chunk, "properties")?;
                }
                COLOR_TEXTURE => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut color_texture, read, &chunk, "color textures")?;
                }
                NAME => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut name, read, &chunk, "names")?;
                }
                GROUPS => {
                    let read = self.enter(&chunk, Segment::Chunk(GROUPS), |parser| {
                        parser.groups(&chunk)
                    })?;
                    self.once(&mut groups, read, &chunk, "lists of groups")?;
                }
                TRACKS => {
                    let read = self.enter(&chunk, Segment::Chunk(TRACKS), |parser| {
                        parser.tracks(&chunk)
                    })?;
                    self.once(&mut tracks, read, &chunk, "lists of tracks")?;
                }
                LINKS => {
                    self.data(&chunk, |parser, _| parser.links(&chunk, index))?;
                    self.once(&mut links, (), &chunk, "lists of spawned emitters")?;
                }
                SECONDARY_TEXTURE => {
                    let read = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut secondary_texture, read, &chunk, "secondary textures")?;
                }
                LINK_GROUP => {
                    let read = self.data(&chunk, |parser, body| {
                        parser.fixed_length(body, 4)?;
                        body.u32(parser.at(""))
                    })?;
                    self.once(&mut link_group, read, &chunk, "link groups")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        let (properties, property_order) =
            self.require(properties, body, "its properties (0x2)")?;
        let color_texture = self.require(color_texture, body, "its color texture (0x3)")?;
        let [velocity, lifetime, position] = self.require(groups, body, "its groups (0x29)")?;
        let tracks = self.require(tracks, body, "its tracks (0x1)")?;
        emitters.push(Emitter {
            name: name.unwrap_or_default(),
            color_texture,
            secondary_texture,
            properties,
            property_order,
            velocity,
            lifetime,
            position,
            tracks,
            spawn_on_death: None,
            spawn_during_life: None,
            parent: None,
            link_group,
        });
        Ok(())
    }

    /// Adds the emitter's name to the path of error messages. The name follows chunks that may have errors.
    fn name_emitter(&mut self, container: &Chunk<'_>) {
        let mut chunks = container.children().map_while(Result::ok);
        if let Some(chunk) = chunks.find(|chunk| chunk.id == NAME) {
            let bytes = chunk.body.clone().remainder();
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            self.name_element(&String::from_utf8_lossy(text));
        }
    }

    /// Reads the indices of spawned emitters into the parser's state. They are checked when all emitters are known.
    fn links(&mut self, chunk: &Chunk<'_>, emitter: u32) -> Result<(), ParseError> {
        let (mut on_death, mut during_life) = (None, None);
        let mut offsets = [chunk.offset; 2];
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            let (slot, offset) = match mini.id {
                ON_DEATH => (&mut on_death, &mut offsets[0]),
                DURING_LIFE => (&mut during_life, &mut offsets[1]),
                _ => {
                    self.skip_mini(&mini);
                    continue;
                }
            };
            let mut body = self.fixed_mini(&mini, 4)?;
            *offset = body.offset();
            let child = body.i32(self.at("spawned emitter"))?;
            self.replace(slot, child, &mini);
        }
        let events = [SpawnEvent::Death, SpawnEvent::Life];
        for ((child, event), offset) in [on_death, during_life].into_iter().zip(events).zip(offsets)
        {
            // −1 is none.
            if let Some(child) = child.filter(|child| *child != -1) {
                self.state.push(Link {
                    emitter,
                    event,
                    child,
                    offset,
                });
            }
        }
        Ok(())
    }
}
