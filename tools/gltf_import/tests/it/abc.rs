//! LithTech models.

use super::Document;
use classic_model_formats::abc::write::{AbcDocument, write};
use classic_model_formats::abc::{AbcFile, Triangle, node_flags, parse};
use classic_models_gltf_import::abc::{Converted, Options, convert};
use glam::{Quat, Vec3};
use serde_json::{Value, json};

const OPTIONS: Options<'_> = Options {
    name: "model",
    scale: None,
    clips: &[],
    lods: None,
};

fn converted(document: &Document) -> Converted {
    convert(&document.scene().unwrap(), &OPTIONS).unwrap()
}

/// The bytes of a model, which the parser reads without warnings.
#[track_caller]
fn bytes(model: &AbcDocument) -> Vec<u8> {
    let bytes = write(model).unwrap();
    assert_eq!(parse(&bytes).unwrap().warnings, []);
    bytes
}

/// The positions of the vertices at a time of an animation, in glTF's axes.
fn positions(file: &AbcFile<'_>, animation: usize, seconds: f32) -> Vec<Vec3> {
    let positions = file.vertex_positions_in_model(Some(animation), seconds);
    let axes = |[x, y, z]: [f32; 3]| Vec3::new(-x, y, z);
    positions.into_iter().map(axes).collect()
}

#[track_caller]
fn assert_near(found: &[Vec3], expected: &[Vec3], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            found.distance(*expected) <= tolerance,
            "{found} instead of {expected}"
        );
    }
}

const SQUARE: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];

/// The direction that a triangle faces, in glTF's axes.
fn facing(file: &AbcFile<'_>, triangle: &Triangle) -> Vec3 {
    let all = file.vertex_positions_in_model(None, 0.0);
    let [a, b, c] = triangle
        .indices()
        .map(|index| Vec3::from_array(all[index as usize]));
    (b - a).cross(c - a) * Vec3::new(-1.0, 1.0, 1.0)
}

/// Adds joints and weights to the mesh: one list each for four vertices.
fn add_skin(document: &mut Document, mesh: usize, joints: &[[u8; 4]; 4], weights: &[[f32; 4]; 4]) {
    let view = document.view(joints.as_flattened());
    let joints = document.push(
        "accessors",
        json!({ "bufferView": view, "componentType": 5121, "count": 4, "type": "VEC4" }),
    );
    let weights = document.floats(weights);
    let attributes = &mut document.json["meshes"][mesh]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
}

#[test]
fn a_square_is_a_node_with_a_front() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(
        json!({ "name": "board", "mesh": mesh, "translation": [0, 0, 2], "scale": [2, 4, 1] }),
    );
    let model = converted(&document);
    assert!(model.textures.is_empty() && model.warnings.is_empty());
    let bytes = bytes(&model.document);
    let file = parse(&bytes).unwrap();
    let names: Vec<_> = file.nodes.iter().map(|it| (&*it.name, it.flags)).collect();
    assert_eq!(
        names,
        [("Root", node_flags::NULL), ("board", node_flags::TRIANGLES)]
    );
    let expected = SQUARE.map(|it| it * Vec3::new(2.0, 4.0, 1.0) + Vec3::Z * 2.0);
    assert_near(&positions(&file, 0, 0.0), &expected, 1e-5);
    for triangle in file.geometry.triangles {
        assert!(facing(&file, triangle).z > 0.0);
    }
    let uvs: Vec<_> = file.geometry.triangles[0].clean_uvs().into();
    assert_eq!(uvs, [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    let normal = file.geometry.vertices[0].unit_normal();
    assert_eq!(normal, Some([0.0, 0.0, 1.0]));
    assert_eq!(file.geometry.bounds, [[-2.0, 0.0, 2.0], [0.0, 4.0, 2.0]]);
    let [animation] = &file.animations[..] else {
        panic!()
    };
    assert_eq!(
        (&*animation.name, animation.dims),
        ("base", Some([1.0, 2.0, 0.0]))
    );
}

#[test]
fn mirrored_nodes_keep_their_fronts() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "mesh": mesh, "scale": [-1, 1, 1] }));
    let bytes = bytes(&converted(&document).document);
    let file = parse(&bytes).unwrap();
    for triangle in file.geometry.triangles {
        assert!(facing(&file, triangle).z > 0.0);
    }
}

