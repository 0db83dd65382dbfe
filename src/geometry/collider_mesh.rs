//! The triangles of parts, for physics.

use bevy::asset::RenderAssetUsages;
use bevy::math::{Affine3A, Vec3};
use bevy::mesh::{Indices, Mesh, PrimitiveTopology};

/// The triangles of a model or of one of its parts, in the form that the trimesh colliders of physics crates take, and as a
/// [`Mesh`] of the posed vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColliderMesh {
    /// The vertex positions.
    pub positions: Vec<Vec3>,
    /// The vertex indices of each triangle. In the world, the corners go counterclockwise as seen from the side that is drawn.
    pub indices: Vec<[u32; 3]>,
}

impl ColliderMesh {
    /// Adds triangles, at positions that `affine` transforms. Those with a vertex that does not exist or is not finite are left
    /// out.
    pub(crate) fn add(
        &mut self,
        positions: impl Iterator<Item = Vec3>,
        triangles: impl Iterator<Item = [u32; 3]>,
        affine: &Affine3A,
    ) {
        let first = self.positions.len();
        let transform = |position| affine.transform_point3(position);
        self.positions.extend(positions.map(transform));
        for corners in triangles {
            let corners = corners.map(|corner| first.saturating_add(corner as usize));
            let is_usable = |index: usize| {
                let position = self.positions.get(index);
                position.is_some_and(|position| position.is_finite())
            };
            if corners.into_iter().all(is_usable) {
                self.indices.push(corners.map(|corner| corner as u32));
            }
        }
        // A vertex that is not finite would be rejected even if no triangle uses it.
        for position in self.positions.iter_mut().skip(first) {
            if !position.is_finite() {
                *position = Vec3::ZERO;
            }
        }
    }
}

/// A triangle list with positions and smooth normals, which the main and the render world keep.
impl From<ColliderMesh> for Mesh {
    fn from(triangles: ColliderMesh) -> Self {
        let positions: Vec<[f32; 3]> = triangles.positions.iter().map(Vec3::to_array).collect();
        let indices = triangles.indices.into_flattened();
        Self::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        )
        .with_inserted_attribute(Self::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices))
        .with_computed_smooth_normals()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_become_a_mesh_with_normals() {
        let mut triangles = ColliderMesh::default();
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
        let indices = [[0, 1, 2]].into_iter();
        triangles.add(corners.into_iter(), indices, &Affine3A::IDENTITY);
        let mesh = Mesh::from(triangles);
        assert_eq!(mesh.count_vertices(), 4);
        assert_eq!(mesh.indices().unwrap().len(), 3);
        let normals = mesh.attribute(Mesh::ATTRIBUTE_NORMAL).unwrap();
        assert_eq!(normals.as_float3().unwrap()[0], [0.0, 0.0, 1.0]);
        assert_eq!(Mesh::from(ColliderMesh::default()).count_vertices(), 0);
    }

    #[test]
    fn triangles_are_offset_transformed_and_checked() {
        let mut mesh = ColliderMesh::default();
        let corners = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN];
        let triangles = [[0, 1, 2], [0, 1, 3], [2, 1, 7]];
        mesh.add(
            corners.into_iter(),
            triangles.into_iter(),
            &Affine3A::IDENTITY,
        );
        let mirror = Affine3A::from_scale(Vec3::new(-2.0, 1.0, 1.0));
        mesh.add(corners.into_iter(), triangles.into_iter(), &mirror);
        assert_eq!(mesh.indices, [[0, 1, 2], [4, 5, 6]]);
        let last = [Vec3::NEG_X * 2.0, Vec3::Y, Vec3::Z, Vec3::ZERO];
        assert_eq!(mesh.positions[4..], last);
        assert_eq!(mesh.positions[3], Vec3::ZERO);
    }
}
