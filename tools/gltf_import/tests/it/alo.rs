//! Alamo models and animations.

use super::Document;
use classic_model_formats::ala;
use classic_model_formats::alo::{self, AloFile, ParameterValue};
use classic_models_gltf_import::alo::{Converted, Options, convert};
use serde_json::json;
use std::f32::consts::PI;

fn converted(document: &Document) -> Converted {
    convert(&document.scene().unwrap(), &Options::default()).unwrap()
}

/// Parses a model, which must have no flaw.
fn parsed(converted: &Converted) -> AloFile<'_> {
    let file = alo::parse(&converted.bytes).unwrap();
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    file
}

fn positions(file: &AloFile<'_>, mesh: usize, submesh: usize) -> Vec<[f32; 3]> {
    let vertices = &file.meshes[mesh].submeshes[submesh].vertices;
    vertices.iter().map(|vertex| vertex.position).collect()
}

#[track_caller]
fn assert_near<const N: usize>(found: [f32; N], expected: [f32; N]) {
    let error = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(error < 1e-4, "{found:?}, not {expected:?}");
}

#[test]
fn nodes_are_bones_and_meshes_below_them_are_connected() {
    let mut document = Document::new();
    let material = document.material(2, &[[10, 20, 30, 255]; 4]);
    document.json["images"][0]["name"] = json!("Art/hull.png");
    let mesh = document.square(Some(material));
    let hull = document.push(
        "nodes",
        json!({ "name": "Hull", "mesh": mesh, "translation": [1, 0, 0] }),
    );
    document.node(json!({ "name": "Turret", "translation": [0, 5, 0], "children": [hull] }));
    document.node(json!({ "name": "Plate_LOD1", "mesh": mesh, "translation": [0, 0, 3] }));
    let converted = converted(&document);
    let file = parsed(&converted);
    let bones: Vec<_> = file
        .bones
        .iter()
        .map(|bone| (&*bone.name, bone.parent))
        .collect();
    assert_eq!(bones, [("Root", None), ("Turret", Some(0))]);
    // (x, y, z) becomes (x, −z, y).
    assert_eq!(file.bones[1].matrix.map(|row| row[3]), [0.0, 0.0, 5.0]);
    let meshes: Vec<_> = file
        .meshes
        .iter()
        .map(|mesh| (&*mesh.name, mesh.bone))
        .collect();
    assert_eq!(meshes, [("Hull", Some(1)), ("Plate_LOD1", Some(0))]);
    // The bone turns the axes, so that its children keep glTF's.
    assert_near(positions(&file, 0, 0)[2], [2.0, 1.0, 0.0]);
    assert_near(positions(&file, 1, 0)[2], [1.0, -3.0, 1.0]);
    let submesh = &file.meshes[1].submeshes[0];
    assert_eq!(
        (&*submesh.shader, &*submesh.vertex_format),
        ("MeshGloss.fx", "alD3dVertNU2")
    );
    let texture = submesh
        .parameters
        .iter()
        .find(|it| it.name == "BaseTexture")
        .unwrap();
    assert_eq!(texture.value, ParameterValue::Texture("hull.tga".into()));
    assert_eq!(converted.textures.keys().collect::<Vec<_>>(), ["hull.tga"]);
    assert!(submesh.tree.is_some());
    let vertex = submesh.vertices.get(0).unwrap();
    // The square faces +Z, which is the games' −Y. U increases along X, and V decreases along Z.
    assert_near(vertex.normal, [0.0, -1.0, 0.0]);
    assert_near(vertex.tangent, [1.0, 0.0, 0.0]);
    assert_near(vertex.binormal, [0.0, 0.0, 1.0]);
}

