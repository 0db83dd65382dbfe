//! Chunk 0x400: a mesh, with its materials and sub-meshes.

use super::super::MAX_PALETTE;
use super::super::file::{Mesh, Parameter, ParameterValue, Submesh, is_weighted};
use super::super::records::{VertexRecord, VertexTail, VertexV1, VertexV2, Vertices};
use super::state::Parser;
use super::tree::{TREE, TreeParts};
use crate::chunk::Chunk;
use crate::chunk_parser::{Segment, vec_for_chunks};
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use std::borrow::Cow;
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

const MESH_NAME: u32 = 0x401;
const MESH_INFO: u32 = 0x402;
const SUBMESH: u32 = 0x10000;
const SUBMESH_INFO: u32 = 0x10001;
const VERTEX_FORMAT: u32 = 0x10002;
const INDICES: u32 = 0x10004;
const VERTICES_V1: u32 = 0x10005;
const PALETTE: u32 = 0x10006;
const VERTICES_V2: u32 = 0x10007;
const MATERIAL: u32 = 0x10100;
const SHADER: u32 = 0x10101;
const PARAMETER_INT: u32 = 0x10102;
const PARAMETER_FLOAT: u32 = 0x10103;
const PARAMETER_FLOAT3: u32 = 0x10104;
const PARAMETER_TEXTURE: u32 = 0x10105;
const PARAMETER_FLOAT4: u32 = 0x10106;

/// Minimum size of a mesh in the file, in bytes: one with an empty name, no sub-mesh and an unpadded record.
pub(super) const MIN_MESH_SIZE: u64 = 8 + 8 + 8 + 40;
/// Minimum size of a material and its sub-mesh in the file, in bytes: the chunk headers.
pub(super) const MIN_SUBMESH_SIZE: u64 = 8 + 8 + 8 + 8 + 8;
/// Minimum size of a shader parameter in the file, in bytes: a texture with an empty name and value.
pub(super) const MIN_PARAMETER_SIZE: u64 = 8 + 2 + 2;

/// A mesh's record, chunk 0x402.
struct MeshInfo {
    material_count: u32,
    material_count_offset: u64,
    bounds: [[f32; 3]; 2],
    bounds_offset: u64,
    hidden: bool,
    collidable: bool,
}

/// A material, chunk 0x10100. It belongs to the sub-mesh that follows it.
struct Material<'a> {
    shader: Cow<'a, str>,
    parameters: Vec<Parameter<'a>>,
}

/// The chunks of a sub-mesh that have been read.
#[derive(Default)]
struct SubmeshChunks<'a> {
    counts: Option<Counts>,
    vertex_format: Option<Cow<'a, str>>,
    vertices: Option<Chunk<'a>>,
    indices: Option<Chunk<'a>>,
    palette: Option<Palette<'a>>,
    tree: Option<TreeParts<'a>>,
}

struct Palette<'a> {
    /// File offset of the first entry.
    offset: u64,
    bones: &'a [U32],
}

/// A sub-mesh's record, chunk 0x10001.
#[derive(Clone, Copy)]
struct Counts {
    vertices: u32,
    triangles: u32,
}

