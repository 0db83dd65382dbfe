//! From glTF back to the files of games.

use super::{Folder, samples};
use bevy_classic_models::quake::Palette;
use classic_model_formats::alo;
use classic_model_formats::lgw::{self, Tolerance};
use classic_model_formats::mdl::write::{MdlDocument, SkinDocument};
use classic_model_formats::mdl::{MdlFile, Precision, parse};
use classic_models_fixtures::mdl::{figure, tetrahedron, wide_tetrahedron};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The bytes of a model after it was converted to glTF and back.
#[track_caller]
fn there_and_back(folder: &Folder, name: &str, bytes: &[u8], options: &[&str]) -> Vec<u8> {
    let back = format!("back/{name}");
    folder.write(name, bytes);
    folder.convert(&[&[name, "there.glb", "--force"], options].concat());
    folder.convert(&["there.glb", &*back, "--force"]);
    std::fs::read(folder.path(&back)).unwrap()
}

/// What `inspect --json` prints of a file, except its path.
fn inspected(folder: &Folder, name: &str) -> Value {
    inspected_with(folder, &[name])
}

fn inspected_with(folder: &Folder, args: &[&str]) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let output = program
        .current_dir(folder.path(""))
        .args(["inspect", "--json"])
        .args(args)
        .output()
        .unwrap();
    let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value.as_object_mut().unwrap().remove("file");
    value
}

/// The Quake models of the samples, of fixtures, and of the corpus if there is one.
fn mdl_files() -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![samples().join("models")];
    let corpus = std::env::var_os("CLASSIC_MODELS_CORPUS");
    folders.extend(corpus.map(|corpus| std::path::PathBuf::from(corpus).join("quake")));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "mdl") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(path).unwrap()));
            }
        }
    }
    assert!(files.len() >= 3);
    for (name, document) in [
        ("tetrahedron.mdl", tetrahedron()),
        ("wide.mdl", wide_tetrahedron()),
        ("figure16.mdl", figure(Precision::Bits16)),
    ] {
        files.push((name.to_owned(), document.to_bytes()));
    }
    files
}

/// The bytes of the vertices of each pose, each once.
fn poses(file: &MdlFile<'_>) -> Vec<BTreeSet<[u8; 7]>> {
    let poses = file.poses.iter().map(|pose| {
        let vertices = pose.vertices.iter().enumerate().map(|(index, vertex)| {
            let [x, y, z] = vertex.position;
            let low = pose
                .low_vertices
                .get(index)
                .map(|it| it.position)
                .unwrap_or_default();
            [x, y, z, vertex.normal, low[0], low[1], low[2]]
        });
        vertices.collect()
    });
    poses.collect()
}

/// The colors of the skins, and the times of their groups.
fn colors(document: &MdlDocument) -> Vec<(Vec<f32>, Vec<[u8; 3]>)> {
    let palette = Palette::default();
    let color = |index: &u8| palette.0[usize::from(*index)];
    let skins = document.skins.iter().map(|skin| match skin {
        SkinDocument::Single(image) => (Vec::new(), image.iter().map(color).collect()),
        SkinDocument::Group { times, images } => {
            (times.clone(), images.iter().flatten().map(color).collect())
        }
    });
    skins.collect()
}

#[test]
fn quake_models_come_back_as_they_were() {
    let folder = Folder::new();
    for (name, bytes) in mdl_files() {
        let back = there_and_back(&folder, &name, &bytes, &[]);
        let [old, new] = [&bytes, &back].map(|bytes| parse(bytes).unwrap());
        let [old_document, new_document] = [&old, &new].map(MdlDocument::from);
        // Some colors are twice in the palette.
        assert_eq!(colors(&old_document), colors(&new_document), "{name}");
        assert_eq!(old.header.scale, new.header.scale, "{name}");
        assert_eq!(old.header.origin, new.header.origin, "{name}");
        assert_eq!(old.triangles.len(), new.triangles.len(), "{name}");
        for (pose, (old, new)) in poses(&old).iter().zip(poses(&new)).enumerate() {
            assert_eq!(*old, new, "{name}, pose {pose}");
        }
        let [mut old_values, mut new_values] =
            [name.clone(), format!("back/{name}")].map(|it| inspected(&folder, &it));
        // Vertices that are equal in all poses and have the same texel become one.
        assert!(new.st_vertices.len() <= old.st_vertices.len(), "{name}");
        if new.st_vertices.len() < old.st_vertices.len() {
            for values in [&mut old_values, &mut new_values] {
                values.as_object_mut().unwrap().remove("vertices");
            }
        }
        assert_eq!(old_values, new_values, "{name}");
        assert_eq!(
            there_and_back(&folder, &name, &back, &[]),
            back,
            "{name} is not stable"
        );
    }
}

