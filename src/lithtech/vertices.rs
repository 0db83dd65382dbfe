//! Where vertices are when a model stands as it was built, and which way their surface looks.

use crate::lithtech::abc::{AbcFile, Geometry};
use crate::lithtech::handedness::Handedness;
use crate::scene::{MeanNormal, is_near};
use bevy::math::{Isometry3d, Vec3};

/// The vertices of a file in the space of the model.
#[derive(Clone, Debug)]
pub(super) struct Vertices {
    pub(super) positions: Vec<Vec3>,
    /// All of length 1.
    pub(super) normals: Vec<Vec3>,
}

impl Vertices {
    /// The vertices with nodes in these places.
    pub(super) fn new(file: &AbcFile<'_>, space: Handedness, nodes: &[Isometry3d]) -> Self {
        let geometry = &file.geometry;
        let in_nodes = file.vertex_positions(None, 0.0);
        let vertices = geometry.vertices.iter().zip(in_nodes);
        let place = |node: u8| nodes.get(usize::from(node)).copied().unwrap_or_default();
        let positions = vertices.map(|(vertex, position)| {
            let position = place(vertex.node).transform_point(space.vector(position));
            let position = Vec3::from(position);
            if is_near(position) {
                position
            } else {
                Vec3::ZERO
            }
        });
        let positions: Vec<Vec3> = positions.collect();
        let normals = geometry.vertices.iter().zip(geometry.normals());
        let normals = normals
            .map(|(vertex, normal)| Some(place(vertex.node).rotation * space.vector(normal?)));
        let normals = repaired(normals.collect(), geometry, space, &positions);
        Self { positions, normals }
    }
}

/// Normals where the file has none: the means of those of the triangles around.
fn repaired(
    normals: Vec<Option<Vec3>>,
    geometry: &Geometry<'_>,
    space: Handedness,
    positions: &[Vec3],
) -> Vec<Vec3> {
    if normals.iter().all(Option::is_some) {
        return normals.into_iter().flatten().collect();
    }
    let mut means = vec![MeanNormal::default(); normals.len()];
    for triangle in geometry.triangles {
        let corners = space.corners(triangle.indices().map(|index| index as usize));
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
    let mut made = normals;
    for (index, mean) in means.into_iter().enumerate() {
        if made.get(index) != Some(&None) {
            continue;
        }
        let normal = match index < geometry.base_vertices as usize {
            true => mean.direction(),
            false => between(index, geometry, &made),
        };
        if let Some(made) = made.get_mut(index) {
            *made = normal;
        }
    }
    let made = made.into_iter();
    made.map(|normal| normal.unwrap_or(Vec3::Y)).collect()
}

/// The normal of what a level adds, from the two vertices between which it is, which come before it.
fn between(index: usize, geometry: &Geometry<'_>, normals: &[Option<Vec3>]) -> Option<Vec3> {
    let mut mean = MeanNormal::default();
    for of in geometry.vertices.get(index)?.replacements {
        if let Some(normal) = normals.get(usize::from(of.get())).copied().flatten() {
            mean.add(normal);
        }
    }
    mean.direction()
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::write::write;
    use crate::lithtech::abc::{TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;

    fn poses(file: &AbcFile<'_>, space: Handedness) -> Vec<Isometry3d> {
        let poses = file.node_poses_in_model(None, 0.0).into_iter();
        poses
            .map(|pose| {
                let rotation = space.rotation(pose.rotation);
                Isometry3d::new(space.vector(pose.translation), rotation)
            })
            .collect()
    }

    #[test]
    fn vertices_are_where_the_plain_functions_say() {
        for bits in 0..8 {
            let [mirrors, flip_geometry, flip_animation] = [1, 2, 4].map(|bit| bits & bit != 0);
            let transform = TransformInfo {
                flip_geometry,
                flip_animation,
            };
            let mut model = sample_model();
            model.transform_info = Some(transform);
            let bytes = write(&model).unwrap();
            let file = parse(&bytes).unwrap();
            let space = Handedness::new(transform, mirrors);
            let poses = poses(&file, space);
            let vertices = Vertices::new(&file, space, &poses);
            let expected = file.vertex_positions_in_model(None, 0.0);
            assert_eq!(vertices.positions.len(), expected.len());
            for (found, expected) in vertices.positions.iter().zip(expected) {
                assert!(found.abs_diff_eq(space.vector(expected), 1e-3));
            }
            let stored = file.geometry.normals();
            for (index, normal) in vertices.normals.iter().enumerate() {
                assert!(normal.is_normalized());
                let node = usize::from(file.geometry.vertices[index].node);
                let stored = space.vector(stored[index].unwrap());
                assert!(normal.abs_diff_eq(poses[node].rotation * stored, 1e-5));
            }
        }
    }

    #[test]
    fn missing_normals_are_those_of_the_triangles_around() {
        let mut model = sample_model();
        for vertex in &mut model.geometry.vertices {
            vertex.normal = [0; 3];
        }
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Handedness::new(file.transform(), true);
        let Vertices { positions, normals } = Vertices::new(&file, space, &poses(&file, space));
        // Vertex 0 is of the first triangle alone, whose corners the mirror has exchanged.
        let [a, b, c] = [0, 2, 1].map(|index: usize| positions[index]);
        let face = (b - a).cross(c - a).normalize();
        assert!(normals[0].abs_diff_eq(face, 1e-5));
        // The first level puts 8 between 0 and 1, the second 9 between 2 and 8.
        let between = |a: usize, b: usize| (normals[a] + normals[b]).normalize();
        assert!(normals[8].abs_diff_eq(between(0, 1), 1e-5));
        assert!(normals[9].abs_diff_eq(between(2, 8), 1e-5));
        assert!(normals.iter().all(|normal| normal.is_normalized()));
    }
}