impl Parser {
    pub(super) fn mesh<'a>(&mut self, container: &Chunk<'a>) -> Result<Mesh<'a>, ParseError> {
        let mut name = None;
        let mut info = None;
        let mut material = None;
        let mut submeshes = vec_for_chunks(&container.body, MIN_SUBMESH_SIZE, |id| id == SUBMESH);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                MESH_NAME => {
                    let text = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.name_element(&text);
                    self.once(&mut name, text, &chunk, "names")?;
                }
                MESH_INFO => {
                    let read = self.data(&chunk, |parser, body| parser.mesh_info(body))?;
                    self.once(&mut info, read, &chunk, "records")?;
                }
                MATERIAL => {
                    let segment = Segment::element(MATERIAL, "material", submeshes.len());
                    let read = self.enter(&chunk, segment, |parser| parser.material(&chunk))?;
                    self.once(&mut material, read, &chunk, "materials of a sub-mesh")?;
                }
                SUBMESH => {
                    let index = submeshes.len();
                    let segment = Segment::element(SUBMESH, "sub-mesh", index);
                    let material = material.take();
                    let submesh =
                        self.enter(&chunk, segment, |parser| parser.submesh(&chunk, material))?;
                    submeshes.push(submesh);
                }
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        let info: MeshInfo = self.require(info, body, "its record (0x402)")?;
        if material.is_some() {
            let kind = ErrorKind::Missing {
                what: "the sub-mesh (0x10000) of its last material",
            };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        self.check_declared_count(
            body,
            info.material_count_offset,
            "materials",
            submeshes.len(),
            info.material_count,
        )?;
        let has_triangles = |submesh: &Submesh<'_>| !submesh.indices.is_empty();
        self.warn_about_bounds(
            &info.bounds,
            submeshes.iter().any(has_triangles),
            info.bounds_offset,
        );
        Ok(Mesh {
            name: self.require(name, body, "its name (0x401)")?,
            bounds: info.bounds,
            hidden: info.hidden,
            collidable: info.collidable,
            bone: None,
            submeshes,
        })
    }

    fn mesh_info(&mut self, body: &mut Cursor<'_>) -> Result<MeshInfo, ParseError> {
        let mut record = self.padded_record(body, 40)?;
        let material_count_offset = record.offset();
        let material_count = record.count(0, i32::MAX, self.at("material count"))?;
        let bounds_offset = record.offset();
        let bounds = [self.floats(&mut record)?, self.floats(&mut record)?];
        record.u32("")?;
        Ok(MeshInfo {
            material_count,
            material_count_offset,
            bounds,
            bounds_offset,
            hidden: record.u32("")? != 0,
            collidable: record.u32("")? != 0,
        })
    }

    /// Warns about a bounding box that is inverted, or a point although there are triangles.
    ///
    /// A flat box is no flaw, because meshes can be flat.
    pub(super) fn warn_about_bounds(
        &mut self,
        [min, max]: &[[f32; 3]; 2],
        has_triangles: bool,
        offset: u64,
    ) {
        let flaw = if min.iter().zip(max).any(|(min, max)| min > max) {
            "is inverted"
        } else if min == max && has_triangles {
            "has no extent"
        } else {
            return;
        };
        self.warn("bounding box", offset, |parser| {
            format!("the bounding box of {} {flaw}", parser.at(""))
        });
    }

    fn material<'a>(&mut self, container: &Chunk<'a>) -> Result<Material<'a>, ParseError> {
        let mut shader = None;
        let is_parameter = |id| (PARAMETER_INT..=PARAMETER_FLOAT4).contains(&id);
        let mut parameters = vec_for_chunks(&container.body, MIN_PARAMETER_SIZE, is_parameter);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                SHADER => {
                    let text = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.once(&mut shader, text, &chunk, "shaders")?;
                }
                PARAMETER_INT..=PARAMETER_FLOAT4 => {
                    let segment = Segment::element(chunk.id, "parameter", parameters.len());
                    let parameter =
                        self.data_at(&chunk, segment, |parser, _| parser.parameter(&chunk))?;
                    parameters.push(parameter);
                }
                _ => self.skip(&chunk)?,
            }
        }
        Ok(Material {
            shader: self.require(shader, &container.body, "its shader (0x10101)")?,
            parameters,
        })
    }

    fn parameter<'a>(&mut self, chunk: &Chunk<'a>) -> Result<Parameter<'a>, ParseError> {
        let mut name = None;
        let mut value = None;
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                1 => {
                    let text = self.string(&mut mini.body.clone());
                    self.name_element(&text);
                    name = Some(text);
                }
                2 => {
                    value = Some(match chunk.id {
                        PARAMETER_INT => ParameterValue::Int(self.mini_u32(&mini)?.cast_signed()),
                        PARAMETER_FLOAT => {
                            let [value] = self.mini_floats(&mini)?;
                            ParameterValue::Float(value)
                        }
                        PARAMETER_FLOAT3 => ParameterValue::Float3(self.mini_floats(&mini)?),
                        PARAMETER_TEXTURE => ParameterValue::Texture(self.texture(&mini.body)),
                        _ => ParameterValue::Float4(self.mini_floats(&mini)?),
                    });
                }
                _ => self.skip_mini(&mini),
            }
        }
        Ok(Parameter {
            name: self.require(name, &chunk.body, "its name (mini-chunk 1)")?,
            value: self.require(value, &chunk.body, "its value (mini-chunk 2)")?,
        })
    }

    /// A texture's file name. Warns if it contains a folder, which the search for the file ignores.
    pub(super) fn texture<'a>(&mut self, body: &Cursor<'a>) -> Cow<'a, str> {
        let name = self.string(&mut body.clone());
        if name.contains(['/', '\\', ':']) || name.contains("..") {
            self.warn("texture in a folder", body.offset(), |_| {
                format!("texture {} names a folder, which is ignored", Quoted(&name))
            });
        }
        name
    }

    fn submesh<'a>(
        &mut self,
        container: &Chunk<'a>,
        material: Option<Material<'a>>,
    ) -> Result<Submesh<'a>, ParseError> {
        let body = &container.body;
        let material = self.require(material, body, "a preceding material (0x10100)")?;
        let mut chunks = SubmeshChunks::default();
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            self.submesh_chunk(&mut chunks, chunk)?;
        }
        let counts = self.require(chunks.counts, body, "its record (0x10001)")?;
        let palette = chunks.palette.as_ref().map(|palette| palette.bones);
        self.state
            .palette_offsets
            .push(chunks.palette.as_ref().map_or(0, |palette| palette.offset));
        let vertex_format = chunks.vertex_format.unwrap_or_default();
        let check = PaletteCheck {
            palette_len: palette.map(<[U32]>::len),
            is_weighted: is_weighted(&vertex_format),
        };
        let vertices = self.vertices(chunks.vertices, counts, check, body)?;
        Ok(Submesh {
            shader: material.shader,
            parameters: material.parameters,
            vertices,
            indices: self.indices(chunks.indices, counts, body)?,
            palette: palette.unwrap_or_default(),
            vertex_format,
            tree: chunks
                .tree
                .and_then(|parts| self.tree(parts, counts.triangles)),
        })
    }

    fn submesh_chunk<'a>(
        &mut self,
        chunks: &mut SubmeshChunks<'a>,
        chunk: Chunk<'a>,
    ) -> Result<(), ParseError> {
        match chunk.id {
            SUBMESH_INFO => {
                let counts = self.data(&chunk, |parser, body| {
                    let mut record = parser.padded_record(body, 8)?;
                    Ok(Counts {
                        vertices: record.count(0, i32::MAX, parser.at("vertex count"))?,
                        triangles: record.count(0, i32::MAX, parser.at("triangle count"))?,
                    })
                })?;
                self.once(&mut chunks.counts, counts, &chunk, "records")
            }
            VERTEX_FORMAT => {
                let text = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                self.once(&mut chunks.vertex_format, text, &chunk, "vertex formats")
            }
            VERTICES_V1 | VERTICES_V2 => {
                self.data(&chunk, |_, _| Ok(()))?;
                let buffer = chunk.clone();
                self.once(&mut chunks.vertices, buffer, &chunk, "vertex buffers")
            }
            INDICES => {
                self.data(&chunk, |_, _| Ok(()))?;
                let buffer = chunk.clone();
                self.once(&mut chunks.indices, buffer, &chunk, "index buffers")
            }
            PALETTE => {
                let palette = self.data(&chunk, |parser, body| parser.palette(body))?;
                self.once(&mut chunks.palette, palette, &chunk, "palettes")
            }
            TREE => {
                let parts = self.enter(&chunk, Segment::Chunk(TREE), |parser| {
                    parser.tree_parts(&chunk)
                })?;
                self.once(&mut chunks.tree, parts, &chunk, "collision trees")
            }
            _ => self.skip(&chunk),
        }
    }

    fn palette<'a>(&mut self, body: &mut Cursor<'a>) -> Result<Palette<'a>, ParseError> {
        let (offset, length) = (body.offset(), body.remaining());
        if !length.is_multiple_of(4) || length > 4 * MAX_PALETTE as u64 {
            let kind = if !length.is_multiple_of(4) {
                ErrorKind::WrongLength {
                    found: length,
                    expected: length.next_multiple_of(4),
                }
            } else {
                ErrorKind::BadCount {
                    value: length as i64 / 4,
                    min: 1,
                    max: MAX_PALETTE as i64,
                }
            };
            return Err(body.error(offset, self.at("palette"), kind));
        }
        Ok(Palette {
            offset,
            bones: body.array(length / 4, self.at("palette"))?,
        })
    }

    fn vertices<'a>(
        &mut self,
        chunk: Option<Chunk<'a>>,
        counts: Counts,
        check: PaletteCheck,
        container: &Cursor<'a>,
    ) -> Result<Vertices<'a>, ParseError> {
        let Some(chunk) = chunk else {
            let empty = (counts.vertices == 0).then_some(Vertices::V2(&[]));
            return self.require(empty, container, "its vertices (0x10007 or 0x10005)");
        };
        let count = u64::from(counts.vertices);
        self.data(&chunk, |parser, body| {
            Ok(if chunk.id == VERTICES_V1 {
                Vertices::V1(parser.vertex_records::<VertexV1>(body, count, check)?)
            } else {
                Vertices::V2(parser.vertex_records::<VertexV2>(body, count, check)?)
            })
        })
    }

    fn vertex_records<'a, T>(
        &mut self,
        body: &mut Cursor<'a>,
        count: u64,
        check: PaletteCheck,
    ) -> Result<&'a [T], ParseError>
    where
        T: VertexRecord + FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let stride = size_of::<T>() as u64;
        self.check_array_length(body, count, stride)?;
        let begin = body.clone();
        let vertices: &[T] = body.array(count, self.at(""))?;
        self.warn_about_non_finite(vertices, begin.offset());
        match check.first_invalid_index(vertices) {
            None => Ok(vertices),
            Some((vertex, slot, index)) => {
                let tail = stride - size_of::<VertexTail>() as u64;
                let offset = begin.offset() + stride * vertex as u64 + tail + 4 * slot as u64;
                let element = format!("vertex {vertex}");
                let kind = ErrorKind::IndexOutOfRange {
                    element: "palette entry",
                    index: index.into(),
                    count: check.palette_len.unwrap_or_default() as u64,
                };
                Err(begin.error(offset, self.at(&element), kind))
            }
        }
    }

    /// Warns about non-finite numbers. The records keep them; [`Vertex`](super::super::Vertex) has zero instead.
    fn warn_about_non_finite<T: VertexRecord>(&mut self, vertices: &[T], begin: u64) {
        if self.state.skips_vertex_warnings {
            return;
        }
        let is_invalid = |(_, vertex): &(usize, &T)| !vertex.is_finite();
        for (index, _) in vertices.iter().enumerate().filter(is_invalid) {
            let offset = begin + (size_of::<T>() * index) as u64;
            self.warn("vertex not finite", offset, |parser| {
                let path = parser.at("");
                format!("a number of {path} vertex {index} is not finite: 0 is used")
            });
        }
    }

    fn check_array_length(
        &self,
        body: &Cursor<'_>,
        count: u64,
        stride: u64,
    ) -> Result<(), ParseError> {
        let expected = count.saturating_mul(stride);
        if body.remaining() == expected {
            return Ok(());
        }
        let kind = ErrorKind::WrongLength {
            found: body.remaining(),
            expected,
        };
        Err(body.error(body.offset(), self.at(""), kind))
    }

    fn indices<'a>(
        &mut self,
        chunk: Option<Chunk<'a>>,
        counts: Counts,
        container: &Cursor<'a>,
    ) -> Result<&'a [U16], ParseError> {
        let Some(chunk) = chunk else {
            let empty = (counts.triangles == 0).then_some(&[][..]);
            return self.require(empty, container, "its indices (0x10004)");
        };
        self.data(&chunk, |parser, body| {
            let offset = body.offset();
            let count = 3 * u64::from(counts.triangles);
            parser.check_array_length(body, count, 2)?;
            let indices: &[U16] = body.array(count, parser.at(""))?;
            // A maximum without branches is as fast as memory. The position is searched only for invalid files.
            let max = indices.iter().fold(0, |max, index| index.get().max(max));
            if indices.is_empty() || u32::from(max) < counts.vertices {
                return Ok(indices);
            }
            let invalid = indices
                .iter()
                .position(|index| u32::from(index.get()) >= counts.vertices);
            let invalid = invalid.unwrap_or_default();
            let element = format!("index {invalid}");
            let kind = ErrorKind::IndexOutOfRange {
                element: "vertex",
                index: indices.get(invalid).map_or(0, |index| index.get()).into(),
                count: counts.vertices.into(),
            };
            Err(body.error(offset + 2 * invalid as u64, parser.at(&element), kind))
        })
    }
}