#[test]
fn the_scale_of_a_converted_model_is_undone() {
    let folder = Folder::new();
    let bytes = tetrahedron().to_bytes();
    let back = there_and_back(&folder, "m.mdl", &bytes, &["--scale", "0.03125"]);
    let [old, new] = [&bytes, &back].map(|bytes| parse(bytes).unwrap().header);
    assert_eq!((old.scale, old.origin), (new.scale, new.origin));
}

#[test]
fn meshes_that_were_split_become_one_again() {
    use classic_model_formats::mdl::write::{FrameDocument, pose_name};
    let mut document = tetrahedron();
    let FrameDocument::Single(first) = document.frames[0].clone() else {
        panic!();
    };
    let poses = (0..300_u32).map(|index| {
        let mut pose = first.clone();
        pose.name = pose_name(&format!("run{}", index + 1));
        pose.vertices[3].position[2] = (index % 251) as u8;
        FrameDocument::Single(pose)
    });
    document.frames = poses.collect();
    let folder = Folder::new();
    let bytes = document.to_bytes();
    let back = there_and_back(&folder, "m.mdl", &bytes, &[]);
    let [old, new] = [&bytes, &back].map(|bytes| parse(bytes).unwrap());
    assert_eq!(poses_and_names(&old), poses_and_names(&new));
    assert_eq!(old.triangles.len(), new.triangles.len());
}

fn poses_and_names(file: &MdlFile<'_>) -> Vec<(String, BTreeSet<[u8; 7]>)> {
    let names = file
        .poses
        .iter()
        .map(|pose| String::from_utf8_lossy(pose.raw_name).into_owned());
    names.zip(poses(file)).collect()
}

#[test]
fn models_of_aftermath_come_back_as_they_were() {
    let folder = Folder::new();
    let bytes = std::fs::read(samples().join("models/courier.lgw")).unwrap();
    let back = there_and_back(&folder, "courier.lgw", &bytes, &["--no-textures"]);
    let [old, new] = [&bytes, &back].map(|bytes| lgw::parse(bytes, Tolerance::default()).unwrap());
    assert_eq!(
        (&old.name, old.version, &old.source),
        (&new.name, new.version, &new.source)
    );
    assert_eq!(old.materials, new.materials);
    assert_eq!(old.meshes.len(), new.meshes.len());
    for (old, new) in old.meshes.iter().zip(&new.meshes) {
        assert_eq!((&old.name, old.material), (&new.name, new.material));
        assert_eq!(old.vertices.positions, new.vertices.positions);
        let uvs = old.vertices.uvs.iter().zip(&new.vertices.uvs);
        assert!(
            uvs.flat_map(|(a, b)| a.iter().zip(b))
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
        // All groups become one list.
        assert_eq!(
            old.triangles().collect::<Vec<_>>(),
            new.triangles().collect::<Vec<_>>()
        );
    }
    assert_eq!(
        there_and_back(&folder, "courier.lgw", &back, &["--no-textures"]),
        back
    );
    // The textures of a converted model have their files already.
    assert_eq!(std::fs::read_dir(folder.path("back")).unwrap().count(), 1);
}

/// Asserts that two values of `inspect --json` are equal, and numbers nearly.
#[track_caller]
fn assert_near(old: &Value, new: &Value, place: &str) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let value = |values: &serde_json::Map<String, Value>| {
                    values.get(name).cloned().unwrap_or_default()
                };
                assert_near(&value(old), &value(new), &format!("{place}.{name}"));
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            assert_eq!(old.len(), new.len(), "{place}");
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                assert_near(old, new, &format!("{place}[{index}]"));
            }
        }
        (Value::Number(old), Value::Number(new)) => {
            let [old, new] = [old, new].map(|it| it.as_f64().unwrap());
            assert!(
                (old - new).abs() <= 1e-4 * old.abs().max(1.0),
                "{place}: {new}, not {old}"
            );
        }
        _ => assert_eq!(old, new, "{place}"),
    }
}

