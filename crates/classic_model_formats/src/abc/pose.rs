//! How a model stands at a time of an animation, said plainly: no faster than it must be, and the
//! measure of whatever is.

use super::file::{AbcFile, Animation, NodeTrack};
use super::records::unit;
use crate::interpolate::{slerp, weighted};
use zerocopy::little_endian::F32;

/// A time between two keyframes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyBlend {
    /// Index of the keyframe at or before the time.
    pub key: usize,
    /// Index of the keyframe after it; the same as `key` at the ends.
    pub next: usize,
    /// From the one to the other: at least 0 and less than 1.
    pub t: f32,
}

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// Where it is.
    pub translation: [f32; 3],
    /// How it is turned: X, Y, Z and W of a quaternion of length 1.
    pub rotation: [f32; 4],
}

impl NodePose {
    /// Neither moved nor turned.
    pub const IDENTITY: Self = Self {
        translation: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
    };

    /// From the node's space to that which the pose is told in.
    pub fn transform_point(&self, point: [f32; 3]) -> [f32; 3] {
        sum(self.translation, rotated(self.rotation, point))
    }

    /// The pose of a child in the space that this pose is told in.
    fn of_child(&self, child: &Self) -> Self {
        let rotation = product(self.rotation, child.rotation);
        Self {
            translation: self.transform_point(child.translation),
            // Deep skeletons would drift from length 1.
            rotation: unit(rotation).unwrap_or(Self::IDENTITY.rotation),
        }
    }

    fn conjugated(self) -> Self {
        let [x, y, z, w] = self.rotation;
        Self {
            rotation: [-x, -y, -z, w],
            ..self
        }
    }
}

impl Animation<'_> {
    /// The keyframes around a time in seconds: the first and the last hold before and after all.
    /// `None` if there are no keyframes.
    pub fn blend_at(&self, seconds: f32) -> Option<KeyBlend> {
        let last = self.keyframes.len().checked_sub(1)?;
        // Milliseconds of 32 bits are exact in 64.
        let time = f64::from(seconds) * 1000.0;
        let begun = |time| {
            let key = self
                .keyframes
                .partition_point(|frame| f64::from(frame.time) <= time);
            key.checked_sub(1)
        };
        let hold = |key| KeyBlend {
            key,
            next: key,
            t: 0.0,
        };
        // A NaN is as before all.
        let Some(key) = begun(time) else {
            return Some(hold(0));
        };
        let time_of = |key: usize| self.keyframes.get(key).map(|frame| f64::from(frame.time));
        let next = key.saturating_add(1);
        let (Some(from), Some(to)) = (time_of(key), time_of(next)) else {
            return Some(hold(last));
        };
        // The next one is later than the time and this one is not, so they are not the same. What
        // rounds up to 1 is as good as just below.
        let t = (((time - from) / (to - from)) as f32).min(1.0 - f32::EPSILON);
        Some(KeyBlend { key, next, t })
    }
}

impl NodeTrack<'_> {
    /// The node in its parent, with its rotation as stored: translations on a straight line,
    /// rotations on the shorter arc.
    pub fn pose(&self, blend: KeyBlend) -> NodePose {
        let at = |key: usize| match self.keys.get(key) {
            Some(key) => NodePose {
                translation: key.translation.map(F32::get),
                rotation: key.unit_rotation(),
            },
            None => NodePose::IDENTITY,
        };
        let from = at(blend.key);
        if blend.t <= 0.0 {
            return from;
        }
        let to = at(blend.next);
        NodePose {
            translation: lerp(from.translation, to.translation, blend.t),
            rotation: slerp(from.rotation, to.rotation, blend.t),
        }
    }

    /// Where one of the node's deforming vertices is, in the node's space: on a straight line from
    /// one keyframe to the next. `slot` is its place in the node's list, which has `count` entries.
    /// `None` beyond what the track has.
    pub fn deform_position(&self, slot: usize, count: usize, blend: KeyBlend) -> Option<[f32; 3]> {
        let at = |key: usize| {
            let index = key.checked_mul(count)?.checked_add(slot)?;
            let steps = self.deform.get(index)?.map(f32::from);
            let mut place = self.deform_translation;
            for ((place, steps), scale) in place.iter_mut().zip(steps).zip(self.deform_scale) {
                *place += steps * scale;
            }
            Some(place)
        };
        let from = at(blend.key)?;
        if blend.t <= 0.0 {
            return Some(from);
        }
        Some(lerp(from, at(blend.next)?, blend.t))
    }
}

