//! Vertices that a node moves one by one: where they are in every keyframe, packed for the GPU.
//!
//! The file has a byte for each coordinate, and a scale for each animation. Here all animations share
//! one scale, in two bytes, so that any keyframe can be blended with any other; and each vertex has the
//! normal of the triangles around it, which the file does not tell.

use crate::lithtech::abc::{AbcFile, KeyBlend, Node, NodeTrack};
use crate::lithtech::limits;
use crate::lithtech::material::{MOST_TEXELS, texture_size};
use crate::lithtech::space::Space;
use crate::read::Flaws;
use bevy::math::{Vec2, Vec3};

/// The first keyframes of a model, in file order, that a mesh's tag can name.
pub(super) const MOST_POSES: usize = 2048;

/// What stands for a vertex that does not deform.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// Where the deforming vertices of a node are, in the node's space.
#[derive(Clone, Debug)]
pub struct DeformContents {
    /// Index of the node.
    pub node: usize,
    /// How many vertices deform.
    pub vertices: u32,
    /// How many poses there are: the keyframes of all animations, one after the other.
    pub poses: u32,
    /// Units per step.
    pub step: Vec3,
    /// Place of step 0.
    pub origin: Vec3,
    /// Least and greatest corner of the box around all poses.
    pub bounds: [Vec3; 2],
    /// For each pose and vertex four numbers of 16 bits, the low byte first: the place in steps, and
    /// the normal. There is room for as many more as the picture of them is larger.
    pub texels: Vec<u8>,
}

/// The nodes that deform.
#[derive(Clone, Debug, Default)]
pub(super) struct Deforms {
    /// What moves their vertices.
    pub(super) nodes: Vec<DeformContents>,
    /// For each vertex of the file, its place among those that its node deforms. A list for each node
    /// would be as long as there are vertices.
    pub(super) slots: Vec<u32>,
}

impl Deforms {
    /// The poses of all nodes that deform, of a file of so many bytes. Those that need too much room
    /// stand still: together they may have as many places as the file has bytes. Real ones have a
    /// third of that.
    pub(super) fn new(file: &AbcFile<'_>, space: Space, length: usize, flaws: &mut Flaws) -> Self {
        let mut deforms = Self::default();
        let mut room = length;
        for (index, node) in file.nodes.iter().enumerate() {
            if node.deform_vertices.is_empty() {
                continue;
            }
            deforms.slots.resize(file.geometry.vertices.len(), NO_SLOT);
            let deformation = Deformation::new(file, space, (index, node), &mut deforms.slots);
            let count = deformation.texels();
            let is_full = deforms.nodes.len() >= limits::deforming_nodes(length);
            if count > room.min(MOST_TEXELS) || (is_full && count > 0) {
                flaws.warn("still vertices", 0, || {
                    format!(
                        "the vertices of node {index} stand still: {count} places of them are more \
                         than a model of this size has room for"
                    )
                });
            } else if count > 0 {
                room -= count;
                deforms.nodes.push(deformation.contents());
            }
        }
        deforms
    }
}

/// A vertex that deforms.
#[derive(Clone, Copy)]
enum Member {
    /// By the keyframes; the place in the node's list.
    Stored(usize),
    /// In the middle of two others, by their places among those that deform or else where they are.
    Between([Result<usize, Vec3>; 2]),
}

struct Deformation<'a> {
    file: &'a AbcFile<'a>,
    space: Space,
    index: usize,
    node: &'a Node<'a>,
    members: Vec<Member>,
    slots: &'a mut Vec<u32>,
}

impl<'a> Deformation<'a> {
    fn new(
        file: &'a AbcFile<'a>,
        space: Space,
        (index, node): (usize, &'a Node<'a>),
        slots: &'a mut Vec<u32>,
    ) -> Self {
        let mut deformation = Self {
            file,
            space,
            index,
            node,
            members: Vec::new(),
            slots,
        };
        for (place, vertex) in node.deform_vertices.iter().enumerate() {
            deformation.add(vertex.get().into(), Member::Stored(place));
        }
        deformation.add_levels();
        deformation
    }

    /// Whether a vertex follows this node: no other can deform it.
    fn is_own(&self, vertex: usize) -> bool {
        let vertex = self.file.geometry.vertices.get(vertex);
        vertex.is_some_and(|vertex| usize::from(vertex.node) == self.index)
    }

