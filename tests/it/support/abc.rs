//! A small LithTech model that uses what real ones do.

use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, NodeDocument,
    TrackDocument, write,
};
use bevy_classic_models::lithtech::abc::{NodeKey, TransformInfo, Triangle, Vertex, node_flags};
use zerocopy::little_endian::{F32, U16};

/// The square root of a half: sine and cosine of an eighth of a turn.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
const NOT_TURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Indices of the nodes.
pub const BODY: usize = 1;
pub const ARM: usize = 2;

fn vertex(position: [f32; 3], normal: [i8; 3], node: usize, replacements: [u16; 2]) -> Vertex {
    Vertex {
        position: position.map(F32::new),
        normal,
        node: node as u8,
        replacements: replacements.map(U16::new),
    }
}

fn triangle(vertices: [u16; 3], shift: f32) -> Triangle {
    let uvs = [[0.0, 0.0], [1.0, 0.25], [0.5, 2.0]];
    Triangle {
        uvs: uvs.map(|[u, v]| [F32::new(u + shift), F32::new(v)]),
        vertices: vertices.map(U16::new),
        normal: [0; 3],
    }
}

fn geometry() -> GeometryDocument {
    GeometryDocument {
        lod_starts: vec![0, 2, 3],
        triangles: vec![
            triangle([0, 1, 2], 0.0),
            triangle([1, 2, 3], 0.5),
            triangle([2, 3, 4], 0.0),
            triangle([5, 6, 7], 0.0),
        ],
        vertices: vec![
            vertex([1.0, 2.0, 3.0], [127, 0, 0], BODY, [0; 2]),
            vertex([3.0, 2.0, 3.0], [0, 127, 0], BODY, [0; 2]),
            vertex([0.0, 0.0, 4.0], [0; 3], BODY, [0; 2]),
            vertex([0.0, 5.0, 0.0], [0, 0, -127], BODY, [0; 2]),
            vertex([6.0, 0.0, 0.0], [0, 90, 90], BODY, [0; 2]),
            vertex([1.0, 0.0, 0.0], [0, 0, 127], ARM, [0; 2]),
            vertex([0.0, 1.0, 0.0], [0, 0, 127], ARM, [0; 2]),
            vertex([0.0, 0.0, 1.0], [0, 0, 127], ARM, [0; 2]),
            // What the levels of detail add.
            vertex([2.0, 2.0, 3.0], [0; 3], BODY, [0, 1]),
            vertex([1.0, 1.0, 3.5], [0; 3], BODY, [2, 8]),
        ],
        base_vertices: 8,
        ..GeometryDocument::default()
    }
}

fn nodes() -> Vec<NodeDocument> {
    let node = |name: &str, index, flags, children| NodeDocument {
        name: name.to_owned(),
        transformation_index: index,
        flags,
        children,
        ..NodeDocument::default()
    };
    vec![
        node("Root", 0, node_flags::NULL, 2),
        node("Body", 1, node_flags::TRIANGLES, 1),
        node("Arm", 2, node_flags::TRIANGLES, 0),
        node("Tail", 3, node_flags::TRIANGLES, 0),
    ]
}

fn keyframe(time: u32, event: &str) -> KeyframeDocument {
    KeyframeDocument {
        time,
        event: event.to_owned(),
        ..KeyframeDocument::default()
    }
}

fn track(keys: &[([f32; 3], [f32; 4])]) -> TrackDocument {
    let keys = keys.iter();
    TrackDocument {
        keys: keys
            .map(|(translation, rotation)| NodeKey::new(*translation, *rotation))
            .collect(),
        ..TrackDocument::default()
    }
}

/// Three keyframes; the body goes along X by `step` and more, and turns.
pub fn walk(name: &str, step: f32) -> AnimationDocument {
    let root = ([0.0, 1.0, 0.0], [0.0, 0.0, HALF, HALF]);
    let arm = ([0.0, 3.0, 1.0], [HALF, 0.0, 0.0, HALF]);
    AnimationDocument {
        name: name.to_owned(),
        length: 300,
        keyframes: vec![
            keyframe(0, "begin"),
            keyframe(100, "FOOTSTEP_KEY"),
            keyframe(300, "[play_sound:step]"),
        ],
        tracks: vec![
            track(&[root; 3]),
            track(&[
                ([0.0; 3], NOT_TURNED),
                ([step, 0.0, 0.0], [0.0, HALF, 0.0, HALF]),
                ([step, 20.0, 0.0], [0.0, -1.0, 0.0, 0.0]),
            ]),
            track(&[arm, ([0.0, 3.0, 2.0], NOT_TURNED), arm]),
            track(&[([0.0; 3], NOT_TURNED); 3]),
        ],
        dims: Some([8.0, 24.0, 8.0]),
        ..AnimationDocument::default()
    }
}

/// One keyframe, as a third of real animations have.
fn stand() -> AnimationDocument {
    AnimationDocument {
        name: "Stand".to_owned(),
        keyframes: vec![keyframe(0, "")],
        tracks: vec![track(&[([5.0, 0.0, 0.0], NOT_TURNED)]); 4],
        dims: Some([1.0, 2.0, 3.0]),
        ..AnimationDocument::default()
    }
}

/// A body, an arm on it and a tail without triangles; two levels of detail; two animations of one
/// name, and one of a single keyframe.
pub fn figure() -> AbcDocument {
    AbcDocument {
        command_string: "DrawIndexedDist 2048".to_owned(),
        geometry: geometry(),
        nodes: nodes(),
        animations: vec![walk("Walk", 10.0), stand(), walk("Walk", -10.0)],
        transform_info: Some(TransformInfo {
            flip_geometry: false,
            flip_animation: false,
        }),
    }
}

pub fn bytes(model: &AbcDocument) -> Vec<u8> {
    write(model).unwrap()
}
