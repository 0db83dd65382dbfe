//! The promise on bad LithTech models, through the loader and in an app: every class of flaw with its error or
//! its warning, once each; any number wrong, any end missing; and models that draw and move all the same.

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

/// A row: words of the message, and the offset.
type Case = malformed::Case<&'static str, usize>;

fn case(class: u32, bytes: Vec<u8>, expect: Expect<&'static str, usize>) -> Case {
    Case::logged(class, bytes, expect)
}

/// A model whose vertices deform, with levels of detail.
fn whole() -> AbcDocument {
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
    let mut model = whole();
    edit(&mut model);
    write_unchecked(&model)
}

/// Where some bytes are for the first time.
fn find(file: &[u8], bytes: &[u8]) -> usize {
    let found = file.windows(bytes.len()).position(|it| it == bytes);
    found.expect("the file has them")
}

/// Where a text is, behind its length.
fn text(file: &[u8], text: &str) -> usize {
    let length = (text.len() as u16).to_le_bytes();
    2 + find(file, &[&length[..], text.as_bytes()].concat())
}

/// Where the number is that leads from a chunk to the next.
fn link(file: &[u8], chunk: &str) -> usize {
    text(file, chunk) + chunk.len()
}

fn patched(file: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + by.len()].copy_from_slice(by);
    file
}

