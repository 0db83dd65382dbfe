//! New levels of detail of LithTech models.

use super::Document;
use classic_model_formats::abc::write::write;
use classic_model_formats::abc::{AbcFile, Geometry, parse};
use classic_models_gltf_import::abc::{Converted, Options, convert};
use core::f32::consts::{PI, TAU};
use glam::Vec3;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const LODS: Options<'_> = Options {
    name: "model",
    scale: None,
    clips: &[],
    lods: Some([20.0, 100.0]),
};

fn converted(document: &Document, options: &Options<'_>) -> Converted {
    convert(&document.scene().unwrap(), options).unwrap()
}

/// Adds a mesh. Returns its index.
fn add_mesh(
    document: &mut Document,
    positions: &[Vec3],
    normals: &[Vec3],
    indices: &[u16],
) -> usize {
    let arrays = |values: &[Vec3]| values.iter().map(|it| it.to_array()).collect::<Vec<_>>();
    let uvs: Vec<[f32; 2]> = positions.iter().map(|it| [it.x, it.y]).collect();
    let positions = document.floats(&arrays(positions));
    let normals = document.floats(&arrays(normals));
    let uvs = document.floats(&uvs);
    let indices = document.indices(indices);
    document.push(
        "meshes",
        json!({ "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs },
            "indices": indices,
        }] }),
    )
}

/// A sphere of radius 1: positions and triangles. If it is flat, each triangle has three vertices of its own.
fn sphere(rings: u16, sides: u16, is_flat: bool) -> (Vec<Vec3>, Vec<Vec3>, Vec<u16>) {
    let at = |ring: u16, side: u16| {
        let (theta, phi) = (
            PI * f32::from(ring) / f32::from(rings),
            TAU * f32::from(side % sides) / f32::from(sides),
        );
        match ring {
            0 => Vec3::Y,
            _ if ring == rings => Vec3::NEG_Y,
            _ => Vec3::new(
                theta.sin() * phi.sin(),
                theta.cos(),
                theta.sin() * phi.cos(),
            ),
        }
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side + 1), at(ring + 1, side)];
            triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for [a, b, c] in triangles {
        let face = (b - a).cross(c - a).normalize();
        for corner in [a, b, c] {
            let normal = if is_flat { face } else { corner };
            let same = positions
                .iter()
                .zip(&normals)
                .position(|it| it == (&corner, &normal));
            indices.push(same.unwrap_or(positions.len()) as u16);
            if same.is_none() {
                positions.push(corner);
                normals.push(normal);
            }
        }
    }
    (positions, normals, indices)
}

fn sphere_document(is_flat: bool) -> Document {
    let mut document = Document::new();
    let (positions, normals, indices) = sphere(16, 24, is_flat);
    let mesh = add_mesh(&mut document, &positions, &normals, &indices);
    document.node(json!({ "name": "ball", "mesh": mesh }));
    document
}

/// Checks the rules of the format at all levels.
#[track_caller]
fn check(geometry: &Geometry<'_>) {
    let base = geometry.base_vertices as usize;
    let mut is_replaced = vec![false; geometry.vertices.len()];
    for (step, extra) in geometry.vertices[base..].iter().enumerate() {
        let pair = extra.replacements.map(|of| usize::from(of.get()));
        assert!(pair[0] < pair[1] && pair[1] < base + step);
        let ends = pair.map(|of| geometry.vertices[of]);
        assert!(ends.iter().all(|vertex| vertex.node == extra.node));
        let [a, b] = ends.map(|vertex| Vec3::from_array(vertex.clean_position()));
        assert_eq!(Vec3::from_array(extra.clean_position()), (a + b) / 2.0);
        for vertex in pair {
            assert!(!core::mem::replace(&mut is_replaced[vertex], true));
        }
        let first = is_replaced.iter().position(|it| !it).unwrap();
        assert_eq!(
            usize::from(geometry.lod_starts[step + 1].get()),
            first.min(base)
        );
    }
    let mut before = usize::MAX;
    for level in 0..=geometry.lods {
        let lod = geometry.lod(level);
        assert!(lod.triangles.len() <= before);
        before = lod.triangles.len();
        let first = u32::from(geometry.lod_starts[level as usize].get());
        for triangle in &lod.triangles {
            let corners = BTreeSet::from(triangle.vertices);
            assert_eq!(corners.len(), 3);
            assert!(
                corners
                    .iter()
                    .all(|it| (first..geometry.base_vertices + level).contains(it))
            );
        }
    }
    assert!(before <= geometry.triangles.len() / 8 + 2, "{before}");
}

