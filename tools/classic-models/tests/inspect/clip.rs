//! `inspect` on Alamo models that play a clip: bones and vertices match reference values, computed here in `f64` from
//! the parsed files only.

use crate::{inspect, lines};
use bevy_classic_models::alamo::ala::{AlaFile, parse};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{self, AloFile, Bone, Mesh, Vertex};
use classic_models_fixtures::ala::{FRAMES, clean, edited};
use classic_models_fixtures::matrix::{Rows, composed, product, transformed, turn};
use serde_json::Value;
use std::path::Path;

/// A triangle on each of these bones: one that moves, and one that is hidden in some frames.
const HULL: u32 = 2;
const LAMP: u32 = 9;
const POSITIONS: [[f32; 3]; 3] = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 2.0, 4.0]];

/// A tree with a bone for every set of tracks. Some bones are rotated in the rest pose, some are hidden.
fn model() -> Vec<u8> {
    let mut bones = vec![Bone::new("Root", None, [0.0; 3])];
    for number in 0..32_u32 {
        let parent = number / 3;
        let position = [number as f32, 2.0, -1.0];
        let mut bone = Bone::new(format!("B_{number:02}"), Some(parent), position);
        if number % 2 == 1 {
            // A quarter turn about Z.
            bone.matrix[0][..2].copy_from_slice(&[0.0, -1.0]);
            bone.matrix[1][..2].copy_from_slice(&[1.0, 0.0]);
        }
        bone.visible = number % 5 != 4;
        bones.push(bone);
    }
    let vertex = |position| Vertex {
        position,
        ..Vertex::default()
    };
    let buffers = SubmeshBuffers::new(&POSITIONS.map(vertex), &[[0, 1, 2]]);
    let triangle = || vec![buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![])];
    let mut file = AloFile::new(bones);
    file.meshes = vec![
        Mesh::new("Hull", HULL, triangle()),
        Mesh::new("Lamp", LAMP, triangle()),
    ];
    write(&file).unwrap()
}

/// A bone of the model.
struct PosedBone {
    name: String,
    matrix: Rows,
    visible: bool,
}

/// All bones at a time in seconds, parents first.
fn posed_bones(model: &AloFile<'_>, clip: &AlaFile<'_>, seconds: f64) -> Vec<PosedBone> {
    let mut posed_bones: Vec<PosedBone> = Vec::new();
    for (index, bone) in model.bones.iter().enumerate() {
        let rest = bone.matrix.map(|row| row.map(f64::from));
        let rest_turn = rest.map(|[x, y, z, _]| [x, y, z]);
        let mut tracks = clip.bones.iter();
        let tracks = tracks.find(|tracks| tracks.index as usize == index);
        let pose = tracks.map(|tracks| clip.sample(tracks, seconds as f32 * clip.fps));
        let local = pose.map_or(rest, |pose| {
            let turn = pose
                .rotation
                .map_or(rest_turn, |rotation| turn(rotation.map(f64::from)));
            let [translation, scale] =
                [pose.translation, pose.scale].map(|vector| vector.map(f64::from));
            composed(translation, turn, scale)
        });
        let matrix = match bone.parent {
            Some(parent) => product(&posed_bones[parent as usize].matrix, &local),
            None => local,
        };
        posed_bones.push(PosedBone {
            name: bone.name.to_string(),
            matrix,
            // A bone with a record and without a track is visible.
            visible: pose.map_or(bone.visible, |pose| pose.visible.unwrap_or(true)),
        });
    }
    posed_bones
}

fn assert_near(actual: &Value, expected: f64, size: f64, what: &str) {
    let actual = actual.as_f64().unwrap();
    let error = (actual - expected).abs();
    assert!(
        error <= 1e-5 * size.max(1.0),
        "{what}: {actual}, {expected}"
    );
}

fn assert_bones(actual: &Value, posed_bones: &[PosedBone], what: &str) {
    let actual = actual.as_array().unwrap();
    assert_eq!(actual.len(), posed_bones.len());
    for (actual, bone) in actual.iter().zip(posed_bones) {
        let what = format!("{what} {}", bone.name);
        assert_eq!(actual["name"], bone.name, "{what}");
        assert_eq!(actual["visible"], bone.visible, "{what}");
        let matrix = actual["matrix"].as_array().unwrap();
        assert_eq!(matrix.len(), 16, "{what}");
        let rows = bone.matrix;
        let values = rows.as_flattened().iter();
        let size = values.fold(0.0, |size: f64, value| size.max(value.abs()));
        let last = [0.0, 0.0, 0.0, 1.0];
        for (row, expected) in rows.iter().chain([&last]).enumerate() {
            for (column, expected) in expected.iter().enumerate() {
                assert_near(&matrix[4 * column + row], *expected, size, &what);
            }
        }
    }
}