fn cases() -> Vec<Case> {
    let file = bytes(&whole());
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
        case(1, vec![], Reject("needs 8 bytes", 0)),
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
        case(2, b"IDPO and more than that".to_vec(), Reject("IDPO", 0)),
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
    let to = |place: usize| patched(file, nodes, &(place as u32).to_le_bytes());
    let begin = text(file, "Nodes") - 2;
    let animation = text(file, "Animation") - 2;
    // A chunk that nobody knows, and one that is there twice.
    let with = |chunk: &[u8]| {
        let info = link(file, "TransformInfo");
        let last = (file.len() as u32).to_le_bytes();
        [&patched(file, info, &last)[..], chunk, &[255; 4], &[0; 8]].concat()
    };
    vec![
        case(5, with(b"\x04\0What"), Warn("\"What\"", file.len())),
        case(
            38,
            with(b"\x05\0Nodes"),
            Reject("chunks of this name", file.len()),
        ),
        case(38, to(0), Reject("offset of the next chunk", nodes)),
        case(38, to(begin), Reject("offset of the next chunk", nodes)),
        case(38, to(nodes), Reject("offset of the next chunk", nodes)),
        case(
            38,
            to(file.len() + 9),
            Reject("offset of the next chunk", nodes),
        ),
        case(38, to(1 << 31), Reject("offset of the next chunk", nodes)),
        // Into the middle of the next chunk: what is there is no name.
        case(38, to(animation + 30), Reject("ABC: ", animation + 32)),
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
    link(file, "Geometry") + 4 + 24 + 4 + 2 * whole().geometry.lod_starts.len() + 4
}

fn vertices(file: &[u8]) -> usize {
    triangles(file) + 33 * whole().geometry.triangles.len() + 8
}

/// Where the first animation's first keyframe is.
fn keyframes(file: &[u8]) -> usize {
    text(file, "Walk") + 4 + 4 + 24 + 4
}

/// Where the keys of a node of the first animation are, one before the one that deforms.
fn keys(file: &[u8], node: usize) -> usize {
    let walk = &whole().animations[0];
    let strings = walk.keyframes.iter().map(|it| 30 + it.event.len());
    keyframes(file) + strings.sum::<usize>() + node * (28 * walk.keyframes.len() + 24)
}

fn geometry_cases(file: &[u8]) -> Vec<Case> {
    let model = whole();
    let (vertices, triangles) = (vertices(file), triangles(file));
    let corner = triangles + 33 + 24;
    // The second level's pair.
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
    let mut bomb = nested(20_000);
    bomb.animations.clear();
    let bomb = write_unchecked(&bomb);
    let deepest = link(&bomb, "Nodes") + 4 + MAX_DEPTH * 37;
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
        case(40, bomb, Reject("more than 1024 deep", deepest)),
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

/// Nodes of which each is the child of the one before.
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

/// Loads a model as one would, without looking for skins.
fn load_plain(app: &mut TestApp, path: &'static str) -> Result<Handle<Abc>, String> {
    let settings = AbcLoaderSettings {
        load_textures: false,
        lod_shares: vec![0.6],
        ..AbcLoaderSettings::default()
    };
    load(app, path, settings)
}

#[test]
fn every_class_is_refused_or_told_of_by_the_loader() {
    log::listen();
    let place = |offset: &usize| LocationText {
        error: format!("at offset {offset} "),
        warning: format!("(at offset {offset})"),
    };
    for (index, case) in malformed::rows(cases()) {
        let path: &'static str = format!("class-{}-{index}.abc", case.class).leak();
        let mut app = TestApp::new(&[(path, case.bytes.clone())]);
        let loaded = load_plain(&mut app, path);
        let warnings = log::warnings_with(path);
        let error = loaded.as_ref().err().map(String::as_str);
        case.assert_logged(path, error, &warnings, place);
        match loaded {
            Err(error) => {
                let told = format!("{path}: ABC: ");
                assert!(error.contains(&told), "{path}: {error}");
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
        assert_eq!(log::warnings_with(path).len(), warnings.len(), "told again");
    }
}

/// Plays and changes what may be changed.
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

/// Loads all files in one app, spawns those that load, and lets them play. Every error names its file and an
/// offset. Returns how many load.
fn run(name: &str, files: Vec<Vec<u8>>) -> usize {
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
                let is_told =
                    error.contains(&format!("{path}: ABC: ")) && error.contains("at offset");
                assert!(is_told, "{error}");
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

/// The same with as many files in an app as do not make it slow.
fn run_all(name: &str, files: impl IntoIterator<Item = Vec<u8>>) -> usize {
    let mut files = files.into_iter();
    let mut loaded = 0;
    for round in 0.. {
        let some: Vec<_> = files.by_ref().take(100).collect();
        if some.is_empty() {
            break;
        }
        loaded += run(&format!("{name}-{round}"), some);
    }
    loaded
}

#[test]
fn a_file_may_not_end_early() {
    let file = bytes(&whole());
    let ends = (0..file.len()).map(|end| file[..end].to_vec());
    assert_eq!(run_all("ends", ends), 0);
}

#[test]
fn any_number_may_be_wrong() {
    let file = bytes(&whole());
    let values = [u32::MAX, 1 << 31, 0x7fff_ffff, 0x7fc0_0000, 0x7f7f_ffff];
    for value in values {
        let wrong = (0..file.len() - 3).step_by(3);
        let wrong = wrong.map(|at| patched(&file, at, &value.to_le_bytes()));
        let loaded = run_all(&format!("numbers-{value:x}"), wrong);
        assert!((50..file.len() / 3 - 50).contains(&loaded), "{loaded}");
    }
}

/// Damages a file in some places.
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
                let piece = bytes[from..bytes.len().min(from + random.below(200))].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

#[test]
fn damaged_models_do_no_harm() {
    let files = [bytes(&whole()), bytes(&banner())];
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let damaged = (0..3000).map(|round| mutated(&files[round % 2], &mut random));
    let loaded = run_all("damaged", damaged.collect::<Vec<_>>());
    assert!((300..2900).contains(&loaded), "{loaded}");
}

#[test]
fn damaged_real_models_do_no_harm() {
    let Some(folder) = corpus("damaged_real_models_do_no_harm") else {
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
    println!("{} of {count} load", run_all("real", damaged));
}

#[test]
fn places_as_far_as_numbers_go_do_no_harm() {
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
    run("far", files);
}

#[test]
fn the_deepest_skeleton_spawns_moves_and_goes() {
    let deep = |depth| {
        let mut model = nested(depth);
        model.geometry = GeometryDocument::default();
        bytes(&model)
    };
    assert_eq!(run("deep", vec![deep(MAX_SCENE_DEPTH)]), 1);
    assert_eq!(run("deeper", vec![deep(MAX_SCENE_DEPTH + 1)]), 0);
    assert_eq!(run("deepest", vec![deep(MAX_DEPTH)]), 0);
}

/// Thousands of things that say nothing.
fn hollow() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let chunks = |count: usize| {
        let mut file = bytes(&whole());
        let info = link(&file, "TransformInfo");
        let next = file.len() as u32;
        file[info..info + 4].copy_from_slice(&next.to_le_bytes());
        for index in 0..count {
            file.extend([0, 0]);
            let is_last = index + 1 == count;
            // Each has a byte, as the next must not begin where the file ends.
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
    let told = |time: u32| KeyframeDocument {
        time,
        event: "x".into(),
        ..KeyframeDocument::default()
    };
    strings.animations[0].keyframes = (0..30_000).map(told).collect();
    let keys = vec![([0.0; 3], IDENTITY_ROTATION); 30_000];
    strings.animations[0].tracks = vec![track(&keys)];
    let mut silent = strings.clone();
    for keyframe in &mut silent.animations[0].keyframes {
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
        ("keyframes", write_unchecked(&silent), None),
    ]
}

/// Loads a file on this thread, with a limit on the time that it takes of the processor.
fn assert_loads_soon(name: &str, bytes: &[u8]) {
    cpu_time::assert_cpu_time_below(Duration::from_secs(20), name, || {
        let _ = ConvertedAbc::load(bytes, &AbcLoaderSettings::default());
    });
}

#[test]
fn thousands_of_things_that_say_nothing_take_no_time() {
    log::listen();
    for (name, bytes, refused) in hollow() {
        let path: &'static str = format!("hollow-{name}.abc").leak();
        assert_loads_soon(name, &bytes);
        let mut app = TestApp::new(&[(path, bytes)]);
        match (load_plain(&mut app, path), refused) {
            (Ok(model), None) => {
                spawn(&mut app, &model, PlayClip::looping(0_usize));
                app.step(0.1);
            }
            (Err(error), Some(said)) => assert!(error.contains(said), "{name}: {error}"),
            (Ok(_), Some(_)) => panic!("{name} loads"),
            (Err(error), None) => panic!("{name}: {error}"),
        }
        // Of a kind of flaw one warning is enough.
        let warnings = log::warnings_with(path);
        assert!(warnings.len() <= 1, "{name}: {warnings:?}");
    }
}

/// Nodes that all deform the same vertex, in which all triangles meet, at many moments.
fn crowded(nodes: usize, triangles: usize) -> AbcDocument {
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
    let at = |time: u32| KeyframeDocument {
        time,
        ..KeyframeDocument::default()
    };
    animation.keyframes = (0..keyframes).map(at).collect();
    let mut still = track(&vec![([0.0; 3], IDENTITY_ROTATION); keyframes as usize]);
    let plain = still.clone();
    still.deform = (0..keyframes).map(|step| [step as u8, 0, 0]).collect();
    still.deform_scale = [0.1; 3];
    animation.tracks = vec![plain.clone(), plain];
    animation.tracks.extend(vec![still; nodes + 1]);
    model
}

#[test]
fn vertices_that_many_nodes_deform_take_no_time() {
    log::listen();
    let path = "crowded.abc";
    let bytes = write_unchecked(&crowded(900, 20_000));
    assert_loads_soon(path, &bytes);
    let mut app = TestApp::new(&[(path, bytes)]);
    let model = load_plain(&mut app, path).unwrap();
    let abcs = app.world().resource::<Assets<Abc>>();
    assert_eq!(abcs.get(&model).unwrap().deforms.len(), 1);
    // A vertex has one node. That the others list it is told of.
    let warnings = log::warnings_with(path);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("(and 899 more like it)"),
        "{warnings:?}"
    );
}