fn place(file: &AbcFile<'_>) -> Vec<Vec3> {
    let all = file.vertex_positions_in_model(Some(0), 0.0);
    all.into_iter().map(Vec3::from_array).collect()
}

#[test]
fn levels_of_a_sphere_are_closed_and_near_to_it() {
    for is_flat in [false, true] {
        let model = converted(&sphere_document(is_flat), &LODS);
        assert!(model.warnings.is_empty());
        let bytes = write(&model.document).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!(file.warnings, []);
        let geometry = &file.geometry;
        check(geometry);
        let places = place(&file);
        for level in [geometry.lods / 3, 2 * geometry.lods / 3, geometry.lods] {
            // Each edge has a triangle on both sides, by the positions of its ends.
            let mut edges: BTreeMap<[[u32; 3]; 2], i32> = BTreeMap::new();
            let lod = geometry.lod(level);
            for triangle in &lod.triangles {
                let corners = triangle.vertices.map(|it| places[it as usize]);
                let bits = corners.map(|it| it.to_array().map(|it| (it + 0.0).to_bits()));
                for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                    let direction = if bits[a] < bits[b] { 1 } else { -1 };
                    let mut edge = [bits[a], bits[b]];
                    edge.sort_unstable();
                    *edges.entry(edge).or_default() += direction;
                }
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                assert!(middle.length() > 0.6 && middle.length() < 1.01, "{middle}");
            }
            assert!(edges.values().all(|sum| *sum == 0), "{is_flat} {level}");
        }
    }
}

#[test]
fn the_full_model_is_the_same_as_without_levels() {
    let document = sphere_document(false);
    let corners = |options: &Options<'_>| {
        let model = converted(&document, options);
        let bytes = write(&model.document).unwrap();
        let file = parse(&bytes).unwrap();
        let places = place(&file);
        let triangles = file.geometry.triangles.iter();
        let texts = triangles.map(|it| {
            let corners = it.indices().map(|index| places[index as usize]);
            format!("{corners:?} {:?}", it.clean_uvs())
        });
        texts.collect::<BTreeSet<String>>()
    };
    let without = Options { lods: None, ..LODS };
    assert_eq!(corners(&LODS), corners(&without));
}

#[test]
fn levels_begin_between_the_distances() {
    let model = converted(&sphere_document(false), &LODS);
    let count = (model.document.geometry.lod_starts.len() - 1) as f32;
    let expected = format!(
        "LODSTARTDIST 20;LODINCREMENT {};LODMAXDIST 100",
        80.0 / count
    );
    assert_eq!(model.document.command_string, expected);
    let mut document = sphere_document(false);
    document.json["nodes"][0]["extras"] = json!({
        "format": "abc", "index": 0, "commandString": "LodStartDist 5; LODMAXDIST 9;DrawIndexedDist 7",
        "baseVertices": 4, "lods": [0, 1],
    });
    let model = converted(&document, &LODS);
    assert_eq!(
        model.document.command_string,
        format!("{expected};DrawIndexedDist 7")
    );
    let model = converted(&document, &Options { lods: None, ..LODS });
    assert_eq!(model.document.geometry.lod_starts, [0]);
    assert!(model.warnings[0].contains("--lods"), "{:?}", model.warnings);
}

#[test]
fn small_models_keep_their_triangles() {
    for (rings, sides) in [(2, 3), (2, 4), (3, 3), (3, 4)] {
        let mut document = Document::new();
        let (positions, normals, indices) = sphere(rings, sides, false);
        let mesh = add_mesh(&mut document, &positions, &normals, &indices);
        document.node(json!({ "mesh": mesh }));
        let model = converted(&document, &LODS);
        let bytes = write(&model.document).unwrap();
        let geometry = parse(&bytes).unwrap().geometry;
        assert!(!geometry.lod(geometry.lods).triangles.is_empty());
    }
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "mesh": mesh }));
    let model = converted(&document, &LODS);
    assert_eq!(model.document.geometry.lod_starts, [0]);
    assert_eq!(model.document.command_string, "");
    let expected =
        "the coarsest level of detail has 2 of 2 triangles: no more vertices can be merged";
    assert_eq!(model.warnings, [expected]);
}

