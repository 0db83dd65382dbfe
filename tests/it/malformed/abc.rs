//! Malformed LithTech models, through the loader and in an app. Every class of defect causes its error or warning once.
//! Wrong values, truncation and random damage never panic, and models that load are drawn and play.

use super::suite::Suite;
use crate::support::abc::{bytes, figure, node, track};
use crate::support::abc_app::{drawn, load, spawn};
use crate::support::prelude::*;
use crate::support::random::Random;
use bevy_classic_models::lithtech::MAX_SCENE_DEPTH;
use bevy_classic_models::lithtech::abc::MAX_DEPTH;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::abc::write::{KeyframeDocument, write_unchecked};
use classic_models_fixtures::abc_malformed;

/// The rows of the parser's table, except a model that is too deep for scenes. The reason of an error is its message.
fn cases() -> Vec<Case<&'static str, u64>> {
    let as_logged = |case: Case| {
        let expect = match case.expect {
            Reject(_, at) => {
                let error = parse(&case.bytes).map(drop).unwrap_err();
                Reject(&*error.to_string().leak(), at)
            }
            Warn(text, at) => Warn(text, at),
            Silent => Silent,
        };
        Case {
            name: case.name,
            ..Case::logged(case.class, case.bytes, expect)
        }
    };
    let cases = abc_malformed::cases().into_iter();
    let cases = cases.filter(|case| case.name != "as deep as may be");
    cases.map(as_logged).collect()
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
    app.wait_for(&roots);
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
