//! Malformed LithTech models, through the loader and in an app. Every class of defect causes its error or warning once.
//! Wrong values, truncation and random damage never panic, and models that load are drawn and play.

use crate::support::abc::{IDENTITY_ROTATION, banner, bytes, figure, node, track};
use crate::support::abc_app::{drawn, load, spawn};
use crate::support::app::TestApp;
use crate::support::random::Random;
use crate::support::{corpus, cpu_time, files_of, log};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, write_unchecked,
};
use bevy_classic_models::lithtech::abc::{MAX_DEPTH, node_flags};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{ConvertedAbc, MAX_SCENE_DEPTH};
use bevy_classic_models::prelude::*;
use classic_models_fixtures::malformed::Expect::{self, Reject, Warn};
use classic_models_fixtures::malformed::{self, LocationText};
use std::time::Duration;

/// A case: part of the message, and its offset.
type Case = malformed::Case<&'static str, usize>;

fn case(class: u32, bytes: Vec<u8>, expect: Expect<&'static str, usize>) -> Case {
    Case::logged(class, bytes, expect)
}

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

fn cases() -> Vec<Case> {
    let file = bytes(&valid_model());
    let mut cases = file_cases(&file);
    cases.extend(chain_cases(&file));
    cases.extend(number_cases(&file));
    cases.extend(geometry_cases(&file));
    cases.extend(node_cases(&file));
    cases.extend(animation_cases(&file));
    cases
}

fn file_cases(file: &[u8]) -> Vec<Case> {
    let end = file.len();
    let name = text(file, "Body");
    let nolf = patched(file, 12, &[12, 0, 0, 0]);
    vec![
        case(1, vec![], Reject("is empty", 0)),
        case(1, file[..10].to_vec(), Reject("bytes", 8)),
        case(
            2,
            b"Ogawa\xff\0\x01more of it".to_vec(),
            Reject("Alembic", 0),
        ),
        case(
            2,
            b"\x89HDF\r\n\x1a\nmore of it".to_vec(),
            Reject("Alembic", 0),
        ),
        case(
            2,
            b"IDPO and more than that".to_vec(),
            Reject("Quake model", 0),
        ),
        case(2, nolf, Reject("No One Lives Forever", 12)),
        case(4, [file, b"tail"].concat(), Warn("4 trailing bytes", end)),
        case(7, patched(file, name, &[0xE4]), Warn("not UTF-8", name)),
        case(
            39,
            patched(file, name - 2, &[255; 2]),
            Reject("65535", name),
        ),
    ]
}

fn chain_cases(file: &[u8]) -> Vec<Case> {
    let nodes = link(file, "Nodes");
    let linked_to = |offset: usize| patched(file, nodes, &(offset as u32).to_le_bytes());
    let begin = text(file, "Nodes") - 2;
    let animation = text(file, "Animation") - 2;
    // The file with one more chunk at its end.
    let with_chunk = |chunk: &[u8]| {
        let info = link(file, "TransformInfo");
        let last = (file.len() as u32).to_le_bytes();
        [&patched(file, info, &last)[..], chunk, &[255; 4], &[0; 8]].concat()
    };
    vec![
        case(5, with_chunk(b"\x04\0What"), Warn("\"What\"", file.len())),
        case(
            38,
            with_chunk(b"\x05\0Nodes"),
            Reject("chunks of this name", file.len()),
        ),
        case(38, linked_to(0), Reject("offset of the next chunk", nodes)),
        case(
            38,
            linked_to(begin),
            Reject("offset of the next chunk", nodes),
        ),
        case(
            38,
            linked_to(nodes),
            Reject("offset of the next chunk", nodes),
        ),
        case(
            38,
            linked_to(file.len() + 9),
            Reject("offset of the next chunk", nodes),
        ),
        case(
            38,
            linked_to(1 << 31),
            Reject("offset of the next chunk", nodes),
        ),
        // Into the middle of the next chunk, where there is no valid name.
        case(
            38,
            linked_to(animation + 30),
            Reject("\"\" / offset of the next chunk", animation + 32),
        ),
    ]
}

