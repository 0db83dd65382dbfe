//! The limits of Quake engines.

use crate::{inspect, lines};
use classic_model_formats::mdl::write::{FrameDocument, MdlDocument, SkinDocument};
use classic_models_fixtures::mdl::tetrahedron;
use serde_json::json;
use std::path::Path;

/// The model with a count of vertices.
fn with_vertices(count: usize) -> MdlDocument {
    let mut model = tetrahedron();
    model.st_vertices.resize(count, model.st_vertices[0]);
    for frame in &mut model.frames {
        let poses = match frame {
            FrameDocument::Single(pose) => core::slice::from_mut(pose),
            FrameDocument::Group { poses, .. } => poses,
        };
        for pose in poses {
            pose.vertices.resize(count, pose.vertices[0]);
        }
    }
    model
}

fn with_triangles(count: usize) -> MdlDocument {
    let mut model = tetrahedron();
    model.triangles.resize(count, model.triangles[0]);
    model
}

/// The model with a count of poses. Two of them are in a group.
fn with_poses(count: usize) -> MdlDocument {
    let mut model = tetrahedron();
    let single = model.frames[0].clone();
    model.frames.resize(count - 1, single);
    model
}

fn with_skins(count: usize) -> MdlDocument {
    let mut model = tetrahedron();
    model.skins.resize(count, model.skins[0].clone());
    model
}

fn with_skin_size(width: u32, height: u32) -> MdlDocument {
    let mut model = tetrahedron();
    (model.header.skin_width, model.header.skin_height) = (width, height);
    model.skins = vec![SkinDocument::Single(vec![0; (width * height) as usize])];
    model
}

/// The limits in the text of `inspect`, and the exit status with `--engine` for all three engines.
fn limits(folder: &Path, model: &MdlDocument) -> (Vec<String>, [i32; 3]) {
    let file = folder.join("model.mdl");
    std::fs::write(&file, model.to_bytes()).unwrap();
    let file = file.to_str().unwrap();
    let output = inspect(&[file]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let limits = text
        .lines()
        .filter_map(|line| line.strip_prefix("  limit: "));
    let status = ["quakespasm", "ezquake", "darkplaces"]
        .map(|engine| inspect(&["--engine", engine, file]).status.code().unwrap());
    (limits.map(str::to_owned).collect(), status)
}

#[test]
fn limits_of_engines_on_models_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(MdlDocument, &[&str], [i32; 3]); 12] = [
        (with_vertices(2000), &[], [0; 3]),
        (
            with_vertices(2001),
            &["QuakeSpasm quits: 2001 vertices, at most 2000"],
            [1, 0, 0],
        ),
        (
            with_vertices(2049),
            &[
                "QuakeSpasm quits: 2049 vertices, at most 2000",
                "ezQuake quits: 2049 vertices, at most 2048",
            ],
            [1, 1, 0],
        ),
        (with_triangles(4096), &[], [0; 3]),
        (
            with_triangles(4097),
            &["QuakeSpasm quits: 4097 triangles, at most 4096"],
            [1, 0, 0],
        ),
        (with_poses(256), &[], [0; 3]),
        (
            with_poses(257),
            &["QuakeSpasm quits: 257 poses, at most 256"],
            [1, 0, 0],
        ),
        (with_skins(32), &[], [0; 3]),
        (
            with_skins(33),
            &[
                "QuakeSpasm quits: 33 skins, at most 32",
                "ezQuake quits: 33 skins, at most 32",
            ],
            [1, 1, 0],
        ),
        (with_skin_size(4, 480), &[], [0; 3]),
        (
            with_skin_size(4, 481),
            &[
                "QuakeSpasm warns: 481 rows of the skin, at most 480",
                "ezQuake quits: 481 rows of the skin, at most 480",
            ],
            [0, 1, 0],
        ),
        (
            with_skin_size(6, 3),
            &["ezQuake quits: 6 × 3 texels of the skin, not a multiple of 4"],
            [0, 1, 0],
        ),
    ];
    for (index, (model, expected, status)) in cases.into_iter().enumerate() {
        let (found, codes) = limits(folder.path(), &model);
        assert_eq!(found, expected, "case {index}");
        assert_eq!(codes, status, "case {index}: {expected:?}");
    }
}

#[test]
fn json_has_limits_of_given_engines_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.mdl");
    std::fs::write(&file, with_skin_size(4, 481).to_bytes()).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(lines(&inspect(&["--json", file]))[0].get("limits"), None);
    let output = inspect(&["--json", "--engine", "darkplaces,quakespasm", file]);
    assert_eq!(output.status.code(), Some(0), "a warning is no failure");
    let expected = json!([{
        "engine": "QuakeSpasm",
        "warning": true,
        "message": "warns: 481 rows of the skin, at most 480",
    }]);
    assert_eq!(lines(&output)[0]["limits"], expected);
    let output = inspect(&["--engine", "quake3", file]);
    assert_eq!(output.status.code(), Some(2));
}

/// A PAK with empty files of these names.
fn pak(names: &[&str]) -> Vec<u8> {
    let mut bytes = b"PACK".to_vec();
    bytes.extend(12_u32.to_le_bytes());
    bytes.extend((64 * names.len() as u32).to_le_bytes());
    for name in names {
        let mut record = name.as_bytes().to_vec();
        record.resize(56, 0);
        record.extend([12_u32.to_le_bytes(), 0_u32.to_le_bytes()].as_flattened());
        bytes.extend(record);
    }
    bytes
}

#[test]
fn names_that_engines_do_not_find_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pak0.pak");
    let long = "a".repeat(56);
    let names = [
        "progs/a.mdl",
        "progs\\b.mdl",
        &"b".repeat(55),
        &long,
        "progs\\c.mdl",
    ];
    std::fs::write(&file, pak(&names)).unwrap();
    let file = file.to_str().unwrap();
    let output = inspect(&[file]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let limits: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  limit: "))
        .collect();
    let of_engine = |engine: &str| {
        [
            format!("{engine} does not find {long:?}: a name with 56 bytes, at most 55"),
            format!("{engine} does not find \"progs\\\\b.mdl\" and 1 more: names with a backslash"),
        ]
    };
    assert_eq!(limits, ["QuakeSpasm", "DarkPlaces"].map(of_engine).concat());
    for (engine, status) in [("quakespasm", 1), ("darkplaces", 1), ("ezquake", 0)] {
        let output = inspect(&["--engine", engine, file]);
        assert_eq!(output.status.code(), Some(status), "{engine}");
    }
}

#[test]
fn more_files_in_an_archive_than_quakespasm_opens_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pak0.pak");
    let names: Vec<String> = (0..2049).map(|index| index.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (count, is_named) in [(2048, false), (2049, true)] {
        std::fs::write(&file, pak(&names[..count])).unwrap();
        let output = inspect(&[file.to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap();
        let limit = "  limit: QuakeSpasm quits: 2049 files, at most 2048\n";
        assert_eq!(text.contains(limit), is_named, "{count}");
        assert_eq!(text.contains("limit:"), is_named, "{count}");
    }
}
