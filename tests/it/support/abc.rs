//! A small LithTech model that uses what real ones do.

use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, NodeDocument,
    TrackDocument, write,
};
use bevy_classic_models::lithtech::abc::{NodeKey, TransformInfo, Triangle, Vertex, node_flags};
use zerocopy::little_endian::{F32, U16};

/// The square root of a half: sine and cosine of an eighth of a turn.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
pub const NOT_TURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Indices of the nodes.
pub const BODY: usize = 1;
pub const ARM: usize = 2;

pub fn vertex(position: [f32; 3], normal: [i8; 3], node: usize, replacements: [u16; 2]) -> Vertex {
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

pub fn node(name: &str, index: u16, flags: u8, children: u32) -> NodeDocument {
    NodeDocument {
        name: name.to_owned(),
        transformation_index: index,
        flags,
        children,
        ..NodeDocument::default()
    }
}

fn nodes() -> Vec<NodeDocument> {
    vec![
        node("Root", 0, node_flags::NULL, 2),
        node("Body", 1, node_flags::TRIANGLES, 1),
        node("Arm", 2, node_flags::TRIANGLES, 0),
        node("Tail", 3, node_flags::TRIANGLES, 0),
    ]
}

pub fn keyframe(time: u32, event: &str) -> KeyframeDocument {
    KeyframeDocument {
        time,
        event: event.to_owned(),
        ..KeyframeDocument::default()
    }
}

pub fn track(keys: &[([f32; 3], [f32; 4])]) -> TrackDocument {
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

/// Vertices of the flag along X and Y.
const FLAG: (u16, u16) = (6, 5);
pub const FLAG_NODE: usize = 2;

/// A box, and beside it a flag whose vertices move one by one in two animations of two scales.
pub fn banner() -> AbcDocument {
    let corners: Vec<[f32; 3]> = (0..8)
        .map(|corner| [1, 2, 4].map(|bit| if corner & bit == 0 { -8.0 } else { 8.0 }))
        .collect();
    let mut vertices: Vec<Vertex> = corners
        .iter()
        .map(|corner| vertex(*corner, corner.map(|side| (side * 9.0) as i8), 1, [0; 2]))
        .collect();
    let faces = [
        [0, 1, 3, 2],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 3, 7, 5],
    ];
    let mut triangles = Vec::new();
    for [a, b, c, d] in faces {
        for corners_of in [[a, b, c], [a, c, d]] {
            triangles.push(triangle(outward(corners_of, &corners), 0.0));
        }
    }
    let first = vertices.len() as u16;
    let (columns, rows) = FLAG;
    for _ in 0..columns * rows {
        vertices.push(vertex([0.0; 3], [0; 3], FLAG_NODE, [0; 2]));
    }
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let a = first + row * columns + column;
            triangles.push(triangle([a, a + columns, a + 1], 0.0));
            triangles.push(triangle([a + 1, a + columns, a + columns + 1], 0.0));
        }
    }
    let deforming = node_flags::TRIANGLES | node_flags::DEFORMATION;
    let mut flag = node("Flag", 2, deforming, 0);
    flag.deform_vertices = (first..vertices.len() as u16).collect();
    AbcDocument {
        geometry: GeometryDocument {
            base_vertices: vertices.len() as u32,
            triangles,
            vertices,
            ..GeometryDocument::default()
        },
        nodes: vec![
            node("Root", 0, node_flags::NULL, 2),
            node("Body", 1, node_flags::TRIANGLES, 0),
            flag,
        ],
        animations: vec![waving("Wave", 12.0, 0.0), waving("Furl", 20.0, 1.0)],
        transform_info: Some(TransformInfo {
            flip_geometry: false,
            flip_animation: false,
        }),
        ..AbcDocument::default()
    }
}

/// The corners of a triangle of a body around the origin, as files have them that are not flipped.
fn outward([a, b, c]: [u16; 3], places: &[[f32; 3]]) -> [u16; 3] {
    let [p, q, r] = [a, b, c].map(|corner| places[usize::from(corner)]);
    let [u, v] = [q, r].map(|to| [0, 1, 2].map(|axis| to[axis] - p[axis]));
    let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| u[i] * v[j] - u[j] * v[i]);
    let out: f32 = cross.iter().zip(p).map(|(cross, p)| cross * p).sum();
    if out > 0.0 { [a, b, c] } else { [a, c, b] }
}

fn waving(name: &str, depth: f32, phase: f32) -> AnimationDocument {
    let (columns, rows) = FLAG;
    let mut deform = Vec::new();
    for keyframe in 0..3 {
        for row in 0..rows {
            for column in 0..columns {
                let angle = f32::from(column) * 1.3 + f32::from(row) * 0.4;
                let wave = (angle + phase + keyframe as f32 * 1.7).sin();
                let x = 255 * column / (columns - 1);
                let y = 255 * row / (rows - 1);
                deform.push([x as u8, y as u8, (128.0 + 120.0 * wave) as u8]);
            }
        }
    }
    let turned = [0.0, (phase * 0.2).sin(), 0.0, (phase * 0.2).cos()];
    AnimationDocument {
        name: name.to_owned(),
        length: 400,
        keyframes: vec![keyframe(0, ""), keyframe(100, ""), keyframe(400, "")],
        tracks: vec![
            track(&[([0.0; 3], NOT_TURNED); 3]),
            track(&[([-8.0, 4.0, 0.0], NOT_TURNED); 3]),
            TrackDocument {
                deform,
                deform_scale: [24.0 / 255.0, 20.0 / 255.0, depth / 255.0],
                deform_translation: [0.0, -8.0, -depth / 2.0],
                ..track(&[([4.0, 4.0, 0.0], turned); 3])
            },
        ],
        ..AnimationDocument::default()
    }
}