impl AbcFile<'_> {
    /// How each node stands in its parent, `seconds` into the animation of this index.
    ///
    /// Without such an animation, or without keyframes in it, the nodes stand as the model was
    /// built: as in the first keyframe of the first animation.
    pub fn node_poses(&self, animation: Option<usize>, seconds: f32) -> Vec<NodePose> {
        let flip = self.transform().flip_animation;
        let moment = self.moment(animation, seconds);
        let pose = |index: usize| {
            let (animation, blend) = moment?;
            let pose = animation.tracks.get(index)?.pose(blend);
            Some(if flip { pose.conjugated() } else { pose })
        };
        (0..self.nodes.len())
            .map(|index| pose(index).unwrap_or(NodePose::IDENTITY))
            .collect()
    }

    /// How each node stands in the model: its parent's pose, then its own.
    pub fn node_poses_in_model(&self, animation: Option<usize>, seconds: f32) -> Vec<NodePose> {
        let mut poses = self.node_poses(animation, seconds);
        for (index, node) in self.nodes.iter().enumerate() {
            // Parents come before their children.
            let parent = node.parent.and_then(|parent| poses.get(parent as usize));
            let parent = *parent.unwrap_or(&NodePose::IDENTITY);
            if let Some(pose) = poses.get_mut(index) {
                *pose = parent.of_child(pose);
            }
        }
        poses
    }

    /// Where each vertex is in the space of its node: as stored, or where its node moved it. What a
    /// level of detail adds to a node that deforms is in the middle of the two that it replaces.
    pub fn vertex_positions(&self, animation: Option<usize>, seconds: f32) -> Vec<[f32; 3]> {
        let vertices = self.geometry.vertices.iter();
        let mut positions: Vec<_> = vertices.map(|vertex| vertex.clean_position()).collect();
        let Some((animation, blend)) = self.moment(animation, seconds) else {
            return positions;
        };
        for (number, (node, track)) in self.nodes.iter().zip(&animation.tracks).enumerate() {
            let count = node.deform_vertices.len();
            for (slot, index) in node.deform_vertices.iter().enumerate() {
                let vertex = self.geometry.vertices.get(usize::from(index.get()));
                // Those of other nodes are in other spaces.
                if vertex.is_none_or(|vertex| usize::from(vertex.node) != number) {
                    continue;
                }
                let moved = track.deform_position(slot, count, blend);
                let position = positions.get_mut(usize::from(index.get()));
                if let Some((position, moved)) = position.zip(moved) {
                    *position = moved;
                }
            }
        }
        for (index, vertex, pair) in self.geometry.extras() {
            let node = self.nodes.get(usize::from(vertex.node));
            if node.is_some_and(|node| !node.deform_vertices.is_empty()) {
                let [a, b] = pair.map(|index| positions.get(index).copied());
                if let (Some(a), Some(b), Some(position)) = (a, b, positions.get_mut(index)) {
                    *position = lerp(a, b, 0.5);
                }
            }
        }
        positions
    }

    /// Where each vertex is in the model.
    pub fn vertex_positions_in_model(
        &self,
        animation: Option<usize>,
        seconds: f32,
    ) -> Vec<[f32; 3]> {
        let nodes = self.node_poses_in_model(animation, seconds);
        let mut positions = self.vertex_positions(animation, seconds);
        for (position, vertex) in positions.iter_mut().zip(self.geometry.vertices) {
            if let Some(node) = nodes.get(usize::from(vertex.node)) {
                *position = node.transform_point(*position);
            }
        }
        positions
    }

    /// An animation and a place in it, or else how the model was built.
    fn moment(&self, animation: Option<usize>, seconds: f32) -> Option<(&Animation<'_>, KeyBlend)> {
        let moment = |index: usize, seconds| {
            let animation = self.animations.get(index)?;
            Some((animation, animation.blend_at(seconds)?))
        };
        let chosen = animation.and_then(|index| moment(index, seconds));
        chosen.or_else(|| moment(0, 0.0))
    }
}

fn sum([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ax + bx, ay + by, az + bz]
}

fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn lerp(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    weighted(a, b, [1.0 - t, t])
}

/// First `b`, then `a`.
fn product(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn rotated([x, y, z, w]: [f32; 4], point: [f32; 3]) -> [f32; 3] {
    let twice = cross([x, y, z], point).map(|value| 2.0 * value);
    let along = twice.map(|value| w * value);
    sum(point, sum(along, cross([x, y, z], twice)))
}
