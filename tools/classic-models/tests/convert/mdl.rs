//! Quake models: all poses are morph targets.

use crate::reader::{Model, assert_equal};
use crate::{Folder, samples};
use bevy::math::Vec3;
use classic_model_formats::mdl::{MdlFile, Precision, parse};
use classic_models_fixtures::mdl::{figure, tetrahedron, wide_tetrahedron};
use classic_models_fixtures::{export, regressions};
use serde_json::json;
use std::collections::HashSet;

/// The position of a vertex of the file in a pose, in glTF's axes.
fn position(file: &MdlFile<'_>, pose: usize, vertex: usize) -> Vec3 {
    let pose = &file.poses[pose];
    let high = pose.vertices[vertex].position;
    let low = pose
        .low_vertices
        .get(vertex)
        .map_or([0; 3], |low| low.position);
    let axis = |axis: usize| {
        let steps = match file.precision {
            Precision::Bits8 => f32::from(high[axis]),
            Precision::Bits16 => f32::from(high[axis]) + f32::from(low[axis]) / 256.0,
        };
        steps * file.header.scale[axis] + file.header.origin[axis]
    };
    Vec3::new(axis(1), axis(2), axis(0))
}

/// The vertices of the file that the mesh has, in its order: those of the triangles, and of a seam twice.
fn vertices(file: &MdlFile<'_>) -> Vec<usize> {
    let mut found: Vec<(usize, bool)> = Vec::new();
    for triangle in file.triangles {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex.get() as usize);
        for vertex in [a, c, b] {
            let on_seam = file.st_vertices[vertex].on_seam.get() != 0;
            let key = (vertex, on_seam && triangle.faces_front.get() == 0);
            if !found.contains(&key) {
                found.push(key);
            }
        }
    }
    found.into_iter().map(|(vertex, _)| vertex).collect()
}

/// The only mesh at a time.
fn at(model: &Model, clip: &str, seconds: f32) -> Vec<Vec3> {
    let positions = model.positions(Some(clip), seconds);
    assert_eq!(positions.len(), 1);
    positions.into_values().next().unwrap()
}

#[test]
fn every_key_of_every_clip_is_its_pose() {
    let folder = Folder::new();
    let sample = std::fs::read(samples().join("models/crystal.mdl")).unwrap();
    let models = [
        sample,
        tetrahedron().to_bytes(),
        wide_tetrahedron().to_bytes(),
        figure(Precision::Bits16).to_bytes(),
    ];
    for bytes in models {
        let file = parse(&bytes).unwrap();
        let model = folder.model(&folder.write("m.mdl", &bytes), &[]);
        let vertices = vertices(&file);
        let expected = |pose: usize| -> Vec<Vec3> {
            let position = |vertex: &usize| position(&file, pose, *vertex);
            vertices.iter().map(position).collect()
        };
        let mesh = &model.json["meshes"][0];
        let targets = mesh["primitives"][0]["targets"].as_array().unwrap();
        assert_eq!(targets.len(), file.poses.len());
        for (index, animation) in model.json["animations"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            let name = animation["name"].as_str().unwrap();
            let sampler = &animation["samplers"][0];
            let accessor = |key: &str| sampler[key].as_u64().unwrap() as usize;
            let (times, weights) = (
                model.floats(accessor("input")),
                model.floats(accessor("output")),
            );
            let poses: Vec<usize> = weights
                .chunks(file.poses.len())
                .map(|weights| weights.iter().position(|weight| *weight == 1.0).unwrap())
                .collect();
            let closes = poses.first() == poses.last();
            // Groups and movements are loops.
            assert_eq!(closes, !matches!(name, "die" | "attack" | "pain"), "{name}");
            let first = model.json["animations"].as_array().unwrap();
            let is_first = first.iter().position(|other| other["name"] == name) == Some(index);
            for ((time, pose), next) in times.iter().zip(&poses).zip(poses.iter().skip(1)) {
                if !is_first {
                    continue;
                }
                assert_equal(&at(&model, name, *time), &expected(*pose), 1e-3, name);
                let end = times[times.iter().position(|it| it == time).unwrap() + 1];
                let middle: Vec<Vec3> = expected(*pose)
                    .iter()
                    .zip(expected(*next))
                    .map(|(a, b)| (*a + b) / 2.0)
                    .collect();
                let found = at(&model, name, (time + end) / 2.0);
                assert_equal(&found, &middle, 1e-2, name);
            }
        }
    }
}

