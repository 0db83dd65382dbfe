//! Where vertices are when a model stands as it was built, and which way their surface looks.

use crate::lithtech::abc::{AbcFile, Geometry};
use crate::lithtech::space::Space;
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
    pub(super) fn new(file: &AbcFile<'_>, space: Space, nodes: &[Isometry3d]) -> Self {
        let geometry = &file.geometry;
        let in_nodes = file.vertex_positions(None, 0.0);
        let vertices = geometry.vertices.iter().zip(in_nodes);
        let place = |node: u8| nodes.get(usize::from(node)).copied().unwrap_or_default();
        let positions = vertices.map(|(vertex, position)| {
            let position = place(vertex.node).transform_point(space.vector(position));
            let position = Vec3::from(position);
            // Both are finite; what comes of them may be beyond all numbers.
            if position.is_finite() {
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

/// Normals where the file has none: those of the triangles around, by their areas.
fn repaired(
    normals: Vec<Option<Vec3>>,
    geometry: &Geometry<'_>,
    space: Space,
    positions: &[Vec3],
) -> Vec<Vec3> {
    let mut sums: Vec<Vec3> = normals
        .iter()
        .map(|known| known.unwrap_or_default())
        .collect();
    if normals.iter().all(Option::is_some) {
        return sums;
    }
    let is_missing = |index: usize| normals.get(index) == Some(&None);
    for triangle in geometry.triangles {
        let corners = space.corners(triangle.indices().map(|index| index as usize));
        let [Some(a), Some(b), Some(c)] = corners.map(|index| positions.get(index)) else {
            continue;
        };
        let area = (b - a).cross(c - a);
        for index in corners {
            if is_missing(index)
                && area.is_finite()
                && let Some(sum) = sums.get_mut(index)
            {
                *sum += area;
            }
        }
    }
    // What a level adds is between two vertices that come before it.
    for index in geometry.base_vertices as usize..geometry.vertices.len() {
        if is_missing(index)
            && let Some(vertex) = geometry.vertices.get(index)
        {
            let pair = vertex.replacements.map(|of| usize::from(of.get()));
            let of_pair = pair.map(|of| sums.get(of).copied().unwrap_or_default());
            let middle: Vec3 = of_pair.iter().map(|sum| sum.normalize_or_zero()).sum();
            if let Some(sum) = sums.get_mut(index) {
                *sum = middle;
            }
        }
    }
    for (sum, known) in sums.iter_mut().zip(&normals) {
        if known.is_none() {
            *sum = sum.try_normalize().unwrap_or(Vec3::Y);
        }
    }
    sums
}
