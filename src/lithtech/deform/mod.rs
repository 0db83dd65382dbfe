//! Vertices that a node moves one by one: where they are in every keyframe, packed for the GPU.
//!
//! The file has a byte for each coordinate, and a scale for each animation. Here all animations share
//! one scale, in two bytes, so that any keyframe can be blended with any other. The file has no normals
//! for them: the shader makes those of the triangles [`around`] each vertex, as they are just then.
//!
//! What may not enter: anything of Bevy but its maths.

mod around;
mod members;

use crate::lithtech::abc::{AbcFile, NodeTrack};
use crate::lithtech::deform::around::around;
use crate::lithtech::deform::members::Members;
use crate::lithtech::space::Space;
use bevy::math::Vec3;

/// The first keyframes of a model, in file order, that a mesh's tag can name.
pub(super) const MOST_POSES: usize = 2048;

/// What stands for a vertex that does not deform.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// Where the deforming vertices of a node are, in the node's space.
#[derive(Clone, Debug)]
pub struct DeformContents {
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
    pub texels: Vec<[u16; 4]>,
    /// For each vertex, where the triangles around it begin in this list, low half first, and how many
    /// they are; then the triangles, each as three vertices, counter-clockwise when seen from
    /// outside. The numbers that are left are without meaning.
    pub around: Vec<[u16; 4]>,
    /// For each vertex of the file, its place among those that deform.
    pub(super) slots: Vec<u32>,
}

/// The poses of all nodes that deform.
pub(super) fn deforms(file: &AbcFile<'_>, space: Space) -> Vec<DeformContents> {
    let nodes = file.nodes.iter().enumerate();
    let deforming = nodes.filter(|(_, node)| !node.deform_vertices.is_empty());
    deforming
        .map(|(index, _)| contents(file, space, index))
        .collect()
}

fn contents(file: &AbcFile<'_>, space: Space, node: usize) -> DeformContents {
    let members = Members::new(file, space, node);
    let tracks: Vec<(usize, &NodeTrack<'_>)> = file
        .animations
        .iter()
        .filter_map(|animation| Some((animation.keyframes.len(), animation.tracks.get(node)?)))
        .collect();
    let bounds = bounds(&tracks, &members, space);
    let [origin, max] = bounds;
    let steps = Steps {
        origin,
        per_unit: (Vec3::splat(f32::from(u16::MAX)) / (max - origin)).map(finite),
    };
    let keyframes: usize = tracks.iter().map(|(keys, _)| keys).sum();
    let poses = keyframes.min(MOST_POSES);
    // A list that grows would be there twice while it does.
    let mut texels = Vec::with_capacity(poses * members.count());
    let still: Vec<[u16; 4]> = members.still.iter().map(|place| steps.of(*place)).collect();
    let mut left = poses;
    for (keys, track) in tracks {
        let table = steps.table(track, space);
        for key in 0..keys.min(left) {
            let first = texels.len();
            texels.extend(stored(track, key, members.stored).map(|bytes| table.texel(bytes)));
            texels.extend_from_slice(&still);
            add_between(&mut texels, first, &members.between);
        }
        left -= keys.min(left);
    }
    DeformContents {
        node,
        vertices: members.count() as u32,
        poses: poses as u32,
        step: (max - origin) / f32::from(u16::MAX),
        origin,
        bounds,
        texels,
        around: around(file, space, &members),
        slots: members.slots,
    }
}

/// A division by no extent says nothing.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// The bytes of a keyframe, one for each of `count` vertices.
fn stored(track: &NodeTrack<'_>, key: usize, count: usize) -> impl Iterator<Item = [u8; 3]> {
    let first = key * count;
    let bytes = track.deform.get(first..first + count).unwrap_or_default();
    let missing = count - bytes.len();
    bytes
        .iter()
        .copied()
        .chain(core::iter::repeat_n([0; 3], missing))
}

/// Puts vertices in the middle of two others each, which come before them in the pose that begins at
/// `first`.
fn add_between(texels: &mut Vec<[u16; 4]>, first: usize, between: &[[usize; 2]]) {
    for pair in between {
        let [a, b] = pair.map(|slot| texels.get(first + slot).copied().unwrap_or_default());
        let middle = |axis: usize| {
            let sum = u32::from(a[axis]) + u32::from(b[axis]);
            (sum / 2) as u16
        };
        texels.push([middle(0), middle(1), middle(2), 0]);
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
    fn table(&self, track: &NodeTrack<'_>, space: Space) -> Table {
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
fn bounds(tracks: &[(usize, &NodeTrack<'_>)], members: &Members, space: Space) -> [Vec3; 2] {
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
    if min.is_finite() && max.is_finite() && (max - min).is_finite() {
        bounds
    } else {
        [Vec3::ZERO; 2]
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::parse;
    use crate::lithtech::abc::tests::figure;
    use crate::lithtech::abc::write::write;

    #[test]
    fn poses_are_those_of_the_plain_functions() {
        let bytes = write(&figure()).unwrap();
        let file = parse(&bytes).unwrap();
        for mirrors in [false, true] {
            let space = Space::new(file.transform(), mirrors);
            let [flag] = &deforms(&file, space)[..] else {
                panic!("one node deforms");
            };
            assert_eq!((flag.node, flag.vertices, flag.poses), (2, 4, 4));
            // Its own three vertices, and what the third level puts between two of them.
            let members: Vec<_> = (0..file.geometry.vertices.len())
                .filter(|vertex| flag.slots[*vertex] != NO_SLOT)
                .collect();
            assert_eq!(members, [5, 6, 7, 10]);
            let mut pose = 0;
            for (index, animation) in file.animations.iter().enumerate() {
                for keyframe in &animation.keyframes {
                    let seconds = keyframe.time as f32 / 1000.0;
                    let expected = file.vertex_positions(Some(index), seconds);
                    for vertex in &members {
                        let slot = flag.slots[*vertex] as usize;
                        let [x, y, z, _] = flag.texels[pose * 4 + slot];
                        let found = Vec3::from_array([x, y, z].map(f32::from));
                        let found = found * flag.step + flag.origin;
                        let expected = space.vector(expected[*vertex]);
                        assert!(found.abs_diff_eq(expected, 0.01), "{found} {expected}");
                    }
                    pose += 1;
                }
            }
            assert_eq!(flag.texels.len(), pose * 4);
        }
    }

    #[test]
    fn triangles_around_are_those_of_the_file() {
        let bytes = write(&figure()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Space::new(file.transform(), true);
        let [flag] = &deforms(&file, space)[..] else {
            panic!("one node deforms");
        };
        let slot = |vertex: usize| flag.slots[vertex] as u16;
        let [a, b, c] = space.corners([5, 6, 7]).map(slot);
        for vertex in [5, 6, 7, 10] {
            let [low, high, count, _] = flag.around[usize::from(slot(vertex))];
            let first = usize::from(low) | usize::from(high) << 16;
            let triangles = &flag.around[first..first + usize::from(count)];
            // What is between two of them has the triangles of both.
            assert_eq!(count, if vertex == 10 { 2 } else { 1 });
            assert!(triangles.iter().all(|of| *of == [a, b, c, 0]));
        }
    }
}