#[test]
fn skins_are_variants_with_sharp_texels() {
    let folder = Folder::new();
    let mut document = tetrahedron();
    // The flag of holes.
    document.header.flags = 1 << 14;
    let model = folder.model(&folder.write("m.mdl", &document.to_bytes()), &[]);
    let variants = &model.json["extensions"]["KHR_materials_variants"]["variants"];
    let names = [
        json!({ "name": "skin 0" }),
        json!({ "name": "skin 1 image 0" }),
        json!({ "name": "skin 1 image 1" }),
    ];
    assert_eq!(*variants, json!(names));
    let primitive = &model.json["meshes"][0]["primitives"][0];
    let mappings = primitive["extensions"]["KHR_materials_variants"]["mappings"].as_array();
    assert_eq!(mappings.unwrap().len(), 3);
    assert_eq!(primitive["material"], 0);
    assert_eq!(model.json["materials"][0]["alphaMode"], "MASK");
    assert_eq!(model.json["samplers"][0]["magFilter"], 9728);
    // Skins repeat, which is the default of glTF.
    let wrap = |axis: &str| model.json["samplers"][0][axis].as_u64().unwrap_or(10497);
    assert_eq!([wrap("wrapS"), wrap("wrapT")], [10497; 2]);
    assert_eq!(model.json["meshes"][0]["extras"]["targetNames"][0], "run1");
    assert_eq!(model.json["nodes"][0]["extras"]["flags"], 1 << 14);

    let model = folder.model(&folder.path("m.mdl"), &["--no-textures"]);
    assert!(model.json["images"].is_null());
}

