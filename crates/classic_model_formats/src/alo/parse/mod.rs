//! Bytes to [`AloFile`].

mod connections;
mod mesh;
mod skeleton;
mod state;
mod tree;

use super::file::{AloFile, Light, Mesh};
use crate::chunk::{Chunk, Chunks};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted};
use crate::segments::{Segment, room};
use connections::{Connections, LEAST_LIGHT};
use mesh::LEAST_MESH;
use state::Parser;

const SKELETON: u32 = 0x200;
const MESH: u32 = 0x400;
const CONNECTIONS: u32 = 0x600;
const LIGHT: u32 = 0x1300;

/// Parses a model. Nothing of the arrays is copied: the result borrows from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the fault, such as
/// `0x400 mesh 3 "Hull" / 0x10000 sub-mesh 0 / 0x10007`.
pub fn parse(bytes: &[u8]) -> Result<AloFile<'_>, ParseError> {
    parse_with(bytes, Parser::default())
}

/// The same without a look at the numbers of vertices, for whoever reads them all anyway: nothing
/// warns of those that are not finite.
pub fn parse_without_numbers(bytes: &[u8]) -> Result<AloFile<'_>, ParseError> {
    let mut parser = Parser::default();
    parser.known.ignores_numbers = true;
    parse_with(bytes, parser)
}

fn parse_with(bytes: &[u8], mut parser: Parser) -> Result<AloFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Alo, bytes);
    check_magic(&cursor)?;
    let mut parts = Parts {
        meshes: room(&cursor, LEAST_MESH, |id| id == MESH),
        lights: room(&cursor, LEAST_LIGHT, |id| id == LIGHT),
        ..Default::default()
    };
    let mut chunks = Chunks::new(cursor);
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) => parts.chunk(&mut parser, chunk)?,
            Err(error) => match begin {
                Some(rest) if parts.connections.is_some() && !begins_part(&rest) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} bytes after the end are ignored")
                    });
                }
                _ => return Err(parser.within(error)),
            },
        }
    }
    parts.finish(parser, bytes.len() as u64)
}

/// Whether what follows would be a part of the model, had it not been cut off.
///
/// The connections end every model known, so anything else after them is no loss.
fn begins_part(rest: &Cursor<'_>) -> bool {
    let id = rest.clone().u32("");
    id.is_ok_and(|id| matches!(id, SKELETON | MESH | CONNECTIONS | LIGHT))
}

/// The top level of a file, as far as it is read.
#[derive(Default)]
struct Parts<'a> {
    bones: Option<Vec<super::file::Bone<'a>>>,
    meshes: Vec<Mesh<'a>>,
    lights: Vec<Light<'a>>,
    /// Meshes and lights in file order, which is how connections number them.
    objects: Vec<Object>,
    connections: Option<Connections<'a>>,
}

#[derive(Clone, Copy)]
enum Object {
    Mesh { offset: u64, index: usize },
    Light { offset: u64, index: usize },
}

impl<'a> Parts<'a> {
    fn chunk(&mut self, parser: &mut Parser, chunk: Chunk<'a>) -> Result<(), ParseError> {
        match chunk.id {
            SKELETON => {
                let bones = parser.enter(&chunk, Segment::Chunk(SKELETON), |parser| {
                    parser.skeleton(&chunk)
                })?;
                parser.once(&mut self.bones, bones, &chunk, "skeletons")
            }
            MESH => {
                let index = self.meshes.len();
                let offset = chunk.offset;
                let segment = Segment::element(MESH, "mesh", index);
                let mesh = parser.enter(&chunk, segment, |parser| parser.mesh(&chunk))?;
                self.meshes.push(mesh);
                self.objects.push(Object::Mesh { offset, index });
                Ok(())
            }
            LIGHT => {
                let index = self.lights.len();
                let offset = chunk.offset;
                let segment = Segment::element(LIGHT, "light", index);
                let light = parser.enter(&chunk, segment, |parser| parser.light(&chunk))?;
                self.lights.push(light);
                self.objects.push(Object::Light { offset, index });
                Ok(())
            }
            CONNECTIONS => {
                let segment = Segment::Chunk(CONNECTIONS);
                let connections =
                    parser.enter(&chunk, segment, |parser| parser.connections(&chunk))?;
                parser.once(&mut self.connections, connections, &chunk, "connections")
            }
            _ => parser.skip(&chunk),
        }
    }

