//! Alamo models and their animations.

use crate::alo_pose::check;
use crate::reader::Model;
use crate::{Folder, samples};
use bevy::math::Vec3;
use classic_model_formats::ala;
use classic_model_formats::ala::write::{AlaDocument, BoneTracks, Vectors, write as write_ala};
use classic_model_formats::alo::write::{SubmeshBuffers, write};
use classic_model_formats::alo::{self, AloFile, Bone, Light, Mesh, Parameter, Vertex};
use classic_models_fixtures::{ala as ala_fixtures, alo as alo_fixtures, export, particles};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

const NO_LODS: [&str; 1] = ["--no-lods"];

#[test]
fn the_walker_is_posed_as_by_the_parser() {
    let folder = Folder::new();
    let path = samples().join("models/walker.alo");
    let bytes = std::fs::read(&path).unwrap();
    let file = alo::parse(&bytes).unwrap();
    let model = folder.model(&path, &NO_LODS);
    check(&file, &model, None, 0.0);
    let clips = model.clips();
    assert_eq!(
        clips.keys().collect::<Vec<_>>(),
        ["ATTACK_00", "DIE_00", "MOVE_00"]
    );
    for (name, end) in &clips {
        let path = samples().join(format!("models/walker_{name}.ala"));
        let bytes = std::fs::read(path).unwrap();
        let clip = ala::parse(&bytes).unwrap();
        assert!((clip.seconds() - end).abs() < 1e-5, "{name}");
        for part in [0.0, 0.19, 0.55, 0.83, 1.0] {
            check(&file, &model, Some((name, &clip)), end * part);
        }
    }
}

/// A square on each of the bones that the animation fixture has, one below the other in pairs.
pub fn bones_with_squares() -> AloFile<'static> {
    let mut bones = vec![Bone::new("Root", None, [0.0; 3])];
    let mut meshes = Vec::new();
    for number in 0..32_u32 {
        let parent = if number % 2 == 0 { 0 } else { number };
        bones.push(Bone::new(
            format!("B_{number:02}"),
            Some(parent),
            [number as f32, 1.0, 2.0],
        ));
        let vertices = alo_fixtures::square();
        let square = SubmeshBuffers::new(&vertices, &[[0, 1, 2], [0, 2, 3]]);
        let buffers: &'static SubmeshBuffers = Box::leak(Box::new(square));
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        meshes.push(Mesh::new(
            format!("M_{number:02}"),
            number + 1,
            vec![submesh],
        ));
    }
    let mut file = AloFile::new(bones);
    file.meshes = meshes;
    file
}

#[test]
fn every_kind_of_track_is_converted() {
    let folder = Folder::new();
    let document = bones_with_squares();
    let bytes = write(&document).unwrap();
    let file = alo::parse(&bytes).unwrap();
    for version in [1, 2] {
        let input = folder.write("unit.alo", &bytes);
        let clip_bytes = ala_fixtures::clean(version);
        folder.write("unit_Move_00.ala", &clip_bytes);
        let clip = ala::parse(&clip_bytes).unwrap();
        let model = folder.model(&input, &NO_LODS);
        assert_eq!(model.clips().keys().collect::<Vec<_>>(), ["MOVE_00"]);
        for step in 0..40 {
            // Not exactly on a frame, where steps jump.
            let seconds = (step as f32 + 0.3) / 40.0 * clip.seconds();
            check(&file, &model, Some(("MOVE_00", &clip)), seconds);
        }
    }
}

