//! Malformed LithTech models, through the loader and in an app. Every class of defect causes its error or warning once.
//! Wrong values, truncation and random damage never panic, and models that load are drawn and play.

use super::suite::Suite;
use crate::support::abc::{IDENTITY_ROTATION, banner, bytes, figure, node, track};
use crate::support::abc_app::{drawn, load, spawn};
use crate::support::prelude::*;
use crate::support::random::Random;
use crate::support::{corpus, cpu_time, files_of};
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, write_unchecked,
};
use bevy_classic_models::lithtech::abc::{MAX_DEPTH, node_flags};
use bevy_classic_models::lithtech::{ConvertedAbc, MAX_SCENE_DEPTH};
use classic_models_fixtures::malformed::Expect::{self, Reject, Warn};
use classic_models_fixtures::malformed::{self, LocationText};
use std::time::Duration;

/// A case: part of the message, and its offset.
type Case = malformed::Case<&'static str, usize>;

/// A model with deforming vertices and levels of detail.
fn valid_model() -> AbcDocument {
    let mut model = figure();
    let flag = banner();
    model.nodes[2].flags |= node_flags::DEFORMATION;
    model.nodes[2].deform_vertices = vec![5, 6, 7];
    for animation in &mut model.animations {
        let count = 3 * animation.keyframes.len();
        let deform = flag.animations[0].tracks[2].deform.iter().cycle();
        animation.tracks[2].deform = deform.take(count).copied().collect();
        animation.tracks[2].deform_scale = [0.1; 3];
    }
    model
}

fn edited(edit: impl FnOnce(&mut AbcDocument)) -> Vec<u8> {
    let mut model = valid_model();
    edit(&mut model);
    write_unchecked(&model)
}

/// The offset of the first occurrence of some bytes.
fn find(file: &[u8], bytes: &[u8]) -> usize {
    let found = file.windows(bytes.len()).position(|it| it == bytes);
    found.expect("the file contains the bytes")
}

/// The offset of a string, after its length.
fn text(file: &[u8], text: &str) -> usize {
    let length = (text.len() as u16).to_le_bytes();
    2 + find(file, &[&length[..], text.as_bytes()].concat())
}

/// The offset of a chunk's link to the next chunk.
fn link(file: &[u8], chunk: &str) -> usize {
    text(file, chunk) + chunk.len()
}

fn patched(file: &[u8], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    file
}

/// A table of malformed files.
struct Table {
    /// A valid file.
    file: Vec<u8>,
    cases: Vec<Case>,
}

impl Table {
    fn add(&mut self, class: u32, bytes: impl Into<Vec<u8>>, expect: Expect<&'static str, usize>) {
        self.cases.push(Case::logged(class, bytes, expect));
    }

    /// Adds the valid file with other bytes at an offset.
    fn patch(
        &mut self,
        class: u32,
        offset: usize,
        bytes: &[u8],
        expect: Expect<&'static str, usize>,
    ) {
        self.add(class, patched(&self.file, offset, bytes), expect);
    }
}

/// A count that exceeds every file.
const HUGE: [u8; 4] = [255, 255, 255, 127];

fn cases() -> Vec<Case> {
    let file = bytes(&valid_model());
    let mut table = Table {
        file: file.clone(),
        cases: Vec::new(),
    };
    file_cases(&mut table, &file);
    chain_cases(&mut table, &file);
    number_cases(&mut table, &file);
    geometry_cases(&mut table, &file);
    node_cases(&mut table, &file);
    animation_cases(&mut table, &file);
    table.cases
}

fn file_cases(table: &mut Table, file: &[u8]) {
    let name = text(file, "Body");
    let tail = [file, b"tail"].concat();
    table.add(1, [], Reject("is empty", 0));
    table.add(1, &file[..10], Reject("bytes", 8));
    table.add(2, b"Ogawa\xff\0\x01more of it", Reject("Alembic", 0));
    table.add(2, b"\x89HDF\r\n\x1a\nmore of it", Reject("Alembic", 0));
    table.add(2, b"IDPO and more than that", Reject("Quake model", 0));
    table.patch(2, 12, &[12, 0, 0, 0], Reject("No One Lives Forever", 12));
    table.add(4, tail, Warn("4 trailing bytes", file.len()));
    table.patch(7, name, &[0xE4], Warn("not UTF-8", name));
    table.patch(39, name - 2, &[255; 2], Reject("65535", name));
}