#[test]
fn vertices_follow_the_bone_with_the_greatest_weight() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let joints = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]];
    let weights = [
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.25, 0.75, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
    ];
    add_skin(&mut document, mesh, &joints, &weights);
    let arm = document.push(
        "nodes",
        json!({ "name": "Arm", "translation": [0.5, 0, 0] }),
    );
    let body = document.push("nodes", json!({ "name": "Body", "children": [arm] }));
    // The armature has half of the size, as models of other units often have.
    document.node(json!({ "name": "Armature", "scale": [0.5, 0.5, 0.5], "children": [body] }));
    let inverse = |x: f32| {
        let mut matrix = [0.0; 16];
        (matrix[0], matrix[5], matrix[10]) = (2.0, 2.0, 2.0);
        (matrix[12], matrix[15]) = (x, 1.0);
        matrix
    };
    let matrices: Vec<u8> = [inverse(0.0), inverse(-0.5)]
        .as_flattened()
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let view = document.view(&matrices);
    let matrices = document.push(
        "accessors",
        json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": "MAT4" }),
    );
    document.push(
        "skins",
        json!({ "joints": [body, arm], "inverseBindMatrices": matrices }),
    );
    document.node(json!({ "name": "skinned", "mesh": mesh, "skin": 0 }));
    let turn = Quat::from_rotation_y(1.0);
    document.animate(
        "wave",
        arm,
        "rotation",
        &[0.5, 1.0],
        &[Quat::IDENTITY.to_array(), turn.to_array()],
    );
    let model = converted(&document);
    assert_eq!(
        model.warnings,
        [
            "1 vertices follow several bones: the format has one, which is that with the greatest weight"
        ]
    );
    let bytes = bytes(&model.document);
    let file = parse(&bytes).unwrap();
    let nodes: Vec<_> = file.nodes.iter().map(|it| (&*it.name, it.parent)).collect();
    assert_eq!(
        nodes,
        [("Armature", None), ("Body", Some(0)), ("Arm", Some(1))]
    );
    let of: Vec<_> = file.geometry.vertices.iter().map(|it| it.node).collect();
    assert_eq!(of, [1, 2, 2, 1]);
    // The animation begins with its first key.
    let times: Vec<_> = file.animations[0]
        .keyframes
        .iter()
        .map(|it| it.time)
        .collect();
    assert_eq!((times, file.animations[0].length), (vec![0, 500], 500));
    assert_near(&positions(&file, 0, 0.0), &SQUARE, 1e-5);
    let pivot = Vec3::X * 0.25;
    for part in [0.25, 0.5] {
        let turn = Quat::from_rotation_y(2.0 * part);
        let moved = |it: Vec3| pivot + turn * (it - pivot);
        let [a, b, c, d] = SQUARE;
        assert_near(
            &positions(&file, 0, part),
            &[a, moved(b), moved(c), d],
            1e-5,
        );
    }
}

#[test]
fn morph_targets_and_animated_scales_deform_vertices() {
    for path in ["weights", "scale"] {
        let mut document = Document::new();
        let mesh = document.square(None);
        let target = document.floats(&[[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]]);
        document.json["meshes"][mesh]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
        let node = document.node(json!({ "name": "flag", "mesh": mesh }));
        match path {
            "weights" => document.animate("wave", node, path, &[0.0, 0.4], &[[0.0], [1.0]]),
            _ => document.animate(
                "wave",
                node,
                path,
                &[0.0, 0.4],
                &[[1.0; 3], [1.0, 1.0, 3.0]],
            ),
        }
        let still = document.node(json!({ "name": "still", "mesh": mesh }));
        let bytes = bytes(&converted(&document).document);
        let file = parse(&bytes).unwrap();
        let of_scale = path == "scale";
        // Without the target, the scale along Z moves nothing.
        let deforming = if of_scale { 0 } else { 4 };
        assert_eq!(file.nodes[1].deform_vertices.len(), deforming, "{path}");
        assert_eq!(file.nodes[2].deform_vertices.len(), 0);
        assert_eq!(still, 1);
        if !of_scale {
            let [a, b, c, d] = SQUARE;
            let expected = [a, b + Vec3::Z * 0.5, c, d];
            assert_near(&positions(&file, 0, 0.2)[..4], &expected, 1e-5);
        }
    }
}

