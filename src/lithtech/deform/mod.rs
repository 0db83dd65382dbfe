//! Vertices that a node moves one by one: where they are in every keyframe, packed for the GPU.
//!
//! The file has a byte for each coordinate, and a scale for each animation. Here all animations share
//! one scale, in two bytes, so that any keyframe can be blended with any other. The file has no normals
//! for them: the shader makes them from those of the triangles `around` each vertex, as they are just
//! then.

mod deformed_vertices;
mod parts;
mod vertex_adjacency;

use crate::lithtech::abc::{AbcFile, Node, NodeTrack};
use crate::lithtech::data_texture::{MOST_TEXELS, texture_size};
use crate::lithtech::handedness::Handedness;
use crate::lithtech::limits;
use crate::read::WarningCollector;
use crate::scene::{MeanNormal, PoseBlend, PosePair, is_near};
use bevy::math::Vec3;
use deformed_vertices::DeformedVertices;
pub(super) use deformed_vertices::NO_SLOT;
use parts::Parts;
use vertex_adjacency::around;
use zerocopy::{FromBytes, IntoBytes};

/// Where the deforming vertices of a node are, in the node's space.
///
/// `texels` and `around` are four numbers of 16 bits each time, as they lie in memory, with room for as
/// many more as the picture of them is larger.
#[derive(Clone, Debug)]
pub struct ConvertedDeform {
    /// Index of the node.
    pub node: usize,
    /// How many vertices deform, or stand still beside some that do.
    pub vertices: u32,
    /// How many poses there are: the keyframes of all animations, one after the other.
    pub poses: u32,
    /// Units per step.
    pub step: Vec3,
    /// Place of step 0.
    pub origin: Vec3,
    /// Least and greatest corner of the box around all poses.
    pub bounds: [Vec3; 2],
    /// For each pose and vertex, the place in steps, and a number without meaning.
    pub texels: Vec<u8>,
    /// For each vertex, where the triangles around it begin in this list, low half first, and how many
    /// they are; then the triangles, each as three vertices, counter-clockwise when seen from
    /// outside. The numbers that are left are without meaning.
    pub around: Vec<u8>,
}

impl ConvertedDeform {
    /// Where a vertex is in what an instance shows, and the mean of the unit normals of the triangles around it, as
    /// the shader draws it. The normal is `None` if they have no area or cancel each other out: then the shader
    /// uses that of the mesh. `None` if there is no such pose or vertex.
    pub fn vertex(&self, shown: PoseBlend, vertex: u32) -> Option<(Vec3, Option<Vec3>)> {
        let between = |pair: PosePair, vertex: u32| {
            let [a, b] = [pair.a, pair.b].map(|pose| self.place(pose, vertex));
            Some(a?.lerp(b?, pair.towards_b))
        };
        let place = |vertex: u32| {
            let to = between(shown.to, vertex)?;
            if shown.from_weight == 0.0 {
                return Some(to);
            }
            Some(to.lerp(between(shown.from, vertex)?, shown.from_weight))
        };
        let [low, high, count, _] = texel(&self.around, vertex)?;
        let first = u32::from(low) | u32::from(high) << 16;
        let mut normal = MeanNormal::default();
        for entry in first..first + u32::from(count) {
            let Some([a, b, c, _]) = texel(&self.around, entry) else {
                continue;
            };
            if let [Some(a), Some(b), Some(c)] = [a, b, c].map(|corner| place(corner.into())) {
                normal.add_triangle([a, b, c]);
            }
        }
        Some((place(vertex)?, normal.direction()))
    }

    fn place(&self, pose: u32, vertex: u32) -> Option<Vec3> {
        if pose >= self.poses || vertex >= self.vertices {
            return None;
        }
        let [x, y, z, _] = texel(&self.texels, pose * self.vertices + vertex)?;
        Some(Vec3::from_array([x, y, z].map(f32::from)) * self.step + self.origin)
    }
}