fn chain_cases(table: &mut Table, file: &[u8]) {
    let (nodes, end) = (link(file, "Nodes"), file.len());
    let begin = text(file, "Nodes") - 2;
    let animation = text(file, "Animation") - 2;
    // The file with one more chunk at its end.
    let with_chunk = |chunk: &[u8]| {
        let info = link(file, "TransformInfo");
        let last = (end as u32).to_le_bytes();
        [&patched(file, info, &last)[..], chunk, &[255; 4], &[0; 8]].concat()
    };
    table.add(5, with_chunk(b"\x04\0What"), Warn("\"What\"", end));
    let again = Reject("chunks of this name", end);
    table.add(38, with_chunk(b"\x05\0Nodes"), again);
    let invalid = Reject("offset of the next chunk", nodes);
    // Into the middle of the next chunk there is no valid name.
    let unnamed = Reject("\"\" / offset of the next chunk", animation + 32);
    for (offset, expect) in [
        (0, invalid),
        (begin, invalid),
        (nodes, invalid),
        (end + 9, invalid),
        (1 << 31, invalid),
        (animation + 30, unnamed),
    ] {
        table.patch(38, nodes, &(offset as u32).to_le_bytes(), expect);
    }
}

fn number_cases(table: &mut Table, file: &[u8]) {
    let nan = f32::NAN.to_le_bytes();
    let infinity = f32::INFINITY.to_le_bytes();
    let (position, triangle) = (vertices(file) + 4, triangles(file));
    let key = keys(file, 1);
    table.patch(6, position, &nan, Warn("vertex 0", position));
    table.patch(6, triangle, &infinity, Warn("triangle 0", triangle));
    table.patch(6, key, &nan, Reject("finite", key));
    table.patch(6, key + 24, &infinity, Reject("finite", key + 24));
    table.patch(29, key + 12, &[0; 16], Warn("is zero", key + 12));
}

fn triangles(file: &[u8]) -> usize {
    link(file, "Geometry") + 4 + 24 + 4 + 2 * valid_model().geometry.lod_starts.len() + 4
}

fn vertices(file: &[u8]) -> usize {
    triangles(file) + 33 * valid_model().geometry.triangles.len() + 8
}

/// The offset of the first animation's first keyframe.
fn keyframes(file: &[u8]) -> usize {
    text(file, "Walk") + 4 + 4 + 24 + 4
}

/// The offset of a node's keys in the first animation. The node must precede the deforming node.
fn keys(file: &[u8], node: usize) -> usize {
    let walk = &valid_model().animations[0];
    let strings = walk.keyframes.iter().map(|it| 30 + it.event.len());
    keyframes(file) + strings.sum::<usize>() + node * (28 * walk.keyframes.len() + 24)
}

fn geometry_cases(table: &mut Table, file: &[u8]) {
    let model = valid_model();
    let (vertices, triangles) = (vertices(file), triangles(file));
    let corner = triangles + 33 + 24;
    let node = vertices + 15;
    // The second LOD's pair of vertices.
    let pair = vertices + 20 * 9 + 16;
    let lods = link(file, "Geometry") + 4 + 24;
    let fewer = edited(|model| {
        model.geometry.lod_starts.pop();
    });
    let base = vertices - 4;
    let last_node = model.nodes.len() as u8;
    table.patch(41, corner, &[8, 0], Reject("triangle 1", corner));
    table.patch(41, corner, &[255; 2], Reject("65535", corner));
    table.patch(41, node, &[last_node], Reject("vertex 0", node));
    table.patch(41, base, &HUGE, Reject("base vertex count", base));
    table.patch(3, triangles - 4, &HUGE, Reject("triangles", triangles));
    table.patch(3, vertices - 8, &HUGE, Reject("vertices", vertices));
    table.patch(43, lods, &HUGE, Reject("LODs", lods + 4));
    let later = Warn("must be less than its own", pair);
    table.patch(43, pair, &[9, 0], later);
    table.patch(43, pair, &[0xCD; 2], later);
    table.patch(43, pair, &[0, 0], Warn("is already replaced", pair));
    let mismatch = Warn("2 LOD vertices for 1 LODs", vertices - 10);
    table.add(43, fewer, mismatch);
}

fn node_cases(table: &mut Table, file: &[u8]) {
    let arm = text(file, "Arm") + 3;
    let deforming = arm + 2 + 1 + 4;
    let tail = text(file, "Tail") + 4;
    let children = tail + 2 + 1 + 4;
    let mut deep = nested(20_000);
    deep.animations.clear();
    let deep = write_unchecked(&deep);
    let deepest = link(&deep, "Nodes") + 4 + MAX_DEPTH * 37;
    let many = Reject("children", children + 4);
    table.patch(40, children, &[1], many);
    table.patch(40, children, &HUGE, many);
    table.add(40, deep, Reject("more than 1024 deep", deepest));
    table.patch(41, deforming, &[10, 0], Reject("vertex", deforming));
    let shared = Warn("vertex 0 of node 1", deforming);
    table.patch(41, deforming, &[0, 0], shared);
    let count = deforming - 4;
    table.patch(41, count, &HUGE, Reject("deforming", deforming));
    table.patch(41, tail, &[7], Warn("stores the index 7", tail));
}