#[test]
fn curves_become_keyframes() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    let flat = [
        [0.0; 3],
        [0.0; 3],
        [0.0; 3],
        [0.0; 3],
        [2.0, 0.0, 0.0],
        [0.0; 3],
    ];
    document.animate("move", node, "translation", &[0.0, 1.0], &flat);
    document.json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    let sizes = [[0.0; 3], [1.0; 3], [0.0; 3], [0.0; 3], [3.0; 3], [0.0; 3]];
    document.animate("grow", node, "scale", &[0.0, 1.0], &sizes);
    document.json["animations"][1]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    document.animate(
        "jump",
        node,
        "translation",
        &[0.0, 1.0],
        &[[0.0; 3], [2.0, 0.0, 0.0]],
    );
    document.json["animations"][2]["samplers"][0]["interpolation"] = json!("STEP");
    let bytes = bytes(&converted(&document).document);
    let file = parse(&bytes).unwrap();
    assert_eq!(file.animations[0].keyframes.len(), 31);
    for time in [0.0_f32, 0.25, 0.5, 0.9, 1.0] {
        let part = 3.0 * time * time - 2.0 * time * time * time;
        let moved = SQUARE.map(|it| it + Vec3::X * 2.0 * part);
        assert_near(&positions(&file, 0, time), &moved, 1e-2);
        let grown = SQUARE.map(|it| it * (1.0 + 2.0 * part));
        assert_near(&positions(&file, 1, time), &grown, 2e-2);
    }
    assert_near(&positions(&file, 2, 0.998), &SQUARE, 1e-2);
    let times: Vec<_> = file.animations[2]
        .keyframes
        .iter()
        .map(|it| it.time)
        .collect();
    assert_eq!(times, [0, 999, 1000]);
}

#[test]
fn textures_of_several_materials_become_one_skin() {
    let mut document = Document::new();
    let red = document.material(2, &[[255, 0, 0, 255]; 4]);
    let blue = document.material(4, &[[0, 0, 255, 255]; 8]);
    for material in [red, blue] {
        let mesh = document.square(Some(material));
        document.node(json!({ "mesh": mesh }));
    }
    let model = converted(&document);
    let image = &model.textures["model.dtx"];
    assert_eq!((image.width, image.height), (6, 2));
    let [red, blue] = [[255, 0, 0, 255], [0, 0, 255, 255]];
    assert_eq!(image.rgba[..6], [red, red, blue, blue, blue, blue]);
    let bytes = bytes(&model.document);
    let file = parse(&bytes).unwrap();
    for (index, triangle) in file.geometry.triangles.iter().enumerate() {
        let expected = if index < 2 {
            0.0..=1.0 / 3.0
        } else {
            1.0 / 3.0..=1.0
        };
        for [u, v] in triangle.clean_uvs() {
            assert!(
                expected.contains(&u) && (0.0..=1.0).contains(&v),
                "{index}: {u}"
            );
        }
    }
}

/// A model with the `extras` of a converted one, changed.
fn changed(change: impl FnOnce(&mut Value, &mut Value)) -> Result<Vec<u8>, String> {
    let mut document = Document::new();
    let mesh = document.square(None);
    let positions = SQUARE.map(|it| it.to_array());
    let checksum = classic_models_gltf_import::abc::checksum(&positions, [0, 1, 2, 0, 2, 3]);
    let own = json!({
        "index": 0, "flags": 2, "vertices": [0, 1, 2, 3], "checksum": checksum,
        "deform": { "walk": { "scale": [1, 1, 1], "translation": [0, 0, 0] } },
    });
    let root = json!({
        "format": "abc", "metersPerUnit": 1, "baseVertices": 4, "lods": [0, 1, 2, 4],
        "animations": { "walk": { "index": 0, "name": "Walk", "length": 300, "times": [0, 300],
            "events": { "1": "step" }, "dims": [1, 2, 3] } },
    });
    let child = document.push(
        "nodes",
        json!({ "name": "board", "mesh": mesh, "extras": own }),
    );
    let top =
        document.node(json!({ "children": [child], "rotation": [0, 1, 0, 0], "extras": root }));
    document.animate(
        "walk",
        child,
        "translation",
        &[0.0, 0.3],
        &[[0.0; 3], [1.0; 3]],
    );
    let mut values = [child, top].map(|it| document.json["nodes"][it]["extras"].take());
    let [own, root] = &mut values;
    change(own, root);
    for (node, extras) in [child, top].into_iter().zip(values) {
        document.json["nodes"][node]["extras"] = extras;
    }
    let scene = document.scene().unwrap();
    let model = convert(&scene, &OPTIONS).map_err(|error| error.to_string())?;
    write(&model.document).map_err(|error| error.to_string())
}