/// Four numbers of many.
fn texel(bytes: &[u8], index: u32) -> Option<[u16; 4]> {
    let start = (index as usize).checked_mul(size_of::<[u16; 4]>())?;
    let (texel, _) = <[u16; 4]>::read_from_prefix(bytes.get(start..)?).ok()?;
    Some(texel)
}

/// The nodes that deform.
#[derive(Clone, Debug, Default)]
pub(super) struct Deforms {
    /// What moves their vertices.
    pub(super) nodes: Vec<ConvertedDeform>,
    /// For each vertex of the file, its place among those that its node deforms. A list for each node
    /// would be as long as there are vertices.
    pub(super) slots: Vec<u32>,
}

impl Deforms {
    /// The poses of all nodes that deform, of a file of so many bytes. Those that need too much room
    /// stand still: together they may have half as many places as the file has bytes. Real ones have a third,
    /// since each takes three bytes.
    pub(super) fn new(
        file: &AbcFile<'_>,
        space: Handedness,
        length: usize,
        flaws: &mut WarningCollector,
    ) -> Self {
        let mut deforms = Self::default();
        let listed = |of: &Node<'_>| !of.deform_vertices.is_empty();
        if !file.nodes.iter().any(listed) {
            return deforms;
        }
        let mut room = length / 2;
        let keyframes = file.animations.iter().map(|of| of.keyframes.len());
        let poses: usize = keyframes.sum();
        let parts = Parts::new(&file.geometry);
        deforms.slots = vec![NO_SLOT; file.geometry.vertices.len()];
        for (node, _) in file.nodes.iter().enumerate().filter(|(_, of)| listed(of)) {
            let members = DeformedVertices::new(file, &parts, (space, node), &mut deforms.slots);
            let count = poses.saturating_mul(members.count());
            let is_full = deforms.nodes.len() >= limits::deforming_nodes(length);
            if count > room.min(MOST_TEXELS) || (is_full && count > 0) {
                flaws.warn("still vertices", 0, || {
                    format!(
                        "the vertices of node {node} stand still: {count} places of them are more \
                         than a model of this size has room for"
                    )
                });
            } else if count > 0 {
                room -= count;
                let contents = contents(file, space, (node, poses), &members);
                deforms.nodes.push(contents);
            }
        }
        deforms
    }
}