#[test]
fn a_palette_changes_the_colors_and_a_damaged_one_is_an_error() {
    let folder = Folder::new();
    let input = folder.write("m.mdl", &tetrahedron().to_bytes());
    let red = folder.write("red.lmp", &[200, 0, 0].repeat(256));
    let model = folder.model(&input, &["--palette", "red.lmp"]);
    let texels = crate::pictures::decode(model.image(0));
    let is_red_or_fullbright = |texel: &[u8]| matches!(texel, [200 | 0, 0, 0, ..]);
    assert!(texels.chunks(4).all(is_red_or_fullbright), "{texels:?}");
    std::fs::write(red, [0; 5]).unwrap();
    let output = folder.run(&["m.mdl", "out.glb", "--palette", "red.lmp"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("palette red.lmp"), "{text}");
    assert!(!folder.path("out.glb").exists());
}

/// The morph targets that a clip reaches, in order of its keys. Panics unless one mesh has them.
fn reached(model: &Model, clip: &str) -> Vec<usize> {
    let sampler = &model.named("animations", clip)["samplers"][0];
    let weights = model.floats(sampler["output"].as_u64().unwrap() as usize);
    let targets = model.json["meshes"][0]["primitives"][0]["targets"].as_array();
    let keys = weights.chunks(targets.unwrap().len());
    keys.map(|weights| weights.iter().position(|weight| *weight == 1.0).unwrap())
        .collect()
}

#[test]
fn only_loops_return_to_their_first_pose() {
    let folder = Folder::new();
    let input = folder.write("m.mdl", &export::death().to_bytes());
    for (options, stand, death) in [
        (&[][..], [0, 1, 0].as_slice(), [2, 3, 4, 4].as_slice()),
        (&["--loops", "all"], &[0, 1, 0], &[2, 3, 4, 2]),
        (&["--loops", "none"], &[0, 1, 1], &[2, 3, 4, 4]),
    ] {
        let model = folder.model(&input, options);
        assert_eq!(reached(&model, "stand"), stand, "{options:?}");
        assert_eq!(reached(&model, "death"), death, "{options:?}");
        // The length does not depend on it.
        assert!((model.clips()["death"] - 0.3).abs() < 1e-6);
    }
    let case = std::fs::read(regressions("mdl").join("death-clip")).unwrap();
    let model = folder.model(&folder.write("case.mdl", &case), &[]);
    let poses = reached(&model, "death");
    assert_eq!(poses[poses.len() - 1], poses[poses.len() - 2]);
}

#[test]
fn too_many_poses_are_split() {
    let folder = Folder::new();
    let document = export::many_poses(300);
    let input = folder.write("some.mdl", &document.to_bytes());
    let warnings = folder.convert(&["some.mdl", "some.glb"]);
    let expected =
        "mesh \"some\" needs more than 256 morph targets, which Bevy rejects: split into 2 meshes";
    assert!(warnings.contains(expected), "{warnings}");
    let model = folder.model(&input, &[]);
    let meshes = model.json["meshes"].as_array().unwrap();
    let counts = meshes.iter().map(|mesh| {
        let names = mesh["extras"]["targetNames"].as_array().unwrap().len();
        let targets = mesh["primitives"][0]["targets"].as_array().unwrap().len();
        assert_eq!(names, targets);
        targets
    });
    assert_eq!(counts.collect::<Vec<_>>(), [256, 46]);
    let bytes = document.to_bytes();
    let file = parse(&bytes).unwrap();
    let vertices = vertices(&file);
    // Between all poses, also those at which the other mesh is shown, and at the end of the loop.
    for pose in [0, 100, 254, 255, 256, 298, 299] {
        let meshes = model.positions(Some("walk"), pose as f32 / 10.0 + 0.05);
        let shown: Vec<&Vec<Vec3>> = meshes
            .values()
            .filter(|it| it.iter().any(|vertex| *vertex != it[0]))
            .collect();
        let [found] = shown[..] else {
            panic!("pose {pose}: {} meshes are shown", shown.len())
        };
        let middle = vertices.iter().map(|vertex| {
            let [a, b] = [pose, (pose + 1) % 300].map(|pose| position(&file, pose, *vertex));
            (a + b) / 2.0
        });
        assert_equal(found, &middle.collect::<Vec<_>>(), 2e-2, &format!("{pose}"));
    }
}

#[test]
fn names_of_poses_are_unique() {
    let folder = Folder::new();
    let mut document = tetrahedron();
    document.frames = vec![document.frames[0].clone(); 3];
    let model = folder.model(&folder.write("some.mdl", &document.to_bytes()), &[]);
    let names = &model.json["meshes"][0]["extras"]["targetNames"];
    assert_eq!(*names, json!(["run1", "run1#2", "run1#3"]));
}

#[test]
fn texels_of_one_color_are_holes_by_flag() {
    let folder = Folder::new();
    let mut document = tetrahedron();
    document.header.flags = 1 << 14;
    let input = folder.write("m.mdl", &document.to_bytes());
    // The first skin has the colors 14 to 21.
    for (options, opaque) in [
        (&[][..], [255; 8]),
        (
            &["--hole-index", "15"],
            [255, 0, 255, 255, 255, 255, 255, 255],
        ),
    ] {
        let model = folder.model(&input, options);
        assert_eq!(model.json["materials"][0]["alphaMode"], "MASK");
        let texels = crate::pictures::decode(model.image(0));
        let alphas: Vec<u8> = texels.chunks(4).map(|texel| texel[3]).collect();
        assert_eq!(alphas, opaque, "{options:?}");
    }
}

#[test]
fn too_many_frames_are_an_error() {
    let folder = Folder::new();
    let mut document = tetrahedron();
    document.frames = vec![document.frames[0].clone(); 66_000];
    folder.write("many.mdl", &document.to_bytes());
    let output = folder.run(&["many.mdl", "many.glb"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("there are too many frames"), "{text}");
    assert!(!folder.path("many.glb").exists());
}

#[test]
fn each_target_has_accessors_of_its_own() {
    let folder = Folder::new();
    let mut document = tetrahedron();
    document.frames = vec![document.frames[0].clone(); 3];
    let model = folder.model(&folder.write("same.mdl", &document.to_bytes()), &[]);
    let targets = model.json["meshes"][0]["primitives"][0]["targets"]
        .as_array()
        .unwrap();
    let accessors = targets
        .iter()
        .flat_map(|target| [&target["POSITION"], &target["NORMAL"]]);
    let accessors: HashSet<u64> = accessors.map(|it| it.as_u64().unwrap()).collect();
    assert_eq!(accessors.len(), 6);
    // Views of several accessors must have a stride.
    for accessor in accessors {
        let view = &model.json["accessors"][accessor as usize]["bufferView"];
        let view = &model.json["bufferViews"][view.as_u64().unwrap() as usize];
        assert_eq!(view["byteStride"], 12);
    }
}

#[test]
fn scale_applies_to_the_root() {
    let folder = Folder::new();
    let input = folder.write("m.mdl", &tetrahedron().to_bytes());
    let plain = at(&folder.model(&input, &[]), "run", 0.0);
    let scaled = at(&folder.model(&input, &["--scale", "0.5"]), "run", 0.0);
    let half: Vec<Vec3> = plain.iter().map(|position| *position * 0.5).collect();
    assert_equal(&scaled, &half, 1e-3, "scaled");
}