#[test]
fn shaders_follow_materials() {
    let mut document = Document::new();
    let texture = document.texture(1, &[[128, 128, 255, 255]]);
    for material in [
        json!({ "normalTexture": { "index": texture } }),
        json!({ "alphaMode": "BLEND", "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 0.25] } }),
        json!({ "extras": { "shader": "MeshShield.fx", "vertexFormat": "alD3dVertNU2C", "parameters": {
            "Color": [1.0, 2.0, 3.0, 4.0], "Count": 3, "Speed": 3.0, "Axis": [0, 0, 1], "BaseTexture": "s.tga",
        } } }),
    ] {
        let material = document.push("materials", material);
        let mesh = document.square(Some(material));
        document.node(json!({ "mesh": mesh }));
    }
    let converted = converted(&document);
    let file = parsed(&converted);
    let submesh = |mesh: usize| &file.meshes[mesh].submeshes[0];
    let names: Vec<_> = (0..3)
        .map(|mesh| (&*submesh(mesh).shader, &*submesh(mesh).vertex_format))
        .collect();
    let expected = [
        ("MeshBumpColorize.fx", "alD3dVertNU2U3U3"),
        ("MeshAlpha.fx", "alD3dVertNU2"),
        ("MeshShield.fx", "alD3dVertNU2C"),
    ];
    assert_eq!(names, expected);
    let value = |mesh: usize, name: &str| {
        let parameter = submesh(mesh).parameters.iter().find(|it| it.name == name);
        parameter.unwrap().value.clone()
    };
    assert_eq!(
        value(1, "Diffuse"),
        ParameterValue::Float4([1.0, 1.0, 1.0, 0.25])
    );
    assert_eq!(
        value(2, "Color"),
        ParameterValue::Float4([1.0, 2.0, 3.0, 4.0])
    );
    assert_eq!(value(2, "Count"), ParameterValue::Int(3));
    assert_eq!(value(2, "Speed"), ParameterValue::Float(3.0));
    assert_eq!(value(2, "Axis"), ParameterValue::Float3([0.0, 0.0, 1.0]));
    assert_eq!(
        value(2, "BaseTexture"),
        ParameterValue::Texture("s.tga".into())
    );
}

/// A strip of squares, each with a joint of its own.
fn strip(count: u8, weights: [f32; 4]) -> Document {
    let mut document = Document::new();
    let mut positions = Vec::new();
    let mut joints = Vec::new();
    let mut indices = Vec::new();
    for index in 0..count {
        let first = positions.len() as u16;
        for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            positions.push([x + f32::from(index), y, 0.0]);
            joints.extend([index, (index + 1) % count, 0, 0]);
        }
        indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }
    let view = document.view(&joints);
    let joints = json!({ "bufferView": view, "componentType": 5121, "count": positions.len(), "type": "VEC4" });
    let joints = document.push("accessors", joints);
    let weights = document.floats(&vec![weights; positions.len()]);
    let positions = document.floats(&positions);
    let indices = document.indices(&indices);
    let mesh = document.push(
        "meshes",
        json!({ "primitives": [{
        "attributes": { "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
    }] }),
    );
    let nodes: Vec<usize> = (0..count)
        .map(|index| document.node(json!({ "name": format!("B{index}") })))
        .collect();
    document.push("skins", json!({ "joints": nodes }));
    document.node(json!({ "name": "Strip", "mesh": mesh, "skin": 0 }));
    document
}

#[test]
fn more_than_24_bones_are_several_sub_meshes() {
    let document = strip(60, [1.0, 0.0, 0.0, 0.0]);
    let converted = converted(&document);
    let file = parsed(&converted);
    let submeshes = &file.meshes[0].submeshes;
    let palettes: Vec<usize> = submeshes
        .iter()
        .map(|submesh| submesh.palette.len())
        .collect();
    assert_eq!(palettes, [24, 24, 12]);
    assert!(
        converted.warnings[0].contains("split into 3"),
        "{:?}",
        converted.warnings
    );
    let mut triangles = 0;
    for submesh in submeshes {
        assert_eq!(
            (&*submesh.shader, &*submesh.vertex_format),
            ("RSkinGloss.fx", "alD3dVertRSkinNU2")
        );
        triangles += submesh.indices.len() / 3;
        for vertex in submesh.vertices.iter() {
            let bone = submesh.palette[vertex.bone_indices[0] as usize].get() as usize;
            // Each square is on the bone of its number.
            let name = format!("B{}", vertex.position[0].min(59.9).floor());
            let before = format!("B{}", (vertex.position[0] - 0.5).floor());
            assert!([name, before].contains(&file.bones[bone].name.to_string()));
        }
    }
    assert_eq!(triangles, 120);
}

#[test]
fn weights_are_kept_and_add_up_to_one() {
    let document = strip(3, [0.75, 0.75, 0.0, 0.0]);
    let converted = converted(&document);
    let file = parsed(&converted);
    let submesh = &file.meshes[0].submeshes[0];
    assert_eq!(
        (&*submesh.shader, &*submesh.vertex_format),
        ("SkinGloss.fx", "alD3dVertB4I4NU2")
    );
    for vertex in submesh.vertices.iter() {
        assert_eq!(vertex.bone_weights, [0.5, 0.5, 0.0, 0.0]);
    }
}

#[test]
fn animations_have_tracks_visibility_and_steps() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let flame = document.push("nodes", json!({ "name": "Flame", "mesh": mesh }));
    let arm =
        document.node(json!({ "name": "Arm", "translation": [0, 2, 0], "children": [flame] }));
    document.animate(
        "MOVE_00",
        arm,
        "translation",
        &[0.0, 0.2],
        &[[0.0, 2.0, 0.0], [0.0, 2.0, 6.0]],
    );
    let times = document.floats(&[[0.0], [0.1]]);
    let scales = document.floats(&[[0.0; 3], [1.0; 3]]);
    let turns = document.floats(&[[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]);
    let animation = &mut document.json["animations"][0];
    let samplers = animation["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": times, "output": scales, "interpolation": "STEP" }));
    samplers.push(json!({ "input": times, "output": turns, "interpolation": "STEP" }));
    let channels = animation["channels"].as_array_mut().unwrap();
    channels.push(json!({ "sampler": 1, "target": { "node": flame, "path": "scale" } }));
    channels.push(json!({ "sampler": 2, "target": { "node": flame, "path": "rotation" } }));
    let converted = converted(&document);
    let file = parsed(&converted);
    // The flame turns, so it is a bone.
    let names: Vec<_> = file.bones.iter().map(|bone| &*bone.name).collect();
    assert_eq!(names, ["Root", "Arm", "Flame"]);
    assert_eq!(file.meshes[0].bone, Some(2));
    let clip = ala::parse(&converted.animations["MOVE_00"]).unwrap();
    assert!(clip.warnings.is_empty());
    assert_eq!((clip.frames, clip.fps, clip.version), (7, 30.0, 2));
    let [arm, flame] = &clip.bones[..] else {
        panic!();
    };
    assert_eq!((&*arm.name, arm.index, flame.index), ("Arm", 1, 2));
    // Topmost bones have the games' axes.
    assert_near(clip.sample(arm, 6.0).translation, [0.0, -6.0, 2.0]);
    assert_near(clip.sample(arm, 1.5).translation, [0.0, -1.5, 2.0]);
    assert!(arm.steps.is_none() && arm.visibility.is_none());
    let shown: Vec<bool> = (0..7)
        .map(|frame| ala::bit(flame.visibility.unwrap(), frame))
        .collect();
    assert_eq!(shown, [false, false, false, true, true, true, true]);
    // The rotation jumps at frame 3: it does not change between the frames before.
    let holds: Vec<bool> = (0..7)
        .map(|frame| ala::bit(flame.steps.unwrap(), frame))
        .collect();
    assert_eq!(holds, [false, false, true, false, false, false, false]);
    assert_near(
        clip.sample(flame, 2.5).rotation.unwrap(),
        [0.0, 0.0, 0.0, 1.0],
    );
    assert_near(
        clip.sample(flame, 3.0).rotation.unwrap(),
        [0.0, 1.0, 0.0, 0.0],
    );
}

