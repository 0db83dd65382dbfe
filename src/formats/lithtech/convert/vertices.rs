//! Positions and normals of vertices in the bind pose, in model space.

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::geometry::vertices::{MeanNormal, is_position_in_range};
use bevy::prelude::*;
use classic_model_formats::abc::{AbcFile, Geometry};

/// The bind-pose vertices of a file, in model space.
#[derive(Clone, Debug)]
pub(crate) struct Vertices {
    pub(crate) positions: Vec<Vec3>,
    /// Unit vectors.
    pub(crate) normals: Vec<Vec3>,
}

impl Vertices {
    /// Transforms the vertices by the bind poses of their nodes.
    pub(crate) fn new(
        file: &AbcFile<'_>,
        handedness: Handedness,
        bind_poses: &[Isometry3d],
    ) -> Self {
        let geometry = &file.geometry;
        let node_positions = file.vertex_positions(None, 0.0);
        let vertices = geometry.vertices.iter().zip(node_positions);
        let node_pose = |node: u8| {
            bind_poses
                .get(usize::from(node))
                .copied()
                .unwrap_or_default()
        };
        let positions = vertices.map(|(vertex, position)| {
            let position = node_pose(vertex.node).transform_point(handedness.vector(position));
            let position = Vec3::from(position);
            if is_position_in_range(position) {
                position
            } else {
                Vec3::ZERO
            }
        });
        let positions: Vec<Vec3> = positions.collect();
        let normals = geometry.vertices.iter().zip(geometry.normals());
        let normals = normals.map(|(vertex, normal)| {
            Some(node_pose(vertex.node).rotation * handedness.vector(normal?))
        });
        let normals = fill_missing_normals(normals.collect(), geometry, handedness, &positions);
        Self { positions, normals }
    }
}

/// Replaces missing normals by the mean of the normals of the vertex's triangles.
fn fill_missing_normals(
    normals: Vec<Option<Vec3>>,
    geometry: &Geometry<'_>,
    handedness: Handedness,
    positions: &[Vec3],
) -> Vec<Vec3> {
    if normals.iter().all(Option::is_some) {
        return normals.into_iter().flatten().collect();
    }
    let mut means = vec![MeanNormal::default(); normals.len()];
    for triangle in geometry.triangles {
        let corners = handedness.corners(triangle.indices().map(|index| index as usize));
        let [Some(a), Some(b), Some(c)] = corners.map(|index| positions.get(index)) else {
            continue;
        };
        for index in corners {
            if normals.get(index) == Some(&None)
                && let Some(mean) = means.get_mut(index)
            {
                mean.add_triangle([*a, *b, *c]);
            }
        }
    }
    let mut filled = normals;
    for (index, mean) in means.into_iter().enumerate() {
        if filled.get(index) != Some(&None) {
            continue;
        }
        let normal = if index < geometry.base_vertices as usize {
            mean.direction()
        } else {
            mean_of_pair(index, geometry, &filled)
        };
        if let Some(filled) = filled.get_mut(index) {
            *filled = normal;
        }
    }
    let filled = filled.into_iter();
    filled.map(|normal| normal.unwrap_or(Vec3::Y)).collect()
}

/// The normal of a vertex that a LOD adds: the mean of the normals of the two vertices that it replaces. Both precede
/// it.
fn mean_of_pair(index: usize, geometry: &Geometry<'_>, normals: &[Option<Vec3>]) -> Option<Vec3> {
    let mut mean = MeanNormal::default();
    for replaced in geometry.vertices.get(index)?.replacements {
        if let Some(normal) = normals.get(usize::from(replaced.get())).copied().flatten() {
            mean.add(normal);
        }
    }
    mean.direction()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classic_model_formats::abc::write::write;
    use classic_model_formats::abc::{TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;

    fn poses(file: &AbcFile<'_>, handedness: Handedness) -> Vec<Isometry3d> {
        let poses = file.node_poses_in_model(None, 0.0).into_iter();
        poses
            .map(|pose| {
                let rotation = handedness.rotation(pose.rotation);
                Isometry3d::new(handedness.vector(pose.translation), rotation)
            })
            .collect()
    }

    #[test]
    fn vertices_agree_with_the_parser_functions() {
        for bits in 0..8 {
            let [mirrors_z, flip_geometry, flip_animation] = [1, 2, 4].map(|bit| bits & bit != 0);
            let transform = TransformInfo {
                flip_geometry,
                flip_animation,
            };
            let mut model = sample_model();
            model.transform_info = Some(transform);
            let bytes = write(&model).unwrap();
            let file = parse(&bytes).unwrap();
            let handedness = Handedness::new(transform, mirrors_z);
            let poses = poses(&file, handedness);
            let vertices = Vertices::new(&file, handedness, &poses);
            let expected = file.vertex_positions_in_model(None, 0.0);
            assert_eq!(vertices.positions.len(), expected.len());
            for (found, expected) in vertices.positions.iter().zip(expected) {
                assert!(found.abs_diff_eq(handedness.vector(expected), 1e-3));
            }
            let stored = file.geometry.normals();
            for (index, normal) in vertices.normals.iter().enumerate() {
                assert!(normal.is_normalized());
                let node = usize::from(file.geometry.vertices[index].node);
                let stored = handedness.vector(stored[index].unwrap());
                assert!(normal.abs_diff_eq(poses[node].rotation * stored, 1e-5));
            }
        }
    }

    #[test]
    fn missing_normals_are_computed_from_adjacent_triangles() {
        let mut model = sample_model();
        for vertex in &mut model.geometry.vertices {
            vertex.normal = [0; 3];
        }
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let handedness = Handedness::new(file.transform(), true);
        let Vertices { positions, normals } =
            Vertices::new(&file, handedness, &poses(&file, handedness));
        // Only the first triangle uses vertex 0. Mirroring exchanged its corners 1 and 2.
        let [a, b, c] = [0, 2, 1].map(|index: usize| positions[index]);
        let face = (b - a).cross(c - a).normalize();
        assert!(normals[0].abs_diff_eq(face, 1e-5));
        // LOD 1 adds vertex 8 between 0 and 1; LOD 2 adds vertex 9 between 2 and 8.
        let mean_of_pair = |a: usize, b: usize| (normals[a] + normals[b]).normalize();
        assert!(normals[8].abs_diff_eq(mean_of_pair(0, 1), 1e-5));
        assert!(normals[9].abs_diff_eq(mean_of_pair(2, 8), 1e-5));
        assert!(normals.iter().all(|normal| normal.is_normalized()));
    }
}