#[test]
fn everything_of_a_model_is_in_its_extras() {
    let folder = Folder::new();
    let input = folder.write("unit.alo", &alo_fixtures::clean());
    folder.write("pe_ENGINE.alo", &particles::full());
    let warnings = folder.convert(&["unit.alo", "result.glb"]);
    assert!(
        warnings.contains("texture \"EV_Hull.tga\" not found"),
        "{warnings}"
    );
    let model = folder.model(&input, &["--visibility", "extension"]);
    let node = |name: &str| model.named("nodes", name);

    assert_eq!(node("Parallel")["extras"]["billboard"], 1);
    assert_eq!(node("pe_engine")["extras"]["proxy"]["name"], "pe_engine");
    let systems = node("unit")["extras"]["particles"].as_object().unwrap();
    let emitters = systems["pe_engine"]["emitters"].as_array().unwrap();
    let file = particles::full();
    let file = classic_model_formats::particles::parse(&file).unwrap();
    assert_eq!(emitters.len(), file.emitters.len());
    let blink = node("Blink");
    assert_eq!(blink["extras"]["dazzle"]["frequency"], 1.5);
    assert_eq!(blink["translation"], json!([0.0, 0.0, 1.0]));

    let hidden = |name: &str| node(name)["extensions"]["KHR_node_visibility"]["visible"] == false;
    for (name, expected) in [
        ("Hull_LOD1", false),
        ("p_fire_ALT1", true),
        ("p_smoke_LOD0", true),
        ("lensflare0", false),
        // Its bone is hidden.
        ("pe_engine", true),
        ("Collision", true),
    ] {
        assert_eq!(hidden(name), expected, "{name}");
    }
}

#[test]
fn lights_show_white_surfaces_white_without_exposure() {
    let folder = Folder::new();
    let input = folder.write("unit.alo", &alo_fixtures::clean());
    let model = folder.model(&input, &["--scale", "0.5", "--visibility", "extension"]);
    let lights = model.json["extensions"]["KHR_lights_punctual"]["lights"]
        .as_array()
        .unwrap();
    let light = |name: &str| -> &Value {
        // A bone has the same name.
        let nodes = model.nodes_of(name).into_iter();
        let indices = nodes
            .map(|node| &model.json["nodes"][node])
            .filter_map(|node| node["extensions"]["KHR_lights_punctual"]["light"].as_u64());
        let indices: Vec<u64> = indices.collect();
        assert_eq!(indices.len(), 1, "{name}");
        &lights[indices[0] as usize]
    };
    // Half of the end of the attenuation, 20 units, is 10 meters. The intensity is 2.
    let is_intensity = |name: &str, expected: f64| {
        let found = light(name)["intensity"].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-6, "{name}: {found}");
    };
    is_intensity("Omni", 2.0 * PI * 100.0);
    assert_eq!(light("Omni")["range"], 20.0);
    assert_eq!(light("Omni")["type"], "point");
    is_intensity("Sun", 2.0 * PI);
    assert_eq!(light("Sun")["type"], "directional");
    assert!(light("Sun")["range"].is_null());
    let angle = light("Lamp")["spot"]["outerConeAngle"].as_f64().unwrap();
    assert!((angle - 0.3925).abs() < 1e-6, "{angle}");
}