#[test]
fn hidden_parts_lights_and_proxies_are_kept() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "name": "Wreck_ALT1", "mesh": mesh, "scale": [0, 0, 0] }));
    document.node(
        json!({ "name": "p_smoke_ALT1", "extras": { "proxy": { "altDecreaseStayHidden": true } } }),
    );
    document.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [
        { "type": "point", "color": [1, 0, 0], "intensity": PI, "range": 2 },
    ] } });
    document.node(json!({ "name": "Lamp", "translation": [0, 4, 0], "extensions": { "KHR_lights_punctual": { "light": 0 } } }));
    let converted = converted(&document);
    let file = parsed(&converted);
    assert_eq!(file.bones.len(), 1);
    let wreck = &file.meshes[0];
    assert!(wreck.hidden);
    assert_near(positions(&file, 0, 0)[2], [1.0, 0.0, 1.0]);
    let proxy = &file.proxies[0];
    assert_eq!(
        (&*proxy.name, proxy.hidden, proxy.alt_decrease_stay_hidden),
        ("p_smoke_ALT1", None, Some(true))
    );
    let light = &file.lights[0];
    assert_eq!(
        (&*light.name, light.kind, light.color),
        ("Lamp", 0, [1.0, 0.0, 0.0])
    );
    assert_near(
        [
            light.intensity,
            light.far_attenuation_start,
            light.far_attenuation_end,
        ],
        [1.0, 1.0, 2.0],
    );
}

