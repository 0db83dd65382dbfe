//! LithTech models.

use crate::reader::{Model, assert_same_set};
use crate::{Folder, samples};
use bevy::math::Vec3;
use classic_model_formats::abc::{AbcFile, parse};
use classic_models_fixtures::abc::{banner, bytes, figure};
use classic_models_fixtures::abc_full::sample_model;
use classic_models_fixtures::export::flag;
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

#[test]
fn too_many_morph_targets_are_split() {
    let folder = Folder::new();
    let many = folder.write("many.abc", &flag(310));
    let warnings = folder.convert(&["many.abc", "many.glb"]);
    assert!(
        warnings.contains("mesh \"Flag\" needs more than 256 morph targets"),
        "{warnings}"
    );
    let model = Model::read(&folder.path("many.glb"));
    let targets = model.json["meshes"].as_array().unwrap().iter();
    let targets =
        targets.filter_map(|mesh| Some(mesh["primitives"][0]["targets"].as_array()?.len()));
    assert_eq!(targets.collect::<Vec<_>>(), [256, 55]);
    check_visible(&many, &folder);
}

/// Compares the vertices of meshes that are not hidden by a scale of 0.
#[track_caller]
fn check_visible(path: &Path, folder: &Folder) {
    let content = std::fs::read(path).unwrap();
    let file = parse(&content).unwrap();
    let model = folder.model(path, &[]);
    for (index, animation) in file.animations.iter().enumerate() {
        for part in [0.0, 0.31, 0.823, 0.824, 0.9, 1.0] {
            let seconds = animation.seconds() * part;
            let meshes = model.positions(Some(&animation.name), seconds);
            let shown = meshes
                .into_values()
                .filter(|positions| size(positions) > 1e-6);
            let found: Vec<Vec3> = shown.flatten().collect();
            let expected = expected(&file, Some(index), seconds);
            let tolerance = 2e-4 * size(&expected).max(1.0);
            assert_same_set(&found, &expected, tolerance, &format!("at {seconds}"));
        }
    }
}

#[test]
fn skinned_vertices_are_where_they_are_without_skinning() {
    let folder = Folder::new();
    let path = samples().join("models/warden.abc");
    let content = std::fs::read(&path).unwrap();
    let file = parse(&content).unwrap();
    let model = folder.model(&path, &["--scale", "0.5", "--no-lods"]);
    let mesh = model.named("meshes", "warden mesh");
    let attributes = &mesh["primitives"][0]["attributes"];
    let positions = model.floats(attributes["POSITION"].as_u64().unwrap() as usize);
    let (positions, _) = positions.as_chunks::<3>();
    let positions: Vec<Vec3> = positions.iter().map(|it| Vec3::from_array(*it)).collect();
    let expected = expected(&file, None, 0.0);
    for position in positions {
        let nearest = expected.iter().map(|it| (*it * 0.5).distance(position));
        assert!(nearest.fold(f32::INFINITY, f32::min) < 1e-2, "{position}");
    }
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
