//! The chunk of triangles, vertices and levels of detail.

use super::{Reader, is_not_finite};
use crate::abc::file::{Geometry, Node};
use crate::abc::records::{LARGEST_UV, Triangle, Vertex};
use crate::read::{Cursor, ErrorKind, ParseError};
use zerocopy::little_endian::U16;

/// Where the node index is in a vertex.
const NODE: u64 = 15;
/// Where the replacements are in a vertex.
const REPLACEMENTS: u64 = 16;
/// Where the indices are in a triangle.
const INDICES: u64 = 24;

/// The chunk, and where in the file its vertices are.
pub(super) struct PlacedGeometry<'a> {
    geometry: Geometry<'a>,
    vertices_offset: u64,
}

/// Offset of an element of an array.
fn element(array: u64, index: usize, size: usize) -> u64 {
    array.saturating_add(index.saturating_mul(size) as u64)
}

impl Reader {
    pub(super) fn geometry<'a>(
        &mut self,
        mut body: Cursor<'a>,
    ) -> Result<PlacedGeometry<'a>, ParseError> {
        let bounds = self.bounds(&mut body, "Geometry / bounds")?;
        let lods = body.u32("Geometry / number of LODs")?;
        let starts = u64::from(lods).saturating_add(1);
        let lod_starts: &[U16] = body.array(starts, "Geometry / first vertices of LODs")?;
        let triangle_count = body.u32("Geometry / number of triangles")?;
        let triangles_offset = body.offset();
        let triangles = body.array(triangle_count.into(), "Geometry / triangles")?;
        let counts_offset = body.offset();
        let vertex_count = body.u32("Geometry / number of vertices")?;
        let base_offset = body.offset();
        let base_vertices = body.u32("Geometry / number of normal vertices")?;
        if base_vertices > vertex_count {
            let kind = ErrorKind::BadCount {
                value: base_vertices.into(),
                min: 0,
                max: vertex_count.into(),
            };
            let context = "Geometry / number of normal vertices";
            return Err(body.error(base_offset, context, kind));
        }
        let vertices_offset = body.offset();
        let vertices = body.array(vertex_count.into(), "Geometry / vertices")?;
        check_triangles(&body, triangles, triangles_offset, base_vertices)?;
        self.warn_about_uvs(triangles, triangles_offset);
        self.warn_about_positions(vertices, vertices_offset);
        self.warn_about_rest(&body, "Geometry");
        let extras = vertex_count.saturating_sub(base_vertices);
        if extras != lods {
            self.flaws.warn("extra vertices", counts_offset, || {
                format!("there are {extras} extra vertices for {lods} LODs: those without the other are ignored")
            });
        }
        let mut geometry = Geometry {
            bounds,
            lod_starts,
            triangles,
            vertices,
            base_vertices,
            lods: lods.min(extras),
            replaced_at: Vec::new(),
        };
        self.lods(&mut geometry, vertices_offset);
        Ok(PlacedGeometry {
            geometry,
            vertices_offset,
        })
    }

    /// Finds when each vertex is replaced. Levels build upon each other, so the first that cannot
    /// be is dropped with all after it.
    fn lods(&mut self, geometry: &mut Geometry<'_>, vertices_offset: u64) {
        if geometry.lods == 0 {
            return;
        }
        let mut replaced_at = vec![0; geometry.vertices.len()];
        let mut sound = 0;
        let mut wrong = None;
        for (level, (index, _, pair)) in (1..).zip(geometry.extras()) {
            if let Some(slot) = wrong_slot(pair, index, &replaced_at) {
                wrong = Some((level, index, pair, slot));
                break;
            }
            for replaced in pair {
                if let Some(at) = replaced_at.get_mut(replaced) {
                    *at = level;
                }
            }
            sound = level;
        }
        if let Some((level, index, [a, b], slot)) = wrong {
            let vertex = element(vertices_offset, index, size_of::<Vertex>());
            let offset = element(vertex.saturating_add(REPLACEMENTS), slot, 2);
            let replaced = if slot == 0 { a } else { b };
            let why = if replaced >= index {
                "is not before its own"
            } else {
                "was replaced before"
            };
            let lods = geometry.lods;
            self.flaws.warn("LOD", offset, || {
                format!(
                    "LOD {level} of {lods} replaces vertex {replaced}, which {why} (vertex {index}): \
                     this level and those after it are dropped"
                )
            });
        }
        geometry.lods = sound;
        geometry.replaced_at = replaced_at;
    }

    fn warn_about_uvs(&mut self, triangles: &[Triangle], offset: u64) {
        // A NaN is not less than anything.
        let is_sound = |value: f32| value.abs() <= LARGEST_UV;
        for (index, triangle) in triangles.iter().enumerate() {
            let mut uvs = triangle.uvs.as_flattened().iter();
            let Some(wrong) = uvs.position(|value| !is_sound(value.get())) else {
                continue;
            };
            let offset = element(element(offset, index, size_of::<Triangle>()), wrong, 4);
            self.flaws.warn("texture coordinates", offset, || {
                format!(
                    "texture coordinates of Geometry / triangle {index} are not finite or beyond \
                     {LARGEST_UV}: made zero"
                )
            });
        }
    }

    fn warn_about_positions(&mut self, vertices: &[Vertex], offset: u64) {
        for (index, vertex) in vertices.iter().enumerate() {
            let Some(axis) = vertex.position.iter().position(is_not_finite) else {
                continue;
            };
            let offset = element(element(offset, index, size_of::<Vertex>()), axis, 4);
            self.flaws.warn("position not finite", offset, || {
                format!("position of Geometry / vertex {index} is not finite: made zero")
            });
        }
    }
}