/// Checks the bone indices of vertices against the palette.
#[derive(Clone, Copy)]
struct PaletteCheck {
    /// `None` without a palette. Bone indices are unused then.
    palette_len: Option<usize>,
    /// Whether vertices have up to four weighted bones; otherwise one.
    is_weighted: bool,
}

impl PaletteCheck {
    /// The first bone index beyond the palette: the index of its vertex, its slot (0 to 3) and its value.
    ///
    /// Only used slots are checked: with weights, those of non-zero weight; otherwise the first.
    fn first_invalid_index<T: VertexRecord>(self, vertices: &[T]) -> Option<(usize, usize, u32)> {
        let palette_len = self.palette_len?;
        let find = |(vertex_index, vertex): (usize, &T)| {
            let VertexTail {
                bone_indices,
                bone_weights,
            } = vertex.tail();
            let used = if self.is_weighted { 4 } else { 1 };
            let slots = bone_indices.iter().zip(bone_weights).take(used).enumerate();
            let mut invalid = slots.filter(|(_, (index, weight))| {
                (!self.is_weighted || weight.get() != 0.0) && index.get() as usize >= palette_len
            });
            let (slot, (index, _)) = invalid.next()?;
            Some((vertex_index, slot, index.get()))
        };
        vertices.iter().enumerate().find_map(find)
    }
}