fn animation_cases(table: &mut Table, file: &[u8]) {
    let body = link(file, "Animation") + 4;
    let frames = keyframes(file);
    let second = frames + 30 + "begin".len();
    let stand = text(file, "Stand") - 2;
    let fewer = edited(|model| {
        model.animations.truncate(1);
        model.animations[0].tracks.pop();
        model.animations[0].dims = None;
        model.transform_info = None;
    });
    let end = fewer.len();
    table.add(42, fewer, Reject("node 3", end));
    table.patch(42, body, &HUGE, Reject("animations", body + 4));
    let rest = Warn("trailing bytes in Animation", stand);
    table.patch(42, body, &[1], rest);
    table.patch(42, frames - 4, &HUGE, Reject("keyframes", frames));
    let reversed = Warn("is not after the previous one", second);
    table.patch(42, second, &[0; 4], reversed);
}

/// A chain of nodes: each is the child of the previous one.
fn nested(depth: usize) -> AbcDocument {
    let nodes = (0..depth).map(|index| node("", index as u16, 0, u32::from(index + 1 < depth)));
    let animation = AnimationDocument {
        keyframes: vec![KeyframeDocument::default()],
        tracks: vec![track(&[([0.0, 0.1, 0.0], IDENTITY_ROTATION)]); depth],
        ..AnimationDocument::default()
    };
    AbcDocument {
        nodes: nodes.collect(),
        animations: vec![animation],
        ..AbcDocument::default()
    }
}

/// Loads a model without textures, with one coarser level of detail.
fn load_plain(app: &mut TestApp, path: &'static str) -> Result<Handle<Abc>, String> {
    let settings = AbcLoaderSettings {
        load_textures: false,
        lod_shares: vec![0.6],
        ..AbcLoaderSettings::default()
    };
    load(app, path, settings)
}

const SUITE: Suite<Abc> = Suite {
    extension: "abc",
    load: |app, path| {
        let set = |settings: &mut AbcLoaderSettings| settings.load_textures = false;
        app.server().load_builder().with_settings(set).load(path)
    },
    is_located: |path, error| {
        let error = error.to_string();
        error.contains(&format!("{path}: ABC: ")) && error.contains("at offset")
    },
    check: |app, models| {
        let roots = spawn_all(app, models);
        for root in &roots {
            app.insert(*root, ModelLod(1));
        }
        app.steps(3, 0.06);
        for root in roots {
            app.despawn(root);
        }
        app.step(0.0);
    },
};

#[test]
fn loader_rejects_or_warns_about_every_class() {
    let suite = Suite {
        load: |app, path| {
            let set = |settings: &mut AbcLoaderSettings| {
                settings.load_textures = false;
                settings.lod_shares = vec![0.6];
            };
            app.server().load_builder().with_settings(set).load(path)
        },
        check: |app, models| {
            for root in spawn_all(app, models) {
                play(app, root);
                let drawn = drawn(app, root);
                assert!(drawn.len() >= 2, "{models:?}");
                let mut corners = drawn.as_flattened().iter();
                assert!(corners.all(|it| it.is_finite()), "{models:?}");
            }
        },
        ..SUITE
    };
    suite.assert_classes(cases(), |_, offset| LocationText {
        error: format!("at offset {offset} "),
        warning: format!("(at offset {offset})"),
    });
}

/// Spawns models that play their first clip.
fn spawn_all(app: &mut TestApp, models: &[Handle<Abc>]) -> Vec<Entity> {
    let spawn = |model: &Handle<Abc>| {
        let scene = app.asset(model).scene.clone();
        app.spawn_entity((WorldAssetRoot(scene), PlayClip::looping(0_usize)))
    };
    let roots: Vec<Entity> = models.iter().map(spawn).collect();
    for root in &roots {
        app.wait_for_abc(*root);
    }
    roots
}

/// Plays a model while changing its level of detail and clip.
fn play(app: &mut TestApp, root: Entity) {
    for (frame, lod) in [0, 1, 9, 0].into_iter().enumerate() {
        app.insert(root, ModelLod(lod));
        if frame == 2 {
            let animations = &app.get::<AbcInstance>(root).model().animations;
            let last = animations.len().saturating_sub(1);
            let play = PlayClip::once(last).with_fade(0.1).with_speed(-1.0);
            app.insert(root, play);
        }
        app.step(0.06);
    }
}

