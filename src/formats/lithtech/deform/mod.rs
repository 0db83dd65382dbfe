//! Vertex animation of nodes: the positions of their vertices in every keyframe, packed for the GPU.
//!
//! The file stores one byte per coordinate, and a scale per animation. Here coordinates have two bytes, and all
//! animations share one scale, so that any keyframe can be blended with any other. The file has no normals for these
//! vertices: the shader computes them from the triangles at each vertex in the blended pose.

pub(crate) mod deformed_vertices;
pub(crate) mod node_deform;
pub(crate) mod pose_table;

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::formats::lithtech::deform::deformed_vertices::{
    DeformedVertices, NO_SLOT, NodeParts, build_adjacency,
};
use crate::formats::lithtech::limits;
use crate::formats::lithtech::materials::data_texture::{MAX_TEXELS, texture_size};
use crate::geometry::vertices::{MeanNormal, is_position_in_range};
use crate::gpu::pose_table::{PoseBlend, PosePair};
use bevy::math::Vec3;
use classic_model_formats::abc::{AbcFile, Node, NodeTrack};
use classic_model_formats::read::WarningCollector;
use zerocopy::{FromBytes, IntoBytes};

/// The vertex animation of a node, in the node's space.
///
/// `texels` and `vertex_adjacency` consist of texels of four `u16` in native byte order. Their capacity includes the
/// padding that the data texture needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedDeform {
    /// Index of the node.
    pub node: usize,
    /// Count of deformed vertices, including neighbors that don't move.
    pub vertices: u32,
    /// Count of poses: the keyframes of all animations, in file order.
    pub poses: u32,
    /// Units per quantization step, along each axis.
    pub step: Vec3,
    /// The position whose quantized coordinates are 0.
    pub origin: Vec3,
    /// Minimum and maximum of the bounding box of all poses.
    pub bounds: [Vec3; 2],
    /// One texel per pose and vertex, the vertices of pose 0 first: the quantized position, and one unused value.
    pub texels: Vec<u8>,
    /// First one texel per vertex: the index of the texel with its first triangle (low half, high half), the count of
    /// its triangles, and an unused value. Then one texel per triangle: its three vertices, counterclockwise seen from
    /// outside, and an unused value.
    pub vertex_adjacency: Vec<u8>,
}

impl ConvertedDeform {
    /// The position and the normal of a vertex in a blend of poses, as the shader computes them.
    ///
    /// The normal is the mean of the unit normals of the triangles at the vertex. It is `None` if they have no area or
    /// cancel each other out: then the shader uses the mesh's normal. The result is `None` if a pose or the vertex
    /// doesn't exist.
    pub fn vertex(&self, shown: PoseBlend, vertex: u32) -> Option<(Vec3, Option<Vec3>)> {
        let between = |pair: PosePair, vertex: u32| {
            let [a, b] = [pair.a, pair.b].map(|pose| self.position(pose, vertex));
            Some(a?.lerp(b?, pair.towards_b))
        };
        let position = |vertex: u32| {
            let to = between(shown.to, vertex)?;
            if shown.from_weight == 0.0 {
                return Some(to);
            }
            Some(to.lerp(between(shown.from, vertex)?, shown.from_weight))
        };
        let normal = mean_normal(&self.vertex_adjacency, vertex, position)?;
        Some((position(vertex)?, normal))
    }

    fn position(&self, pose: u32, vertex: u32) -> Option<Vec3> {
        if pose >= self.poses || vertex >= self.vertices {
            return None;
        }
        let [x, y, z, _] = texel(&self.texels, pose * self.vertices + vertex)?;
        Some(Vec3::from_array([x, y, z].map(f32::from)) * self.step + self.origin)
    }
}

/// The mean normal of the triangles at a vertex: see [`ConvertedDeform::vertex`]. The outer option is `None` if the vertex
/// doesn't exist. `position` returns that of a vertex.
pub(crate) fn mean_normal(
    vertex_adjacency: &[u8],
    vertex: u32,
    position: impl Fn(u32) -> Option<Vec3>,
) -> Option<Option<Vec3>> {
    let [low, high, count, _] = texel(vertex_adjacency, vertex)?;
    let first = u32::from(low) | u32::from(high) << 16;
    let mut normal = MeanNormal::default();
    for entry in first..first.saturating_add(count.into()) {
        let Some([a, b, c, _]) = texel(vertex_adjacency, entry) else {
            continue;
        };
        if let [Some(a), Some(b), Some(c)] = [a, b, c].map(|corner| position(corner.into())) {
            normal.add_triangle([a, b, c]);
        }
    }
    Some(normal.direction())
}