    fn add(&mut self, vertex: usize, member: Member) {
        if !self.is_own(vertex) {
            return;
        }
        let place = self.slot(vertex);
        match place.and_then(|place| self.members.get_mut(place)) {
            // It is listed twice.
            Some(listed) => *listed = member,
            None => {
                if let Some(slot) = self.slots.get_mut(vertex) {
                    *slot = self.members.len() as u32;
                    self.members.push(member);
                }
            }
        }
    }

    fn slot(&self, vertex: usize) -> Option<usize> {
        let slot = self.slots.get(vertex).filter(|slot| **slot != NO_SLOT)?;
        self.is_own(vertex).then_some(*slot as usize)
    }

    /// How many poses there are.
    fn poses(&self) -> usize {
        let keyframes = self.file.animations.iter().map(|of| of.keyframes.len());
        keyframes.sum::<usize>().min(MOST_POSES)
    }

    /// How many places there are in all poses.
    fn texels(&self) -> usize {
        self.poses().saturating_mul(self.members.len())
    }

    /// What levels of detail put between vertices that deform deforms with them.
    fn add_levels(&mut self) {
        let geometry = &self.file.geometry;
        let first = geometry.base_vertices as usize;
        let extras = geometry.vertices.iter().enumerate().skip(first);
        for (index, vertex) in extras.take(geometry.lods as usize) {
            let pair = vertex.replacements.map(|of| usize::from(of.get()));
            let [a, b] = pair.map(|of| self.slot(of).ok_or_else(|| self.at_rest(of)));
            if a.is_ok() || b.is_ok() {
                self.add(index, Member::Between([a, b]));
            }
        }
    }

    fn at_rest(&self, vertex: usize) -> Vec3 {
        let vertex = self.file.geometry.vertices.get(vertex);
        vertex.map_or(Vec3::ZERO, |vertex| {
            self.space.vector(vertex.clean_position())
        })
    }

    fn contents(self) -> DeformContents {
        let [origin, max] = self.bounds();
        let step = (max - origin) / f32::from(u16::MAX);
        let triangles = self.triangles();
        let [width, height] = texture_size(self.texels());
        // A list that grows would be there twice while it does.
        let mut texels = Vec::with_capacity(width * height * size_of::<[u16; 4]>());
        let mut poses = 0;
        let tracks = self.file.animations.iter().filter_map(|animation| {
            let track = animation.tracks.get(self.index)?;
            Some((animation.keyframes.len(), track))
        });
        for (keys, track) in tracks {
            for key in 0..keys {
                if poses == MOST_POSES {
                    break;
                }
                poses += 1;
                let positions = self.positions(track, key);
                let normals = self.normals(&positions, &triangles);
                let vertices = positions.iter().zip(normals);
                for (position, normal) in vertices {
                    let [x, y, z] = steps(*position - origin, step);
                    let texel = [x, y, z, packed(normal)];
                    texels.extend_from_slice(texel.map(u16::to_le_bytes).as_flattened());
                }
            }
        }
        DeformContents {
            node: self.index,
            vertices: self.members.len() as u32,
            poses: poses as u32,
            step,
            origin,
            bounds: [origin, max],
            texels,
        }
    }

    /// The box around all places that the file tells.
    fn bounds(&self) -> [Vec3; 2] {
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let mut take = |position: Vec3| {
            let [min, max] = bounds;
            bounds = [min.min(position), max.max(position)];
        };
        for animation in &self.file.animations {
            let Some(track) = animation.tracks.get(self.index) else {
                continue;
            };
            let (mut least, mut most) = ([u8::MAX; 3], [u8::MIN; 3]);
            for steps in track.deform {
                for ((least, most), step) in least.iter_mut().zip(&mut most).zip(steps) {
                    *least = (*least).min(*step);
                    *most = (*most).max(*step);
                }
            }
            if !track.deform.is_empty() {
                let scale = Vec3::from_array(track.deform_scale);
                let origin = Vec3::from_array(track.deform_translation);
                for steps in [least, most] {
                    let place = Vec3::from_array(steps.map(f32::from)) * scale + origin;
                    take(self.space.vector(place.to_array()));
                }
            }
        }
        for member in &self.members {
            if let Member::Between(pair) = member {
                pair.iter().filter_map(|one| one.err()).for_each(&mut take);
            }
        }
        let [min, max] = bounds;
        if min.is_finite() && max.is_finite() && (max - min).is_finite() {
            bounds
        } else {
            [Vec3::ZERO; 2]
        }
    }

