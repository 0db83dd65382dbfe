//! Makes progressive levels of detail for LithTech models.
//!
//! The format has steps, each of which replaces two vertices of a node by one between them. Here
//! the edge with the least error is collapsed first: the squared distance of its midpoint from the
//! planes of all adjacent original triangles (Garland and Heckbert's quadric error metric, at a
//! fixed position). If the node deforms, the error is summed over some poses. Open borders, texture
//! seams and hard edges are kept longer.

mod collapse;
mod quadric;
#[cfg(test)]
mod tests;

use bevy::math::Vec3;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, WriteError, write,
};
use bevy_classic_models::lithtech::abc::{Triangle, Vertex};
use collapse::{Collapse, Input, Step};
use quadric::Vector;

/// The most vertices that 16-bit indices can address.
const MAX_VERTICES: usize = 65536;
/// Keyframes of each animation that count for vertices that deform.
const POSES: usize = 4;

/// Replaces the levels of detail of a model, down to about `fewest_triangles`. Returns their count.
///
/// `importance` weights the surface of a node, by the node's index: normally 1, more to keep
/// details longer, as in a face.
///
/// Vertices and triangles are reordered: as in the games' files, the first ones are removed first.
/// Edges between two nodes are kept.
///
/// # Errors
/// A [`WriteError`] if the given model cannot be written.
pub fn build_lods(
    model: &mut AbcDocument,
    fewest_triangles: usize,
    importance: impl Fn(usize) -> f32,
) -> Result<usize, WriteError> {
    // This validates all indices.
    write(model)?;
    let geometry = &mut model.geometry;
    geometry.vertices.truncate(geometry.base_vertices as usize);
    let mut collapse = Collapse::new(&input(model, importance));
    collapse.run(fewest_triangles, MAX_VERTICES);
    let order = vertex_order(model.geometry.vertices.len(), &collapse.steps);
    reorder_vertices(model, &order);
    reorder_triangles(model, &collapse.removed_at);
    add_lod_vertices(model, &order, &collapse.steps);
    Ok(collapse.steps.len())
}

fn input(model: &AbcDocument, importance: impl Fn(usize) -> f32) -> Input {
    let geometry = &model.geometry;
    let corners = |triangle: &Triangle| triangle.indices().map(|index| index as usize);
    Input {
        nodes: geometry.vertices.iter().map(|vertex| vertex.node).collect(),
        importance: (0..model.nodes.len()).map(importance).collect(),
        positions: positions(model),
        triangles: geometry.triangles.iter().map(corners).collect(),
        uvs: geometry
            .triangles
            .iter()
            .map(|triangle| triangle.clean_uvs())
            .collect(),
    }
}

/// The positions of vertices in the space of their node: the stored position, or those in a few
/// keyframes of each animation. A vertex of a deforming node that is not itself deformed repeats
/// its stored position.
fn positions(model: &AbcDocument) -> Vec<Vec<Vector>> {
    let stored = |vertex: &Vertex| vec![vertex.clean_position().map(f64::from)];
    let mut positions: Vec<Vec<Vector>> = model.geometry.vertices.iter().map(stored).collect();
    let keyframes = |animation: &AnimationDocument| POSES.min(animation.keyframes.len());
    let poses: usize = model.animations.iter().map(keyframes).sum();
    for (vertex, positions) in model.geometry.vertices.iter().zip(&mut positions) {
        let node = model.nodes.get(usize::from(vertex.node));
        if poses > 0 && node.is_some_and(|node| !node.deform_vertices.is_empty()) {
            *positions = positions.repeat(poses);
        }
    }
    for (index, node) in model.nodes.iter().enumerate() {
        let count = node.deform_vertices.len();
        for (slot, vertex) in node.deform_vertices.iter().enumerate() {
            let mut poses = Vec::new();
            for animation in &model.animations {
                let track = &animation.tracks[index];
                let keyframes = animation.keyframes.len();
                for pose in 0..POSES.min(keyframes) {
                    let keyframe = pose * keyframes / POSES.min(keyframes);
                    let steps = track.deform[keyframe * count + slot];
                    poses.push([0, 1, 2].map(|axis| {
                        let scaled = f64::from(steps[axis]) * f64::from(track.deform_scale[axis]);
                        scaled + f64::from(track.deform_translation[axis])
                    }));
                }
            }
            // Vertices of other nodes are in other spaces.
            let of = model.geometry.vertices.get(usize::from(*vertex));
            if let Some(position) = positions.get_mut(usize::from(*vertex))
                && of.is_some_and(|of| usize::from(of.node) == index)
                && !poses.is_empty()
            {
                *position = poses;
            }
        }
    }
    positions
}

