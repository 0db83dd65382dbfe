//! Animations of LithTech models: translations and rotations of nodes, weights of morph targets, and events.

use crate::convert::clip::{self, Animated, Clip, Keys};
use crate::convert::document::{Document, extras};
use crate::convert::mesh::{MeshData, Target, values};
use crate::convert::morph::MorphNodes;
use bevy::prelude::*;
use bevy_classic_models::gpu::PoseBlend;
use bevy_classic_models::lithtech::abc::{Animation, NodeKey};
use bevy_classic_models::lithtech::{ConvertedAbc, ConvertedDeform};
use gltf_json::{Index, Node};
use serde_json::json;
use std::collections::HashMap;

/// Checks that the weights of all animations are not too many: each keyframe has one for each morph target.
pub fn check_weights(model: &ConvertedAbc<'_>, deforms: &[MorphNodes]) -> Result<(), String> {
    let animations = model.file.animations.iter();
    // The last keyframe may be repeated.
    let keys = animations.map(|animation| animation.keyframes.len() as u64 + 1);
    let keys: u64 = keys.sum();
    clip::check_weights(
        deforms
            .iter()
            .map(|deform| (keys, deform.max_targets() as u64)),
    )
}

/// Adds all animations.
pub fn add(
    document: &mut Document,
    model: &ConvertedAbc<'_>,
    nodes: &[Index<Node>],
    deforms: &[MorphNodes],
) {
    let inverts = model.file.transform().flip_animation;
    let mut clips = Vec::with_capacity(model.clips.len());
    let animations = model.file.animations.iter().zip(&model.clips).enumerate();
    for (index, (animation, converted)) in animations {
        let mut clip = Clip::new(&converted.name, animation.seconds());
        clip.extras = extras(&json!({ "events": events(converted) }));
        let times = times(animation);
        if animation.keyframes.is_empty() {
            continue;
        }
        for (node, track) in nodes.iter().zip(&animation.tracks) {
            let translations = times.iter().map(|(time, key)| {
                let key = track.keys.get(*key).copied().unwrap_or_default();
                (*time, translation(&key))
            });
            let keys = Keys::ascending(translations).reduced();
            clip.animate(document, *node, Animated::Translation, &keys);
            let rotations = times.iter().map(|(time, key)| {
                let key = track.keys.get(*key).copied().unwrap_or_default();
                (*time, rotation(&key, inverts))
            });
            clip.rotations(document, *node, Keys::ascending(rotations).reduced());
        }
        for deform in deforms {
            deform.animate(document, &mut clip, index);
        }
        clips.push(clip);
    }
    clip::add_all(document, clips);
}

/// When the vertex animation of a node reaches which target, in each animation. `poses` has the target of each keyframe.
pub fn target_keys(model: &ConvertedAbc<'_>, poses: &[usize]) -> Vec<Keys<usize>> {
    let mut first_pose = 0;
    let animations = model.file.animations.iter().map(|animation| {
        let keys = times(animation).into_iter().map(|(time, key)| {
            let target = poses.get(first_pose + key).copied().unwrap_or(0);
            (time, target)
        });
        let keys = Keys::ascending(keys);
        first_pose += animation.keyframes.len();
        keys
    });
    animations.collect()
}

/// The time and the index of each keyframe. The last keyframe is repeated at the end of an animation that is longer.
fn times(animation: &Animation<'_>) -> Vec<(f32, usize)> {
    let seconds = |time: u32| (f64::from(time) / 1000.0) as f32;
    let keyframes = animation.keyframes.iter().enumerate();
    let mut times: Vec<(f32, usize)> = keyframes
        .map(|(index, keyframe)| (seconds(keyframe.time), index))
        .collect();
    let end = animation.seconds();
    if let Some((last, index)) = times.last().copied()
        && last < end
    {
        times.push((end, index));
    }
    times
}

/// The file's space is left-handed, so Z is mirrored.
fn translation(key: &NodeKey) -> [f32; 3] {
    let [x, y, z] = key.translation.map(|value| value.get());
    [x, y, -z]
}

fn rotation(key: &NodeKey, inverts: bool) -> [f32; 4] {
    let stored = key.rotation.map(|value| value.get());
    let length: f32 = stored.iter().map(|value| value * value).sum();
    // Without rounding, so that the way back gives the same.
    let is_unit = (length - 1.0).abs() < 1e-6;
    let [x, y, z, w] = if is_unit { stored } else { key.unit_rotation() };
    let [x, y, z] = if inverts { [x, y, -z] } else { [-x, -y, z] };
    [x, y, z, w]
}

fn events(converted: &bevy_classic_models::lithtech::ConvertedClip) -> Vec<serde_json::Value> {
    let events = converted.events.iter();
    events
        .map(|event| json!({ "time": event.seconds, "name": &*event.string }))
        .collect()
}

/// The vertex animation of a mesh.
pub struct Deform {
    pub targets: Vec<Target>,
    /// For each keyframe of all animations, in file order, its index in `targets`.
    pub poses: Vec<usize>,
}

impl Deform {
    /// The vertex animation of the mesh of a node. `None` if the node has none.
    pub fn new(
        model: &ConvertedAbc<'_>,
        node: usize,
        mesh: &Mesh,
        data: &MeshData,
    ) -> Option<Self> {
        let deform = model.deforms.iter().find(|deform| deform.node == node)?;
        let slots: Vec<[f32; 2]> = values(mesh, Mesh::ATTRIBUTE_UV_1);
        let slots: Vec<Option<u32>> = slots
            .iter()
            .map(|[slot, _]| (*slot >= 0.0).then_some(*slot as u32))
            .collect();
        let mut result = Self {
            targets: Vec::new(),
            poses: Vec::new(),
        };
        // Many keyframes are equal: most animations do not deform vertices.
        let mut same: HashMap<Vec<[u32; 3]>, usize> = HashMap::new();
        for pose in 0..deform.poses {
            let target = target(deform, pose, &slots, data);
            let bits = |position: &[f32; 3]| position.map(f32::to_bits);
            let key: Vec<[u32; 3]> = target.positions.iter().map(bits).collect();
            let next = result.targets.len();
            let index = *same.entry(key).or_insert(next);
            if index == next {
                result.targets.push(target);
            }
            result.poses.push(index);
        }
        (!result.targets.is_empty()).then_some(result)
    }

    /// The target of the rest pose: the first keyframe of the first animation.
    pub fn rest(&self) -> Option<usize> {
        self.poses.first().copied()
    }
}

fn target(deform: &ConvertedDeform, pose: u32, slots: &[Option<u32>], data: &MeshData) -> Target {
    let vertices = slots.iter().zip(data.positions.iter().zip(&data.normals));
    let change = |(slot, (position, normal)): (&Option<u32>, (&[f32; 3], &[f32; 3]))| {
        let moved = slot.and_then(|slot| deform.vertex(PoseBlend::from(pose), slot));
        let Some((moved, turned)) = moved else {
            return ([0.0; 3], [0.0; 3]);
        };
        let [position, normal] = [position, normal].map(|it| Vec3::from_array(*it));
        let turned = turned.unwrap_or(normal);
        ((moved - position).to_array(), (turned - normal).to_array())
    };
    let (positions, normals) = vertices.map(change).unzip();
    Target { positions, normals }
}
