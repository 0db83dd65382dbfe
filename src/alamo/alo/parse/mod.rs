//! Bytes to [`AloFile`].

mod connections;
mod mesh;
mod skeleton;
mod state;
mod tree;

use super::file::{AloFile, Light, Mesh};
use crate::alamo::chunk::{Chunk, Chunks};
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use connections::Connections;
use state::{Parser, Segment};

const SKELETON: u32 = 0x200;
const MESH: u32 = 0x400;
const CONNECTIONS: u32 = 0x600;
const LIGHT: u32 = 0x1300;

/// Parses a model. Nothing of the arrays is copied: the result borrows from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the fault, such as
/// `0x400 mesh 3 "Hull" / 0x10000 / 0x10007`.
pub fn parse(bytes: &[u8]) -> Result<AloFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Alo, bytes);
    check_magic(&cursor)?;
    let mut parser = Parser::default();
    let mut parts = Parts::default();
    let mut chunks = Chunks::new(cursor);
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) => parts.chunk(&mut parser, chunk)?,
            // The connections end every model known, so what does not fit after them is no loss.
            Err(_) if parts.connections.is_some() => {
                let Some(rest) = begin else { break };
                let message = format!("{} bytes after the end are ignored", rest.remaining());
                parser.warn("trailing", rest.offset(), message);
            }
            Err(error) => return Err(parser.within(error)),
        }
    }
    parts.finish(parser, bytes.len() as u64)
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
            context: "model".into(),
            kind: ErrorKind::Missing { what },
        };
        let bones = self.bones.take().ok_or(missing("a skeleton (0x200)"))?;
        let connections = self.connections.take();
        let connections = connections.ok_or(missing("connections (0x600)"))?;
        connections.check(&bones, self.objects.len())?;
        self.check_palettes(bones.len(), &parser.palettes)?;
        self.connect(&connections, &mut parser);
        Ok(AloFile {
            version: if connections.dazzles.is_empty() { 1 } else { 2 },
            bones,
            meshes: self.meshes,
            lights: self.lights,
            proxies: connections.proxies.into_iter().map(|at| at.value).collect(),
            dazzles: connections.dazzles.into_iter().map(|at| at.value).collect(),
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
                context: format!(
                    "0x400 mesh {number} {:?} / 0x10000 sub-mesh {part} / 0x10006 palette entry {entry}",
                    mesh.name
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
            let bone = Some(connection.value.bone);
            match self.objects.get(connection.value.object as usize) {
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
                let message = format!("{name:?} is connected to no bone: the root has it");
                parser.warn("unconnected", offset, message);
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