/// Moves the full model's vertices to their new indices.
fn reorder_vertices(model: &mut AbcDocument, order: &[usize]) {
    let geometry = &mut model.geometry;
    let mut vertices = geometry.vertices.clone();
    for (vertex, to) in geometry.vertices.iter().zip(order) {
        vertices[*to] = *vertex;
    }
    geometry.vertices = vertices;
    for corner in geometry
        .triangles
        .iter_mut()
        .flat_map(|triangle| &mut triangle.vertices)
    {
        *corner = (order[usize::from(corner.get())] as u16).into();
    }
    for (index, node) in model.nodes.iter_mut().enumerate() {
        let count = node.deform_vertices.len();
        if count == 0 {
            continue;
        }
        let new = node.deform_vertices.iter().enumerate();
        // Vertices of the old levels are removed. Real files list none of them.
        let new = new.filter_map(|(slot, vertex)| {
            let to = order.get(usize::from(*vertex))?;
            Some((*to as u16, slot))
        });
        let mut new: Vec<(u16, usize)> = new.collect();
        new.sort_unstable();
        node.deform_vertices = new.iter().map(|(vertex, _)| *vertex).collect();
        for animation in &mut model.animations {
            let deform = &mut animation.tracks[index].deform;
            let keyframes = deform.chunks(count);
            let moved = keyframes.flat_map(|keyframe| new.iter().map(|(_, slot)| keyframe[*slot]));
            *deform = moved.collect();
        }
    }
}

/// Sorts triangles by the step that removes them.
fn reorder_triangles(model: &mut AbcDocument, removed_at: &[Option<usize>]) {
    let mut order: Vec<usize> = (0..removed_at.len()).collect();
    order.sort_by_key(|triangle| removed_at[*triangle].unwrap_or(usize::MAX));
    let triangles = &mut model.geometry.triangles;
    *triangles = order.iter().map(|triangle| triangles[*triangle]).collect();
}

/// Adds a vertex for each step, and the index of the first vertex that remains after it.
fn add_lod_vertices(model: &mut AbcDocument, order: &[usize], steps: &[Step]) {
    let geometry = &mut model.geometry;
    let base = order.len();
    let mut start = 0;
    geometry.lod_starts = vec![0];
    for step in steps {
        let mut pair = step.map(|vertex| order.get(vertex).copied().unwrap_or(vertex));
        pair.sort_unstable();
        let [a, b] = pair.map(|vertex| geometry.vertices[vertex]);
        geometry.vertices.push(between(&a, &b, pair));
        start += pair.iter().filter(|vertex| **vertex < base).count();
        geometry.lod_starts.push(start as u16);
    }
}

/// For each vertex of the full model, its new index: the first ones are replaced first.
fn vertex_order(base: usize, steps: &[Step]) -> Vec<usize> {
    let mut replaced_at = vec![usize::MAX; base];
    for (number, step) in steps.iter().enumerate() {
        for vertex in step {
            if let Some(replaced_at) = replaced_at.get_mut(*vertex) {
                *replaced_at = number;
            }
        }
    }
    let mut sorted: Vec<usize> = (0..base).collect();
    sorted.sort_by_key(|vertex| replaced_at[*vertex]);
    let mut order = vec![0; base];
    for (to, vertex) in sorted.into_iter().enumerate() {
        order[vertex] = to;
    }
    order
}

/// The vertex midway between two.
fn between(a: &Vertex, b: &Vertex, pair: [usize; 2]) -> Vertex {
    let positions = [a, b].map(|vertex| Vec3::from_array(vertex.clean_position()));
    let normals = [a, b].map(|vertex| vertex.unit_normal().map_or(Vec3::ZERO, Vec3::from_array));
    let position = (positions[0] + positions[1]) / 2.0;
    let normal = (normals[0] + normals[1]).normalize_or_zero();
    Vertex {
        position: position.to_array().map(Into::into),
        normal: normal.to_array().map(|axis| (axis * 127.0).round() as i8),
        node: a.node,
        replacements: pair.map(|vertex| (vertex as u16).into()),
    }
}
