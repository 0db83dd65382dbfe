//! LithTech models.

use crate::reader::{Model, assert_same_set};
use crate::{Folder, samples};
use bevy::math::Vec3;
use classic_model_formats::abc::write::KeyframeDocument;
use classic_model_formats::abc::{AbcFile, parse};
use classic_models_fixtures::abc::{FLAG_NODE, banner, bytes, figure};
use classic_models_fixtures::abc_full::sample_model;
use std::collections::BTreeSet;
use std::path::Path;

/// The positions of the vertices that triangles of the full model use, at a time of an animation, in glTF's axes: the file
/// is left-handed, and the model faces +Z.
fn expected(file: &AbcFile<'_>, clip: Option<usize>, seconds: f32) -> Vec<Vec3> {
    let positions = file.vertex_positions_in_model(clip, seconds);
    let triangles = file.geometry.triangles.iter();
    let used: BTreeSet<u32> = triangles.flat_map(|triangle| triangle.indices()).collect();
    let position = |index: u32| {
        let [x, y, z] = positions[index as usize];
        Vec3::new(-x, y, z)
    };
    used.into_iter().map(position).collect()
}

fn all(model: &Model, clip: Option<&str>, seconds: f32) -> Vec<Vec3> {
    model
        .positions(clip, seconds)
        .into_values()
        .flatten()
        .collect()
}

fn size(positions: &[Vec3]) -> f32 {
    let min = positions.iter().copied().reduce(Vec3::min).unwrap();
    let max = positions.iter().copied().reduce(Vec3::max).unwrap();
    (max - min).max_element()
}