/// Reads a texel of `texels` or `vertex_adjacency`.
pub(crate) fn texel(bytes: &[u8], index: u32) -> Option<[u16; 4]> {
    let start = (index as usize).checked_mul(size_of::<[u16; 4]>())?;
    let (texel, _) = <[u16; 4]>::read_from_prefix(bytes.get(start..)?).ok()?;
    Some(texel)
}

/// The vertex animation of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deforms {
    /// The nodes with vertex animation.
    pub(crate) nodes: Vec<ConvertedDeform>,
    /// For each vertex of the file, its index among the deformed vertices of its node, or [`NO_SLOT`]. Shared by all
    /// nodes, since a list per node would take nodes × vertices.
    pub(crate) slots: Vec<u32>,
}

impl Deforms {
    /// Converts the vertex animation of all nodes. `length` is the file's, in bytes.
    ///
    /// All nodes together may have `length / 2` positions. The file stores three bytes per position, so real files have
    /// at most `length / 3`. Nodes beyond this budget are not animated, with a warning.
    pub(crate) fn new(
        file: &AbcFile<'_>,
        handedness: Handedness,
        length: usize,
        collector: &mut WarningCollector,
    ) -> Self {
        let mut deforms = Self::default();
        let deforms_vertices = |node: &Node<'_>| !node.deform_vertices.is_empty();
        if !file.nodes.iter().any(deforms_vertices) {
            return deforms;
        }
        let mut budget = length / 2;
        let keyframes = file
            .animations
            .iter()
            .map(|animation| animation.keyframes.len());
        let poses: usize = keyframes.sum();
        let parts = NodeParts::new(&file.geometry);
        deforms.slots = vec![NO_SLOT; file.geometry.vertices.len()];
        for (node, _) in file
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| deforms_vertices(node))
        {
            let deformed =
                DeformedVertices::new(file, &parts, (handedness, node), &mut deforms.slots);
            let count = poses.saturating_mul(deformed.count());
            let is_full = deforms.nodes.len() >= limits::max_deforming_nodes(length);
            if count > budget.min(MAX_TEXELS) || (is_full && count > 0) {
                collector.warn("fixed vertices", 0, || {
                    format!(
                        "the vertices of node {node} are not deformed: their {count} positions exceed the \
                         limit for a file of this size"
                    )
                });
            } else if count > 0 {
                budget -= count;
                let converted = convert_node(file, handedness, (node, poses), &deformed);
                deforms.nodes.push(converted);
            }
        }
        deforms
    }
}

