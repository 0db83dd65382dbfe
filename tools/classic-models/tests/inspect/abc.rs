//! `inspect` on LithTech models and textures.

use crate::abc_vertices::vertices;
use crate::clip::{assert_box, posed, save};
use crate::{inspect, lines};
use bevy_classic_models::lithtech::abc::write::AbcDocument;
use bevy_classic_models::lithtech::abc::{MAX_DEPTH, TransformInfo, parse};
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write};
use classic_models_fixtures::abc::{FLAG_NODE, banner, bytes, figure};
use serde_json::{Value, json};
use zerocopy::little_endian::{F32, U16};

/// The largest coordinate of a vertex in these models.
const SIZE: f64 = 100.0;

const NOT_FLIPPED: TransformInfo = TransformInfo {
    flip_geometry: false,
    flip_animation: false,
};

/// The flag with a level of detail and special cases: a non-finite coordinate, a vertex that only a degenerate triangle
/// uses, an unused vertex, a triangle with vertices of two nodes, and leftover positions in deformed vertices.
fn rough() -> AbcDocument {
    let mut model = banner();
    model.animations[0].name = "Walk".to_owned();
    model.animations[1].name = "STAND".to_owned();
    let geometry = &mut model.geometry;
    geometry.vertices[3].position[1] = F32::new(f32::NAN);
    let deforming = &model.nodes[FLAG_NODE].deform_vertices;
    for vertex in deforming {
        geometry.vertices[usize::from(*vertex)].position = [200.0, 0.0, 255.0].map(F32::new);
    }
    let at = |index: usize, position: [f32; 3]| {
        let mut vertex = banner().geometry.vertices[index];
        vertex.position = position.map(F32::new);
        vertex
    };
    let line = geometry.vertices.len() as u16;
    geometry.vertices.push(at(0, [30.0, -40.0, 50.0]));
    geometry.vertices.push(at(0, [90.0; 3]));
    geometry.base_vertices += 2;
    let mut extra = at(deforming[0].into(), [70.0; 3]);
    extra.replacements = [deforming[0], deforming[1]].map(U16::new);
    geometry.vertices.push(extra);
    geometry.lod_starts = vec![0, 10];
    let mut triangle = geometry.triangles[0];
    triangle.vertices = [line, line, 0].map(U16::new);
    geometry.triangles.insert(3, triangle);
    triangle.vertices = [deforming[0], 0, 1].map(U16::new);
    geometry.triangles.push(triangle);
    model
}

