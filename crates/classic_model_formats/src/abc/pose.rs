//! Poses of nodes and positions of vertices at a time of an animation: a simple reference implementation.

use super::file::{AbcFile, Animation, NodeTrack};
use super::records::unit;
use crate::interpolate::{slerp, weighted};
use zerocopy::little_endian::F32;

/// A time between two keyframes, from [`Animation::blend_at`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyBlend {
    /// Index of the keyframe at or before the time.
    pub key: usize,
    /// Index of the next keyframe. Equals `key` before the first and after the last keyframe.
    pub next: usize,
    /// The interpolation factor from `key` to `next`: at least 0 and less than 1.
    pub t: f32,
}

/// The transform of a node: a rotation, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// The translation in game units.
    pub translation: [f32; 3],
    /// The rotation: a quaternion (X, Y, Z, W) of length 1.
    pub rotation: [f32; 4],
}

impl Default for NodePose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl NodePose {
    /// The identity transform.
    pub const IDENTITY: Self = Self {
        translation: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
    };

    /// Transforms a point from the node's space to the space that the pose is relative to.
    pub fn transform_point(&self, point: [f32; 3]) -> [f32; 3] {
        sum(self.translation, rotated(self.rotation, point))
    }

    /// The product of this pose and a child's pose: the child's pose relative to the space of this pose.
    fn mul_pose(&self, child: &Self) -> Self {
        let rotation = product(self.rotation, child.rotation);
        Self {
            translation: self.transform_point(child.translation),
            // Without it, the length drifts from 1 in deep skeletons.
            rotation: unit(rotation).unwrap_or(Self::IDENTITY.rotation),
        }
    }

    fn with_inverse_rotation(self) -> Self {
        let [x, y, z, w] = self.rotation;
        Self {
            rotation: [-x, -y, -z, w],
            ..self
        }
    }
}

impl Animation<'_> {
    /// The keyframes around a time in seconds. Times before the first or after the last keyframe give that keyframe, and
    /// NaN gives the first. `None` if there are no keyframes.
    pub fn blend_at(&self, seconds: f32) -> Option<KeyBlend> {
        let last = self.keyframes.len().checked_sub(1)?;
        // f64 represents all 32-bit milliseconds exactly.
        let time = f64::from(seconds) * 1000.0;
        let last_at_or_before = |time| {
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
        // NaN compares false with every keyframe's time.
        let Some(key) = last_at_or_before(time) else {
            return Some(hold(0));
        };
        let time_of = |key: usize| self.keyframes.get(key).map(|frame| f64::from(frame.time));
        let next = key.saturating_add(1);
        let (Some(from), Some(to)) = (time_of(key), time_of(next)) else {
            return Some(hold(last));
        };
        // `to` is greater than `time` and `from` is not, so the divisor is not 0. The quotient may round up to 1.
        let t = (((time - from) / (to - from)) as f32).min(1.0 - f32::EPSILON);
        Some(KeyBlend { key, next, t })
    }
}

impl NodeTrack<'_> {
    /// The pose of the node relative to its parent. The rotation is as stored: see
    /// [`TransformInfo::flip_animation`](super::TransformInfo::flip_animation). Translations are interpolated linearly,
    /// rotations along the shorter arc.
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

    /// The position of a deforming vertex in the node's space, linearly interpolated between keyframes. `slot` is the
    /// vertex's index in [`Node::deform_vertices`](super::Node::deform_vertices), and `count` is the length of that list.
    /// `None` if the track has no such vertex.
    pub fn deform_position(&self, slot: usize, count: usize, blend: KeyBlend) -> Option<[f32; 3]> {
        let at = |key: usize| {
            let index = key.checked_mul(count)?.checked_add(slot)?;
            let steps = self.deform.get(index)?.map(f32::from);
            let mut position = self.deform_translation;
            for ((value, steps), scale) in position.iter_mut().zip(steps).zip(self.deform_scale) {
                *value += steps * scale;
            }
            Some(position)
        };
        let from = at(blend.key)?;
        if blend.t <= 0.0 {
            return Some(from);
        }
        Some(lerp(from, at(blend.next)?, blend.t))
    }
}