/// Asserts the bounds and the centroid of the visible vertices, in Bevy's space.
fn assert_vertices(posed: &Value, posed_bones: &[PosedBone], what: &str) {
    let bones = [HULL, LAMP].map(|bone| &posed_bones[bone as usize]);
    let visible = bones.into_iter().filter(|bone| bone.visible);
    let vertices = visible.flat_map(|bone| {
        POSITIONS.map(|position| {
            let [x, y, z] = transformed(&bone.matrix, position.map(f64::from));
            [x, z, -y]
        })
    });
    assert_box(posed, &vertices.collect::<Vec<_>>(), 1000.0, what);
}

/// Asserts the bounds and the centroid of vertices. The tolerance is relative to `size`.
pub fn assert_box(posed: &Value, vertices: &[[f64; 3]], size: f64, what: &str) {
    for axis in 0..3 {
        let values = || vertices.iter().map(|vertex| vertex[axis]);
        let (min, max) = (
            values().fold(f64::MAX, f64::min),
            values().fold(f64::MIN, f64::max),
        );
        let center = values().sum::<f64>() / vertices.len() as f64;
        for (key, expected) in [("min", min), ("max", max), ("centroid", center)] {
            assert_near(&posed[key][axis], expected, size, &format!("{what} {key}"));
        }
    }
}

/// The JSON objects of files at a time of a clip.
pub fn posed(files: &[&str], clip: &str, time: Option<f64>) -> Vec<Value> {
    let time = time.map(|time| format!("--time={time}"));
    let mut args = vec!["--json", "--animation", clip];
    args.extend(time.as_deref());
    args.extend(files);
    let output = inspect(&args);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    assert_eq!(objects.len(), files.len());
    objects
}

pub fn save(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn posed_bones_and_vertices_match_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = model();
    let [model, other] = ["walker.alo", "other #2"].map(|name| save(folder.path(), name, &bytes));
    let file = alo::parse(&bytes).unwrap();
    let end = f64::from(FRAMES - 1) / 30.0;
    let mut hidden = 0;
    for version in [1, 2] {
        let bytes = clean(version);
        let clip = save(folder.path(), &format!("clip {version}.ala"), &bytes);
        let parsed = parse(&bytes).unwrap();
        // Between frames, at both ends, and outside of the clip, where the time is clamped.
        let times = [1.25, 2.5, 4.75, 9.9].map(|frame| (Some(frame / 30.0), frame / 30.0));
        let ends = [
            (None, 0.0),
            (Some(-1.0), 0.0),
            (Some(end), end),
            (Some(99.0), end),
        ];
        for (time, seconds) in times.into_iter().chain(ends) {
            let what = format!("format {version} at {time:?}");
            let objects = posed(&[&model, &other], &clip, time);
            assert_eq!(objects[0]["posed"], objects[1]["posed"], "{what}");
            let posed_bones = posed_bones(&file, &parsed, seconds);
            assert_bones(&objects[0]["posed"]["bones"], &posed_bones, &what);
            assert_vertices(&objects[0]["posed"], &posed_bones, &what);
            hidden += usize::from(!posed_bones[LAMP as usize].visible);
        }
    }
    assert!((1..16).contains(&hidden), "{hidden}");
}

#[test]
fn clips_beside_a_model_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let model = save(folder.path(), "walker.alo", &model());
    let clip = save(folder.path(), "Walker_MOVE_00.ala", &clean(2));
    save(folder.path(), "walker_Idle_00.ala", &clean(1));
    let by_file = posed(&[&model], &clip, Some(0.12));
    let by_name = posed(&[&model], "move_00", Some(0.12));
    assert_eq!(by_name[0]["posed"], by_file[0]["posed"]);
    // Times after the end show the last frame.
    let by_file = posed(&[&model], &clip, Some(99.0));
    let by_name = posed(&[&model], "MOVE_00", Some(99.0));
    assert_eq!(by_name[0]["posed"], by_file[0]["posed"]);

    // Without `--animation` no bones are printed, even if there are clips beside the model.
    let output = inspect(&["--json", &model]);
    let rest = &lines(&output)[0];
    assert_eq!(rest["posed"]["bones"], Value::Null);
    assert_ne!(rest["posed"]["min"], by_name[0]["posed"]["min"]);

    let output = inspect(&["--json", "--animation", "swim", &model]);
    assert_eq!(output.status.code(), Some(1));
    let object = &lines(&output)[0];
    assert_eq!(object["ok"], false, "{object}");
    let message = object["error"]["message"].as_str().unwrap();
    assert!(message.contains("swim"), "{message}");
    let message = message.to_lowercase();
    assert!(
        message.contains("move_00") && message.contains("idle_00"),
        "{message}"
    );
}

