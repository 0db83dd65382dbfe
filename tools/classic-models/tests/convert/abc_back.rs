//! LithTech models to glTF and back.

use super::{Folder, samples};
use classic_model_formats::abc::write::write;
use classic_model_formats::abc::{AbcFile, TransformInfo, parse};
use classic_models_fixtures::abc::{banner, bytes, figure};
use classic_models_fixtures::abc_full::sample_model;
use classic_models_fixtures::export::flag;
use serde_json::Value;
use std::process::Command;

/// The bytes of a model after it was converted to glTF and back.
#[track_caller]
fn there_and_back(folder: &Folder, name: &str, bytes: &[u8], scale: &str) -> Vec<u8> {
    let back = format!("back/{name}");
    folder.write(name, bytes);
    folder.convert(&[name, "there.glb", "--force", "--scale", scale]);
    let warnings = folder.convert(&["there.glb", &*back, "--force"]);
    assert_eq!(warnings, "");
    // The skin of a converted model has its file already.
    let files = std::fs::read_dir(folder.path("back")).unwrap();
    assert!(
        files
            .flatten()
            .all(|it| it.path().extension().unwrap() == "abc")
    );
    std::fs::read(folder.path(&back)).unwrap()
}

/// What `inspect --json` prints of a file, except its path and the pose, whose numbers are rounded.
fn inspected(folder: &Folder, name: &str) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let program = program.current_dir(folder.path(""));
    let output = program.args(["inspect", "--json", name]).output().unwrap();
    let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let values = value.as_object_mut().unwrap();
    values.remove("file");
    values.remove("posed");
    value
}

/// Compares the positions of all vertices at all keyframes.
#[track_caller]
fn assert_same_poses(old: &AbcFile<'_>, new: &AbcFile<'_>, name: &str) {
    for (index, animation) in old.animations.iter().enumerate() {
        for keyframe in &animation.keyframes {
            let seconds = keyframe.time as f32 / 1000.0;
            let [old, new] =
                [old, new].map(|it| it.vertex_positions_in_model(Some(index), seconds));
            let size = old
                .as_flattened()
                .iter()
                .fold(1.0_f32, |max, it| max.max(it.abs()));
            for (vertex, (old, new)) in old.iter().zip(&new).enumerate() {
                assert!(
                    old.iter()
                        .zip(new)
                        .all(|(a, b)| (a - b).abs() < size * 4e-6),
                    "{name}, animation {index}, vertex {vertex}: {new:?}, not {old:?}"
                );
            }
        }
    }
}

#[track_caller]
fn check(folder: &Folder, name: &str, bytes: &[u8], scale: &str) {
    let back = there_and_back(folder, name, bytes, scale);
    let [old, new] = [bytes, &*back].map(|bytes| parse(bytes).unwrap());
    assert_eq!(new.warnings, [], "{name}");
    let [old_values, new_values] =
        [name.to_owned(), format!("back/{name}")].map(|it| inspected(folder, &it));
    assert_eq!(old_values, new_values, "{name}");
    assert_same_poses(&old, &new, name);
    assert_eq!(old.transform_info, new.transform_info, "{name}");
    assert_eq!(old.geometry.lod_starts, new.geometry.lod_starts, "{name}");
    for level in 0..=old.geometry.lods {
        assert_eq!(old.geometry.lod(level), new.geometry.lod(level), "{name}");
    }
    let uvs = |file: &AbcFile<'_>| -> Vec<_> {
        file.geometry
            .triangles
            .iter()
            .map(|it| it.clean_uvs())
            .collect()
    };
    assert_eq!(uvs(&old), uvs(&new), "{name}");
    for (old, new) in old.animations.iter().zip(&new.animations) {
        for (old, new) in old.tracks.iter().zip(&new.tracks) {
            assert_eq!(old.deform, new.deform, "{name}");
        }
    }
    assert!(
        there_and_back(folder, name, &back, scale) == back,
        "{name} is not stable"
    );
}