#[track_caller]
fn check(path: &Path, folder: &Folder) {
    let content = std::fs::read(path).unwrap();
    let file = parse(&content).unwrap();
    let model = folder.model(path, &[]);
    let ends = model.clips();
    let names: Vec<&str> = model.json["animations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|animation| animation["name"].as_str().unwrap())
        .collect();
    assert_eq!(ends.len(), file.animations.len(), "names are unique");
    // Deforming vertices have 16 bits per axis of their node's bounds, in all animations.
    let tolerance = 2e-4 * size(&expected(&file, None, 0.0)).max(1.0);
    let at_rest = all(&model, None, 0.0);
    assert_same_set(&at_rest, &expected(&file, None, 0.0), tolerance, "at rest");
    for ((index, animation), name) in file.animations.iter().enumerate().zip(names) {
        assert!(name.starts_with(&*animation.name));
        assert!((ends[name] - animation.seconds()).abs() < 1e-6, "{name}");
        for part in [0.0, 0.13, 0.77, 1.5] {
            let seconds = animation.seconds() * part;
            let found = all(&model, Some(name), seconds);
            let expected = expected(&file, Some(index), seconds);
            assert_same_set(
                &found,
                &expected,
                tolerance,
                &format!("{name} at {seconds}"),
            );
        }
    }
}

#[test]
fn poses_agree_with_the_parser() {
    let folder = Folder::new();
    check(&samples().join("models/warden.abc"), &folder);
    check(&folder.write("figure.abc", &bytes(&figure())), &folder);
    check(&folder.write("banner.abc", &bytes(&banner())), &folder);
}

/// A model whose flag has another shape in each of many keyframes.
fn flag_with_keyframes(count: u16) -> Vec<u8> {
    let mut model = banner();
    model.animations.truncate(1);
    let animation = &mut model.animations[0];
    let keyframe = |number: u16| KeyframeDocument {
        time: u32::from(number) * 10,
        ..KeyframeDocument::default()
    };
    animation.keyframes = (0..count).map(keyframe).collect();
    animation.length = u32::from(count) * 10;
    for track in &mut animation.tracks {
        let key = track.keys[0];
        track.keys = vec![key; usize::from(count)];
    }
    let flag = &mut animation.tracks[FLAG_NODE];
    let vertices = flag.deform.len() / 3;
    let first = flag.deform[..vertices].to_vec();
    flag.deform = (0..count)
        .flat_map(|number| {
            let mut shape = first.clone();
            let [low, high] = number.to_le_bytes();
            (shape[0][2], shape[1][2]) = (low, high);
            shape
        })
        .collect();
    bytes(&model)
}

#[test]
fn animations_with_too_many_weights_are_errors() {
    let folder = Folder::new();
    let many = folder.write("many.abc", &flag_with_keyframes(300));
    let model = folder.model(&many, &[]);
    let targets = model.json["meshes"].as_array().unwrap().iter();
    let targets =
        targets.filter_map(|mesh| Some(mesh["primitives"][0]["targets"].as_array()?.len()));
    assert_eq!(targets.collect::<Vec<_>>(), [300]);
    check(&many, &folder);
    // Each of 4097 keyframes, and the end, has a weight for each of as many targets.
    folder.write("excess.abc", &flag_with_keyframes(4097));
    let output = folder.run(&["excess.abc", "excess.glb"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let expected = "the animations need 16789506 weights of morph targets, but at most 16777216";
    assert!(text.contains(expected), "{text}");
    assert!(!folder.path("excess.glb").exists());
}

#[test]
fn every_flag_of_orientation_is_converted() {
    let folder = Folder::new();
    for bits in 0..4 {
        let mut model = sample_model();
        model.transform_info = Some(classic_model_formats::abc::TransformInfo {
            flip_geometry: bits & 1 != 0,
            flip_animation: bits & 2 != 0,
        });
        let content = classic_model_formats::abc::write::write(&model).unwrap();
        check(&folder.write("model.abc", &content), &folder);
    }
}

#[test]
fn levels_of_detail_are_outside_of_the_scene() {
    let folder = Folder::new();
    let path = samples().join("models/warden.abc");
    let model = folder.model(&path, &[]);
    let nodes = model.json["nodes"].as_array().unwrap();
    let finest = model.named("nodes", "warden mesh");
    let ids = finest["extensions"]["MSFT_lod"]["ids"].as_array().unwrap();
    assert_eq!(ids.len(), 3);
    let coverage = finest["extras"]["MSFT_screencoverage"].as_array().unwrap();
    assert_eq!(coverage.len(), 4);
    assert!(
        coverage.is_sorted_by(|a, b| a.as_f64() >= b.as_f64()),
        "{coverage:?}"
    );
    let mut before = usize::MAX;
    for id in ids {
        let coarser = &nodes[id.as_u64().unwrap() as usize];
        let mesh = &model.json["meshes"][coarser["mesh"].as_u64().unwrap() as usize];
        let indices = mesh["primitives"][0]["indices"].as_u64().unwrap() as usize;
        let count = model.json["accessors"][indices]["count"].as_u64().unwrap() as usize;
        assert!(count < before);
        before = count;
        let scene = model.json["scenes"][0]["nodes"].as_array().unwrap();
        assert!(!scene.contains(id));
        assert_eq!(coarser["skin"], finest["skin"]);
    }
    let model = folder.model(&path, &["--no-lods"]);
    assert_eq!(
        model.json["extensionsUsed"],
        serde_json::json!(["KHR_materials_specular"])
    );
}

#[test]
fn keyframe_strings_are_events() {
    let folder = Folder::new();
    let path = samples().join("models/warden.abc");
    let content = std::fs::read(&path).unwrap();
    let file = parse(&content).unwrap();
    let model = folder.model(&path, &[]);
    let mut count = 0;
    for animation in &file.animations {
        let events = &model.named("animations", &animation.name)["extras"]["events"];
        let expected = animation.keyframes.iter().filter(|it| !it.event.is_empty());
        let expected: Vec<_> = expected
            .map(|it| serde_json::json!({ "name": it.event, "time": (f64::from(it.time) / 1000.0) as f32 }))
            .collect();
        assert_eq!(*events, serde_json::json!(expected));
        count += expected.len();
    }
    assert!(count > 0);
}

#[test]
fn skins_are_found_at_the_games_path_or_given() {
    let folder = Folder::new();
    let skin = std::fs::read(samples().join("skins/warden.dtx")).unwrap();
    let input = folder.write("Models/Chars/hero.abc", &bytes(&figure()));
    let has_texture = |model: &Model| {
        let material = &model.json["materials"][0];
        material["pbrMetallicRoughness"]["baseColorTexture"].is_object()
    };
    let warnings = folder.convert(&[&input.display().to_string(), "a.glb"]);
    assert!(warnings.contains("skin not found"), "{warnings}");
    assert!(!has_texture(&Model::read(&folder.path("a.glb"))));
    folder.write("other.dtx", &skin);
    assert!(has_texture(&folder.model(&input, &["--skin", "other.dtx"])));
    folder.write("SKINS/chars/HERO.DTX", &skin);
    assert!(has_texture(&folder.model(&input, &[])));
    assert!(!has_texture(&folder.model(&input, &["--no-textures"])));
}
