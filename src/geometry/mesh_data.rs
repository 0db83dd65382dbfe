//! Triangles and texture coordinates of meshes in the main world.

use bevy::mesh::{Indices, VertexAttributeValues};
use bevy::prelude::*;

/// Vertex indices, three per triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SurfaceTriangles<'a> {
    U16(&'a [u16]),
    U32(&'a [u32]),
}

impl<'a> SurfaceTriangles<'a> {
    /// The triangles of a mesh. `None` if its data is not in the main world.
    pub(crate) fn of(mesh: &'a Mesh) -> Option<Self> {
        Some(match mesh.try_indices().ok()? {
            Indices::U16(indices) => Self::U16(indices),
            Indices::U32(indices) => Self::U32(indices),
        })
    }

    /// The vertex indices of all triangles.
    pub(crate) fn iter(self) -> impl Iterator<Item = [u32; 3]> {
        (0..).map_while(move |triangle| self.get(triangle))
    }

    /// The vertex indices of a triangle.
    pub(crate) fn get(self, triangle: usize) -> Option<[u32; 3]> {
        match self {
            Self::U16(indices) => Some(indices.as_chunks().0.get(triangle)?.map(u32::from)),
            Self::U32(indices) => indices.as_chunks().0.get(triangle).copied(),
        }
    }
}

/// The texture coordinates of a mesh. Empty if it has none in the main world.
pub(crate) fn uvs(mesh: &Mesh) -> &[[f32; 2]] {
    match mesh.try_attribute(Mesh::ATTRIBUTE_UV_0) {
        Ok(VertexAttributeValues::Float32x2(uvs)) => uvs,
        _ => &[],
    }
}

/// The interpolated texture coordinate of a point on a triangle. `None` if a vertex has none.
pub(crate) fn uv_at(uvs: &[[f32; 2]], vertices: [u32; 3], barycentrics: Vec3) -> Option<Vec2> {
    let uv = |vertex: u32| Some(Vec2::from_array(*uvs.get(vertex as usize)?));
    let [a, b, c] = vertices.map(uv);
    Some(a? * barycentrics.x + b? * barycentrics.y + c? * barycentrics.z)
}