#[test]
fn values_of_a_converted_model_are_used() {
    let bytes = changed(|_, _| {}).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings, []);
    assert_eq!(
        (file.geometry.lods, file.geometry.lod(2).triangles.len()),
        (2, 0)
    );
    let animation = &file.animations[0];
    assert_eq!(
        (&*animation.name, animation.dims),
        ("Walk", Some([1.0, 2.0, 3.0]))
    );
    let events: Vec<_> = animation.keyframes.iter().map(|it| &*it.event).collect();
    assert_eq!(events, ["", "step"]);
    // The mesh is not the converted one any more, and neither is the animation.
    let bytes = changed(|own, _| own["checksum"] = json!(1)).unwrap();
    assert_eq!(parse(&bytes).unwrap().geometry.lods, 0);
    let bytes = changed(|_, root| {
        root["animations"]["walk"]["length"] = json!(900);
        root["animations"]["walk"]["times"] = json!([0, 100, 310, 900]);
    });
    let bytes = bytes.unwrap();
    let keyframes = &parse(&bytes).unwrap().animations[0].keyframes;
    let keyframes: Vec<_> = keyframes.iter().map(|it| (it.time, &*it.event)).collect();
    assert_eq!(keyframes, [(0, "step"), (300, "")]);
    // A new animation, whose events were added by hand.
    let walk = json!({ "events": { "1": "shot" }, "dims": [1, 2, 3] });
    let bytes = changed(|_, root| root["animations"]["walk"] = walk).unwrap();
    let animation = &parse(&bytes).unwrap().animations[0];
    let keyframes = animation.keyframes.iter();
    let keyframes: Vec<_> = keyframes.map(|it| (it.time, &*it.event)).collect();
    assert_eq!(keyframes, [(0, ""), (300, "shot")]);
    assert_eq!(animation.dims, Some([1.0, 2.0, 3.0]));
}

#[test]
fn damaged_values_do_no_harm() {
    let values = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(4_294_967_296_u64),
        json!("text"),
        json!([]),
        json!([0]),
        json!([9, 9, 9, 9]),
        json!([0, 1, 2, 65_535]),
        json!([-1, 0.5, null, "x"]),
        json!({}),
        json!({ "walk": null }),
        json!({ "0": 1, "99": "x" }),
    ];
    for value in &values {
        for name in ["index", "flags", "vertices", "checksum", "deform"] {
            changed(|own, _| own[name] = value.clone()).unwrap();
        }
        for name in [
            "metersPerUnit",
            "baseVertices",
            "lods",
            "animations",
            "commandString",
        ] {
            let result = changed(|_, root| root[name] = value.clone());
            if let Err(error) = result {
                assert!(error.contains("finite"), "{name}: {value}: {error}");
            }
        }
        for name in ["index", "name", "length", "times", "events", "dims"] {
            changed(|_, root| root["animations"]["walk"][name] = value.clone()).unwrap();
        }
        for name in ["scale", "translation"] {
            changed(|own, _| own["deform"]["walk"][name] = value.clone()).unwrap();
        }
    }
    let long = "x".repeat(501);
    let error = changed(|_, root| root["commandString"] = json!(long)).unwrap_err();
    assert!(error.contains("at most 500 bytes"), "{error}");
}

#[test]
fn models_that_are_too_large_are_errors() {
    let mut document = Document::new();
    let error = |document: &Document| {
        let scene = document.scene().unwrap();
        convert(&scene, &OPTIONS).unwrap_err().to_string()
    };
    assert_eq!(error(&document), "the scene has no triangles");
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    let curve = [[0.0; 3]; 6];
    document.animate("long", node, "translation", &[0.0, 1e9], &curve);
    document.json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    assert_eq!(
        error(&document),
        "animation \"long\" is too long: 1000000000 s"
    );
    document.json["animations"] = json!([]);
    for _ in 0..1100 {
        document.node(json!({ "name": "same" }));
    }
    assert_eq!(error(&document), "1101 nodes; at most 1024 are supported");
}

#[test]
fn clips_are_selected_and_ordered_by_name() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let node = document.node(json!({ "mesh": mesh }));
    for name in ["run", "idle", "die"] {
        document.animate(
            name,
            node,
            "translation",
            &[0.0, 1.0],
            &[[0.0; 3], [1.0; 3]],
        );
    }
    let scene = document.scene().unwrap();
    let names = |clips: &[&str]| {
        let clips: Vec<String> = clips.iter().map(|it| (*it).to_owned()).collect();
        let options = Options {
            clips: &clips,
            ..OPTIONS
        };
        let animations = convert(&scene, &options).map(|model| model.document.animations);
        let names = animations.map(|all| all.into_iter().map(|it| it.name).collect::<Vec<_>>());
        names.map_err(|error| error.to_string())
    };
    assert_eq!(names(&[]).unwrap(), ["run", "idle", "die"]);
    assert_eq!(names(&["die", "run"]).unwrap(), ["die", "run"]);
    let expected = r#"no animation "Run"; the file has: "run", "idle", "die""#;
    assert_eq!(names(&["die", "Run"]).unwrap_err(), expected);
}
