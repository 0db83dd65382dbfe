//! The model that all tests are about, and where things are in its file.

mod malformed;
mod mutations;
mod reading;
mod sampling;

use super::file::{TransformInfo, node_flags};
use super::records::{NodeKey, Triangle, Vertex};
use super::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, NodeDocument,
    TrackDocument, write_unchecked,
};
use super::{AbcFile, parse};
use std::collections::HashMap;
use zerocopy::little_endian::{F32, U16};

/// The square root of a half: sine and cosine of an eighth of a turn.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
const NOT_TURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

fn vertex(position: [f32; 3], node: u8, replacements: [u16; 2]) -> Vertex {
    Vertex {
        position: position.map(F32::new),
        normal: [0, 127, 0],
        node,
        replacements: replacements.map(U16::new),
    }
}

fn triangle(vertices: [u16; 3]) -> Triangle {
    Triangle {
        uvs: [[0.0, 0.0], [1.0, 0.25], [-0.5, 2.0]].map(|uv| uv.map(F32::new)),
        vertices: vertices.map(U16::new),
        normal: [0, 100, -7],
    }
}

fn geometry() -> GeometryDocument {
    let mut vertices = vec![
        // The body. What is replaced by the full model's vertices is junk in real files.
        vertex([1.0, 2.0, 3.0], 1, [0xCDCD, 0xCDCD]),
        vertex([3.0, 2.0, 3.0], 1, [0, 0]),
        vertex([0.0, 0.0, 4.0], 1, [0, 0]),
        vertex([0.0, 5.0, 0.0], 1, [0, 0]),
        vertex([6.0, 0.0, 0.0], 1, [0, 0]),
        // The flag, whose places are leftover bytes.
        vertex([10.0, 20.0, 30.0], 2, [0, 0]),
        vertex([40.0, 50.0, 60.0], 2, [0, 0]),
        vertex([70.0, 80.0, 90.0], 2, [0, 0]),
        // What the levels of detail add.
        vertex([2.0, 2.0, 3.0], 1, [0, 1]),
        vertex([1.0, 1.0, 3.5], 1, [2, 8]),
        vertex([25.0, 35.0, 45.0], 2, [5, 6]),
    ];
    vertices[0].normal = [127, 0, 0];
    vertices[8].normal = [0; 3];
    GeometryDocument {
        bounds: [[-1.0, -2.0, -3.0], [7.0, 8.0, 9.0]],
        lod_starts: vec![0, 2, 3, 3],
        triangles: [[0, 1, 2], [1, 2, 3], [5, 6, 7], [2, 3, 4]]
            .map(triangle)
            .into(),
        vertices,
        base_vertices: 8,
    }
}

fn nodes() -> Vec<NodeDocument> {
    let node = |name: &str, index, flags, children| NodeDocument {
        name: name.to_owned(),
        bounds: [[-1.0; 3], [1.0; 3]],
        transformation_index: index,
        flags,
        deform_vertices: Vec::new(),
        children,
    };
    let mut flag = node(
        "Flag",
        2,
        node_flags::TRIANGLES | node_flags::DEFORMATION,
        0,
    );
    flag.deform_vertices = vec![5, 6, 7];
    vec![
        node("Root", 0, node_flags::NULL, 2),
        node("Body", 1, node_flags::TRIANGLES, 1),
        flag,
        node("Tail", 3, node_flags::TRIANGLES | node_flags::SCROLL_U, 0),
    ]
}

fn keyframe(time: u32, event: &str) -> KeyframeDocument {
    KeyframeDocument {
        time,
        bounds: [[-0.5; 3], [0.5; 3]],
        event: event.to_owned(),
    }
}

fn track(keys: &[([f32; 3], [f32; 4])]) -> TrackDocument {
    let keys = keys.iter();
    TrackDocument {
        keys: keys
            .map(|(translation, rotation)| NodeKey::new(*translation, *rotation))
            .collect(),
        // What real files have there for nodes that do not deform.
        deform_scale: [1.0; 3],
        ..TrackDocument::default()
    }
}

/// Three keyframes of which the last is told as the opposite quaternion.
fn walk() -> AnimationDocument {
    let root = ([0.0, 1.0, 0.0], [0.0, 0.0, HALF, HALF]);
    AnimationDocument {
        name: "Walk".to_owned(),
        length: 300,
        bounds: [[-4.0; 3], [4.0; 3]],
        keyframes: vec![
            keyframe(0, ""),
            keyframe(100, "FOOTSTEP_KEY"),
            keyframe(300, "[play_sound:step]"),
        ],
        tracks: vec![
            track(&[root; 3]),
            track(&[
                ([0.0; 3], NOT_TURNED),
                ([10.0, 0.0, 0.0], [0.0, HALF, 0.0, HALF]),
                ([10.0, 20.0, 0.0], [0.0, -1.0, 0.0, 0.0]),
            ]),
            TrackDocument {
                deform: vec![
                    // 0 ms
                    [0, 0, 0],
                    [2, 4, 6],
                    [255, 255, 255],
                    // 100 ms
                    [10, 0, 0],
                    [2, 4, 8],
                    [0, 0, 0],
                    // 300 ms
                    [1, 1, 1],
                    [1, 1, 1],
                    [1, 1, 1],
                ],
                deform_scale: [0.5, 1.0, 2.0],
                deform_translation: [-1.0, 0.0, 1.0],
                ..track(&[([0.0, 0.0, 100.0], NOT_TURNED); 3])
            },
            track(&[([0.0; 3], NOT_TURNED); 3]),
        ],
        dims: Some([8.0, 24.0, 8.0]),
    }
}