#[test]
fn a_broken_clip_is_an_error_of_every_model() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = model();
    let [first, second] = ["first.alo", "second.alo"].map(|name| save(folder.path(), name, &bytes));
    let broken = save(folder.path(), "broken.ala", &clean(2)[..500]);
    let output = inspect(&["--json", "--animation", &broken, &first, &second]);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    assert_eq!(objects.len(), 2);
    for object in &objects {
        assert_eq!(object["ok"], false, "{object}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("broken.ala") && message.contains("ALA: "),
            "{message}"
        );
    }

    // The same for a clip beside the model.
    save(folder.path(), "first_IDLE_00.ala", &clean(2)[..500]);
    let output = inspect(&["--json", "--animation", "IDLE_00", &first]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines(&output)[0]["ok"], false);
    let output = inspect(&["--json", &first]);
    assert_eq!(lines(&output)[0]["ok"], true);
}

#[test]
fn bones_that_do_not_fit_the_model_are_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let model = save(folder.path(), "walker.alo", &model());
    let other = edited(&clean(2), |clip| {
        clip.bones[1].name = "Nothing_of_the_kind".into();
    });
    let other = save(folder.path(), "other.bin", &other);
    let objects = posed(&[&model], &other, None);
    let warnings = objects[0]["warnings"].as_array().unwrap();
    let names_bone = |warning: &Value| {
        let warning = warning.as_str().unwrap();
        warning.starts_with("animation: left out: bone ") && warning.contains("Nothing_of_the_kind")
    };
    assert!(warnings.iter().any(names_bone), "{warnings:?}");
    assert_eq!(objects[0]["ok"], true);
}

/// The model after an edit.
fn edited_model(edit: impl FnOnce(&mut AloFile<'_>)) -> Vec<u8> {
    let bytes = model();
    let mut file = alo::parse(&bytes).unwrap();
    edit(&mut file);
    write(&file).unwrap()
}

#[test]
fn bones_are_printed_if_nothing_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let hidden = edited_model(|file| file.meshes.iter_mut().for_each(|mesh| mesh.hidden = true));
    let bare = edited_model(|file| file.meshes.clear());
    let models = [
        ("drawn.alo", model()),
        ("hidden.alo", hidden),
        ("bare.alo", bare),
    ];
    let models = models.map(|(name, bytes)| save(folder.path(), name, &bytes));
    let clip = save(folder.path(), "clip.ala", &clean(2));
    let files = models.each_ref().map(String::as_str);
    let objects = posed(&files, &clip, Some(0.12));
    let bones = &objects[0]["posed"]["bones"];
    assert_eq!(bones.as_array().map(Vec::len), Some(33));
    for object in &objects[1..] {
        let expected = serde_json::json!({
            "min": null, "max": null, "centroid": null, "bones": bones,
        });
        assert_eq!(object["posed"], expected);
    }
    let output = inspect(&["--animation", &clip, &models[2]]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("nothing is drawn\n"), "{text}");
    assert!(text.contains("B_31 at "), "{text}");
}

#[test]
fn billboard_bones_are_not_turned() {
    let folder = tempfile::tempdir().unwrap();
    let clip = save(folder.path(), "clip.ala", &clean(2));
    let plain = save(folder.path(), "plain.alo", &model());
    let plain = &posed(&[&plain], &clip, Some(0.12))[0]["posed"];
    for mode in 1..8 {
        let turning = edited_model(|file| file.bones[1].billboard = mode);
        let turning = save(folder.path(), "turning.alo", &turning);
        let turning = &posed(&[&turning], &clip, Some(0.12))[0]["posed"];
        assert_eq!(turning, plain, "{mode}");
    }
}
