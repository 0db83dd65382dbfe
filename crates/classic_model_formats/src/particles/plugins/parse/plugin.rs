//! One plug-in: its identifier (chunk 0), and its parameters (chunk 0 in chunk 1) as pairs of identifier and value.

use super::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::Segment;
use crate::particles::plugins::file::Plugin;
use crate::particles::plugins::table::PluginKind;
use crate::particles::plugins::value::Role;
use crate::read::{ErrorKind, ParseError};

const ID: u32 = 0;
const PARAMETERS: u32 = 1;
/// In [`PARAMETERS`], the container of all pairs.
const PAIRS: u32 = 0;
/// In a pair, the identifier and the value.
const PARAMETER: u32 = 0;
const VALUE: u32 = 1;

/// Minimum size of a parameter in the file, in bytes.
const MIN_PARAMETER_SIZE: u64 = (8 + 4) + (8 + 1);

impl Role {
    fn noun(self) -> &'static str {
        match self {
            Self::Creator => "creator",
            Self::Translator => "translator",
            Self::Killer => "killer",
            Self::Renderer => "renderer",
            Self::Modifier => "modifier",
        }
    }
}

impl Parser {
    /// Reads a plug-in, which must have a role.
    pub(super) fn plugin<'a>(
        &mut self,
        container: &Chunk<'a>,
        role: Role,
    ) -> Result<Plugin<'a>, ParseError> {
        let segment = Segment::Plugin {
            id: container.id,
            role: role.noun(),
            name: "",
        };
        self.enter(container, segment, |parser| {
            parser.plugin_parts(container, role)
        })
    }

    fn plugin_parts<'a>(
        &mut self,
        container: &Chunk<'a>,
        role: Role,
    ) -> Result<Plugin<'a>, ParseError> {
        let mut found = None;
        let mut parameters = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                ID => {
                    let read = self.data(&chunk, |parser, body| {
                        parser.fixed_length(body, 4)?;
                        body.u32(parser.at("identifier"))
                    })?;
                    self.once(
                        &mut found,
                        (read, chunk.body.offset()),
                        &chunk,
                        "identifiers",
                    )?;
                }
                PARAMETERS => self.once(&mut parameters, chunk.clone(), &chunk, "lists")?,
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        let (id, offset) = self.require(found, body, "its identifier (0x0)")?;
        let parameters = self.require(parameters, body, "its parameters (0x1)")?;
        let mut plugin = Plugin::new(id);
        let Some(kind) = PluginKind::of_id(id) else {
            self.warn("unknown plug-in", offset, |parser| {
                let path = parser.at("");
                format!("{path} is plug-in {id}, which is unknown: it has no effect")
            });
            let nesting = parameters.check_nesting(self.depth());
            nesting.map_err(|error| self.within(error))?;
            return Ok(plugin);
        };
        if kind.role != role {
            let kind = ErrorKind::Unsupported {
                value: id.into(),
                hint: " (a plug-in of another role)",
            };
            return Err(container.body.error(offset, self.at("identifier"), kind));
        }
        self.name_plugin(kind.name);
        if let Some(limit) = kind.limit {
            self.warn(kind.name, offset, |parser| {
                format!("{} {limit}", parser.at(""))
            });
        }
        self.enter(&parameters, Segment::Chunk(PARAMETERS), |parser| {
            let mut pairs = None;
            for chunk in parameters.children() {
                let chunk = chunk.map_err(|error| parser.within(error))?;
                if chunk.id == PAIRS {
                    parser.once(&mut pairs, (), &chunk, "lists of parameters")?;
                    // Data without any bytes is an empty list, too.
                    if chunk.is_container || chunk.body.remaining() > 0 {
                        parser.enter(&chunk, Segment::Chunk(PAIRS), |parser| {
                            parser.pairs(&chunk, kind, &mut plugin)
                        })?;
                    }
                } else {
                    parser.skip(&chunk)?;
                }
            }
            parser.require(pairs, &parameters.body, "its list of parameters (0x0)")
        })?;
        Ok(plugin)
    }

    fn pairs<'a>(
        &mut self,
        container: &Chunk<'a>,
        kind: &'static PluginKind,
        plugin: &mut Plugin<'a>,
    ) -> Result<(), ParseError> {
        let max = container.body.remaining() / MIN_PARAMETER_SIZE;
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        plugin.parameters = Vec::with_capacity(max.min(kind.parameters().count()));
        let mut id = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match (chunk.id, id) {
                (PARAMETER, None) => {
                    let read = self.data(&chunk, |parser, body| {
                        parser.fixed_length(body, 4)?;
                        body.u32(parser.at("identifier"))
                    })?;
                    id = Some((read, chunk.body.offset()));
                }
                (VALUE, Some((read, offset))) => {
                    id = None;
                    self.parameter(&chunk, kind, (read, offset), plugin)?;
                }
                (PARAMETER, Some(_)) => {
                    return Err(self.incomplete(&chunk, "a value (0x1) before the next identifier"));
                }
                (VALUE, None) => {
                    return Err(self.incomplete(&chunk, "an identifier (0x0) before its value"));
                }
                _ => self.skip(&chunk)?,
            }
        }
        match id {
            None => Ok(()),
            Some((_, offset)) => {
                let what = "a value (0x1) after its last identifier";
                let kind = ErrorKind::Missing { what };
                Err(container.body.error(offset, self.at(""), kind))
            }
        }
    }

    fn incomplete(&self, chunk: &Chunk<'_>, what: &'static str) -> ParseError {
        let kind = ErrorKind::Missing { what };
        chunk.body.error(chunk.offset, self.at(""), kind)
    }

    fn parameter<'a>(
        &mut self,
        chunk: &Chunk<'a>,
        kind: &'static PluginKind,
        (id, offset): (u32, u64),
        plugin: &mut Plugin<'a>,
    ) -> Result<(), ParseError> {
        let Some(parameter) = kind.parameter(id) else {
            let nesting = chunk.check_nesting(self.depth());
            nesting.map_err(|error| self.within(error))?;
            self.warn("unknown parameter", offset, |parser| {
                let path = parser.at("");
                format!("unknown parameter {id} of {path} is skipped")
            });
            return Ok(());
        };
        let value = self.value(chunk, parameter)?;
        if plugin.value(id).is_some_and(|earlier| *earlier != value) {
            self.warn("repeated parameter", offset, |parser| {
                let path = parser.at(parameter.name);
                format!("{path} is repeated with another value: the last one is used")
            });
        }
        plugin.put(id, value);
        Ok(())
    }
}