    fn finish(mut self, mut parser: Parser, length: u64) -> Result<AloFile<'a>, ParseError> {
        let missing = |what| ParseError {
            format: Format::Alo,
            offset: length,
            position: None,
            context: "model".into(),
            kind: ErrorKind::Missing { what },
        };
        let bones = self.bones.take().ok_or(missing("a skeleton (0x200)"))?;
        let connections = self.connections.take();
        let connections = connections.ok_or(missing("connections (0x600)"))?;
        connections.check(&bones, self.objects.len())?;
        self.check_palettes(bones.len(), &parser.known.palettes)?;
        self.connect(&connections, &mut parser);
        Ok(AloFile {
            version: if connections.dazzles.values.is_empty() {
                1
            } else {
                2
            },
            bones,
            meshes: self.meshes,
            lights: self.lights,
            proxies: connections.proxies.values,
            dazzles: connections.dazzles.values,
            warnings: parser.into_warnings(),
        })
    }

    /// Palettes name bones, of which only now is known how many there are: the skeleton may come
    /// last.
    fn check_palettes(&self, bones: usize, offsets: &[u64]) -> Result<(), ParseError> {
        let submeshes = self.meshes.iter().enumerate().flat_map(|(number, mesh)| {
            let parts = mesh.submeshes.iter().enumerate();
            parts.map(move |(part, submesh)| (number, mesh, part, submesh))
        });
        for ((number, mesh, part, submesh), offset) in submeshes.zip(offsets) {
            let mut entries = submesh.palette.iter().enumerate();
            let Some((entry, bone)) = entries.find(|(_, bone)| bone.get() as usize >= bones) else {
                continue;
            };
            return Err(ParseError {
                format: Format::Alo,
                offset: offset + 4 * entry as u64,
                position: None,
                context: format!(
                    "0x400 mesh {number} {} / 0x10000 sub-mesh {part} / 0x10006 palette entry {entry}",
                    Quoted(&mesh.name)
                ),
                kind: ErrorKind::IndexOutOfRange {
                    element: "bone",
                    index: bone.get().into(),
                    count: bones as u64,
                },
            });
        }
        Ok(())
    }

    fn connect(&mut self, connections: &Connections<'a>, parser: &mut Parser) {
        for connection in &connections.objects {
            let bone = Some(connection.bone);
            match self.objects.get(connection.object as usize) {
                Some(Object::Mesh { index, .. }) => {
                    if let Some(mesh) = self.meshes.get_mut(*index) {
                        mesh.bone = bone;
                    }
                }
                Some(Object::Light { index, .. }) => {
                    if let Some(light) = self.lights.get_mut(*index) {
                        light.bone = bone;
                    }
                }
                None => {}
            }
        }
        for object in &self.objects {
            let (offset, unconnected, name) = match *object {
                Object::Mesh { offset, index } => match self.meshes.get(index) {
                    Some(mesh) => (offset, mesh.bone.is_none(), &mesh.name),
                    None => continue,
                },
                Object::Light { offset, index } => match self.lights.get(index) {
                    Some(light) => (offset, light.bone.is_none(), &light.name),
                    None => continue,
                },
            };
            if unconnected {
                parser.warn("unconnected", offset, |_| {
                    format!("{} is connected to no bone: the root has it", Quoted(name))
                });
            }
        }
    }
}

/// Refuses other files by name, above all particle systems, which share the extension.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    let mut start = cursor.clone();
    let id = start.u32("type of the first chunk")?;
    let looks_like = match id {
        // Some writers put the skeleton last.
        SKELETON | MESH | CONNECTIONS | LIGHT => return Ok(()),
        0x900 => "is an Alamo particle system (version 1), not a model".to_owned(),
        0x1500 => "is an Alamo particle system (version 2), not a model".to_owned(),
        0x1000 => "is an Alamo animation (ALA), not a model".to_owned(),
        _ => format!("begins with \"{}\"", id.to_le_bytes().escape_ascii()),
    };
    Err(cursor.error(0, "first chunk", ErrorKind::WrongMagic { looks_like }))
}

#[cfg(test)]
mod tests {
    use super::super::file::{Bone, Dazzle, Parameter, Proxy, Submesh};
    use super::*;
    use connections::{LEAST_DAZZLE, LEAST_OBJECT, LEAST_PROXY, ObjectConnection};
    use mesh::{LEAST_PARAMETER, LEAST_SUBMESH};
    use skeleton::LEAST_BONE;

    /// What is made of the fewest bytes that something can take in a file. Less than the promise on
    /// heap by so much that there is enough left for what is made of the plain values.
    #[test]
    fn plain_values_are_not_much_larger_than_their_bytes() {
        let offset = size_of::<u64>();
        for (name, size, least) in [
            ("bone", size_of::<Bone<'_>>(), LEAST_BONE),
            (
                "mesh",
                size_of::<Mesh<'_>>() + size_of::<Object>(),
                LEAST_MESH,
            ),
            (
                "light",
                size_of::<Light<'_>>() + size_of::<Object>(),
                LEAST_LIGHT,
            ),
            ("sub-mesh", size_of::<Submesh<'_>>() + offset, LEAST_SUBMESH),
            ("parameter", size_of::<Parameter<'_>>(), LEAST_PARAMETER),
            ("object", size_of::<ObjectConnection>(), LEAST_OBJECT),
            ("proxy", size_of::<Proxy<'_>>() + offset, LEAST_PROXY),
            ("dazzle", size_of::<Dazzle<'_>>() + offset, LEAST_DAZZLE),
        ] {
            let factor = size as f64 / least as f64;
            println!("{name}: {size} bytes in memory, {least} in the file: {factor:.2}");
            assert!(factor < 5.0, "{name}: {size} bytes of {least}");
        }
    }
}
