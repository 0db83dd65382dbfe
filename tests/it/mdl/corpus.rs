//! Real files: all of them load, and match reference values from another implementation.

use crate::support::prelude::*;
use bevy::mesh::Mesh;
use bevy_classic_models::quake::mdl::parse;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn load(bytes: &[u8]) -> ConvertedMdl {
    ConvertedMdl::load(bytes, &MdlLoaderSettings::default(), &Palette::default()).unwrap()
}

#[test]
fn every_model_loads_with_all_its_poses() {
    for (name, bytes) in corpus_mdl("every_model_loads_with_all_its_poses") {
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let converted = load(&bytes);
        assert_eq!(
            converted.poses.pose_count() as usize,
            file.poses.len(),
            "{name}"
        );
        let is_expected =
            |message: &str| message.contains("trailing") || message.contains("outside the skin");
        for warning in &converted.warnings {
            assert!(is_expected(&warning.message), "{name}: {warning}");
        }
    }
}

#[test]
fn models_match_the_golden_values() {
    let Some(folder) = corpus("models_match_the_golden_values") else {
        return;
    };
    let golden = std::fs::read(folder.join("quake/golden.json")).unwrap();
    let golden: Vec<Value> = serde_json::from_slice(&golden).unwrap();
    assert!(!golden.is_empty());
    for expected in &golden {
        let name = expected["file"].as_str().unwrap();
        let bytes = std::fs::read(folder.join("quake").join(name)).unwrap();
        compare(name, &bytes, expected);
    }
}

fn compare(name: &str, bytes: &[u8], expected: &Value) {
    let file = parse(bytes).unwrap();
    let converted = load(bytes);
    let header = &expected["header"];
    let numbers = [
        ("nv", file.st_vertices.len() as u64),
        ("nt", file.triangles.len() as u64),
        ("nf", file.frames.len() as u64),
        ("skins", file.skins.len() as u64),
        ("w", file.header.skin_width.into()),
        ("h", file.header.skin_height.into()),
        ("flags", file.header.flags.into()),
        ("trailing", file.trailing_bytes),
    ];
    for (key, value) in numbers {
        assert_eq!(header[key], value, "{name}: {key}");
    }
    assert_eq!(header["sync"], file.header.sync_type, "{name}");
    assert_eq!(expected["poses"], file.poses.len(), "{name}");

    let names = &converted.pose_names;
    assert_eq!(expected["first_name"], **names.first().unwrap(), "{name}");
    assert_eq!(expected["last_name"], **names.last().unwrap(), "{name}");

    let (pose, vertex) = (
        converted.poses.pose_count() - 1,
        converted.poses.vertex_count() - 1,
    );
    let (position, normal) = converted.poses.vertex(pose, vertex);
    for (axis, value) in position.to_array().into_iter().enumerate() {
        let golden = expected["last_vertex_last_pose"][axis].as_f64().unwrap();
        assert!(
            (f64::from(value) - golden).abs() < 2e-5,
            "{name}: {position}, expected {golden} on axis {axis}"
        );
    }
    let normals = bevy_classic_models::quake::mdl::normals();
    let index = expected["last_normal_index"].as_u64().unwrap() as usize;
    assert_eq!(normal.to_array(), normals[index], "{name}");

    assert_eq!(
        expected["split_vertices"],
        converted.mesh.count_vertices(),
        "{name}"
    );
    assert!(
        converted.mesh.attribute(Mesh::ATTRIBUTE_UV_1).is_some(),
        "{name}"
    );

    let image = file.skins[0].images().last().unwrap();
    let palette = Palette::default();
    let rgb: Vec<u8> = image
        .iter()
        .flat_map(|index| palette.color(*index))
        .collect();
    let sha = &expected["skin0_last_image_rgb_sha256"];
    assert_eq!(*sha, hex(&Sha256::digest(&rgb)), "{name}");

    let triangle = file.triangles[0];
    let first: Vec<i32> = [triangle.faces_front]
        .into_iter()
        .chain(triangle.vertices)
        .map(|value| value.get())
        .collect();
    assert_eq!(expected["tri0"], serde_json::json!(first), "{name}");
    let st = file.st_vertices[0];
    let st = [st.on_seam.get(), st.s.get(), st.t.get()];
    assert_eq!(expected["st0"], serde_json::json!(st), "{name}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