#[test]
fn lithtech_models_come_back_as_they_were() {
    let folder = Folder::new();
    let warden = std::fs::read(samples().join("models/warden.abc")).unwrap();
    check(&folder, "warden.abc", &warden, "1");
    check(&folder, "warden.abc", &warden, "0.025");
    check(&folder, "figure.abc", &bytes(&figure()), "1");
    check(&folder, "banner.abc", &bytes(&banner()), "1");
    check(&folder, "flag.abc", &flag(20), "0.1");
}

#[test]
fn every_flag_of_orientation_comes_back() {
    let folder = Folder::new();
    for bits in 0..5 {
        let mut model = sample_model();
        model.transform_info = (bits < 4).then_some(TransformInfo {
            flip_geometry: bits & 1 != 0,
            flip_animation: bits & 2 != 0,
        });
        check(&folder, "model.abc", &write(&model).unwrap(), "1");
    }
}

#[test]
fn a_model_of_another_game_becomes_one_of_lithtech() {
    let folder = Folder::new();
    for name in ["walker.alo", "courier.lgw", "sentry.mdl"] {
        let path = samples().join("models").join(name).display().to_string();
        folder.convert(&[&path, "there.glb", "--no-lods", "--force"]);
        folder.convert(&["there.glb", "out/model.abc", "--force"]);
        let bytes = std::fs::read(folder.path("out/model.abc")).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!(file.warnings, [], "{name}");
        assert!(file.geometry.triangles.len() > 100, "{name}");
        assert!(folder.path("out/model.dtx").is_file(), "{name}");
    }
}

#[test]
fn every_problem_is_an_error_and_writes_nothing() {
    let folder = Folder::new();
    let sample = samples().join("models/crystal.mdl").display().to_string();
    folder.convert(&[&sample, "there.glb"]);
    let glb = std::fs::read(folder.path("there.glb")).unwrap();
    folder.write("cut.glb", &glb[..glb.len() / 2]);
    folder.write("none.gltf", br#"{ "asset": { "version": "2.0" } }"#);
    for (input, expected) in [
        (
            &*sample,
            "only .glb and .gltf files can be converted to .abc",
        ),
        ("cut.glb", "the file has no complete binary chunk"),
        ("none.gltf", "the scene has no triangles"),
    ] {
        let output = folder.run(&[input, "out/out.abc"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert!(error.contains(expected), "{input}: {error}");
        assert_eq!(error.lines().count(), 1, "{input}: {error}");
        assert!(!folder.path("out/out.abc").exists(), "{input}");
    }
}

#[test]
fn levels_clips_and_skins_are_made_for_new_models() {
    let folder = Folder::new();
    let sample = samples().join("models/warden.abc").display().to_string();
    folder.convert(&[&sample, "there.glb", "--no-textures"]);
    let options = ["--lods", "200,1500", "--clips", "walk,idle"];
    folder.convert(&[&["there.glb", "new.abc"], &options[..]].concat());
    let bytes = std::fs::read(folder.path("new.abc")).unwrap();
    let file = parse(&bytes).unwrap();
    assert!(file.geometry.lods > 1000);
    assert!(file.command_string.starts_with("LODSTARTDIST 200;"));
    let names: Vec<_> = file.animations.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["walk", "idle"]);
    let output = folder.run(&["there.glb", "x.abc", "--lods", "9"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("expected two distances"), "{error}");

    // The materials of a Quake model are new ones.
    let sample = samples().join("models/crystal.mdl").display().to_string();
    folder.convert(&[&sample, "there.glb", "--force"]);
    folder.convert(&["there.glb", "crystal.abc"]);
    let bytes = std::fs::read(folder.path("crystal.dtx")).unwrap();
    let skin = classic_model_formats::dtx::parse(&bytes).unwrap();
    assert_eq!(skin.version, -2);
}