/// A sphere whose upper and lower halves follow different bones, of which the upper one turns.
#[test]
fn bones_keep_their_vertices() {
    let (positions, normals, indices) = sphere(16, 24, false);
    let mut document = Document::new();
    let mesh = add_mesh(&mut document, &positions, &normals, &indices);
    let joints: Vec<u8> = positions
        .iter()
        .flat_map(|it| [u8::from(it.y > 0.01), 0, 0, 0])
        .collect();
    let view = document.view(&joints);
    let accessor = json!({ "bufferView": view, "componentType": 5121, "count": positions.len(), "type": "VEC4" });
    let joints = document.push("accessors", accessor);
    let weights = document.floats(&vec![[1.0, 0.0, 0.0, 0.0]; positions.len()]);
    let attributes = &mut document.json["meshes"][mesh]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    let top = document.push("nodes", json!({ "name": "Top" }));
    let root = document.node(json!({ "name": "Base", "children": [top] }));
    document.push("skins", json!({ "joints": [root, top] }));
    document.node(json!({ "mesh": mesh, "skin": 0 }));
    let turned = glam::Quat::from_rotation_z(0.5).to_array();
    document.animate(
        "nod",
        top,
        "rotation",
        &[0.0, 1.0],
        &[[0.0, 0.0, 0.0, 1.0], turned],
    );
    let model = converted(&document, &LODS);
    let bytes = write(&model.document).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings, []);
    check(&file.geometry);
}

#[test]
fn deforming_vertices_have_levels() {
    let (positions, normals, indices) = sphere(12, 16, true);
    let mut document = Document::new();
    let mesh = add_mesh(&mut document, &positions, &normals, &indices);
    let moved: Vec<[f32; 3]> = positions.iter().map(|it| [0.5 * it.y, 0.0, 0.0]).collect();
    let target = document.floats(&moved);
    document.json["meshes"][mesh]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
    let node = document.node(json!({ "name": "jelly", "mesh": mesh }));
    document.animate(
        "sway",
        node,
        "weights",
        &[0.0, 0.5, 1.0],
        &[[0.0], [1.0], [0.0]],
    );
    let model = converted(&document, &LODS);
    let base = model.document.geometry.base_vertices;
    let list = &model.document.nodes[1].deform_vertices;
    assert!(list.iter().copied().map(u32::from).eq(0..base));
    let bytes = write(&model.document).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings, []);
    check(&file.geometry);
    // Half way, the sphere leans.
    let all = file.vertex_positions_in_model(Some(0), 0.5);
    let at_rest = file.vertex_positions_in_model(Some(0), 0.0);
    for ([x, ..], [rest, y, _]) in all.iter().zip(&at_rest).take(base as usize) {
        assert!((rest - 0.5 * y - x).abs() < 0.02);
    }
}

#[test]
fn a_fan_of_many_triangles_takes_linear_time() {
    let count = 20_000_u16;
    let rim = (0..=count).map(|index| {
        let angle = 3.0 * f32::from(index) / f32::from(count);
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    });
    let positions: Vec<Vec3> = core::iter::once(Vec3::ZERO).chain(rim).collect();
    let indices: Vec<u16> = (1..=count)
        .flat_map(|index| [0, index, index + 1])
        .collect();
    let mut document = Document::new();
    let normals = vec![Vec3::Z; positions.len()];
    let mesh = add_mesh(&mut document, &positions, &normals, &indices);
    document.node(json!({ "mesh": mesh }));
    let start = std::time::Instant::now();
    let model = converted(&document, &LODS);
    assert!(start.elapsed().as_secs() < 60);
    let bytes = write(&model.document).unwrap();
    assert!(parse(&bytes).unwrap().geometry.lods > 1000);
}
