//! Vertex normals computed from the adjacent triangles, for files without normals; boxes around vertices; triangles and
//! texture coordinates of meshes in the main world.

use bevy::mesh::skinning::{JointAabb, JointIndex, SkinnedMeshBounds};
use bevy::mesh::{Indices, VertexAttributeValues};
use bevy::prelude::*;

/// The least sine of a triangle's angle at a corner. Below it, the normal would be rounding noise.
const MIN_SINE: f32 = 1e-4;

/// The least length of a mean of unit normals. Below it, the normals cancel each other out, as those of back-to-back
/// triangles do, and the mean is rounding noise.
const MIN_MEAN_LENGTH: f32 = 1e-3;

/// The mean of the unit normals of triangles, not weighted by area. The exporter of LithTech models computes normals
/// the same way.
///
/// Keep in sync with `deform.wgsl` of the LithTech format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanNormal {
    sum: Vec3,
    count: f32,
}

impl MeanNormal {
    /// Adds a triangle. Its corners are counterclockwise when seen from outside.
    pub(crate) fn add_triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        let (Some(to_b), Some(to_c)) = ((b - a).try_normalize(), (c - a).try_normalize()) else {
            return;
        };
        let across = to_b.cross(to_c);
        let sine = across.length();
        if sine > MIN_SINE {
            self.add(across / sine);
        }
    }

    /// Adds a unit normal.
    pub(crate) fn add(&mut self, normal: Vec3) {
        self.sum += normal;
        self.count += 1.0;
    }

    /// The unit direction of the mean. `None` if no triangle has an area, or if the normals cancel each other out.
    pub(crate) fn direction(self) -> Option<Vec3> {
        let is_some = self.sum.length() > MIN_MEAN_LENGTH * self.count;
        self.sum.try_normalize().filter(|_| is_some)
    }
}

/// The bounds of skinned meshes by joint. A joint without vertices has a minimum above its maximum.
pub(crate) fn skinned_bounds(boxes: impl IntoIterator<Item = [[f32; 3]; 2]>) -> SkinnedMeshBounds {
    let mut bounds = SkinnedMeshBounds::default();
    for (joint, [min, max]) in (0..).zip(boxes) {
        if min[0] <= max[0] {
            let [min, max] = [min, max].map(Vec3::from_array);
            bounds.aabbs.push(JointAabb {
                center: (min + max) / 2.0,
                half_size: (max - min) / 2.0,
            });
            bounds.aabb_index_to_joint_index.push(JointIndex(joint));
        }
    }
    bounds
}

/// The minimum and maximum of a box without points.
pub(crate) const NO_POINTS: [[f32; 3]; 2] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// The box around a box and a point.
pub(crate) fn expanded([mut min, mut max]: [[f32; 3]; 2], position: &[f32; 3]) -> [[f32; 3]; 2] {
    for axis in 0..3 {
        min[axis] = if position[axis] < min[axis] {
            position[axis]
        } else {
            min[axis]
        };
        max[axis] = if position[axis] > max[axis] {
            position[axis]
        } else {
            max[axis]
        };
    }
    [min, max]
}

/// Replaces normals for which `is_missing` returns true by the mean of the adjacent triangles, or by `fallback` if
/// there is no mean.
///
/// Corners of triangles are counterclockwise when seen from outside. Triangles with an index out of bounds are
/// skipped.
pub(crate) fn replace_missing(
    normals: &mut [[f32; 3]],
    is_missing: impl Fn(&[f32; 3]) -> bool,
    positions: &[[f32; 3]],
    triangles: impl Iterator<Item = [usize; 3]>,
    fallback: Vec3,
) {
    let mut means: Vec<Option<MeanNormal>> = normals
        .iter()
        .map(|normal| is_missing(normal).then(MeanNormal::default))
        .collect();
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(|vertex| positions.get(vertex)) else {
            continue;
        };
        let corners = [a, b, c].map(|position| Vec3::from_array(*position));
        for vertex in triangle {
            if let Some(Some(mean)) = means.get_mut(vertex) {
                mean.add_triangle(corners);
            }
        }
    }
    for (normal, mean) in normals.iter_mut().zip(means) {
        if let Some(mean) = mean {
            *normal = mean.direction().unwrap_or(fallback).to_array();
        }
    }
}

/// Whether Bevy can compute with a position: it adds squared distances, which must stay finite. Callers move other
/// positions to the origin.
pub(crate) fn is_position_in_range(position: Vec3) -> bool {
    const MAX_COORDINATE: f32 = 1e18;
    position.abs().max_element() <= MAX_COORDINATE
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(triangles: &[[Vec3; 3]]) -> Option<Vec3> {
        let mut mean = MeanNormal::default();
        for triangle in triangles {
            mean.add_triangle(*triangle);
        }
        mean.direction()
    }

    #[test]
    fn normals_are_not_weighted_by_area() {
        let floor = [Vec3::ZERO, Vec3::Z * 100.0, Vec3::X * 100.0];
        let wall = [Vec3::ZERO, Vec3::Y * 0.01, Vec3::Z * 0.02];
        let expected = (Vec3::X + Vec3::Y).normalize();
        let found = mean(&[floor, wall]).unwrap();
        assert!(found.abs_diff_eq(expected, 1e-5), "{found}");
    }

    #[test]
    fn back_to_back_triangles_have_no_normal() {
        let [a, b, c] = [
            Vec3::new(101.3, 7.1, -3.7),
            Vec3::new(104.9, 9.3, -1.1),
            Vec3::new(99.7, 12.9, 0.3),
        ];
        assert_eq!(mean(&[[a, b, c], [c, b, a]]), None);
        assert_eq!(mean(&[[a, b, c], [b, a, c]]), None);
        let both = mean(&[[a, b, c], [b, a, c], [a, b, c]]).unwrap();
        assert!(both.abs_diff_eq((b - a).cross(c - a).normalize(), 1e-3));
    }

    #[test]
    fn triangles_without_an_area_have_no_normal() {
        let [a, b] = [Vec3::new(71.3, 7.1, -3.7), Vec3::new(74.9, 9.3, -1.1)];
        for point in [a, b, a.lerp(b, 0.3), a.lerp(b, 1.7)] {
            assert_eq!(mean(&[[a, b, point]]), None);
        }
        assert_eq!(mean(&[[a, Vec3::INFINITY, b]]), None);
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn only_missing_normals_are_replaced() {
        let positions = [
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 100.0],
            [100.0, 0.0, 0.0],
            [0.0, 0.01, 0.0],
            [101.3, 7.1, -3.7],
            [104.9, 9.3, -1.1],
            [99.7, 12.9, 0.3],
        ];
        let mut normals = [[0.0; 3]; 7];
        normals[1] = [1.0, 0.0, 0.0];
        // A floor, a wall, two back-to-back triangles, and a triangle with an index out of bounds.
        let triangles = [[0, 1, 2], [0, 3, 1], [4, 5, 6], [6, 5, 4], [0, 1, 9]];
        replace_missing(
            &mut normals,
            |normal| *normal == [0.0; 3],
            &positions,
            triangles.into_iter(),
            Vec3::Z,
        );
        let expected = [
            (Vec3::X + Vec3::Y).normalize(),
            Vec3::X,
            Vec3::Y,
            Vec3::X,
            Vec3::Z,
            Vec3::Z,
            Vec3::Z,
        ];
        for (normal, expected) in normals.map(Vec3::from_array).into_iter().zip(expected) {
            assert!(normal.abs_diff_eq(expected, 1e-5), "{normal} {expected}");
        }
    }
}