/// One keyframe, as a third of real animations have.
fn stand() -> AnimationDocument {
    let mut tracks = vec![track(&[([5.0, 0.0, 0.0], NOT_TURNED)]); 4];
    tracks[2].deform = vec![[1, 2, 3]; 3];
    AnimationDocument {
        name: "Stand".to_owned(),
        length: 0,
        bounds: [[0.0; 3]; 2],
        keyframes: vec![keyframe(0, "")],
        tracks,
        dims: Some([1.0, 2.0, 3.0]),
    }
}

/// A model that uses everything of the format, with nothing wrong in it.
pub(in crate::lithtech) fn figure() -> AbcDocument {
    AbcDocument {
        command_string: "DrawIndexedDist 2048;NormalRef NODE_Normals AmbA".to_owned(),
        geometry: geometry(),
        nodes: nodes(),
        animations: vec![walk(), stand()],
        transform_info: Some(TransformInfo {
            flip_geometry: false,
            flip_animation: false,
        }),
    }
}

/// The least that a model can be.
fn least() -> AbcDocument {
    AbcDocument {
        nodes: vec![NodeDocument::default()],
        ..AbcDocument::default()
    }
}

fn edited(edit: impl FnOnce(&mut AbcDocument)) -> Vec<u8> {
    let mut model = figure();
    edit(&mut model);
    write_unchecked(&model)
}

fn patched(offset: u64, by: &[u8]) -> Vec<u8> {
    let mut bytes = write_unchecked(&figure());
    let offset = offset as usize;
    bytes[offset..offset + by.len()].copy_from_slice(by);
    bytes
}

fn warnings(file: &AbcFile<'_>) -> Vec<String> {
    file.warnings.iter().map(ToString::to_string).collect()
}

/// Where everything in the file of a model is, told by the format's description alone.
struct Places(HashMap<String, u64>);

impl Places {
    fn of(model: &AbcDocument) -> Self {
        let mut places = Places(HashMap::new());
        let end = places.walk(model);
        assert_eq!(end, write_unchecked(model).len() as u64);
        places
    }

    fn at(&self, name: &str) -> u64 {
        self.0[name]
    }

    fn put(&mut self, name: impl Into<String>, at: u64) {
        self.0.insert(name.into(), at);
    }

    /// The chunk itself, its link and its body.
    fn chunk(&mut self, name: &str, at: &mut u64) {
        self.put(name, *at);
        self.put(format!("{name} link"), *at + 2 + name.len() as u64);
        *at += 6 + name.len() as u64;
        self.put(format!("{name} body"), *at);
    }

    fn walk(&mut self, model: &AbcDocument) -> u64 {
        let mut at = 0;
        self.chunk("Header", &mut at);
        at += 2 + 28;
        self.put("command string", at);
        at += 2 + model.command_string.len() as u64;
        self.chunk("Geometry", &mut at);
        self.put("lods", at + 24);
        at += 24 + 4 + 2 * model.geometry.lod_starts.len() as u64;
        self.put("triangle count", at);
        self.put("triangles", at + 4);
        at += 4 + 33 * model.geometry.triangles.len() as u64;
        self.put("vertex count", at);
        self.put("base vertices", at + 4);
        self.put("vertices", at + 8);
        at += 8 + 20 * model.geometry.vertices.len() as u64;
        self.chunk("Nodes", &mut at);
        for (index, node) in model.nodes.iter().enumerate() {
            self.put(format!("node {index}"), at);
            at += 24 + 2 + node.name.len() as u64;
            self.put(format!("node {index} index"), at);
            self.put(format!("node {index} deforming"), at + 3);
            at += 2 + 1 + 4 + 2 * node.deform_vertices.len() as u64;
            self.put(format!("node {index} children"), at);
            at += 4;
        }
        self.chunk("Animation", &mut at);
        at += 4;
        for (index, animation) in model.animations.iter().enumerate() {
            self.put(format!("animation {index}"), at);
            at += 2 + animation.name.len() as u64 + 4 + 24;
            self.put(format!("animation {index} keyframes"), at);
            at += 4;
            for (number, keyframe) in animation.keyframes.iter().enumerate() {
                self.put(format!("animation {index} keyframe {number}"), at);
                at += 28 + 2 + keyframe.event.len() as u64;
            }
            for (node, track) in animation.tracks.iter().enumerate() {
                self.put(format!("animation {index} keys {node}"), at);
                at += 28 * track.keys.len() as u64;
                self.put(format!("animation {index} deform {node}"), at);
                at += 3 * track.deform.len() as u64;
                self.put(format!("animation {index} scale {node}"), at);
                at += 24;
            }
        }
        if model.animations.iter().any(|it| it.dims.is_some()) {
            self.chunk("AnimDims", &mut at);
            at += 12 * model.animations.len() as u64;
        }
        if model.transform_info.is_some() {
            self.chunk("TransformInfo", &mut at);
            at += 8;
        }
        at
    }
}
