//! LithTech models made at random, the same for the same seed: nodes that move, vertices that deform, and
//! levels of detail as the format's progressive meshes have them.

use super::abc::{keyframe, node, vertex};
use crate::fuzz::Random;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, NodeDocument, TrackDocument,
};
use bevy_classic_models::lithtech::abc::{NodeKey, TransformInfo, Triangle, Vertex, node_flags};
use zerocopy::little_endian::{F32, U16};

/// A number from −10 to 10, of which the format's floats lose nothing.
fn number(random: &mut Random) -> f32 {
    random.below(20_001) as f32 / 1000.0 - 10.0
}

fn vector(random: &mut Random) -> [f32; 3] {
    [0; 3].map(|_| number(random))
}

/// How large a model is.
pub struct Size {
    pub nodes: usize,
    /// Vertices of each node.
    pub vertices: usize,
    pub triangles: usize,
    /// Levels of detail at most.
    pub levels: usize,
    pub animations: usize,
    /// Whether every third node deforms.
    pub deforms: bool,
}

/// A model of that size.
pub fn model(seed: u64, size: &Size) -> AbcDocument {
    let random = &mut Random(seed);
    let mut nodes = vec![node("Root", 0, node_flags::NULL, 0)];
    let mut open = vec![0];
    for index in 1..=size.nodes {
        // Below the last node or one of those above it.
        open.truncate(1 + random.below(open.len()));
        nodes[*open.last().unwrap()].children += 1;
        open.push(index);
        let name = format!("Node{index}");
        nodes.push(node(&name, index as u16, node_flags::TRIANGLES, 0));
    }
    let geometry = geometry(random, size, &mut nodes);
    let animations = (0..size.animations).map(|index| animation(random, index, &nodes));
    let animations = animations.collect();
    AbcDocument {
        geometry,
        animations,
        transform_info: Some(TransformInfo {
            flip_geometry: random.below(2) == 0,
            flip_animation: random.below(2) == 0,
        }),
        nodes,
        ..AbcDocument::default()
    }
}

fn geometry(random: &mut Random, size: &Size, nodes: &mut [NodeDocument]) -> GeometryDocument {
    let mut vertices: Vec<Vertex> = Vec::new();
    for index in 1..=size.nodes {
        let first = vertices.len() as u16;
        for _ in 0..size.vertices {
            let normal = [0; 3].map(|_| random.below(255) as i8);
            // What is replaced by the full model's vertices is junk in real files.
            let junk = [0; 2].map(|_| random.below(65536) as u16);
            vertices.push(vertex(vector(random), normal, index, junk));
        }
        if size.deforms && index % 3 == 1 {
            nodes[index].flags |= node_flags::DEFORMATION;
            // Nearly all of them.
            nodes[index].deform_vertices = (first + 1..vertices.len() as u16).collect();
        }
    }
    let triangles: Vec<Triangle> = (0..size.triangles)
        .map(|_| triangle(random, size))
        .collect();
    let base_vertices = vertices.len() as u32;
    let lod_starts = add_levels(random, size, &mut vertices);
    GeometryDocument {
        base_vertices,
        lod_starts,
        triangles,
        vertices,
        ..GeometryDocument::default()
    }
}

/// A triangle of one node, whose corners may be in any place of the picture.
fn triangle(random: &mut Random, size: &Size) -> Triangle {
    let first = random.below(size.nodes) * size.vertices;
    let mut corners = [0; 3].map(|_| random.below(size.vertices));
    while corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
        corners = [0; 3].map(|_| random.below(size.vertices));
    }
    let uv = |random: &mut Random| [0; 2].map(|_| F32::new(random.below(5) as f32 / 4.0));
    Triangle {
        uvs: [0; 3].map(|_| uv(random)),
        vertices: corners.map(|corner| U16::new((first + corner) as u16)),
        normal: [0; 3],
    }
}

/// Replaces pairs of vertices of one node by vertices between them, as long as there are any.
fn add_levels(random: &mut Random, size: &Size, vertices: &mut Vec<Vertex>) -> Vec<u16> {
    let base = vertices.len();
    let mut is_live = vec![true; base];
    let mut starts = vec![0];
    for _ in 0..size.levels {
        let node = 1 + random.below(size.nodes);
        let of_node = |index: &usize| is_live[*index] && usize::from(vertices[*index].node) == node;
        let mut live: Vec<usize> = (0..vertices.len()).filter(of_node).collect();
        if live.len() < 2 {
            continue;
        }
        let a = live.swap_remove(random.below(live.len()));
        let b = live.swap_remove(random.below(live.len()));
        let places = [a, b].map(|index| vertices[index].position.map(F32::get));
        let middle = [0, 1, 2].map(|axis| (places[0][axis] + places[1][axis]) / 2.0);
        let pair = [a.min(b), a.max(b)].map(|index| index as u16);
        vertices.push(vertex(middle, [0; 3], node, pair));
        (is_live[a], is_live[b]) = (false, false);
        is_live.push(true);
        let first = is_live.iter().position(|is_live| *is_live).unwrap();
        starts.push(first.min(base) as u16);
    }
    starts
}

fn animation(random: &mut Random, index: usize, nodes: &[NodeDocument]) -> AnimationDocument {
    let mut time = 0;
    let mut keyframes = vec![keyframe(0, "")];
    for _ in 0..random.below(5) {
        time += 1 + random.below(300) as u32;
        keyframes.push(keyframe(time, ["", "step", "hit"][random.below(3)]));
    }
    let count = keyframes.len();
    let tracks = nodes.iter().map(|node| TrackDocument {
        keys: (0..count)
            .map(|_| {
                let [x, y, z] = vector(random);
                NodeKey::new(vector(random), [x, y, z, number(random)])
            })
            .collect(),
        deform: (0..count * node.deform_vertices.len())
            .map(|_| [0; 3].map(|_| random.below(256) as u8))
            .collect(),
        deform_scale: vector(random).map(|value| value / 100.0),
        deform_translation: vector(random),
    });
    AnimationDocument {
        tracks: tracks.collect(),
        // Some have the name of another.
        name: format!("Clip{}", index / 2),
        length: time,
        keyframes,
        ..AnimationDocument::default()
    }
}