    fn positions(&self, track: &NodeTrack<'_>, key: usize) -> Vec<Vec3> {
        let count = self.node.deform_vertices.len();
        let blend = KeyBlend {
            key,
            next: key,
            t: 0.0,
        };
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let position = match member {
                Member::Stored(place) => {
                    let position = track.deform_position(*place, count, blend);
                    self.space.vector(position.unwrap_or_default())
                }
                Member::Between(pair) => {
                    let [a, b] = pair.map(|one| match one {
                        Ok(slot) => positions.get(slot).copied().unwrap_or_default(),
                        Err(at_rest) => at_rest,
                    });
                    a * 0.5 + b * 0.5
                }
            };
            positions.push(position);
        }
        positions
    }

    /// The triangles of the full model that deform, by the places of their corners, or else where
    /// those are.
    fn triangles(&self) -> Vec<[Result<usize, Vec3>; 3]> {
        let triangles = self.file.geometry.triangles.iter();
        let corners = triangles.map(|triangle| {
            let corners = self.space.corners(triangle.indices());
            corners.map(|vertex| {
                let vertex = vertex as usize;
                self.slot(vertex).ok_or_else(|| self.at_rest(vertex))
            })
        });
        corners
            .filter(|corners| corners.iter().any(Result::is_ok))
            .collect()
    }

    /// The normals of a pose: those of the triangles around, by their areas.
    fn normals(&self, positions: &[Vec3], triangles: &[[Result<usize, Vec3>; 3]]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; positions.len()];
        for corners in triangles {
            let [a, b, c] = corners.map(|corner| match corner {
                Ok(slot) => positions.get(slot).copied().unwrap_or_default(),
                Err(at_rest) => at_rest,
            });
            let area = (b - a).cross(c - a);
            for slot in corners.iter().flatten() {
                if let Some(normal) = normals.get_mut(*slot) {
                    *normal += area;
                }
            }
        }
        for (slot, member) in self.members.iter().enumerate() {
            if let Member::Between(pair) = member {
                let of = |slot: &usize| normals.get(*slot).copied().unwrap_or_default();
                let pair = pair.iter().flatten().map(of);
                let middle = pair.map(Vec3::normalize_or_zero).sum();
                if let Some(normal) = normals.get_mut(slot) {
                    *normal = middle;
                }
            }
        }
        normals
    }
}

/// A place in steps, the nearest that there is.
fn steps(place: Vec3, step: Vec3) -> [u16; 3] {
    let mut steps = [0; 3];
    let places = place.to_array().into_iter().zip(step.to_array());
    for (steps, (place, step)) in steps.iter_mut().zip(places) {
        if step > 0.0 {
            // What is beyond the range is at its end.
            *steps = (place / step).round() as u16;
        }
    }
    steps
}

