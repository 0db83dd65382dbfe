//! Damaged files: each gets one clear error.

use super::{Document, read};
use classic_model_formats::abc::write::write as abc_write;
use classic_model_formats::lgw::write as lgw_write;
use classic_models_gltf_import::mdl::{Options, convert};
use classic_models_gltf_import::{Dithering, Palette, Scene, abc, alo, lgw};
use serde_json::{Value, json};

/// A document that uses most of what is read.
fn document() -> Document {
    let mut document = Document::new();
    let material = document.material(2, &[[1, 2, 3, 255]; 4]);
    let mesh = document.square(Some(material));
    let target = document.floats(&[[0.0, 1.0, 0.0]; 4]);
    document.json["meshes"][mesh]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
    let child = document.push("nodes", json!({ "name": "child" }));
    let node = document.node(json!({ "mesh": mesh, "children": [child], "skin": 0 }));
    let joints = document.view(&[0; 16]);
    let joints = document.push(
        "accessors",
        json!({ "bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4" }),
    );
    let weights = document.floats(&[[1.0, 0.0, 0.0, 0.0]; 4]);
    let attributes = &mut document.json["meshes"][mesh]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    document.push("skins", json!({ "joints": [child] }));
    document.animate(
        "walk",
        node,
        "translation",
        &[0.0, 0.3],
        &[[0.0; 3], [1.0; 3]],
    );
    document.animate("talk", node, "weights", &[0.0, 0.3], &[[0.0], [1.0]]);
    let level = document.push("nodes", json!({ "mesh": mesh }));
    document.json["nodes"][node]["extensions"] = json!({
        "MSFT_lod": { "ids": [level] }, "KHR_node_visibility": { "visible": true },
    });
    let pointer = format!("/nodes/{node}/extensions/KHR_node_visibility/visible");
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    let channels = document.json["animations"][1]["channels"]
        .as_array_mut()
        .unwrap();
    channels.push(json!({ "sampler": 0, "target": target }));
    document
}

/// Reads and converts a file. The error of either.
fn convert_all(bytes: &[u8]) -> Result<usize, String> {
    let scene = read(bytes).map_err(|error| error.to_string())?;
    let palette = Palette(core::array::from_fn(|index| [index as u8; 3]));
    let options = Options {
        scale: None,
        palette: &palette,
        dithering: Dithering::FloydSteinberg,
        hole_index: 255,
        precision: None,
        clips: &[],
        groups: &[],
    };
    // Whether the other formats can store the scene is not asked: they must return.
    let with_lods = abc::Options {
        lods: Some([1.0, 2.0]),
        ..abc::Options::default()
    };
    let _ = abc::convert(&scene, &with_lods).map(|converted| abc_write(&converted.document));
    let _ = alo::convert(&scene, &alo::Options::default());
    let _ = lgw::convert(&scene, "model", None).map(|converted| lgw_write(&converted.file));
    let converted = convert(&scene, &options).map_err(|error| error.to_string())?;
    Ok(converted.document.to_bytes().len())
}

#[track_caller]
fn assert_error(change: impl FnOnce(&mut Value), expected: &str) {
    let mut document = document();
    change(&mut document.json);
    let error = convert_all(&document.glb()).unwrap_err();
    assert_eq!(error, expected);
}

#[test]
fn the_document_is_valid() {
    convert_all(&document().glb()).unwrap();
}