#[test]
fn the_bones_of_a_converted_model_keep_their_order() {
    let mut document = Document::new();
    let bone = |name: &str, index: usize| json!({ "name": name, "extras": { "bone": index } });
    let children: Vec<usize> = [("B", 2), ("C", 1)]
        .map(|(name, index)| document.push("nodes", bone(name, index)))
        .into();
    let mut first = bone("Root", 0);
    first["children"] = json!(children);
    let first = document.push("nodes", first);
    document.node(json!({ "name": "model", "scale": [0.5, 0.5, 0.5], "children": [first], "extras": { "format": "alo" } }));
    let converted = converted(&document);
    let file = parsed(&converted);
    let bones: Vec<_> = file
        .bones
        .iter()
        .map(|bone| (&*bone.name, bone.parent))
        .collect();
    assert_eq!(bones, [("Root", None), ("C", Some(0)), ("B", Some(0))]);
    // The root of a converted model only has the axes and the scale of the scene.
    assert_eq!(file.bones[0].matrix[0], [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn values_that_the_format_cannot_store_are_errors() {
    let mut document = Document::new();
    let mesh = document.square(None);
    document.node(json!({ "name": "a\u{0}b", "mesh": mesh }));
    let error = convert(&document.scene().unwrap(), &Options::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("NUL"), "{error}");
    let mut document = Document::new();
    let node = document.node(json!({ "name": "a" }));
    document.animate(
        "LONG",
        node,
        "translation",
        &[0.0, 1e6],
        &[[0.0; 3], [1.0; 3]],
    );
    let error = convert(&document.scene().unwrap(), &Options::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("too long"), "{error}");
}

#[test]
fn images_of_the_same_name_are_different_files() {
    let mut document = Document::new();
    for level in [10, 20] {
        let material = document.material(1, &[[level, level, level, 255]]);
        let mesh = document.square(Some(material));
        document.node(json!({ "mesh": mesh }));
    }
    document.json["images"][0]["name"] = json!("a/Hull.png");
    document.json["images"][1]["name"] = json!("b/hull.jpg");
    let converted = converted(&document);
    assert_eq!(
        converted.textures.keys().collect::<Vec<_>>(),
        ["Hull.tga", "hull_2.tga"]
    );
    let file = parsed(&converted);
    let texture = &file.meshes[1].submeshes[0].parameters;
    let texture = texture.iter().find(|it| it.name == "BaseTexture").unwrap();
    assert_eq!(texture.value, ParameterValue::Texture("hull_2.tga".into()));
}

#[test]
fn only_the_clips_of_the_options_are_written() {
    let mut document = Document::new();
    let node = document.node(json!({ "name": "Arm" }));
    for name in ["MOVE_00", "DIE_00"] {
        document.animate(
            name,
            node,
            "translation",
            &[0.0, 1.0],
            &[[0.0; 3], [1.0; 3]],
        );
    }
    let scene = document.scene().unwrap();
    let convert = |clip: &str| {
        let clips = [clip.to_owned()];
        let options = Options {
            clips: &clips,
            ..Options::default()
        };
        convert(&scene, &options)
    };
    let model = convert("DIE_00").unwrap();
    assert_eq!(model.animations.keys().collect::<Vec<_>>(), ["DIE_00"]);
    let error = convert("IDLE_00").unwrap_err().to_string();
    assert_eq!(
        error,
        r#"no animation "IDLE_00"; the file has: "MOVE_00", "DIE_00""#
    );
}

/// Adds a channel for the visibility of a node to the first animation.
fn animate_visibility(document: &mut Document, node: usize, times: &[f32], shown: &[u8]) {
    let times: Vec<[f32; 1]> = times.iter().map(|it| [*it]).collect();
    let input = document.floats(&times);
    let view = document.view(shown);
    let accessor = json!({ "bufferView": view, "componentType": 5121, "count": shown.len(), "type": "SCALAR" });
    let output = document.push("accessors", accessor);
    let animation = &mut document.json["animations"][0];
    let samplers = animation["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": input, "output": output, "interpolation": "STEP" }));
    let pointer = format!("/nodes/{node}/extensions/KHR_node_visibility/visible");
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    let sampler = samplers.len() - 1;
    let channels = animation["channels"].as_array_mut().unwrap();
    channels.push(json!({ "sampler": sampler, "target": target }));
}

/// Three nodes of one chain with a mesh at its end. The node at `hidden` is hidden at rest and shown by an animation.
fn hidden_chain(hidden: usize) -> Document {
    let mut document = Document::new();
    let mesh = document.square(None);
    let flame = document.push(
        "nodes",
        json!({ "name": "Flame", "mesh": mesh, "scale": [2, 2, 2] }),
    );
    let arm = document.push("nodes", json!({ "name": "Arm", "children": [flame] }));
    let body = document.node(json!({ "name": "Body", "children": [arm] }));
    document.json["extensionsRequired"] = json!(["KHR_node_visibility", "KHR_animation_pointer"]);
    document.json["nodes"][hidden]["extensions"] =
        json!({ "KHR_node_visibility": { "visible": false } });
    document.animate(
        "MOVE_00",
        body,
        "translation",
        &[0.0, 0.1],
        &[[0.0; 3], [1.0; 3]],
    );
    animate_visibility(&mut document, hidden, &[0.0, 0.05], &[0, 1]);
    document
}

#[test]
fn node_visibility_hides_meshes_and_has_tracks() {
    for hidden in 0..3 {
        let converted = converted(&hidden_chain(hidden));
        let file = parsed(&converted);
        assert!(file.meshes[0].hidden, "{hidden}");
        // The shape and the bones are kept.
        assert_near(positions(&file, 0, 0)[2], [2.0, 2.0, 0.0]);
        assert_eq!(file.bones[2].matrix[0], [1.0, 0.0, 0.0, 0.0]);
        let clip = ala::parse(&converted.animations["MOVE_00"]).unwrap();
        let tracks: Vec<_> = clip
            .bones
            .iter()
            .map(|bone| {
                let shown = bone.visibility?;
                Some([0, 1, 2, 3].map(|frame| ala::bit(shown, frame)))
            })
            .collect();
        assert_eq!(tracks, [None, Some([false, false, true, true])], "{hidden}");
    }
}

#[test]
fn pointers_without_a_known_target_have_no_effect() {
    for pointer in [
        "/nodes/99/extensions/KHR_node_visibility/visible",
        "/nodes/-1/scale",
        "/nodes/0",
        "/nodes//scale",
        "/materials/0/alphaCutoff",
        "",
    ] {
        let mut document = hidden_chain(0);
        let target = &mut document.json["animations"][0]["channels"][1]["target"];
        target["extensions"]["KHR_animation_pointer"]["pointer"] = json!(pointer);
        let converted = converted(&document);
        let clip = ala::parse(&converted.animations["MOVE_00"]).unwrap();
        assert!(
            clip.bones.iter().all(|bone| bone.visibility.is_none()),
            "{pointer}"
        );
    }
    let mut document = hidden_chain(0);
    let output = document.json["animations"][0]["samplers"][1]["output"]
        .as_u64()
        .unwrap();
    document.json["accessors"][output as usize]["count"] = json!(1);
    let error = document.scene().unwrap_err().to_string();
    assert_eq!(
        error,
        "animations[0]: channels[1]: 1 values of keys instead of 2"
    );
}

/// Nodes with meshes of these names. The first has the others as coarser levels.
fn levels(document: &mut Document, names: &[&str]) {
    let mesh = document.square(None);
    let first = document.node(json!({ "name": names[0], "mesh": mesh }));
    let ids: Vec<usize> = names[1..]
        .iter()
        .map(|name| document.push("nodes", json!({ "name": name, "mesh": mesh })))
        .collect();
    document.json["nodes"][first]["extensions"] = json!({ "MSFT_lod": { "ids": ids } });
}

#[test]
fn levels_of_detail_have_tags() {
    let names = |groups: &[&[&str]]| {
        let mut document = Document::new();
        groups.iter().for_each(|names| levels(&mut document, names));
        let converted = converted(&document);
        let file = parsed(&converted);
        let names = file.meshes.iter().map(|mesh| mesh.name.to_string());
        (names.collect::<Vec<_>>(), converted.warnings)
    };
    let (found, warnings) = names(&[&["Hull_ALT1", "far", "horizon"], &["Gun", "Gun.001"]]);
    assert_eq!(
        found,
        [
            "Hull_ALT1_LOD2",
            "Hull_ALT1_LOD1",
            "Hull_ALT1_LOD0",
            "Gun_LOD2",
            "Gun_LOD1"
        ]
    );
    let expected =
        r#"mesh "Gun" has 2 levels of detail, and others have 3: it is not drawn at the coarsest"#;
    assert_eq!(warnings, [expected]);
    let (found, warnings) = names(&[&["Hull_lod1", "Hull_lod0"], &["Gun_LOD1", "low"]]);
    assert_eq!(found, ["Hull_lod1", "Hull_lod0", "Gun_LOD1", "Gun_LOD0"]);
    assert!(warnings.is_empty());
}

#[test]
fn meshes_below_a_level_have_its_tag() {
    let mut document = Document::new();
    let mesh = document.square(None);
    let child = |document: &mut Document, name: &str| {
        document.push("nodes", json!({ "name": name, "mesh": mesh }))
    };
    let [fine, coarse] = ["Wheel", "Disk"].map(|name| child(&mut document, name));
    let far = document.push("nodes", json!({ "name": "Far", "children": [coarse] }));
    document.node(json!({
        "name": "Cart", "children": [fine], "extensions": { "MSFT_lod": { "ids": [far] } },
    }));
    let converted = converted(&document);
    let file = parsed(&converted);
    let names: Vec<_> = file.meshes.iter().map(|mesh| &*mesh.name).collect();
    assert_eq!(names, ["Wheel_LOD1", "Disk_LOD0"]);
    document.json["nodes"][3]["extensions"]["MSFT_lod"]["ids"] = json!([2, 99]);
    let error = document.scene().unwrap_err().to_string();
    assert_eq!(error, "nodes[99]: does not exist");
}

#[test]
fn hidden_skinned_meshes_outside_of_the_scene_are_kept() {
    let mut document = strip(3, [1.0, 0.0, 0.0, 0.0]);
    let skinned = document.json["nodes"].as_array().unwrap().len() - 1;
    let node = &mut document.json["nodes"][skinned];
    node["extras"] = json!({ "parentBone": 1, "hidden": false, "mesh": 4 });
    document.json["scenes"][0]["nodes"]
        .as_array_mut()
        .unwrap()
        .pop();
    // A node without `parentBone` is not a part of the model.
    let mut other = document.json["nodes"][skinned].clone();
    other["extras"] = json!({});
    document.push("nodes", other);
    let shown = document.square(None);
    document.node(json!({ "name": "Board", "mesh": shown }));
    let converted = converted(&document);
    let file = parsed(&converted);
    let meshes: Vec<_> = file
        .meshes
        .iter()
        .map(|mesh| (&*mesh.name, mesh.hidden))
        .collect();
    assert_eq!(meshes, [("Strip", false), ("Board", false)]);
    assert_eq!(positions(&file, 0, 0).len(), 12);
    // Other formats only have the nodes of the scene.
    let options = classic_models_gltf_import::abc::Options::default();
    let model = classic_models_gltf_import::abc::convert(&document.scene().unwrap(), &options);
    assert_eq!(model.unwrap().document.geometry.triangles.len(), 2);
}