fn contents(
    file: &AbcFile<'_>,
    space: Handedness,
    (node, poses): (usize, usize),
    members: &DeformedVertices<'_>,
) -> ConvertedDeform {
    let tracks: Vec<(usize, &NodeTrack<'_>)> = file
        .animations
        .iter()
        .filter_map(|animation| Some((animation.keyframes.len(), animation.tracks.get(node)?)))
        .collect();
    let bounds = bounds(&tracks, members, space);
    let [origin, max] = bounds;
    let steps = Steps {
        origin,
        per_unit: (Vec3::splat(f32::from(u16::MAX)) / (max - origin)).map(finite),
    };
    let listed = file
        .nodes
        .get(node)
        .map_or(0, |node| node.deform_vertices.len());
    let mut texels = room_for(poses * members.count());
    let still: Vec<[u16; 4]> = members.still.iter().map(|place| steps.of(*place)).collect();
    let mut pose: Vec<[u16; 4]> = Vec::with_capacity(members.count());
    let mut left = poses;
    for (keys, track) in tracks {
        let table = steps.table(track, space);
        for key in 0..keys.min(left) {
            let bytes = track.deform.get(key * listed..).unwrap_or_default();
            let of = |place: &usize| bytes.get(*place).copied().unwrap_or_default();
            pose.clear();
            pose.extend(members.stored.iter().map(|place| table.texel(of(place))));
            pose.extend_from_slice(&still);
            add_between(&mut pose, &members.between);
            texels.extend_from_slice(pose.as_bytes());
        }
        left -= keys.min(left);
    }
    let around = around(space, members);
    let mut around_bytes = room_for(around.len());
    around_bytes.extend_from_slice(around.as_bytes());
    ConvertedDeform {
        node,
        vertices: members.count() as u32,
        poses: poses as u32,
        step: (max - origin) / f32::from(u16::MAX),
        origin,
        bounds,
        texels,
        around: around_bytes,
    }
}

/// An empty list with room for a picture of so many texels. One that grows would be there twice while
/// it does.
fn room_for(texels: usize) -> Vec<u8> {
    let [width, height] = texture_size(texels);
    Vec::with_capacity(width * height * size_of::<[u16; 4]>())
}

/// A division by no extent says nothing.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// Puts vertices in the middle of two others each, which come before them in the pose.
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

/// How places become steps.
struct Steps {
    /// Place of step 0.
    origin: Vec3,
    /// Steps per unit; 0 along axes on which nothing moves.
    per_unit: Vec3,
}

impl Steps {
    /// The nearest steps to a place. What is beyond the range is at its end.
    fn of(&self, place: Vec3) -> [u16; 4] {
        let steps = (place - self.origin) * self.per_unit + 0.5;
        let [x, y, z] = steps.to_array().map(|step| step as u16);
        [x, y, z, 0]
    }

    /// The steps of each of the 256 places that an animation knows on each axis.
    fn table(&self, track: &NodeTrack<'_>, space: Handedness) -> Table {
        let mut table = Table(Box::new([[0; 4]; 256]));
        let scale = Vec3::from_array(track.deform_scale);
        let translation = Vec3::from_array(track.deform_translation);
        for (byte, steps) in (0..=u8::MAX).zip(table.0.iter_mut()) {
            let place = scale * f32::from(byte) + translation;
            *steps = self.of(space.vector(place.to_array()));
        }
        table
    }
}

struct Table(Box<[[u16; 4]; 256]>);

impl Table {
    fn texel(&self, [x, y, z]: [u8; 3]) -> [u16; 4] {
        let of = |byte: u8| self.0[usize::from(byte)];
        [of(x)[0], of(y)[1], of(z)[2], 0]
    }
}

/// The box around all places that the file tells.
fn bounds(
    tracks: &[(usize, &NodeTrack<'_>)],
    members: &DeformedVertices<'_>,
    space: Handedness,
) -> [Vec3; 2] {
    let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let mut take = |place: Vec3| {
        let [min, max] = bounds;
        bounds = [min.min(place), max.max(place)];
    };
    for (_, track) in tracks {
        if track.deform.is_empty() {
            continue;
        }
        let (mut least, mut most) = ([u8::MAX; 3], [u8::MIN; 3]);
        for steps in track.deform {
            for axis in 0..3 {
                least[axis] = least[axis].min(steps[axis]);
                most[axis] = most[axis].max(steps[axis]);
            }
        }
        let scale = Vec3::from_array(track.deform_scale);
        let origin = Vec3::from_array(track.deform_translation);
        for steps in [least, most] {
            let place = Vec3::from_array(steps.map(f32::from)) * scale + origin;
            take(space.vector(place.to_array()));
        }
    }
    members.still.iter().copied().for_each(take);
    let [min, max] = bounds;
    if is_near(min) && is_near(max) {
        bounds
    } else {
        [Vec3::ZERO; 2]
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::parse;
    use crate::lithtech::abc::write::write;
    use classic_models_fixtures::abc_full::sample_model;

    fn deforms_of(file: &AbcFile<'_>, space: Handedness) -> Deforms {
        let mut flaws = WarningCollector::default();
        let deforms = Deforms::new(file, space, usize::MAX, &mut flaws);
        assert!(flaws.into_warnings().is_empty());
        deforms
    }

    fn texels(bytes: &[u8]) -> Vec<[u16; 4]> {
        (0..).map_while(|index| texel(bytes, index)).collect()
    }

    #[test]
    fn poses_are_those_of_the_plain_functions() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        for mirrors in [false, true] {
            let space = Handedness::new(file.transform(), mirrors);
            let Deforms { nodes, slots } = deforms_of(&file, space);
            let [flag] = &nodes[..] else {
                panic!("one node deforms");
            };
            assert_eq!((flag.node, flag.vertices, flag.poses), (2, 4, 4));
            // Its own three vertices, and what the third level puts between two of them.
            let members: Vec<_> = (0..file.geometry.vertices.len())
                .filter(|vertex| slots[*vertex] != NO_SLOT)
                .collect();
            assert_eq!(members, [5, 6, 7, 10]);
            let mut pose = 0;
            for (index, animation) in file.animations.iter().enumerate() {
                for keyframe in &animation.keyframes {
                    let seconds = keyframe.time as f32 / 1000.0;
                    let expected = file.vertex_positions(Some(index), seconds);
                    for vertex in &members {
                        let slot = slots[*vertex];
                        let (found, _) = flag.vertex(pose.into(), slot).unwrap();
                        let expected = space.vector(expected[*vertex]);
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
    fn triangles_around_are_those_of_the_file() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Handedness::new(file.transform(), true);
        let Deforms { nodes, slots } = deforms_of(&file, space);
        let [flag] = &nodes[..] else {
            panic!("one node deforms");
        };
        let around = texels(&flag.around);
        let pair = |a, b, towards_b| PosePair { a, b, towards_b };
        let shown = PoseBlend {
            to: pair(0, 1, 0.25),
            from: pair(3, 2, 0.4),
            from_weight: 0.3,
        };
        let slot = |vertex: usize| slots[vertex] as u16;
        let [a, b, c] = space.corners([5, 6, 7]).map(slot);
        for vertex in [5, 6, 7, 10] {
            let [low, high, count, _] = around[usize::from(slot(vertex))];
            let first = usize::from(low) | usize::from(high) << 16;
            let triangles = &around[first..first + usize::from(count)];
            // What is between two of them has the triangles of both.
            assert_eq!(count, if vertex == 10 { 2 } else { 1 });
            assert!(triangles.iter().all(|of| *of == [a, b, c, 0]));
            let place = |slot: u16| flag.vertex(shown, slot.into()).unwrap().0;
            let [a, b, c] = [a, b, c].map(place);
            let (_, normal) = flag.vertex(shown, slot(vertex).into()).unwrap();
            let expected = (b - a).cross(c - a).normalize();
            assert!(normal.unwrap().abs_diff_eq(expected, 1e-5));
        }
    }

    #[test]
    fn vertices_of_others_and_those_listed_twice_are_not_moved_more_than_once() {
        let mut model = sample_model();
        model.nodes[2].deform_vertices = vec![5, 3, 6, 5, 7];
        for animation in &mut model.animations {
            let keyframes = animation.keyframes.len() as u8;
            let places = (0..5 * keyframes).map(|place| [place; 3]);
            animation.tracks[2].deform = places.collect();
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
        // What is listed last counts: the fourth step of the second keyframe is 8.
        let [x, ..] = texels(&flag.texels)[4];
        let found = f32::from(x) * flag.step.x + flag.origin.x;
        assert!((found - (8.0 * 0.5 - 1.0)).abs() < 0.01, "{found}");
    }

    #[test]
    fn what_needs_more_room_than_the_file_has_stands_still() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Handedness::new(file.transform(), true);
        let mut flaws = WarningCollector::default();
        let nodes = Deforms::new(&file, space, 32, &mut flaws).nodes;
        assert_eq!(nodes.len(), 1);
        let nodes = Deforms::new(&file, space, 31, &mut flaws).nodes;
        assert!(nodes.is_empty());
        let [warning] = &flaws.into_warnings()[..] else {
            panic!("one warning");
        };
        let told = "the vertices of node 2 stand still: 16 ";
        assert!(warning.message.starts_with(told));
    }
}