#[test]
fn materials_follow_the_games_shaders() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let buffers = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]);
    let textures = |normal: &'static str| {
        vec![
            Parameter::texture("BaseTexture", "crate.tga"),
            Parameter::texture("NormalTexture", normal),
            Parameter::float4("Emissive", [0.1, 0.0, 0.0, 1.0]),
            Parameter::float4("Colorization", [0.0, 0.5, 1.0, 1.0]),
            Parameter::float4("UVOffset", [0.25, 0.5, 0.0, 0.0]),
        ]
    };
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    for (name, shader) in [
        ("Bump", "MeshBumpColorize.fx"),
        ("Glow", "MeshAdditive.fx"),
        ("Glass", "MeshAlpha.fx"),
        ("Leaf", "Tree.fx"),
        ("Again", "MeshBumpColorize.fx"),
    ] {
        let submesh = buffers.submesh(shader, "alD3dVertNU2U3U3", textures("bump.dds"));
        file.meshes.push(Mesh::new(name, 0, vec![submesh]));
    }
    let input = folder.write("Models/unit.alo", &write(&file).unwrap());
    for (name, sample) in [("crate.dds", "crate.dds"), ("bump.dds", "walker_bump.dds")] {
        let bytes = std::fs::read(samples().join("textures").join(sample)).unwrap();
        folder.write(&format!("Textures/{name}"), &bytes);
    }
    let model = folder.model(&input, &[]);
    let material = |name: &str| -> &Value {
        let mesh = model.named("meshes", name);
        let index = mesh["primitives"][0]["material"].as_u64().unwrap();
        &model.json["materials"][index as usize]
    };
    let bump = material("Bump");
    assert_eq!(bump, material("Again"));
    assert!(bump["normalTexture"].is_object() && bump["emissiveTexture"].is_object());
    let placed = &bump["pbrMetallicRoughness"]["baseColorTexture"]["extensions"];
    assert_eq!(
        placed["KHR_texture_transform"]["offset"],
        json!([0.25, 0.5])
    );
    assert_eq!(
        bump["extras"]["teamColor"]["defaultColor"],
        json!([0.0, 0.5, 1.0])
    );
    assert_eq!(bump["extras"]["shader"], "MeshBumpColorize.fx");
    assert_eq!(bump["extras"]["parameters"]["BaseTexture"], "crate.tga");
    let specular = &bump["extensions"]["KHR_materials_specular"];
    assert_eq!(
        specular["specularTexture"]["index"],
        bump["normalTexture"]["index"]
    );
    let glow = material("Glow");
    assert_eq!(
        (&glow["alphaMode"], &glow["extras"]["blend"]),
        (&json!("BLEND"), &json!("additive"))
    );
    assert!(glow["extensions"]["KHR_materials_unlit"].is_object());
    assert_eq!(material("Glass")["alphaMode"], "BLEND");
    assert_eq!(material("Leaf")["alphaMode"], "MASK");
    let images = model.json["images"].as_array().unwrap().iter();
    let images: Vec<&str> = images
        .map(|image| image["name"].as_str().unwrap())
        .collect();
    let expected = [
        "crate.dds",
        "bump.dds",
        "crate.dds team mask",
        "crate.dds additive",
        // With alpha, for the glass and the leaf.
        "crate.dds#2",
    ];
    assert_eq!(images, expected);
    // The alpha of opaque materials is the team mask, which is an image of its own.
    let team = &bump["extras"]["teamColor"];
    assert_eq!(team["mask"], "crate.dds team mask");
    let source = &model.json["textures"][team["texture"].as_u64().unwrap() as usize]["source"];
    assert_eq!(*source, 2);
    for (image, has_alpha) in [(0, false), (2, false), (4, true)] {
        // The color type of a PNG: 2 is RGB, 6 is RGBA.
        let color_type = model.image(image)[25];
        assert_eq!(color_type, if has_alpha { 6 } else { 2 }, "image {image}");
    }
}

#[test]
fn coarser_levels_are_placed_where_the_finest_one_is() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let buffers = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]);
    let submesh = || vec![buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![])];
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Fine", Some(0), [1.0, 0.0, 0.0]),
        Bone::new("Coarse", Some(0), [5.0, 2.0, 0.0]),
    ]);
    file.meshes = vec![
        Mesh::new("Hull_LOD0", 2, submesh()),
        Mesh::new("HULL_LOD1", 1, submesh()),
        Mesh::new("Other_LOD0", 2, submesh()),
    ];
    let input = folder.write("unit.alo", &write(&file).unwrap());
    let model = folder.model(&input, &["--visibility", "extension"]);
    let finest = model.named("nodes", "HULL_LOD1");
    let ids = finest["extensions"]["MSFT_lod"]["ids"].as_array().unwrap();
    assert_eq!(ids.len(), 1);
    let coarse = &model.json["nodes"][ids[0].as_u64().unwrap() as usize];
    assert_eq!(coarse["name"], "Hull_LOD0");
    assert_eq!(coarse["translation"], json!([4.0, 2.0, 0.0]));
    // A level without a finer one is a hidden part.
    let other = model.named("nodes", "Other_LOD0");
    assert_eq!(other["extensions"]["KHR_node_visibility"]["visible"], false);
    let model = folder.model(&input, &["--no-lods"]);
    let nodes = model.json["nodes"].as_array().unwrap();
    assert!(!nodes.iter().any(|node| node["name"] == "Hull_LOD0"));
}