#[test]
fn skeletons_too_deep_to_spawn_are_posed_from_the_file() {
    let mut model = figure();
    // A long chain of nodes.
    let chain = MAX_DEPTH - 3;
    let (first, root) = (model.nodes.len(), model.nodes[0].clone());
    let mut nodes = model.nodes.drain(..).collect::<Vec<_>>();
    nodes[0].children += 1;
    for index in 0..chain {
        let mut link = root.clone();
        link.transformation_index = (first + index) as u16;
        link.children = u32::from(index + 1 < chain);
        nodes.push(link);
    }
    model.nodes = nodes;
    for animation in &mut model.animations {
        let still = animation.tracks[3].clone();
        animation.tracks.resize(first + chain, still);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = save(folder.path(), "deep.abc", &bytes(&model));
    let objects = lines(&inspect(&["--json", &file]));
    assert_eq!(objects[0]["nodes"].as_array().unwrap().len(), first + chain);
    let document = bytes(&figure());
    let plain = vertices(&parse(&document).unwrap(), 0, 0.0);
    assert_box(&objects[0]["posed"], &plain, SIZE, "a deep skeleton");
}

#[test]
fn json_and_text_describe_lithtech_models() {
    let folder = tempfile::tempdir().unwrap();
    let good = save(folder.path(), "good.abc", &bytes(&figure()));
    let odd = save(folder.path(), "good #2", &bytes(&figure()));
    let output = inspect(&["--json", &good, &odd]);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    assert_eq!(objects[0]["posed"], objects[1]["posed"]);
    let mut object = objects[0].clone();
    assert!(object["posed"].take()["min"].is_array());
    let node = |name: &str, parent: i32, flags: u8| json!({"name": name, "parent": parent, "flags": flags, "deform_vertices": 0});
    let walk = json!({
        "name": "Walk", "seconds": 0.3, "keyframes": 3, "dims": [8.0, 24.0, 8.0],
        "events": [[0.0, "begin"], [0.1, "FOOTSTEP_KEY"], [0.3, "[play_sound:step]"]],
    });
    let stand = json!({
        "name": "Stand", "seconds": 0.0, "keyframes": 1, "dims": [1.0, 2.0, 3.0], "events": [],
    });
    assert_eq!(
        object,
        json!({
            "file": good, "ok": true, "format": "abc",
            "nodes": [node("Root", -1, 1), node("Body", 0, 2), node("Arm", 1, 2), node("Tail", 0, 2)],
            "vertices": 10, "base_vertices": 8, "triangles": 4, "lods": 2,
            "animations": [walk, stand, walk], "command": "DrawIndexedDist 2048",
            "flip_geometry": false, "flip_animation": false, "warnings": [], "posed": null,
        })
    );

    let rough = save(folder.path(), "rough.abc", &bytes(&rough()));
    let object = &lines(&inspect(&["--json", &rough]))[0];
    assert_eq!(object["nodes"][FLAG_NODE]["flags"], 6);
    assert_eq!(object["nodes"][FLAG_NODE]["deform_vertices"], 30);
    assert_eq!(
        (&object["vertices"], &object["lods"]),
        (&41.into(), &1.into())
    );
    assert_eq!(object["base_vertices"], 40);
    assert_eq!(object["animations"][0]["dims"], Value::Null);
    let warning = object["warnings"][0].as_str().unwrap();
    assert!(warning.contains("not finite"), "{warning}");

    let output = inspect(&["--time", "0.1", &good]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "LithTech model, version 6",
        "node Arm on Body, triangles",
        "animation Walk: 3 keyframes, 0.30 s",
        "0.10 s: FOOTSTEP_KEY",
        "posed from",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn posed_vertices_match_the_reference_in_each_clip() {
    let folder = tempfile::tempdir().unwrap();
    let flips = [(false, false), (false, true), (true, false), (true, true)];
    let flips = flips.map(|(flip_geometry, flip_animation)| {
        Some(TransformInfo {
            flip_geometry,
            flip_animation,
        })
    });
    let mut models = Vec::new();
    for transform_info in flips.into_iter().chain([None]) {
        for model in [figure(), rough()] {
            let model = AbcDocument {
                transform_info,
                ..model
            };
            let bytes = bytes(&model);
            let name = format!("{} #.abc", models.len());
            models.push((save(folder.path(), &name, &bytes), bytes));
        }
    }
    let paths: Vec<&str> = models.iter().map(|(path, _)| &**path).collect();
    // At keyframes, between them, at the end, and beyond both ends.
    let times = [0.0, 0.04, 0.1, 0.2345, 0.4].map(|time| (Some(time), time));
    let ends = [(None, 0.0), (Some(-1.0), 0.0), (Some(99.0), 99.0)];
    for (index, clip) in ["Walk", "Stand"].iter().enumerate() {
        for (time, seconds) in times.into_iter().chain(ends) {
            let objects = posed(&paths, clip, time);
            for (object, (path, bytes)) in objects.iter().zip(&models) {
                let file = parse(bytes).unwrap();
                let expected = vertices(&file, index, seconds);
                assert_box(
                    &object["posed"],
                    &expected,
                    SIZE,
                    &format!("{path} {clip} {time:?}"),
                );
            }
        }
    }

    // Without a clip name the first clip applies, at time 0 by default.
    for (args, seconds) in [(&["--json"][..], 0.0), (&["--json", "--time", "0.2"], 0.2)] {
        let objects = lines(&inspect(&[args, &paths].concat()));
        for (object, (path, bytes)) in objects.iter().zip(&models) {
            let expected = vertices(&parse(bytes).unwrap(), 0, seconds);
            assert_box(&object["posed"], &expected, SIZE, path);
        }
    }
}

#[test]
fn exact_clip_names_take_precedence_over_other_case() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = figure();
    model.animations[2].name = "WALK".to_owned();
    let bytes = bytes(&model);
    let path = save(folder.path(), "model.abc", &bytes);
    let file = parse(&bytes).unwrap();
    for (name, index) in [("Walk", 0), ("WALK", 2), ("walk", 0), ("sTAND", 1)] {
        let objects = posed(&[&path], name, Some(0.1));
        assert_box(
            &objects[0]["posed"],
            &vertices(&file, index, 0.1),
            SIZE,
            name,
        );
    }
}

#[test]
fn missing_clips_are_errors_and_missing_triangles_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let still = AbcDocument {
        animations: Vec::new(),
        ..figure()
    };
    let empty = AbcDocument {
        geometry: Default::default(),
        ..figure()
    };
    let good = save(folder.path(), "good.abc", &bytes(&figure()));
    let still = save(folder.path(), "still.abc", &bytes(&still));
    let empty = save(folder.path(), "empty.abc", &bytes(&empty));

    let output = inspect(&["--json", "--time", "1", &still, &empty]);
    assert_eq!(output.status.code(), Some(0));
    let objects = lines(&output);
    // Without animations all nodes are at the model's origin.
    assert_eq!(objects[0]["posed"]["max"], json!([6.0, 5.0, 0.0]));
    assert_eq!(objects[1]["posed"], Value::Null);

    let output = inspect(&["--json", "--animation", "swim", &good, &still]);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    for (object, part) in objects.iter().zip(["Walk, Stand", "none"]) {
        assert_eq!(object["ok"], false, "{object}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("swim") && message.contains(part),
            "{message}"
        );
    }
}

/// A texture of 8 × 8 texels.
fn picture(version: i32) -> DtxDocument {
    let indexed = DtxDocument::indexed(8, 8, &[[9, 8, 7]], &[0; 64]);
    match version {
        -5 => DtxDocument {
            version,
            palette: Vec::new(),
            // Four bytes for each texel.
            levels: indexed.levels.iter().map(|level| level.repeat(4)).collect(),
            ..indexed
        },
        _ => DtxDocument { version, ..indexed },
    }
}

#[test]
fn json_and_text_describe_lithtech_textures() {
    let folder = tempfile::tempdir().unwrap();
    let mut flags_alone = picture(-5);
    flags_alone.flags = 3;
    let mut long = picture(-3).with_alpha(&[255; 64]);
    long.command_string = "DetailTex x".to_owned();
    long.rest = vec![1; 7];
    let files = [
        (picture(-2), json!([-2, 8, 0, 0])),
        (picture(-2).with_alpha(&[0; 64]), json!([-2, 10, 4, 0])),
        (long, json!([-3, 10, 4, 1])),
        (flags_alone, json!([-5, 3, 0, 0])),
    ];
    let paths: Vec<String> = files
        .iter()
        .enumerate()
        // The content determines the format, whatever the name.
        .map(|(index, (file, _))| save(folder.path(), &index.to_string(), &write(file).unwrap()))
        .collect();
    let mut args = vec!["--json", "--time", "1"];
    args.extend(paths.iter().map(String::as_str));
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(0));
    let objects = lines(&output);
    for (object, (path, (_, expected))) in objects.iter().zip(paths.iter().zip(&files)) {
        let mut object = object.clone();
        let warnings = object["warnings"].take();
        assert_eq!(
            warnings.as_array().unwrap().len(),
            expected[3],
            "{warnings}"
        );
        assert_eq!(
            object,
            json!({
                "file": path, "ok": true, "format": "dtx", "version": expected[0],
                "width": 8, "height": 8, "mips": 4, "flags": expected[1],
                "alpha_mips": expected[2], "warnings": null,
            })
        );
    }
    let text = String::from_utf8(inspect(&[&paths[2]]).stdout).unwrap();
    for part in [
        "version -3, palette",
        "8 × 8",
        "4 alpha mips",
        "DetailTex x",
        "warning: ",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn malformed_lithtech_files_are_errors_with_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let model = bytes(&AbcDocument {
        transform_info: Some(NOT_FLIPPED),
        ..figure()
    });
    let image = write(&picture(-3)).unwrap();
    // The first chunk has a number instead of a string, as in later versions.
    let mut later = model.clone();
    later[12..16].copy_from_slice(&12_u32.to_le_bytes());
    let unknown = [&[0; 4][..], &(-4_i32).to_le_bytes(), &image[8..]].concat();
    let files: [(&str, &[u8], &str); 8] = [
        ("cut", &model[..model.len() - 3], "ABC: "),
        ("nolf", &later, "NOLF"),
        ("cache.abc", b"Ogawa\xFF\0\0 and more", "Alembic"),
        ("empty.abc", b"", "ABC: "),
        ("cut picture", &image[..image.len() - 1], "DTX: "),
        ("fourth", &unknown, "is -4"),
        ("old.dtx", b"\x40\0\x40\0 and more of it", "master palette"),
        ("none.dtx", &[0; 3], "DTX: "),
    ];
    let paths = files.map(|(name, bytes, _)| save(folder.path(), name, bytes));
    let good = save(folder.path(), "good.abc", &model);
    let mut args = vec!["--json", "--animation", "walk"];
    args.extend(paths.iter().map(String::as_str));
    args.push(&good);
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    assert_eq!(objects.len(), 9);
    for (object, (_, _, part)) in objects.iter().zip(files) {
        assert_eq!(object["ok"], false, "{object}");
        assert!(object["error"]["offset"].is_u64(), "{object}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(objects[8]["ok"], true);
}