/// Asserts that the vertices and triangles of two Alamo models are equal, up to rounding.
#[track_caller]
fn assert_same_vertices(folder: &Folder, old: &str, new: &str) {
    let [old, new] = [old, new].map(|name| std::fs::read(folder.path(name)).unwrap());
    let [old, new] = [&old, &new].map(|bytes| alo::parse(bytes).unwrap());
    for (old, new) in old.meshes.iter().zip(&new.meshes) {
        for (first, second) in old.submeshes.iter().zip(&new.submeshes) {
            let what = format!("{} {}", old.name, first.shader);
            assert_eq!(first.indices, second.indices, "{what}");
            assert_eq!(first.vertices.len(), second.vertices.len(), "{what}");
            for (a, b) in first.vertices.iter().zip(second.vertices.iter()) {
                let near = |a: &[f32], b: &[f32], tolerance: f32| {
                    let worst = a
                        .iter()
                        .zip(b)
                        .map(|(a, b)| (a - b).abs())
                        .fold(0.0, f32::max);
                    assert!(worst <= tolerance, "{what}: {a:?}, {b:?}");
                };
                near(&a.position, &b.position, 1e-4);
                near(&a.tex_coords[0], &b.tex_coords[0], 1e-5);
                // Some are not of length 1 in the file.
                if a.normal != [0.0; 3] {
                    near(&a.normal, &b.normal, 1e-3);
                }
                if first.vertex_format.contains("U3U3") {
                    near(&a.tangent, &b.tangent, 1e-2);
                    near(&a.binormal, &b.binormal, 1e-2);
                }
                if first.vertex_format.ends_with('C') {
                    near(&a.color, &b.color, 2e-3);
                }
                // Formats with one bone per vertex use only the first, and no weight.
                let count = match (first.palette.is_empty(), first.is_weighted()) {
                    (true, _) => 0,
                    (false, false) => 1,
                    (false, true) => 4,
                };
                let influences = |submesh: &alo::Submesh<'_>, vertex: &alo::Vertex| {
                    let pairs = vertex.bone_indices.into_iter().zip(vertex.bone_weights);
                    let pairs = pairs.take(count).map(|(index, weight)| {
                        let weight = if count == 1 { 1.0 } else { weight };
                        (submesh.palette[index as usize].get(), weight)
                    });
                    let mut pairs: Vec<(u32, f32)> =
                        pairs.filter(|(_, weight)| *weight > 0.0).collect();
                    pairs.sort_by_key(|(bone, _)| *bone);
                    pairs
                };
                let [old, new] = [influences(first, &a), influences(second, &b)];
                let bones =
                    |pairs: &[(u32, f32)]| pairs.iter().map(|(bone, _)| *bone).collect::<Vec<_>>();
                assert_eq!(bones(&old), bones(&new), "{what}");
                let weights = |pairs: &[(u32, f32)]| {
                    pairs.iter().map(|(_, weight)| *weight).collect::<Vec<_>>()
                };
                near(&weights(&old), &weights(&new), 1e-5);
            }
        }
    }
}

#[test]
fn alamo_models_and_animations_come_back_as_they_were() {
    let folder = Folder::new();
    let models = samples().join("models");
    for entry in std::fs::read_dir(&models).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("walker") || name == "crate.alo" {
            folder.write(&name, &std::fs::read(&path).unwrap());
        }
    }
    for name in ["walker.alo", "crate.alo"] {
        let back = format!("back/{name}");
        folder.convert(&[name, "there.glb", "--no-textures", "--force"]);
        folder.convert(&["there.glb", &back]);
        assert_near(&inspected(&folder, name), &inspected(&folder, &back), name);
        assert_same_vertices(&folder, name, &back);
        folder.convert(&[&back, "again.glb", "--no-textures", "--force"]);
        folder.convert(&["again.glb", &format!("twice/{name}")]);
        assert_near(
            &inspected(&folder, name),
            &inspected(&folder, &format!("twice/{name}")),
            name,
        );
    }
    for clip in ["ATTACK_00", "DIE_00", "MOVE_00"] {
        let name = format!("walker_{clip}.ala");
        let [old, new] = [name.clone(), format!("back/{name}")].map(|it| inspected(&folder, &it));
        assert_near(&old, &new, &name);
        for time in ["0", "0.21", "0.5", "1.1", "9"] {
            let posed = |model: &str, clip: &str| {
                let mut values =
                    inspected_with(&folder, &[model, "--animation", clip, "--time", time]);
                // It is measured, with the nearest vertices.
                values["posed"].as_object_mut().unwrap().remove("stride");
                values["posed"].clone()
            };
            let [old, new] = [
                posed("walker.alo", &name),
                posed("back/walker.alo", &format!("back/{name}")),
            ];
            assert_near(&old, &new, &format!("{name} at {time}"));
        }
    }
}

