//! Parses the chunk `Geometry`: triangles, vertices and levels of detail.

use super::{Parser, is_not_finite};
use crate::abc::file::{Geometry, Node};
use crate::abc::records::{MAX_UV, Triangle, Vertex};
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

/// Offset of the node index in a vertex.
const NODE: u64 = 15;
/// Offset of the replacements in a vertex.
const REPLACEMENTS: u64 = 16;
/// Offset of the vertex indices in a triangle.
const INDICES: u64 = 24;

/// The geometry whose node indices are not checked yet, and the offset of its vertices in the file.
pub(super) struct UncheckedGeometry<'a> {
    geometry: Geometry<'a>,
    vertices_offset: u64,
}

/// The offset of an element of an array.
fn element_offset(array: u64, index: usize, size: usize) -> u64 {
    array.saturating_add(index.saturating_mul(size) as u64)
}

impl Parser {
    pub(super) fn geometry<'a>(
        &mut self,
        mut body: Cursor<'a>,
    ) -> Result<UncheckedGeometry<'a>, ParseError> {
        let bounds = self.bounds(&mut body, "Geometry / bounds")?;
        let lods = body.u32("Geometry / LOD count")?;
        let starts = u64::from(lods).saturating_add(1);
        let lod_starts: &[U16] = body.array(starts, "Geometry / first vertices of LODs")?;
        let triangle_count = body.u32("Geometry / triangle count")?;
        let triangles_offset = body.offset();
        let triangles = body.array(triangle_count.into(), "Geometry / triangles")?;
        let counts_offset = body.offset();
        let vertex_count = body.u32("Geometry / vertex count")?;
        let base_offset = body.offset();
        let base_vertices = body.u32("Geometry / base vertex count")?;
        if base_vertices > vertex_count {
            let kind = ErrorKind::BadCount {
                value: base_vertices.into(),
                min: 0,
                max: vertex_count.into(),
            };
            let context = "Geometry / base vertex count";
            return Err(body.error(base_offset, context, kind));
        }
        let vertices_offset = body.offset();
        let vertices = body.array(vertex_count.into(), "Geometry / vertices")?;
        check_triangles(&body, triangles, triangles_offset, base_vertices)?;
        self.warn_about_uvs(triangles, triangles_offset);
        self.warn_about_positions(vertices, vertices_offset);
        self.warn_about_rest(&body, "Geometry");
        let lod_vertices = vertex_count.saturating_sub(base_vertices);
        if lod_vertices != lods {
            self.warnings.warn("LOD vertices", counts_offset, || {
                format!(
                    "there are {lod_vertices} LOD vertices for {lods} LODs, but each LOD needs one: the surplus is \
                     ignored"
                )
            });
        }
        let mut geometry = Geometry {
            bounds,
            lod_starts,
            triangles,
            vertices,
            base_vertices,
            lods: lods.min(lod_vertices),
            replaced_at: Vec::new(),
        };
        self.lods(&mut geometry, vertices_offset);
        Ok(UncheckedGeometry {
            geometry,
            vertices_offset,
        })
    }

    /// Finds the LOD that replaces each vertex. LODs depend on all LODs before them, so an invalid LOD is dropped with
    /// all after it.
    fn lods(&mut self, geometry: &mut Geometry<'_>, vertices_offset: u64) {
        if geometry.lods == 0 {
            return;
        }
        let mut replaced_at = vec![0; geometry.vertices.len()];
        let mut valid_lods = 0;
        let mut invalid = None;
        for (level, (index, _, pair)) in (1..).zip(geometry.lod_vertices()) {
            if let Some(slot) = invalid_slot(pair, index, &replaced_at) {
                invalid = Some((level, index, pair, slot));
                break;
            }
            for replaced in pair {
                if let Some(entry) = replaced_at.get_mut(replaced) {
                    *entry = level;
                }
            }
            valid_lods = level;
        }
        if let Some((level, index, [a, b], slot)) = invalid {
            let vertex = element_offset(vertices_offset, index, size_of::<Vertex>());
            let offset = element_offset(vertex.saturating_add(REPLACEMENTS), slot, 2);
            let replaced = if slot == 0 { a } else { b };
            let lods = geometry.lods;
            self.warnings.warn("LOD", offset, || {
                let reason = if replaced >= index {
                    format!("must be less than its own vertex {index}")
                } else {
                    "is already replaced".to_owned()
                };
                format!(
                    "LOD {level} of {lods} replaces vertex {replaced}, which {reason}: this LOD and all after it are \
                     dropped"
                )
            });
        }
        geometry.lods = valid_lods;
        geometry.replaced_at = replaced_at;
    }

    fn warn_about_uvs(&mut self, triangles: &[Triangle], offset: u64) {
        // False for NaN.
        let is_valid = |value: f32| value.abs() <= MAX_UV;
        for (index, triangle) in triangles.iter().enumerate() {
            let mut uvs = triangle.uvs.as_flattened().iter();
            let Some(position) = uvs.position(|value| !is_valid(value.get())) else {
                continue;
            };
            let triangle_offset = element_offset(offset, index, size_of::<Triangle>());
            let offset = element_offset(triangle_offset, position, 4);
            self.warnings.warn("texture coordinates", offset, || {
                format!(
                    "texture coordinates of Geometry / triangle {index} are not finite or beyond ±{MAX_UV}: 0 is used"
                )
            });
        }
    }

    fn warn_about_positions(&mut self, vertices: &[Vertex], offset: u64) {
        for (index, vertex) in vertices.iter().enumerate() {
            let Some(axis) = vertex.position.iter().position(is_not_finite) else {
                continue;
            };
            let vertex_offset = element_offset(offset, index, size_of::<Vertex>());
            let offset = element_offset(vertex_offset, axis, 4);
            self.warnings.warn("position not finite", offset, || {
                format!("position of Geometry / vertex {index} is not finite: 0 is used")
            });
        }
    }
}