#[test]
fn levels_that_differ_from_the_finest_one_are_not_lost() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let buffers = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]);
    let skinned = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]).with_palette(&[1]);
    let rigid = || vec![buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![])];
    let skin = || vec![skinned.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", vec![])];
    let mut hidden = Mesh::new("Flag_LOD0", 1, rigid());
    hidden.hidden = true;
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Bone", Some(0), [1.0, 0.0, 0.0]),
    ]);
    file.meshes = vec![
        Mesh::new("Hull_LOD1", 1, rigid()),
        Mesh::new("Hull_LOD0", 1, skin()),
        Mesh::new("Twin_LOD1", 1, rigid()),
        Mesh::new("Twin_LOD1", 0, rigid()),
        Mesh::new("Twin_LOD0", 1, rigid()),
        Mesh::new("Twin_LOD0", 0, rigid()),
        Mesh::new("Twin_LOD0", 0, rigid()),
        Mesh::new("Flag_LOD1", 1, rigid()),
        hidden,
    ];
    let input = folder.write("unit.alo", &write(&file).unwrap());
    let model = folder.model(&input, &["--visibility", "extension"]);
    let nodes = model.json["nodes"].as_array().unwrap();
    let indices = |name: &str| model.nodes_of(name);
    let ids = |node: usize| nodes[node]["extensions"]["MSFT_lod"]["ids"].clone();
    let is_hidden =
        |node: usize| nodes[node]["extensions"]["KHR_node_visibility"]["visible"] == false;
    // A skinned level does not replace a rigid one: it is a hidden part of the scene.
    let (fine, coarse) = (indices("Hull_LOD1")[0], indices("Hull_LOD0")[0]);
    assert!(ids(fine).is_null() && is_hidden(coarse));
    let scene = model.json["scenes"][0]["nodes"].as_array().unwrap();
    assert!(scene.contains(&json!(coarse)));
    // Meshes of one name have their own levels, and the third coarse one has no finer one.
    let (fine, coarse) = (indices("Twin_LOD1"), indices("Twin_LOD0"));
    assert_eq!((fine.len(), coarse.len()), (2, 3));
    for (fine, coarse) in fine.iter().zip(&coarse) {
        assert_eq!(ids(*fine), json!([coarse]));
        assert!(!is_hidden(*coarse));
    }
    assert!(is_hidden(coarse[2]));
    // Only the coarser level is hidden.
    let (fine, coarse) = (indices("Flag_LOD1")[0], indices("Flag_LOD0")[0]);
    assert_eq!(ids(fine), json!([coarse]));
    assert!(!is_hidden(fine) && is_hidden(coarse));

    let model = folder.model(&input, &["--no-lods"]);
    let nodes = model.json["nodes"].as_array().unwrap();
    let is_coarse = |node: &Value| node["name"].as_str().unwrap().ends_with("_LOD0");
    assert!(!nodes.iter().any(is_coarse));
}