/// Converts the vertex animation of one node.
fn convert_node(
    file: &AbcFile<'_>,
    handedness: Handedness,
    (node, poses): (usize, usize),
    deformed: &DeformedVertices<'_>,
) -> ConvertedDeform {
    let tracks: Vec<(usize, &NodeTrack<'_>)> = file
        .animations
        .iter()
        .filter_map(|animation| Some((animation.keyframes.len(), animation.tracks.get(node)?)))
        .collect();
    let bounds = bounds(&tracks, deformed, handedness);
    let [origin, max] = bounds;
    let steps = Steps {
        origin,
        per_unit: (Vec3::splat(f32::from(u16::MAX)) / (max - origin)).map(finite),
    };
    let stored_count = file
        .nodes
        .get(node)
        .map_or(0, |node| node.deform_vertices.len());
    let mut texels = texel_buffer(poses * deformed.count());
    let fixed: Vec<[u16; 4]> = deformed
        .fixed
        .iter()
        .map(|position| steps.nearest(*position))
        .collect();
    let mut pose: Vec<[u16; 4]> = Vec::with_capacity(deformed.count());
    let mut remaining = poses;
    for (keys, track) in tracks {
        let table = steps.table(track, handedness);
        for key in 0..keys.min(remaining) {
            let bytes = track.deform.get(key * stored_count..).unwrap_or_default();
            let stored = |index: &usize| bytes.get(*index).copied().unwrap_or_default();
            pose.clear();
            pose.extend(
                deformed
                    .stored
                    .iter()
                    .map(|index| table.texel(stored(index))),
            );
            pose.extend_from_slice(&fixed);
            add_between(&mut pose, &deformed.between);
            texels.extend_from_slice(pose.as_bytes());
        }
        remaining -= keys.min(remaining);
    }
    let adjacency = build_adjacency(handedness, deformed);
    let mut vertex_adjacency = texel_buffer(adjacency.len());
    vertex_adjacency.extend_from_slice(adjacency.as_bytes());
    ConvertedDeform {
        node,
        vertices: deformed.count() as u32,
        poses: poses as u32,
        step: (max - origin) / f32::from(u16::MAX),
        origin,
        bounds,
        texels,
        vertex_adjacency,
    }
}

/// An empty buffer with the capacity of the data texture for this many texels. Growing it later would copy it, which
/// needs twice the memory.
fn texel_buffer(texels: usize) -> Vec<u8> {
    let [width, height] = texture_size(texels);
    Vec::with_capacity(width * height * size_of::<[u16; 4]>())
}

/// Replaces the result of a division by zero by 0.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// Appends the midpoints of pairs of vertices of the pose.
fn add_between(pose: &mut Vec<[u16; 4]>, between: &[[usize; 2]]) {
    for pair in between {
        let [a, b] = pair.map(|slot| pose.get(slot).copied().unwrap_or_default());
        let middle = |axis: usize| {
            let sum = u32::from(a[axis]) + u32::from(b[axis]);
            (sum / 2) as u16
        };
        pose.push([middle(0), middle(1), middle(2), 0]);
    }
}

/// The quantization of positions.
struct Steps {
    /// The position whose quantized coordinates are 0.
    origin: Vec3,
    /// Steps per unit; 0 along axes with no extent.
    per_unit: Vec3,
}

impl Steps {
    /// The quantized position that is nearest to `position`. Positions out of range are clamped.
    fn nearest(&self, position: Vec3) -> [u16; 4] {
        let steps = (position - self.origin) * self.per_unit + 0.5;
        let [x, y, z] = steps.to_array().map(|step| step as u16);
        [x, y, z, 0]
    }

    /// The quantized coordinate of each of an animation's 256 stored values, along each axis.
    fn table(&self, track: &NodeTrack<'_>, handedness: Handedness) -> Table {
        let mut table = Table(Box::new([[0; 4]; 256]));
        let scale = Vec3::from_array(track.deform_scale);
        let translation = Vec3::from_array(track.deform_translation);
        for (byte, steps) in (0..=u8::MAX).zip(table.0.iter_mut()) {
            let position = scale * f32::from(byte) + translation;
            *steps = self.nearest(handedness.vector(position.to_array()));
        }
        table
    }
}

/// The quantized coordinates, along each axis, of the file's byte values.
struct Table(Box<[[u16; 4]; 256]>);

impl Table {
    fn texel(&self, [x, y, z]: [u8; 3]) -> [u16; 4] {
        let steps = |byte: u8| self.0[usize::from(byte)];
        [steps(x)[0], steps(y)[1], steps(z)[2], 0]
    }
}

/// The bounding box of all stored and fixed positions.
fn bounds(
    tracks: &[(usize, &NodeTrack<'_>)],
    deformed: &DeformedVertices<'_>,
    handedness: Handedness,
) -> [Vec3; 2] {
    let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let mut include = |position: Vec3| {
        let [min, max] = bounds;
        bounds = [min.min(position), max.max(position)];
    };
    for (_, track) in tracks {
        if track.deform.is_empty() {
            continue;
        }
        let (mut min, mut max) = ([u8::MAX; 3], [u8::MIN; 3]);
        for steps in track.deform {
            for axis in 0..3 {
                min[axis] = min[axis].min(steps[axis]);
                max[axis] = max[axis].max(steps[axis]);
            }
        }
        let scale = Vec3::from_array(track.deform_scale);
        let origin = Vec3::from_array(track.deform_translation);
        for steps in [min, max] {
            let position = Vec3::from_array(steps.map(f32::from)) * scale + origin;
            include(handedness.vector(position.to_array()));
        }
    }
    deformed.fixed.iter().copied().for_each(include);
    let [min, max] = bounds;
    if is_position_in_range(min) && is_position_in_range(max) {
        bounds
    } else {
        [Vec3::ZERO; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classic_model_formats::abc::parse;
    use classic_model_formats::abc::write::write;
    use classic_models_fixtures::abc_full::sample_model;

    fn deforms_of(file: &AbcFile<'_>, handedness: Handedness) -> Deforms {
        let mut collector = WarningCollector::default();
        let deforms = Deforms::new(file, handedness, usize::MAX, &mut collector);
        assert!(collector.into_warnings().is_empty());
        deforms
    }

    fn texels(bytes: &[u8]) -> Vec<[u16; 4]> {
        (0..).map_while(|index| texel(bytes, index)).collect()
    }

    #[test]
    fn poses_agree_with_the_parser_functions() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        for mirrors in [false, true] {
            let handedness = Handedness::new(file.transform(), mirrors);
            let Deforms { nodes, slots } = deforms_of(&file, handedness);
            let [flag] = &nodes[..] else {
                panic!("one node deforms");
            };
            assert_eq!((flag.node, flag.vertices, flag.poses), (2, 4, 4));
            // Its own three vertices, and the vertex that LOD 3 adds between two of them.
            let deformed: Vec<_> = (0..file.geometry.vertices.len())
                .filter(|vertex| slots[*vertex] != NO_SLOT)
                .collect();
            assert_eq!(deformed, [5, 6, 7, 10]);
            let mut pose = 0;
            for (index, animation) in file.animations.iter().enumerate() {
                for keyframe in &animation.keyframes {
                    let seconds = keyframe.time as f32 / 1000.0;
                    let expected = file.vertex_positions(Some(index), seconds);
                    for vertex in &deformed {
                        let slot = slots[*vertex];
                        let (found, _) = flag.vertex(pose.into(), slot).unwrap();
                        let expected = handedness.vector(expected[*vertex]);
                        assert!(found.abs_diff_eq(expected, 0.01), "{found} {expected}");
                    }
                    pose += 1;
                }
            }
            assert_eq!(texels(&flag.texels).len(), 4 * pose as usize);
            assert_eq!(flag.vertex(pose.into(), 0), None);
        }
    }

    #[test]
    fn adjacent_triangles_and_normals_match_the_file() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let handedness = Handedness::new(file.transform(), true);
        let Deforms { nodes, slots } = deforms_of(&file, handedness);
        let [flag] = &nodes[..] else {
            panic!("one node deforms");
        };
        let vertex_adjacency = texels(&flag.vertex_adjacency);
        let pair = |a, b, towards_b| PosePair { a, b, towards_b };
        let shown = PoseBlend {
            to: pair(0, 1, 0.25),
            from: pair(3, 2, 0.4),
            from_weight: 0.3,
        };
        let slot = |vertex: usize| slots[vertex] as u16;
        let [a, b, c] = handedness.corners([5, 6, 7]).map(slot);
        for vertex in [5, 6, 7, 10] {
            let [low, high, count, _] = vertex_adjacency[usize::from(slot(vertex))];
            let first = usize::from(low) | usize::from(high) << 16;
            let triangles = &vertex_adjacency[first..first + usize::from(count)];
            // A vertex between two others has the triangles of both.
            assert_eq!(count, if vertex == 10 { 2 } else { 1 });
            assert!(triangles.iter().all(|triangle| *triangle == [a, b, c, 0]));
            let position = |slot: u16| flag.vertex(shown, slot.into()).unwrap().0;
            let [a, b, c] = [a, b, c].map(position);
            let (_, normal) = flag.vertex(shown, slot(vertex).into()).unwrap();
            let expected = (b - a).cross(c - a).normalize();
            assert!(normal.unwrap().abs_diff_eq(expected, 1e-5));
        }
    }

    #[test]
    fn foreign_and_repeated_deform_vertices_are_ignored() {
        let mut model = sample_model();
        model.nodes[2].deform_vertices = vec![5, 3, 6, 5, 7];
        for animation in &mut model.animations {
            let keyframes = animation.keyframes.len() as u8;
            let positions = (0..5 * keyframes).map(|value| [value; 3]);
            animation.tracks[2].deform = positions.collect();
        }
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let deforms = deforms_of(&file, Handedness::new(file.transform(), true));
        let [flag] = &deforms.nodes[..] else {
            panic!("one node deforms");
        };
        assert_eq!((flag.vertices, flag.poses), (4, 4));
        let slots = [3, 5, 6, 7, 10].map(|vertex: usize| deforms.slots[vertex]);
        assert_eq!(slots, [NO_SLOT, 0, 1, 2, 3]);
        // The last entry counts: the fourth value of the second keyframe is 8.
        let [x, ..] = texels(&flag.texels)[4];
        let found = f32::from(x) * flag.step.x + flag.origin.x;
        assert!((found - (8.0 * 0.5 - 1.0)).abs() < 0.01, "{found}");
    }

    #[test]
    fn nodes_beyond_the_memory_limit_are_not_animated() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let handedness = Handedness::new(file.transform(), true);
        let mut collector = WarningCollector::default();
        let nodes = Deforms::new(&file, handedness, 32, &mut collector).nodes;
        assert_eq!(nodes.len(), 1);
        let nodes = Deforms::new(&file, handedness, 31, &mut collector).nodes;
        assert!(nodes.is_empty());
        let [warning] = &collector.into_warnings()[..] else {
            panic!("one warning");
        };
        let expected = "the vertices of node 2 are not deformed: their 16 positions ";
        assert!(warning.message.starts_with(expected));
    }
}