/// The first of two vertices that the vertex at `index` cannot replace: 0 or 1. A vertex can only replace vertices before
/// it, and each vertex is replaced at most once.
fn invalid_slot(pair: [usize; 2], index: usize, replaced_at: &[u32]) -> Option<usize> {
    let is_invalid = |replaced: &usize| {
        *replaced >= index || replaced_at.get(*replaced).is_none_or(|level| *level != 0)
    };
    let [a, b] = pair;
    let invalid = pair.iter().position(is_invalid);
    invalid.or((a == b).then_some(1))
}

fn check_triangles(
    cursor: &Cursor<'_>,
    triangles: &[Triangle],
    offset: u64,
    base_vertices: u32,
) -> Result<(), ParseError> {
    for (triangle_index, triangle) in triangles.iter().enumerate() {
        let indices = triangle.indices().into_iter().enumerate();
        for (corner, index) in indices {
            if index >= base_vertices {
                let triangle = element_offset(offset, triangle_index, size_of::<Triangle>());
                let kind = ErrorKind::IndexOutOfRange {
                    element: "vertex",
                    index: index.into(),
                    count: base_vertices.into(),
                };
                let context = format_args!("Geometry / triangle {triangle_index}");
                let offset = element_offset(triangle.saturating_add(INDICES), corner, 2);
                return Err(cursor.error(offset, context, kind));
            }
        }
    }
    Ok(())
}

impl<'a> UncheckedGeometry<'a> {
    pub(super) fn vertices(&self) -> &'a [Vertex] {
        self.geometry.vertices
    }

    /// Checks the node indices of the vertices.
    pub(super) fn checked(
        self,
        cursor: &Cursor<'_>,
        nodes: &[Node<'_>],
    ) -> Result<Geometry<'a>, ParseError> {
        let mut vertices = self.geometry.vertices.iter().enumerate();
        let invalid = vertices.find(|(_, vertex)| usize::from(vertex.node) >= nodes.len());
        let Some((index, vertex)) = invalid else {
            return Ok(self.geometry);
        };
        let offset = element_offset(self.vertices_offset, index, size_of::<Vertex>());
        let kind = ErrorKind::IndexOutOfRange {
            element: "node",
            index: vertex.node.into(),
            count: nodes.len() as u64,
        };
        let context = format_args!("Geometry / vertex {index}");
        Err(cursor.error(offset.saturating_add(NODE), context, kind))
    }
}