#[test]
fn truncated_files_are_rejected() {
    let file = bytes(&valid_model());
    let ends = (0..file.len()).map(|end| file[..end].to_vec());
    assert_eq!(SUITE.run("ends", ends), 0);
}

#[test]
fn wrong_values_do_not_panic() {
    let file = bytes(&valid_model());
    let values = [u32::MAX, 1 << 31, 0x7fff_ffff, 0x7fc0_0000, 0x7f7f_ffff];
    for value in values {
        let wrong = (0..file.len() - 3).step_by(3);
        let wrong = wrong.map(|at| patched(&file, at, &value.to_le_bytes()));
        let loaded = SUITE.run(&format!("numbers-{value:x}"), wrong);
        assert!((50..file.len() / 3 - 50).contains(&loaded), "{loaded}");
    }
}

/// Applies one to three random edits to a file.
fn mutated(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().saturating_sub(4).max(1));
        let end = bytes.len().min(at + 4);
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 if random.below(4) == 0 => bytes.truncate(at.max(1)),
            2 => {
                let value = [0, 1, -1, i32::MAX, i32::MIN, 255, 0x7fc0_0000][random.below(7)];
                bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
            3 => {
                let from = random.below(bytes.len());
                let inserted = bytes[from..bytes.len().min(from + random.below(200))].to_vec();
                bytes.splice(at..at, inserted);
            }
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

#[test]
fn randomly_damaged_models_do_not_panic() {
    let files = [bytes(&valid_model()), bytes(&banner())];
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let damaged = (0..3000).map(|round| mutated(&files[round % 2], &mut random));
    let loaded = SUITE.run("damaged", damaged);
    assert!((300..2900).contains(&loaded), "{loaded}");
}

#[test]
fn randomly_damaged_real_models_do_not_panic() {
    let Some(folder) = corpus("randomly_damaged_real_models_do_not_panic") else {
        return;
    };
    let mut random = Random(0x1405_7b7e_f767_814f);
    let mut files = files_of(&folder, "abc");
    files.retain(|(_, bytes)| bytes.len() < 60_000);
    let damaged = files.iter().cycle().take(3 * files.len());
    let damaged: Vec<_> = damaged
        .map(|(_, file)| mutated(file, &mut random))
        .collect();
    let count = damaged.len();
    println!("{} of {count} load", SUITE.run("real", damaged));
}

#[test]
fn positions_near_f32_max_do_not_panic() {
    let mut files = Vec::new();
    for flags in [0, node_flags::SCROLL_U, node_flags::ENVIRONMENT_MAP] {
        for far in [3e38_f32, 1e30, 1e19] {
            let mut model = figure();
            for node in &mut model.nodes {
                node.flags |= flags;
            }
            for (index, vertex) in model.geometry.vertices.iter_mut().enumerate() {
                let sign = if index % 2 == 0 { far } else { -far };
                vertex.position = [sign; 3].map(Into::into);
            }
            files.push(bytes(&model));
            let mut model = banner();
            for track in &mut model.animations[0].tracks {
                for key in &mut track.keys {
                    key.translation[0] = far.into();
                }
            }
            files.push(bytes(&model));
        }
    }
    SUITE.run("far", files);
}

#[test]
fn deepest_allowed_skeleton_spawns_plays_and_despawns() {
    let deep = |depth| {
        let mut model = nested(depth);
        model.geometry = GeometryDocument::default();
        bytes(&model)
    };
    assert_eq!(SUITE.run("deep", vec![deep(MAX_SCENE_DEPTH)]), 1);
    assert_eq!(SUITE.run("deeper", vec![deep(MAX_SCENE_DEPTH + 1)]), 0);
    assert_eq!(SUITE.run("deepest", vec![deep(MAX_DEPTH)]), 0);
}

/// Files with thousands of nearly empty elements: a name, the bytes, and part of the error if they are rejected.
fn many_empty_elements() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let chunks = |count: usize| {
        let mut file = bytes(&valid_model());
        let info = link(&file, "TransformInfo");
        let next = file.len() as u32;
        file[info..info + 4].copy_from_slice(&next.to_le_bytes());
        for index in 0..count {
            file.extend([0, 0]);
            let is_last = index + 1 == count;
            // Each chunk has a byte, because the next one may not start at the end of the file.
            let next = file.len() as u32 + 5;
            file.extend(if is_last {
                [255; 4]
            } else {
                next.to_le_bytes()
            });
            file.push(0);
        }
        file
    };
    let mut flat = nested(1);
    flat.nodes[0].children = 30_000;
    let leaf = |index: u16| node("", index, 0, 0);
    flat.nodes.extend((1..=30_000).map(leaf));
    flat.animations.clear();
    let mut clips = nested(1);
    clips.animations = vec![clips.animations[0].clone(); 30_000];
    let mut strings = nested(1);
    let keyframe = |time: u32| KeyframeDocument {
        time,
        event: "x".into(),
        ..KeyframeDocument::default()
    };
    strings.animations[0].keyframes = (0..30_000).map(keyframe).collect();
    let keys = vec![([0.0; 3], IDENTITY_ROTATION); 30_000];
    strings.animations[0].tracks = vec![track(&keys)];
    let mut without_events = strings.clone();
    for keyframe in &mut without_events.animations[0].keyframes {
        keyframe.event.clear();
    }
    vec![
        ("chunks", chunks(30_000), None),
        ("nodes", write_unchecked(&flat), Some("1024 nodes")),
        ("clips", write_unchecked(&clips), Some("512 animations")),
        (
            "strings",
            write_unchecked(&strings),
            Some("4096 keyframe strings"),
        ),
        ("keyframes", write_unchecked(&without_events), None),
    ]
}