/// Which of two vertices cannot be replaced by the one at `index`: only what came before can be, and
/// only once.
fn wrong_slot(pair: [usize; 2], index: usize, replaced_at: &[u32]) -> Option<usize> {
    let is_wrong = |replaced: &usize| {
        *replaced >= index || replaced_at.get(*replaced).is_none_or(|at| *at != 0)
    };
    let [a, b] = pair;
    let wrong = pair.iter().position(is_wrong);
    wrong.or((a == b).then_some(1))
}

fn check_triangles(
    cursor: &Cursor<'_>,
    triangles: &[Triangle],
    offset: u64,
    base_vertices: u32,
) -> Result<(), ParseError> {
    for (number, triangle) in triangles.iter().enumerate() {
        let indices = triangle.indices().into_iter().enumerate();
        for (corner, index) in indices {
            if index >= base_vertices {
                let triangle = element(offset, number, size_of::<Triangle>());
                let kind = ErrorKind::IndexOutOfRange {
                    element: "vertex",
                    index: index.into(),
                    count: base_vertices.into(),
                };
                let context = format_args!("Geometry / triangle {number}");
                let offset = element(triangle.saturating_add(INDICES), corner, 2);
                return Err(cursor.error(offset, context, kind));
            }
        }
    }
    Ok(())
}

impl<'a> PlacedGeometry<'a> {
    pub(super) fn vertices(&self) -> &'a [Vertex] {
        self.geometry.vertices
    }

    /// Checks what only the nodes can tell.
    pub(super) fn checked(
        self,
        cursor: &Cursor<'_>,
        nodes: &[Node<'_>],
    ) -> Result<Geometry<'a>, ParseError> {
        let mut vertices = self.geometry.vertices.iter().enumerate();
        let wrong = vertices.find(|(_, vertex)| usize::from(vertex.node) >= nodes.len());
        let Some((index, vertex)) = wrong else {
            return Ok(self.geometry);
        };
        let offset = element(self.vertices_offset, index, size_of::<Vertex>());
        let kind = ErrorKind::IndexOutOfRange {
            element: "node",
            index: vertex.node.into(),
            count: nodes.len() as u64,
        };
        let context = format_args!("Geometry / vertex {index}");
        Err(cursor.error(offset.saturating_add(NODE), context, kind))
    }
}