/// A direction in two bytes, on an octahedron that is laid out as a square; +Y if it has no length.
fn packed(normal: Vec3) -> u16 {
    let normal = normal.try_normalize().unwrap_or(Vec3::Y);
    let Vec3 { x, y, z } = normal / normal.abs().element_sum();
    let place = Vec2::new(x, y);
    let place = if z < 0.0 {
        let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
        let turned = Vec2::new(y, x);
        (Vec2::ONE - turned.abs()) * Vec2::new(sign(x), sign(y))
    } else {
        place
    };
    let [u, v] = (place * 127.0 + 127.0).round().to_array();
    u16::from(u as u8) | u16::from(v as u8) << 8
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::parse;
    use crate::lithtech::abc::tests::figure;
    use crate::lithtech::abc::write::write;

    /// As the shader has it.
    fn unpacked(packed: u16) -> Vec3 {
        let [u, v] = packed
            .to_le_bytes()
            .map(|byte| f32::from(byte) / 127.0 - 1.0);
        let z = 1.0 - u.abs() - v.abs();
        let fold = (-z).max(0.0);
        let unfold = |value: f32| {
            if value < 0.0 {
                value + fold
            } else {
                value - fold
            }
        };
        Vec3::new(unfold(u), unfold(v), z).normalize()
    }

    fn deforms_of(file: &AbcFile<'_>, space: Space) -> Deforms {
        let mut flaws = Flaws::default();
        let deforms = Deforms::new(file, space, usize::MAX, &mut flaws);
        assert!(flaws.into_warnings().is_empty());
        deforms
    }

    fn texels(contents: &DeformContents) -> Vec<[u16; 4]> {
        let texels = contents.texels.as_chunks::<8>().0.iter();
        let word = |texel: &[u8; 8], place: usize| {
            u16::from_le_bytes([texel[2 * place], texel[2 * place + 1]])
        };
        texels
            .map(|texel| [0, 1, 2, 3].map(|place| word(texel, place)))
            .collect()
    }

    #[test]
    fn normals_keep_their_direction() {
        for x in -3_i8..=3 {
            for y in -3_i8..=3 {
                for z in -3_i8..=3 {
                    let normal = Vec3::from_array([x, y, z].map(f32::from));
                    let expected = normal.try_normalize().unwrap_or(Vec3::Y);
                    assert!(unpacked(packed(normal)).dot(expected) > 0.9995, "{normal}");
                }
            }
        }
    }

    #[test]
    fn poses_are_those_of_the_plain_functions() {
        let bytes = write(&figure()).unwrap();
        let file = parse(&bytes).unwrap();
        for mirrors in [false, true] {
            let space = Space::new(file.transform(), mirrors);
            let Deforms { nodes, slots } = deforms_of(&file, space);
            let [flag] = &nodes[..] else {
                panic!("one node deforms");
            };
            let texels = texels(flag);
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
                        let slot = slots[*vertex] as usize;
                        let [x, y, z, _] = texels[pose * 4 + slot];
                        let found = Vec3::from_array([x, y, z].map(f32::from));
                        let found = found * flag.step + flag.origin;
                        let expected = space.vector(expected[*vertex]);
                        assert!(found.abs_diff_eq(expected, 0.01), "{found} {expected}");
                    }
                    pose += 1;
                }
            }
            assert_eq!(texels.len(), pose * 4);
        }
    }

    #[test]
    fn the_normal_of_a_triangle_is_that_of_its_corners() {
        let bytes = write(&figure()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Space::new(file.transform(), true);
        let deforms = deforms_of(&file, space);
        let [flag] = &deforms.nodes[..] else {
            panic!("one node deforms");
        };
        let corners = space.corners([5, 6, 7]).map(|vertex: usize| {
            let [x, y, z] = file.vertex_positions(Some(0), 0.1)[vertex];
            space.vector([x, y, z])
        });
        let [a, b, c] = corners;
        let expected = (b - a).cross(c - a).normalize();
        for texel in &texels(flag)[4..8] {
            assert!(unpacked(texel[3]).dot(expected) > 0.9995);
        }
    }

    #[test]
    fn vertices_of_others_and_those_listed_twice_are_not_moved_more_than_once() {
        let mut model = figure();
        model.nodes[2].deform_vertices = vec![5, 3, 6, 5, 7];
        for animation in &mut model.animations {
            let keyframes = animation.keyframes.len() as u8;
            let places = (0..5 * keyframes).map(|place| [place; 3]);
            animation.tracks[2].deform = places.collect();
        }
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        let deforms = deforms_of(&file, Space::new(file.transform(), true));
        let [flag] = &deforms.nodes[..] else {
            panic!("one node deforms");
        };
        assert_eq!((flag.vertices, flag.poses), (4, 4));
        let slots = [3, 5, 6, 7, 10].map(|vertex: usize| deforms.slots[vertex]);
        assert_eq!(slots, [NO_SLOT, 0, 1, 2, 3]);
        // What is listed last counts: the fourth step of the second keyframe is 8.
        let [x, ..] = texels(flag)[4];
        let found = f32::from(x) * flag.step.x + flag.origin.x;
        assert!((found - (8.0 * 0.5 - 1.0)).abs() < 0.01, "{found}");
    }

    #[test]
    fn what_needs_more_room_than_the_file_has_stands_still() {
        let bytes = write(&figure()).unwrap();
        let file = parse(&bytes).unwrap();
        let space = Space::new(file.transform(), true);
        let mut flaws = Flaws::default();
        let nodes = Deforms::new(&file, space, 16, &mut flaws).nodes;
        assert_eq!(nodes.len(), 1);
        let nodes = Deforms::new(&file, space, 15, &mut flaws).nodes;
        assert!(nodes.is_empty());
        let [warning] = &flaws.into_warnings()[..] else {
            panic!("one warning");
        };
        let told = "the vertices of node 2 stand still: 16 ";
        assert!(warning.message.starts_with(told));
    }
}
