//! The `.alo` parser: bytes to [`AloFile`].

mod connections;
mod mesh;
mod skeleton;
mod state;
mod tree;

use super::file::{AloFile, Light, Mesh};
use crate::chunk::{Chunk, Chunks};
use crate::chunk_parser::{Segment, vec_for_chunks};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted};
use connections::{Connections, MIN_LIGHT_SIZE};
use mesh::MIN_MESH_SIZE;
use state::Parser;

const SKELETON: u32 = 0x200;
const MESH: u32 = 0x400;
const CONNECTIONS: u32 = 0x600;
const LIGHT: u32 = 0x1300;

/// Parses a model. Arrays are not copied: the result borrows them from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the error, such as
/// `0x400 mesh 3 "Hull" / 0x10000 sub-mesh 0 / 0x10007`.
pub fn parse(bytes: &[u8]) -> Result<AloFile<'_>, ParseError> {
    parse_with(bytes, Parser::default())
}

/// Parses a model like [`parse`], but does not warn about vertices with non-finite numbers.
///
/// This saves a pass over the vertices, for callers that check the numbers while they convert them.
///
/// # Errors
/// As [`parse`].
pub fn parse_without_vertex_warnings(bytes: &[u8]) -> Result<AloFile<'_>, ParseError> {
    let mut parser = Parser::default();
    parser.state.skips_vertex_warnings = true;
    parse_with(bytes, parser)
}

fn parse_with(bytes: &[u8], mut parser: Parser) -> Result<AloFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Alo, bytes);
    check_magic(&cursor)?;
    let mut parts = ModelParts {
        meshes: vec_for_chunks(&cursor, MIN_MESH_SIZE, |id| id == MESH),
        lights: vec_for_chunks(&cursor, MIN_LIGHT_SIZE, |id| id == LIGHT),
        ..Default::default()
    };
    let mut chunks = Chunks::new(cursor);
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) => parts.chunk(&mut parser, chunk)?,
            Err(error) => match begin {
                Some(rest) if parts.connections.is_some() && !starts_with_model_chunk(&rest) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} trailing bytes are ignored")
                    });
                }
                _ => return Err(parser.within(error)),
            },
        }
    }
    parts.finish(parser, bytes.len() as u64)
}

/// Whether a chunk that cannot be read has the type of a known top-level chunk, so that the file is truncated.
///
/// Connections are the last chunk of all known models. Anything else after them is trailing data.
fn starts_with_model_chunk(rest: &Cursor<'_>) -> bool {
    let id = rest.clone().u32("");
    id.is_ok_and(|id| matches!(id, SKELETON | MESH | CONNECTIONS | LIGHT))
}

/// The top-level chunks of a file that have been read.
#[derive(Default)]
struct ModelParts<'a> {
    bones: Option<Vec<super::file::Bone<'a>>>,
    meshes: Vec<Mesh<'a>>,
    lights: Vec<Light<'a>>,
    /// Meshes and lights in file order. Connections use indices into this list.
    objects: Vec<Object>,
    connections: Option<Connections<'a>>,
}

/// A mesh or a light, by its index in the list of its kind.
#[derive(Clone, Copy)]
enum Object {
    Mesh { offset: u64, index: usize },
    Light { offset: u64, index: usize },
}

impl<'a> ModelParts<'a> {
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
        self.check_palettes(bones.len(), &parser.state.palette_offsets)?;
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

    /// Checks the bone indices of palettes at the end, because the skeleton can be the last chunk.
    fn check_palettes(&self, bone_count: usize, offsets: &[u64]) -> Result<(), ParseError> {
        let submeshes = self.meshes.iter().enumerate().flat_map(|(index, mesh)| {
            let submeshes = mesh.submeshes.iter().enumerate();
            submeshes.map(move |(submesh_index, submesh)| (index, mesh, submesh_index, submesh))
        });
        for ((index, mesh, submesh_index, submesh), offset) in submeshes.zip(offsets) {
            let mut entries = submesh.palette.iter().enumerate();
            let Some((entry, bone)) = entries.find(|(_, bone)| bone.get() as usize >= bone_count)
            else {
                continue;
            };
            return Err(ParseError {
                format: Format::Alo,
                offset: offset + 4 * entry as u64,
                position: None,
                context: format!(
                    "0x400 mesh {index} {} / 0x10000 sub-mesh {submesh_index} / 0x10006 palette entry {entry}",
                    Quoted(&mesh.name)
                ),
                kind: ErrorKind::IndexOutOfRange {
                    element: "bone",
                    index: bone.get().into(),
                    count: bone_count as u64,
                },
            });
        }
        Ok(())
    }

    /// Sets the bones of meshes and lights. Warns about those that have no connection.
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
            let (offset, bone, kind, name) = match *object {
                Object::Mesh { offset, index } => match self.meshes.get(index) {
                    Some(mesh) => (offset, mesh.bone, "mesh", &mesh.name),
                    None => continue,
                },
                Object::Light { offset, index } => match self.lights.get(index) {
                    Some(light) => (offset, light.bone, "light", &light.name),
                    None => continue,
                },
            };
            if bone.is_none() {
                parser.warn("unconnected", offset, |_| {
                    let name = Quoted(name);
                    format!("{kind} {name} is not connected to a bone: bone 0 is used")
                });
            }
        }
    }
}

/// Checks the type of the first chunk. The error names known other formats, such as particle systems, which have the
/// same file extension.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    match cursor.clone().u32("type of the first chunk")? {
        // Not always the skeleton: some writers put it last.
        SKELETON | MESH | CONNECTIONS | LIGHT => Ok(()),
        _ => Err(cursor.unrecognized("first chunk")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::{Bone, Dazzle, Parameter, Proxy, Submesh};
    use super::*;
    use connections::{MIN_DAZZLE_SIZE, MIN_OBJECT_SIZE, MIN_PROXY_SIZE, ObjectConnection};
    use mesh::{MIN_PARAMETER_SIZE, MIN_SUBMESH_SIZE};
    use skeleton::MIN_BONE_SIZE;

    /// Loading a model may take 16 times the heap of its file. This limit leaves enough of that for the values that
    /// are converted from the parsed ones.
    #[test]
    fn parsed_values_take_less_than_5_times_their_file_size() {
        let offset = size_of::<u64>();
        for (name, size, min_file_size) in [
            ("bone", size_of::<Bone<'_>>(), MIN_BONE_SIZE),
            (
                "mesh",
                size_of::<Mesh<'_>>() + size_of::<Object>(),
                MIN_MESH_SIZE,
            ),
            (
                "light",
                size_of::<Light<'_>>() + size_of::<Object>(),
                MIN_LIGHT_SIZE,
            ),
            (
                "sub-mesh",
                size_of::<Submesh<'_>>() + offset,
                MIN_SUBMESH_SIZE,
            ),
            ("parameter", size_of::<Parameter<'_>>(), MIN_PARAMETER_SIZE),
            ("object", size_of::<ObjectConnection>(), MIN_OBJECT_SIZE),
            ("proxy", size_of::<Proxy<'_>>() + offset, MIN_PROXY_SIZE),
            ("dazzle", size_of::<Dazzle<'_>>() + offset, MIN_DAZZLE_SIZE),
        ] {
            let factor = size as f64 / min_file_size as f64;
            println!("{name}: {size} bytes in memory, {min_file_size} in the file: {factor:.2}");
            assert!(
                factor < 5.0,
                "{name}: {size} bytes in memory for {min_file_size} bytes in the file"
            );
        }
    }
}