fn number_cases(file: &[u8]) -> Vec<Case> {
    let nan = f32::NAN.to_le_bytes();
    let infinity = f32::INFINITY.to_le_bytes();
    let (vertices, triangles) = (vertices(file), triangles(file));
    let key = keys(file, 1);
    vec![
        case(
            6,
            patched(file, vertices + 4, &nan),
            Warn("vertex 0", vertices + 4),
        ),
        case(
            6,
            patched(file, triangles, &infinity),
            Warn("triangle 0", triangles),
        ),
        case(6, patched(file, key, &nan), Reject("finite", key)),
        case(
            6,
            patched(file, key + 24, &infinity),
            Reject("finite", key + 24),
        ),
        case(
            29,
            patched(file, key + 12, &[0; 16]),
            Warn("is zero", key + 12),
        ),
    ]
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

fn geometry_cases(file: &[u8]) -> Vec<Case> {
    let model = valid_model();
    let (vertices, triangles) = (vertices(file), triangles(file));
    let corner = triangles + 33 + 24;
    // The second LOD's pair of vertices.
    let pair = vertices + 20 * 9 + 16;
    let huge = |at: usize| patched(file, at, &[255, 255, 255, 127]);
    let lods = link(file, "Geometry") + 4 + 24;
    let fewer = edited(|model| {
        model.geometry.lod_starts.pop();
    });
    let last_node = model.nodes.len() as u8;
    vec![
        case(
            41,
            patched(file, corner, &[8, 0]),
            Reject("triangle 1", corner),
        ),
        case(
            41,
            patched(file, corner, &[255; 2]),
            Reject("65535", corner),
        ),
        case(
            41,
            patched(file, vertices + 15, &[last_node]),
            Reject("vertex 0", vertices + 15),
        ),
        case(
            41,
            huge(vertices - 4),
            Reject("base vertex count", vertices - 4),
        ),
        case(3, huge(triangles - 4), Reject("triangles", triangles)),
        case(3, huge(vertices - 8), Reject("vertices", vertices)),
        case(43, huge(lods), Reject("LODs", lods + 4)),
        case(
            43,
            patched(file, pair, &[9, 0]),
            Warn("must be less than its own", pair),
        ),
        case(
            43,
            patched(file, pair, &[0xCD; 2]),
            Warn("must be less than its own", pair),
        ),
        case(
            43,
            patched(file, pair, &[0, 0]),
            Warn("is already replaced", pair),
        ),
        case(43, fewer, Warn("2 LOD vertices for 1 LODs", vertices - 10)),
    ]
}

fn node_cases(file: &[u8]) -> Vec<Case> {
    let arm = text(file, "Arm") + 3;
    let deforming = arm + 2 + 1 + 4;
    let tail = text(file, "Tail") + 4;
    let children = tail + 2 + 1 + 4;
    let huge = [255, 255, 255, 127];
    let mut deep = nested(20_000);
    deep.animations.clear();
    let deep = write_unchecked(&deep);
    let deepest = link(&deep, "Nodes") + 4 + MAX_DEPTH * 37;
    vec![
        case(
            40,
            patched(file, children, &[1]),
            Reject("children", children + 4),
        ),
        case(
            40,
            patched(file, children, &huge),
            Reject("children", children + 4),
        ),
        case(40, deep, Reject("more than 1024 deep", deepest)),
        case(
            41,
            patched(file, deforming, &[10, 0]),
            Reject("vertex", deforming),
        ),
        case(
            41,
            patched(file, deforming, &[0, 0]),
            Warn("vertex 0 of node 1", deforming),
        ),
        case(
            41,
            patched(file, deforming - 4, &huge),
            Reject("deforming", deforming),
        ),
        case(
            41,
            patched(file, tail, &[7]),
            Warn("stores the index 7", tail),
        ),
    ]
}

fn animation_cases(file: &[u8]) -> Vec<Case> {
    let body = link(file, "Animation") + 4;
    let frames = keyframes(file);
    let second = frames + 30 + "begin".len();
    let huge = [255, 255, 255, 127];
    let stand = text(file, "Stand") - 2;
    let fewer = edited(|model| {
        model.animations.truncate(1);
        model.animations[0].tracks.pop();
        model.animations[0].dims = None;
        model.transform_info = None;
    });
    let end = fewer.len();
    vec![
        case(42, fewer, Reject("node 3", end)),
        case(
            42,
            patched(file, body, &huge),
            Reject("animations", body + 4),
        ),
        case(
            42,
            patched(file, body, &[1]),
            Warn("trailing bytes in Animation", stand),
        ),
        case(
            42,
            patched(file, frames - 4, &huge),
            Reject("keyframes", frames),
        ),
        case(
            42,
            patched(file, second, &[0; 4]),
            Warn("is not after the previous one", second),
        ),
    ]
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

#[test]
fn loader_rejects_or_warns_about_every_class() {
    log::listen();
    let location = |offset: &usize| LocationText {
        error: format!("at offset {offset} "),
        warning: format!("(at offset {offset})"),
    };
    for (index, case) in malformed::rows(cases()) {
        let path: &'static str = format!("class-{}-{index}.abc", case.class).leak();
        let mut app = TestApp::new(&[(path, case.bytes.clone())]);
        let loaded = load_plain(&mut app, path);
        let warnings = log::warnings_with(path);
        let error = loaded.as_ref().err().map(String::as_str);
        case.assert_logged(path, error, &warnings, location);
        match loaded {
            Err(error) => {
                let prefix = format!("{path}: ABC: ");
                assert!(error.contains(&prefix), "{path}: {error}");
            }
            Ok(model) => {
                let root = spawn(&mut app, &model, PlayClip::looping(0_usize));
                play(&mut app, root);
                let drawn = drawn(&mut app, root);
                assert!(drawn.len() >= 2, "{path}");
                assert!(
                    drawn.as_flattened().iter().all(|it| it.is_finite()),
                    "{path}"
                );
            }
        }
        assert_eq!(
            log::warnings_with(path).len(),
            warnings.len(),
            "{path}: more warnings in play"
        );
    }
}

/// Plays a model while changing its level of detail and clip.
fn play(app: &mut TestApp, root: Entity) {
    for (frame, lod) in [0, 1, 9, 0].into_iter().enumerate() {
        app.world().entity_mut(root).insert(ModelLod(lod));
        if frame == 2 {
            let last = app.world().get::<AbcInstance>(root).unwrap();
            let last = last.model().animations.len().saturating_sub(1);
            let play = PlayClip::once(last).with_fade(0.1).with_speed(-1.0);
            app.world().entity_mut(root).insert(play);
        }
        app.step(0.06);
    }
}

/// Loads all files in one app, and spawns and plays those that load. Asserts that every error names its file and an
/// offset. Returns the count of files that load.
fn load_and_play(name: &str, files: Vec<Vec<u8>>) -> usize {
    let paths = (0..files.len()).map(|index| format!("{name}-{index}.abc"));
    let paths: Vec<String> = paths.collect();
    let named = paths.iter().map(String::as_str).zip(files.iter().cloned());
    let mut app = TestApp::new(&named.collect::<Vec<_>>());
    let server = app.world().resource::<AssetServer>().clone();
    let handles = paths.iter().map(|path| {
        let plain = |settings: &mut AbcLoaderSettings| settings.load_textures = false;
        let loader = server.load_builder().with_settings(plain);
        loader.load::<Abc>(path.clone())
    });
    let handles: Vec<Handle<Abc>> = handles.collect();
    let mut roots = Vec::new();
    for (handle, path) in handles.iter().zip(&paths) {
        match app.finish_load(handle) {
            bevy::asset::LoadState::Failed(error) => {
                let error = error.to_string();
                let is_located =
                    error.contains(&format!("{path}: ABC: ")) && error.contains("at offset");
                assert!(is_located, "{error}");
            }
            _ => {
                let abcs = app.world().resource::<Assets<Abc>>();
                let scene = abcs.get(handle).unwrap().scene.clone();
                let play = PlayClip::looping(0_usize);
                roots.push(app.world().spawn((WorldAssetRoot(scene), play)).id());
            }
        }
    }
    for root in &roots {
        app.wait_for_abc(*root);
    }
    for root in &roots {
        app.world().entity_mut(*root).insert(ModelLod(1));
    }
    for _ in 0..3 {
        app.step(0.06);
    }
    let count = roots.len();
    for root in roots {
        app.world().despawn(root);
    }
    app.step(0.0);
    count
}

/// Loads and plays files in batches, because an app with many models is slow. Returns the count of files that load.
fn load_and_play_all(name: &str, files: impl IntoIterator<Item = Vec<u8>>) -> usize {
    let mut files = files.into_iter();
    let mut loaded = 0;
    for round in 0.. {
        let batch: Vec<_> = files.by_ref().take(100).collect();
        if batch.is_empty() {
            break;
        }
        loaded += load_and_play(&format!("{name}-{round}"), batch);
    }
    loaded
}

#[test]
fn truncated_files_are_rejected() {
    let file = bytes(&valid_model());
    let ends = (0..file.len()).map(|end| file[..end].to_vec());
    assert_eq!(load_and_play_all("ends", ends), 0);
}

#[test]
fn wrong_values_do_not_panic() {
    let file = bytes(&valid_model());
    let values = [u32::MAX, 1 << 31, 0x7fff_ffff, 0x7fc0_0000, 0x7f7f_ffff];
    for value in values {
        let wrong = (0..file.len() - 3).step_by(3);
        let wrong = wrong.map(|at| patched(&file, at, &value.to_le_bytes()));
        let loaded = load_and_play_all(&format!("numbers-{value:x}"), wrong);
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
    let loaded = load_and_play_all("damaged", damaged.collect::<Vec<_>>());
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
    println!("{} of {count} load", load_and_play_all("real", damaged));
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
    load_and_play("far", files);
}

#[test]
fn deepest_allowed_skeleton_spawns_plays_and_despawns() {
    let deep = |depth| {
        let mut model = nested(depth);
        model.geometry = GeometryDocument::default();
        bytes(&model)
    };
    assert_eq!(load_and_play("deep", vec![deep(MAX_SCENE_DEPTH)]), 1);
    assert_eq!(load_and_play("deeper", vec![deep(MAX_SCENE_DEPTH + 1)]), 0);
    assert_eq!(load_and_play("deepest", vec![deep(MAX_DEPTH)]), 0);
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
    let abcs = app.world().resource::<Assets<Abc>>();
    assert_eq!(abcs.get(&model).unwrap().deforms.len(), 1);
    // A vertex belongs to one node. The loader warns about the other nodes that list it.
    let warnings = log::warnings_with(path);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("(and 899 more like it)"),
        "{warnings:?}"
    );
}
