//! The warden's document: nodes, vertices and animations.

use super::clips::{CLIPS, Clip};
use super::cloth::{Cloth, in_nodes};
use super::pose::{Pose, pose};
use super::rig::{CAPE, NODES, TABARD};
use crate::alamo::shape::Solid;
use crate::alamo::sheet::Sheet;
use crate::lithtech::model::{deform, geometry, key, stored};
use bevy::math::Vec3;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, KeyframeDocument, NodeDocument, TrackDocument,
};
use bevy_classic_models::lithtech::abc::{NodeKey, TransformInfo, node_flags};

/// The engine's level-of-detail commands: the starting distance, and the distance per step.
const COMMANDS: &str = "LODSTARTDIST 200;LODINCREMENT 0.5;LODMAXDIST 1500;DrawIndexedDist 2048";

/// The model, without levels of detail.
pub fn document(solids: &[Solid], sheet: &Sheet, cloths: &[Cloth]) -> AbcDocument {
    let joint = |node: usize| NODES[node].joint;
    let (geometry, positions) = geometry(solids, joint, |face, uv| sheet.uv(face, uv));
    let owned = |node: usize| {
        let vertices = geometry.vertices.iter().enumerate();
        let owned = vertices.filter(move |(_, vertex)| usize::from(vertex.node) == node);
        owned.map(|(index, _)| index as u16).collect::<Vec<u16>>()
    };
    let nodes: Vec<NodeDocument> = (0..NODES.len())
        .map(|index| node(index, owned(index)))
        .collect();
    // The cloth and point of each deforming vertex.
    let points: Vec<Vec<Vec3>> = cloths.iter().map(Cloth::modeled).collect();
    let find = |vertex: &u16| {
        let position = positions[usize::from(*vertex)];
        let own = |(_, cloth): &(usize, &Cloth)| {
            cloth.node == usize::from(geometry.vertices[usize::from(*vertex)].node)
        };
        let near = cloths
            .iter()
            .enumerate()
            .filter(own)
            .flat_map(|(cloth, _)| {
                let points = points[cloth].iter().enumerate();
                points.map(move |(point, at)| ((cloth, point), at.distance_squared(position)))
            });
        near.min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map_or((0, 0), |(found, _)| found)
    };
    let slots: Vec<Vec<(usize, usize)>> = nodes
        .iter()
        .map(|node| node.deform_vertices.iter().map(find).collect())
        .collect();
    AbcDocument {
        command_string: COMMANDS.to_owned(),
        animations: animations(cloths, &slots),
        geometry,
        nodes,
        transform_info: Some(TransformInfo {
            flip_geometry: false,
            flip_animation: false,
        }),
    }
}

fn node(index: usize, owned: Vec<u16>) -> NodeDocument {
    let deforms = index == CAPE || index == TABARD;
    let flags = match index {
        0 => node_flags::NULL,
        _ if deforms => node_flags::TRIANGLES | node_flags::DEFORMATION,
        _ => node_flags::TRIANGLES,
    };
    let children = NODES.iter().skip(1).filter(|node| node.parent == index);
    NodeDocument {
        name: NODES[index].name.to_owned(),
        transformation_index: index as u16,
        flags,
        deform_vertices: if deforms { owned } else { Vec::new() },
        children: children.count() as u32,
        ..NodeDocument::default()
    }
}

fn animations(cloths: &[Cloth], slots: &[Vec<(usize, usize)>]) -> Vec<AnimationDocument> {
    let mut at_rest: Vec<Vec<Vec3>> = Vec::new();
    let mut animations = Vec::new();
    for clip in &CLIPS {
        let simulated: Vec<Vec<Vec<Vec3>>> = cloths
            .iter()
            .enumerate()
            .map(|(index, cloth)| {
                let initial = at_rest.get(index).filter(|_| !clip.loops);
                cloth.simulate(clip, initial.map(Vec::as_slice))
            })
            .collect();
        if at_rest.is_empty() {
            at_rest = simulated
                .iter()
                .map(|keyframes| keyframes[0].clone())
                .collect();
        }
        animations.push(animation(clip, cloths, &simulated, slots));
    }
    animations
}

fn animation(
    clip: &Clip,
    cloths: &[Cloth],
    simulated: &[Vec<Vec<Vec3>>],
    slots: &[Vec<(usize, usize)>],
) -> AnimationDocument {
    let milliseconds = |number: u16| u32::from(number) * clip.step;
    let poses: Vec<Pose> = (0..=clip.last)
        .map(|number| {
            // The last keyframe of a loop is bit-equal to the first.
            let number = if clip.loops {
                number % clip.last
            } else {
                number
            };
            pose(&(clip.stance)(milliseconds(number) as f32 / 1000.0))
        })
        .collect();
    let event = |number: u16| {
        let events = clip.events.iter().find(|(at, _)| *at == number);
        events.map_or(String::new(), |(_, event)| (*event).to_owned())
    };
    let keyframe = |number: u16| KeyframeDocument {
        time: milliseconds(number),
        event: event(number),
        ..KeyframeDocument::default()
    };
    let track = |node: usize| {
        let mut track = TrackDocument {
            keys: nearer(
                poses
                    .iter()
                    .map(|pose| key(pose[node], pose[NODES[node].parent])),
            ),
            ..TrackDocument::default()
        };
        if !slots[node].is_empty() {
            let keyframes = (0..poses.len()).map(|number| {
                let sides: Vec<Vec<Vec3>> = cloths
                    .iter()
                    .zip(simulated)
                    .map(|(cloth, simulated)| in_nodes(cloth, &simulated[number], &poses[number]))
                    .collect();
                let stored_point = |(cloth, point): &(usize, usize)| stored(sides[*cloth][*point]);
                slots[node].iter().map(stored_point).collect()
            });
            deform(&mut track, &keyframes.collect::<Vec<_>>());
        }
        track
    };
    AnimationDocument {
        name: clip.name.to_owned(),
        length: milliseconds(clip.last),
        keyframes: (0..=clip.last).map(keyframe).collect(),
        tracks: (0..NODES.len()).map(track).collect(),
        dims: Some(clip.dims),
        ..AnimationDocument::default()
    }
}

/// Normalizes signs of rotations. A quaternion and its negative are the same rotation: each key
/// uses the one nearer to the previous key.
fn nearer(keys: impl Iterator<Item = NodeKey>) -> Vec<NodeKey> {
    let mut nearer: Vec<NodeKey> = Vec::new();
    for mut key in keys {
        let before = nearer.last().unwrap_or(&key).rotation;
        let product: f32 = key
            .rotation
            .iter()
            .zip(before)
            .map(|(a, b)| a.get() * b.get())
            .sum();
        if product < 0.0 {
            key.rotation = key.rotation.map(|number| (-number.get()).into());
        }
        nearer.push(key);
    }
    nearer
}