#[test]
fn clips_that_do_not_match_are_warnings() {
    let folder = Folder::new();
    let file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    folder.write("unit.alo", &write(&file).unwrap());
    folder.write("unit_BROKEN_00.ala", b"no animation");
    let mut moved = BoneTracks::new("Elsewhere", 0, [0.0; 3]);
    moved.translation = Vectors::from_frames(&[[0.0; 3], [1.0; 3]]);
    let clip = AlaDocument {
        version: 2,
        frames: 2,
        fps: 10.0,
        bones: vec![moved, BoneTracks::new("Far", 7, [0.0; 3])],
    };
    folder.write("more/unit_MOVE_00.ala", &write_ala(&clip).unwrap());
    let text = folder.convert(&["unit.alo", "a.glb", "--animations", "more"]);
    for expected in [
        "unit_BROKEN_00.ala",
        "bone 0 is \"Elsewhere\" in the animation, but \"Root\" in the model",
        "bone 7, \"Far\", is missing from the model",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let model = Model::read(&folder.path("a.glb"));
    // The clip keeps its duration.
    let clips: BTreeMap<String, f32> = model.clips();
    assert_eq!(clips, BTreeMap::from([("MOVE_00".to_owned(), 0.1)]));
}

#[test]
fn particle_systems_are_values() {
    let folder = Folder::new();
    let input = folder.write("p_fire.alo", &particles::full());
    let model = folder.model(&input, &[]);
    let file = particles::full();
    let file = classic_model_formats::particles::parse(&file).unwrap();
    let expected = serde_json::to_value(&file).unwrap();
    assert_eq!(model.json["nodes"][0]["extras"]["particles"], expected);
}

#[test]
fn lights_and_bones_of_damaged_values_are_finite() {
    let folder = Folder::new();
    let vertex = Vertex {
        bone_weights: [f32::MIN_POSITIVE; 4],
        ..alo_fixtures::square()[0]
    };
    let buffers = SubmeshBuffers::new(&[vertex; 3], &[[0, 1, 2]]).with_palette(&[0, 0]);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.bones[0].matrix = [[0.0, 0.0, 0.0, 1.0]; 3];
    file.meshes = vec![Mesh::new(
        "Flat",
        0,
        vec![buffers.submesh("RSkinGloss.fx", "alD3dVertB4I4NU2", vec![])],
    )];
    file.lights = vec![Light {
        name: "Lamp".into(),
        bone: None,
        kind: 2,
        color: [-1.0, 5.0, 0.5],
        intensity: -3.0,
        far_attenuation_end: -5.0,
        far_attenuation_start: 9.0,
        hotspot: 9.0,
        falloff: -9.0,
    }];
    let input = folder.write("unit.alo", &write(&file).unwrap());
    let model = folder.model(&input, &NO_LODS);
    let positions = model.positions(None, 0.0);
    assert!(
        positions
            .values()
            .flatten()
            .all(|position| position.is_finite())
    );
}

#[test]
fn names_are_unique_and_clips_move_each_bone_alone() {
    let folder = Folder::new();
    for (name, bytes) in export::twins() {
        folder.write(name, &bytes);
    }
    let model = folder.model(&folder.path("twins.alo"), &[]);
    for kind in ["nodes", "meshes", "materials", "animations"] {
        let objects = model.json[kind].as_array().unwrap();
        let names: BTreeSet<&str> = objects
            .iter()
            .filter_map(|it| it["name"].as_str())
            .collect();
        assert_eq!(names.len(), objects.len(), "{kind}");
    }
    let names = model.json["nodes"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "twins",
            "Root",
            "barrel",
            "barrel#2",
            "barrel mesh",
            "barrel mesh#2"
        ]
    );
    assert_eq!(model.json["nodes"][3]["extras"]["name"], "barrel");
    let channels = model.json["animations"][0]["channels"].as_array().unwrap();
    let moved = channels
        .iter()
        .map(|channel| channel["target"]["node"].as_u64().unwrap());
    assert_eq!(moved.collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn skinned_vertices_have_the_axes_of_the_scene() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let skinned = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]).with_palette(&[1]);
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Bone", Some(0), [1.0, 2.0, 3.0]),
    ]);
    let submesh = skinned.submesh("RSkinBumpColorize.fx", "alD3dVertRSkinNU2U3U3", vec![]);
    file.meshes = vec![Mesh::new("Cape", 0, vec![submesh])];
    let input = folder.write("unit.alo", &write(&file).unwrap());
    let model = folder.model(&input, &["--scale", "2"]);
    let primitive = &model.named("meshes", "Cape")["primitives"][0]["attributes"];
    let read = |name: &str| model.floats(primitive[name].as_u64().unwrap() as usize);
    // (x, y, z) becomes (x, z, -y), two times as large.
    let [x, y, z] = square[1].position;
    let expected = Vec3::new(2.0 * x, 2.0 * z, -2.0 * y);
    for (name, vertex, stride, expected) in [
        ("POSITION", 1, 3, expected),
        ("NORMAL", 0, 3, Vec3::Z),
        ("TANGENT", 0, 4, Vec3::X),
    ] {
        let found = Vec3::from_slice(&read(name)[stride * vertex..]);
        assert!(found.distance(expected) < 1e-5, "{name}: {found}");
    }
    let found = &model.positions(None, 0.0)["Cape"];
    assert!(found[1].distance(expected) < 1e-5);
}