/// Asserts that loading a file on this thread takes less than 20 seconds of CPU time.
fn assert_loads_quickly(name: &str, bytes: &[u8]) {
    cpu_time::assert_cpu_time_below(Duration::from_secs(20), name, || {
        let _ = ConvertedAbc::load(bytes, &AbcLoaderSettings::default());
    });
}

#[test]
fn many_empty_elements_load_quickly() {
    log::listen();
    for (name, bytes, rejection) in many_empty_elements() {
        let path: &'static str = format!("empty-{name}.abc").leak();
        assert_loads_quickly(name, &bytes);
        let mut app = TestApp::new(&[(path, bytes)]);
        match (load_plain(&mut app, path), rejection) {
            (Ok(model), None) => {
                spawn(&mut app, &model, PlayClip::looping(0_usize));
                app.step(0.1);
            }
            (Err(error), Some(text)) => assert!(error.contains(text), "{name}: {error}"),
            (Ok(_), Some(_)) => panic!("{name} loaded without an error"),
            (Err(error), None) => panic!("{name}: {error}"),
        }
        // Repeated problems of one kind cause one warning.
        let warnings = log::warnings_with(path);
        assert!(warnings.len() <= 1, "{name}: {warnings:?}");
    }
}

/// A model in which all triangles share one vertex and many nodes deform it, with 100 keyframes.
fn many_deforming_nodes(nodes: usize, triangles: usize) -> AbcDocument {
    let mut model = banner();
    let flag = model.nodes.len() - 1;
    model.geometry.triangles = vec![model.geometry.triangles[12]; triangles];
    let first = model.nodes[flag].deform_vertices[0];
    model.nodes[flag].deform_vertices = vec![first];
    for _ in 0..nodes {
        let mut copy = model.nodes[flag].clone();
        copy.transformation_index = model.nodes.len() as u16;
        model.nodes.push(copy);
        model.nodes[0].children += 1;
    }
    model.animations.truncate(1);
    let keyframes = 100;
    let animation = &mut model.animations[0];
    let keyframe = |time: u32| KeyframeDocument {
        time,
        ..KeyframeDocument::default()
    };
    animation.keyframes = (0..keyframes).map(keyframe).collect();
    let mut deforming = track(&vec![([0.0; 3], IDENTITY_ROTATION); keyframes as usize]);
    let plain = deforming.clone();
    deforming.deform = (0..keyframes).map(|step| [step as u8, 0, 0]).collect();
    deforming.deform_scale = [0.1; 3];
    animation.tracks = vec![plain.clone(), plain];
    animation.tracks.extend(vec![deforming; nodes + 1]);
    model
}

#[test]
fn vertex_deformed_by_many_nodes_loads_quickly() {
    log::listen();
    let path = "crowded.abc";
    let bytes = write_unchecked(&many_deforming_nodes(900, 20_000));
    assert_loads_quickly(path, &bytes);
    let mut app = TestApp::new(&[(path, bytes)]);
    let model = load_plain(&mut app, path).unwrap();
    let abcs = app.assets::<Abc>();
    assert_eq!(abcs.get(&model).unwrap().deforms.len(), 1);
    // A vertex belongs to one node. The loader warns about the other nodes that list it.
    let warnings = log::expect_warnings(path, 1);
    assert!(
        warnings[0].contains("(and 899 more like it)"),
        "{warnings:?}"
    );
}
