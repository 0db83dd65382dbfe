//! A small model with everything that the format knows, for tests.

use super::file::{TransformInfo, node_flags};
use super::records::{NodeKey, Triangle, Vertex};
use super::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, NodeDocument, TrackDocument,
};
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
pub fn figure() -> AbcDocument {
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