#[test]
fn indices_and_sizes_are_checked() {
    assert_error(
        |it| it["nodes"][0]["children"] = json!([1]),
        "nodes[1]: has two parents",
    );
    assert_error(
        |it| it["nodes"][1]["children"] = json!([1]),
        "nodes[1]: has two parents",
    );
    assert_error(
        |it| it["nodes"][1]["children"] = json!([7]),
        "nodes[7]: does not exist",
    );
    assert_error(
        |it| it["nodes"][1]["mesh"] = json!(3),
        "nodes[1]: mesh 3 does not exist: there are 1",
    );
    assert_error(
        |it| it["skins"][0]["joints"] = json!([9]),
        "skins[0]: joint 9 is not a node of the scene",
    );
    assert_error(
        |it| it["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(99),
        "meshes[0]: primitives[0]: POSITION: accessors[99]: does not exist: there are 11",
    );
    assert_error(
        |it| it["accessors"][1]["count"] = json!(3),
        "meshes[0]: primitives[0]: TEXCOORD: accessors[1]: 3 elements instead of 4",
    );
    assert_error(
        |it| it["accessors"][0]["count"] = json!(5),
        "meshes[0]: primitives[0]: POSITION: accessors[0]: 5 elements do not fit into bufferViews[1]",
    );
    assert_error(
        |it| it["accessors"][0]["type"] = json!("VEC2"),
        "meshes[0]: primitives[0]: POSITION: accessors[0]: type VEC2 instead of 3 numbers",
    );
    assert_error(
        |it| it["bufferViews"][1]["byteLength"] = json!(1_000_000),
        "meshes[0]: primitives[0]: POSITION: accessors[0]: bufferViews[1] is not inside of its buffer",
    );
    assert_error(
        |it| it["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = json!(1),
        "materials[0]: baseColorTexture: texture 1 does not exist: there are 1",
    );
    assert_error(
        |it| it["meshes"][0]["primitives"] = json!([]),
        "the scene has no triangles",
    );
    assert_error(
        |it| it["asset"]["version"] = json!("1.0"),
        "glTF version \"1.0\"; expected 2.0",
    );
    assert_error(
        |it| {
            let channel = it["animations"][0]["channels"][0].clone();
            it["animations"][0]["channels"] = json!([channel, channel]);
        },
        "animations[0]: channels[1]: the property of the node has another channel",
    );
    assert_error(
        |it| it["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
        "the file requires KHR_draco_mesh_compression, which is not supported",
    );
}

#[test]
fn accessors_without_bytes_cannot_fill_the_memory() {
    let mut document = document();
    let attributes = document.json["meshes"][0]["primitives"][0]["attributes"].clone();
    let count = 4_000_000_000_u32;
    document.push(
        "accessors",
        json!({ "componentType": 5126, "count": count, "type": "VEC3" }),
    );
    let last = document.json["accessors"].as_array().unwrap().len() - 1;
    document.json["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": last });
    let error = convert_all(&document.glb()).unwrap_err();
    assert!(
        error.ends_with("too many elements for the size of the file"),
        "{error}"
    );
    // Zeros of the right count are allowed, as Blender writes morph targets.
    document.json["accessors"][last]["count"] = json!(4);
    document.json["meshes"][0]["primitives"][0]["attributes"] = attributes;
    document.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": last }]);
    convert_all(&document.glb()).unwrap();
}

#[test]
fn external_files_are_inside_of_the_folder() {
    for (uri, is_inside) in [
        ("a.bin", true),
        ("sub/a%20b.bin", true),
        ("../a.bin", false),
        ("sub/../../a.bin", false),
        ("%2e%2e/a.bin", false),
        ("/etc/a.bin", false),
        ("C:/a.bin", false),
        ("file:///a.bin", false),
        ("..\\a.bin", false),
        ("", false),
    ] {
        let text =
            json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": uri, "byteLength": 1 }] });
        let asked = std::cell::RefCell::new(Vec::new());
        let read = |path: &str| {
            asked.borrow_mut().push(path.to_owned());
            Ok(vec![0])
        };
        let result = Scene::read(text.to_string().as_bytes(), &read);
        assert_eq!(result.is_ok(), is_inside, "{uri}: {result:?}");
        let expected: &[&str] = match (uri, is_inside) {
            ("a.bin", _) => &["a.bin"],
            (_, true) => &["sub/a b.bin"],
            _ => &[],
        };
        assert_eq!(*asked.borrow(), expected);
    }
}

#[test]
fn truncated_and_mutated_files_do_not_panic() {
    let bytes = document().glb();
    for length in 0..bytes.len() {
        let _ = convert_all(&bytes[..length]);
    }
    // Numbers of a linear congruential generator (Knuth's MMIX).
    let mut state = 1_u64;
    let mut random = |limit: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    let interesting = b"0123456789-.,:[]{}\"e\0\xff";
    let mut converted = 0;
    for _ in 0..3000 {
        let mut bytes = bytes.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            bytes[at] = match random(2) {
                0 => interesting[random(interesting.len())],
                _ => random(256) as u8,
            };
        }
        converted += usize::from(convert_all(&bytes).is_ok());
    }
    assert!((100..2900).contains(&converted), "{converted}");
}

#[test]
fn textures_are_limited_together() {
    // A PNG file without texels: its size is known without decoding.
    let size = 8192_u32.to_be_bytes();
    let header = [&size[..], &size, &[8, 6, 0, 0, 0]].concat();
    let bytes = [
        &b"\x89PNG\r\n\x1a\n"[..],
        &chunk(b"IHDR", &header),
        &chunk(b"IDAT", &[]),
    ];
    let mut document = document();
    let view = document.view(&bytes.concat());
    document.json["images"][0]["bufferView"] = json!(view);
    let error = convert_all(&document.glb()).unwrap_err();
    assert!(
        error.contains("the textures have more than 33554432 texels"),
        "{error}"
    );
}

/// A part of a PNG file, with its checksum (CRC-32).
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let bit = |crc: u32| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1));
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
    let crc = !kind.iter().chain(data).fold(u32::MAX, byte);
    let length = (data.len() as u32).to_be_bytes();
    [&length, &kind[..], data, &crc.to_be_bytes()].concat()
}

#[test]
fn animations_without_channels_are_the_scene_at_rest() {
    let mut document = document();
    document.json["animations"] = json!([{ "name": "idle", "channels": [], "samplers": [] }]);
    let scene = document.scene().unwrap();
    let model = abc::convert(&scene, &abc::Options::default()).unwrap();
    assert_eq!(model.document.animations[0].keyframes.len(), 1);
}

#[test]
fn files_of_clips_that_differ_only_in_case_are_an_error() {
    let mut document = document();
    document.json["animations"][1]["name"] = json!("WALK");
    let scene = document.scene().unwrap();
    let error = alo::convert(&scene, &alo::Options::default()).unwrap_err();
    assert!(error.to_string().contains("differ only in case"), "{error}");
}
