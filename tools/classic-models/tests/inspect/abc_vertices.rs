//! Reference positions of a LithTech model's vertices, computed in `f64` from the parsed file only.

use bevy_classic_models::lithtech::abc::{AbcFile, NodeTrack};
use classic_models_fixtures::abc_node_matrices::{Moment, between, moment, nodes};
use classic_models_fixtures::matrix::transformed;

/// The positions of the vertices that triangles use, each once, in Bevy's space.
pub fn vertices(file: &AbcFile<'_>, animation: usize, seconds: f64) -> Vec<[f64; 3]> {
    let nodes = nodes(file, animation, seconds);
    let animation = &file.animations[animation];
    let moment = moment(animation, seconds);
    let mut positions: Vec<[f64; 3]> = Vec::new();
    for vertex in file.geometry.vertices {
        let position = vertex.position.map(|value| f64::from(value.get()));
        positions.push(position.map(|value| if value.is_finite() { value } else { 0.0 }));
    }
    for (node, track) in file.nodes.iter().zip(&animation.tracks) {
        for (slot, vertex) in node.deform_vertices.iter().enumerate() {
            let slots = node.deform_vertices.len();
            positions[usize::from(vertex.get())] = deformed(track, slots, slot, moment);
        }
    }
    let triangles = file.geometry.triangles.iter();
    let mut used: Vec<u16> = triangles
        .flat_map(|triangle| triangle.vertices.map(|vertex| vertex.get()))
        .collect();
    used.sort_unstable();
    used.dedup();
    let in_world = |vertex: &u16| {
        let index = usize::from(*vertex);
        let node = usize::from(file.geometry.vertices[index].node);
        let [x, y, z] = transformed(&nodes[node], positions[index]);
        [x, y, -z]
    };
    used.iter().map(in_world).collect()
}

fn deformed(
    track: &NodeTrack<'_>,
    slots: usize,
    slot: usize,
    (key, next, way): Moment,
) -> [f64; 3] {
    let steps = |key: usize| track.deform[key * slots + slot].map(f64::from);
    let steps = between(steps(key), steps(next), way);
    let scale = track.deform_scale.map(f64::from);
    let origin = track.deform_translation.map(f64::from);
    [0, 1, 2].map(|axis| steps[axis] * scale[axis] + origin[axis])
}