#[test]
fn a_model_of_another_game_becomes_one_of_quake() {
    let folder = Folder::new();
    for name in ["walker.alo", "warden.abc", "courier.lgw"] {
        let path = samples().join("models").join(name).display().to_string();
        folder.convert(&[&path, "there.glb", "--no-lods", "--scale", "1", "--force"]);
        folder.convert(&["there.glb", "model.mdl", "--force"]);
        let bytes = std::fs::read(folder.path("model.mdl")).unwrap();
        let file = parse(&bytes).unwrap();
        assert!(file.triangles.len() > 500, "{name}");
        // The same size, to a step of the quantization.
        let [old, new] = [inspected(&folder, &path), inspected(&folder, "model.mdl")];
        let corner =
            |values: &Value, corner: &str, axis: usize| values["posed"][corner][axis].as_f64();
        for (bound, axis) in ["min", "max"]
            .into_iter()
            .flat_map(|it| [0, 1, 2].map(|axis| (it, axis)))
        {
            if let (Some(old), Some(new)) = (corner(&old, bound, axis), corner(&new, bound, axis)) {
                let step = f64::from(file.header.scale.into_iter().fold(0.0, f32::max));
                assert!(
                    (old - new).abs() < 4.0 * step,
                    "{name}: {bound} {axis}: {new}, not {old}"
                );
            }
        }
    }
}

#[test]
fn new_textures_are_written_beside_the_model() {
    let folder = Folder::new();
    folder.write("m.mdl", &tetrahedron().to_bytes());
    folder.convert(&["m.mdl", "there.glb"]);
    folder.convert(&["there.glb", "out/m.lgw"]);
    let texture = std::fs::read(folder.path("out/skin_0.tga")).unwrap();
    let text = std::fs::read_to_string(folder.path("out/m.lgw")).unwrap();
    assert!(text.contains("skin_0.tga"), "{text}");
    // The same texture is no conflict, and another one is not replaced.
    folder.convert(&["there.glb", "out/n.lgw"]);
    folder.write("out/skin_0.tga", b"mine");
    let output = folder.run(&["there.glb", "out/o.lgw"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("--force replaces it"), "{error}");
    assert!(!folder.path("out/o.lgw").exists());
    assert_eq!(
        std::fs::read(folder.path("out/skin_0.tga")).unwrap(),
        b"mine"
    );
    folder.convert(&["there.glb", "out/o.lgw", "--force"]);
    assert_eq!(
        std::fs::read(folder.path("out/skin_0.tga")).unwrap(),
        texture
    );
}

#[test]
fn every_problem_is_an_error_and_writes_nothing() {
    let folder = Folder::new();
    let sample = samples().join("models/crystal.mdl").display().to_string();
    folder.convert(&[&sample, "there.glb"]);
    folder.convert(&[&sample, "there.gltf"]);
    let glb = std::fs::read(folder.path("there.glb")).unwrap();
    folder.write("cut.glb", &glb[..glb.len() / 2]);
    folder.write("text.glb", b"no model");
    folder.write("empty.gltf", b"{}");
    folder.write(
        "outside.gltf",
        br#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "../there.glb", "byteLength": 1 }] }"#,
    );
    folder.write(
        "missing.gltf",
        br#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "missing.bin", "byteLength": 1 }] }"#,
    );
    for (args, expected) in [
        (
            &[&*sample][..],
            "only .glb and .gltf files can be converted to .mdl",
        ),
        (&["cut.glb"], "the file has no complete binary chunk"),
        (&["text.glb"], "not a glTF file"),
        (&["empty.gltf"], "missing field `asset`"),
        (
            &["outside.gltf"],
            "is not a path inside of the file's folder",
        ),
        (&["missing.gltf"], "missing.bin: "),
        (
            &["there.glb", "--clips", "walk"],
            r#"no animation "walk"; the file has: "hover""#,
        ),
        (&["none.glb"], "none.glb"),
    ] {
        let output = folder.run(&[args, &["out.mdl"]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
        assert!(!folder.path("out.mdl").exists(), "{args:?}");
    }
    let output = folder.run(&["there.glb", "again.glb"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("a glTF file can only be converted to"),
        "{error}"
    );
    folder.convert(&["there.gltf", "out.mdl"]);
    let output = folder.run(&["there.gltf", "out.mdl"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn limits_of_engines_are_errors_on_request() {
    let folder = Folder::new();
    let walker = samples().join("models/walker.alo").display().to_string();
    folder.convert(&[&walker, "there.glb"]);
    let output = folder.run(&["there.glb", "out.mdl", "--engine", "quakespasm"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("QuakeSpasm quits: ") && error.contains("at most 2000"),
        "{error}"
    );
    assert!(!folder.path("out.mdl").exists());
    folder.convert(&["there.glb", "out.mdl", "--engine", "darkplaces"]);
}

#[test]
fn all_gltf_files_of_a_folder_become_models() {
    let folder = Folder::new();
    let bytes = tetrahedron().to_bytes();
    folder.write("in/a.mdl", &bytes);
    folder.write("in/sub/b.mdl", &bytes);
    folder.convert(&["in", "glb"]);
    folder.convert(&["glb", "out", "--format", "mdl"]);
    assert!(folder.path("out/a.mdl").is_file() && folder.path("out/sub/b.mdl").is_file());
}