impl AbcFile<'_> {
    /// The pose of each node relative to its parent, at a time in seconds of the animation with this index.
    ///
    /// Without such an animation, or if it has no keyframes, the result is the rest pose: the first keyframe of the first
    /// animation. If that does not exist either, all poses are the identity.
    pub fn node_poses(&self, animation: Option<usize>, seconds: f32) -> Vec<NodePose> {
        let inverts_rotations = self.transform().flip_animation;
        let sample = self.sample_at(animation, seconds);
        let pose = |index: usize| {
            let (animation, blend) = sample?;
            let pose = animation.tracks.get(index)?.pose(blend);
            Some(if inverts_rotations {
                pose.with_inverse_rotation()
            } else {
                pose
            })
        };
        (0..self.nodes.len())
            .map(|index| pose(index).unwrap_or(NodePose::IDENTITY))
            .collect()
    }

    /// The pose of each node in model space. The parameters are those of [`node_poses`](Self::node_poses).
    pub fn node_poses_in_model(&self, animation: Option<usize>, seconds: f32) -> Vec<NodePose> {
        let mut poses = self.node_poses(animation, seconds);
        for (index, node) in self.nodes.iter().enumerate() {
            // Parents come before their children.
            let parent = node.parent.and_then(|parent| poses.get(parent as usize));
            let parent = *parent.unwrap_or(&NodePose::IDENTITY);
            if let Some(pose) = poses.get_mut(index) {
                *pose = parent.mul_pose(pose);
            }
        }
        poses
    }

    /// The position of each vertex in the space of its node: as stored, or as deformed by its node. The parameters are
    /// those of [`node_poses`](Self::node_poses).
    ///
    /// A vertex that a LOD adds to a node with deforming vertices is in the middle of the two vertices that it replaces.
    pub fn vertex_positions(&self, animation: Option<usize>, seconds: f32) -> Vec<[f32; 3]> {
        let vertices = self.geometry.vertices.iter();
        let mut positions: Vec<_> = vertices.map(|vertex| vertex.clean_position()).collect();
        let Some((animation, blend)) = self.sample_at(animation, seconds) else {
            return positions;
        };
        for (node_index, (node, track)) in self.nodes.iter().zip(&animation.tracks).enumerate() {
            let count = node.deform_vertices.len();
            for (slot, index) in node.deform_vertices.iter().enumerate() {
                let vertex = self.geometry.vertices.get(usize::from(index.get()));
                // Positions of other nodes' vertices are relative to another space.
                if vertex.is_none_or(|vertex| usize::from(vertex.node) != node_index) {
                    continue;
                }
                let moved = track.deform_position(slot, count, blend);
                let position = positions.get_mut(usize::from(index.get()));
                if let Some((position, moved)) = position.zip(moved) {
                    *position = moved;
                }
            }
        }
        for (index, vertex, replaced) in self.geometry.lod_vertices() {
            let node = self.nodes.get(usize::from(vertex.node));
            if node.is_some_and(|node| !node.deform_vertices.is_empty()) {
                let [a, b] = replaced.map(|index| positions.get(index).copied());
                if let (Some(a), Some(b), Some(position)) = (a, b, positions.get_mut(index)) {
                    *position = lerp(a, b, 0.5);
                }
            }
        }
        positions
    }

    /// The position of each vertex in model space. The parameters are those of [`node_poses`](Self::node_poses).
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

    /// The animation and the keyframes at a time, or those of the rest pose if the animation has none.
    fn sample_at(
        &self,
        animation: Option<usize>,
        seconds: f32,
    ) -> Option<(&Animation<'_>, KeyBlend)> {
        let sample = |index: usize, seconds| {
            let animation = self.animations.get(index)?;
            Some((animation, animation.blend_at(seconds)?))
        };
        let requested = animation.and_then(|index| sample(index, seconds));
        requested.or_else(|| sample(0, 0.0))
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

/// The product of two quaternions: the rotation `b`, then `a`.
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

/// Rotates a point by a quaternion of length 1: `p + w t + v × t` with `t = 2 v × p`.
fn rotated([x, y, z, w]: [f32; 4], point: [f32; 3]) -> [f32; 3] {
    let t = cross([x, y, z], point).map(|value| 2.0 * value);
    let w_t = t.map(|value| w * value);
    sum(point, sum(w_t, cross([x, y, z], t)))
}
