//! The visibility of Alamo models: animated by pointers, or by scale.

use crate::Folder;
use crate::alo::bones_with_squares;
use crate::reader::Model;
use classic_model_formats::ala::write::{AlaDocument, BoneTracks, write as write_ala};
use classic_model_formats::ala::{self, bit};
use classic_model_formats::alo::write::{SubmeshBuffers, write};
use classic_model_formats::alo::{AloFile, Bone, Light, Mesh};
use classic_models_fixtures::{ala as ala_fixtures, alo as alo_fixtures, export};
use serde_json::json;

#[test]
fn visibility_is_animated_by_pointers() {
    let folder = Folder::new();
    let bytes = write(&bones_with_squares()).unwrap();
    let input = folder.write("unit.alo", &bytes);
    let clip_bytes = ala_fixtures::clean(2);
    folder.write("unit_MOVE_00.ala", &clip_bytes);
    let clip = ala::parse(&clip_bytes).unwrap();
    let model = folder.model(&input, &["--visibility", "extension"]);
    let used = model.json["extensionsUsed"].as_array().unwrap();
    for extension in ["KHR_node_visibility", "KHR_animation_pointer"] {
        assert!(used.contains(&json!(extension)));
    }
    let animation = model.named("animations", "MOVE_00");
    let mut pointers = 0;
    for channel in animation["channels"].as_array().unwrap() {
        if channel["target"]["path"] != "pointer" {
            continue;
        }
        assert!(channel["target"]["node"].is_null());
        let pointer = &channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"];
        let visible = model.json.pointer(pointer.as_str().unwrap());
        assert_eq!(visible, Some(&json!(true)), "the value at rest exists");
        let node: usize = pointer
            .as_str()
            .unwrap()
            .split('/')
            .nth(2)
            .unwrap()
            .parse()
            .unwrap();
        let name = model.json["nodes"][node]["name"].as_str().unwrap();
        let number: u32 = name.trim_start_matches("M_").parse().unwrap();
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["interpolation"], "STEP");
        let accessor = |key: &str| sampler[key].as_u64().unwrap() as usize;
        let times = model.floats(accessor("input"));
        let values = &model.bytes(accessor("output"))[..times.len()];
        for frame in 0..clip.frames {
            let is_visible = |number: u32| {
                let bone = clip
                    .bones
                    .iter()
                    .find(|bone| bone.index == number + 1)
                    .unwrap();
                bone.visibility.is_none_or(|bits| bit(bits, frame))
            };
            // Odd bones are below the even one before them, which does not hide them.
            let expected = is_visible(number);
            let seconds = frame as f32 / clip.fps + 1e-4;
            let key = times.partition_point(|time| *time <= seconds) - 1;
            assert_eq!(values[key] == 1, expected, "{name}, frame {frame}");
        }
        pointers += 1;
    }
    assert_eq!(pointers, 16, "bones with a track");
}

#[test]
fn lost_visibility_of_skinned_meshes_is_a_warning() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let rigid = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]);
    let skinned = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]).with_palette(&[1, 2]);
    let mut hidden = Bone::new("Hidden", Some(0), [0.0; 3]);
    hidden.visible = false;
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Shown", Some(0), [0.0; 3]),
        hidden,
    ]);
    let skin = || vec![skinned.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", vec![])];
    file.meshes = vec![
        Mesh::new("Cape", 1, skin()),
        Mesh::new("Wings", 2, skin()),
        Mesh::new("Belt", 0, skin()),
        Mesh::new(
            "Lamp",
            1,
            vec![rigid.submesh("MeshGloss.fx", "alD3dVertNU2", vec![])],
        ),
    ];
    folder.write("unit.alo", &write(&file).unwrap());
    let blinking = |name: &'static str, index| {
        let mut tracks = BoneTracks::new(name, index, [0.0; 3]);
        tracks.visibility = Some(vec![true, false, true]);
        tracks
    };
    let clip = AlaDocument {
        version: 2,
        frames: 3,
        fps: 10.0,
        bones: vec![blinking("Shown", 1), blinking("Hidden", 2)],
    };
    folder.write("unit_BLINK_00.ala", &write_ala(&clip).unwrap());

    let text = folder.convert(&["unit.alo", "a.glb"]);
    let lost = "is skinned, so its visibility cannot be animated by scale: it is";
    for expected in [
        format!("animation BLINK_00: mesh \"Cape\" {lost} always visible"),
        format!("animation BLINK_00: mesh \"Wings\" {lost} always hidden"),
    ] {
        assert!(text.contains(&expected), "{text}");
    }
    assert_eq!(text.matches(lost).count(), 2, "{text}");
    let model = Model::read(&folder.path("a.glb"));
    let channels = model.json["animations"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 1, "the scale of the lamp");

    // The hidden mesh is outside of the scene, and nothing is lost on the way back.
    let wings = model.nodes_of("Wings")[0];
    assert!(model.json["nodes"][wings]["mesh"].is_number());
    let scene = model.json["scenes"][0]["nodes"].as_array().unwrap();
    assert!(!scene.iter().any(|node| node.as_u64() == Some(wings as u64)));
    folder.convert(&["a.glb", "back/unit.alo"]);
    let bytes = std::fs::read(folder.path("back/unit.alo")).unwrap();
    let back = classic_model_formats::alo::parse(&bytes).unwrap();
    let meshes: Vec<_> = back.meshes.iter().map(|it| (&*it.name, it.bone)).collect();
    let expected = [("Cape", 1), ("Wings", 2), ("Belt", 0), ("Lamp", 1)];
    assert_eq!(meshes, expected.map(|(name, bone)| (name, Some(bone))));
    let bytes = std::fs::read(folder.path("back/unit_BLINK_00.ala")).unwrap();
    let clip = classic_model_formats::ala::parse(&bytes).unwrap();
    for bone in &clip.bones {
        assert_eq!(
            bone.visibility.map(|it| it[0] & 7),
            Some(0b101),
            "{}",
            bone.name
        );
    }

    let text = folder.convert(&["unit.alo", "b.glb", "--visibility", "extension"]);
    assert!(!text.contains("visib"), "{text}");
}

#[test]
fn coarser_levels_are_hidden_with_the_finest_one() {
    let folder = Folder::new();
    let square = alo_fixtures::square();
    let rigid = SubmeshBuffers::new(&square, &[[0, 1, 2], [0, 2, 3]]);
    let submesh = || vec![rigid.submesh("MeshGloss.fx", "alD3dVertNU2", vec![])];
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Fine", Some(0), [1.0, 0.0, 0.0]),
        Bone::new("Coarse", Some(0), [2.0, 0.0, 0.0]),
    ]);
    file.meshes = vec![
        Mesh::new("Hull_LOD1", 1, submesh()),
        Mesh::new("Hull_LOD0", 2, submesh()),
    ];
    folder.write("unit.alo", &write(&file).unwrap());
    let tracks = |name: &'static str, index, visible: [bool; 3]| {
        let mut tracks = BoneTracks::new(name, index, [0.0; 3]);
        tracks.visibility = Some(visible.to_vec());
        tracks
    };
    let clip = AlaDocument {
        version: 2,
        frames: 3,
        fps: 10.0,
        bones: vec![
            tracks("Fine", 1, [true, false, true]),
            tracks("Coarse", 2, [true, true, false]),
        ],
    };
    folder.write("unit_BLINK_00.ala", &write_ala(&clip).unwrap());
    folder.convert(&["unit.alo", "pointers.glb", "--visibility", "extension"]);
    folder.convert(&["unit.alo", "scales.glb"]);
    for file in ["pointers.glb", "scales.glb"] {
        let model = Model::read(&folder.path(file));
        let finest = model.named("nodes", "Hull_LOD1");
        let ids = finest["extensions"]["MSFT_lod"]["ids"].as_array().unwrap();
        let coarser = ids[0].as_u64().unwrap();
        let animation = model.named("animations", "BLINK_00");
        let channels = animation["channels"].as_array().unwrap();
        // Each level follows its own bone, although the coarser one is not in the scene.
        for (node, hidden_at) in [("Hull_LOD1", 0.1_f32), ("Hull_LOD0", 0.2)] {
            let nodes = model.json["nodes"].as_array().unwrap();
            let index = nodes.iter().position(|it| it["name"] == node).unwrap();
            let is_of_node = |channel: &&serde_json::Value| {
                let target = &channel["target"];
                let pointer = &target["extensions"]["KHR_animation_pointer"]["pointer"];
                let path = format!("/nodes/{index}/extensions/KHR_node_visibility/visible");
                match file {
                    "pointers.glb" => *pointer == json!(path),
                    _ => target["node"] == json!(index) && target["path"] == "scale",
                }
            };
            let channel = channels.iter().find(is_of_node);
            let channel = channel.unwrap_or_else(|| panic!("{file}: {node} in {channels:?}"));
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let times = model.floats(sampler["input"].as_u64().unwrap() as usize);
            assert_eq!(times[1], hidden_at, "{file}: {node}");
        }
        let coarse = &model.json["nodes"][coarser as usize];
        assert_eq!(coarse["name"], "Hull_LOD0", "{file}");
    }
}

#[test]
fn hidden_lights_are_left_out_if_visibility_is_a_scale() {
    let folder = Folder::new();
    let mut hidden = Bone::new("Hidden", Some(0), [0.0; 3]);
    hidden.visible = false;
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3]), hidden]);
    let light = |name: &'static str, bone| Light {
        name: name.into(),
        bone: Some(bone),
        kind: 0,
        color: [1.0; 3],
        intensity: 1.0,
        far_attenuation_end: 10.0,
        far_attenuation_start: 5.0,
        hotspot: 0.0,
        falloff: 0.0,
    };
    file.lights = vec![light("Lamp", 0), light("Fire", 1), light("Spark_ALT1", 0)];
    let input = folder.write("unit.alo", &write(&file).unwrap());
    for (options, lit) in [
        (&[][..], &["Lamp"][..]),
        (
            &["--visibility", "extension"],
            &["Lamp", "Fire", "Spark_ALT1"],
        ),
        (&["--no-lights"], &[]),
    ] {
        let model = folder.model(&input, options);
        let nodes = model.json["nodes"].as_array().unwrap().iter();
        let nodes = nodes.filter(|it| it["extensions"]["KHR_lights_punctual"].is_object());
        let names: Vec<_> = nodes.map(|node| node["name"].as_str().unwrap()).collect();
        assert_eq!(names, lit, "{options:?}");
    }
}

/// The scale of a node at a time of a clip. Panics if the clip does not animate it.
fn scale_at(model: &Model, clip: &str, node: usize, seconds: f32) -> f32 {
    let animation = model.named("animations", clip);
    let channels = animation["channels"].as_array().unwrap().iter();
    let mut channels = channels
        .filter(|it| it["target"]["path"] == "scale" && it["target"]["node"] == json!(node));
    let channel = channels.next();
    let channel = channel.unwrap_or_else(|| panic!("{clip} does not animate node {node}"));
    assert!(channels.next().is_none(), "one channel per node");
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let accessor = |key: &str| model.floats(sampler[key].as_u64().unwrap() as usize);
    let (times, values) = (accessor("input"), accessor("output"));
    values[3 * (times.partition_point(|time| *time <= seconds) - 1)]
}

/// Whether a clip shows a node, by the extension.
fn is_visible_in(model: &Model, clip: &str, node: usize) -> bool {
    let animation = model.named("animations", clip);
    let pointer = format!("/nodes/{node}/extensions/KHR_node_visibility/visible");
    let channels = animation["channels"].as_array().unwrap().iter();
    let mut channels = channels.filter(|it| {
        it["target"]["extensions"]["KHR_animation_pointer"]["pointer"] == json!(pointer)
    });
    let channel = channels.next().unwrap();
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    model.bytes(sampler["output"].as_u64().unwrap() as usize)[0] == 1
}

#[test]
fn each_clip_shows_or_hides_what_any_clip_does() {
    let folder = Folder::new();
    let files = export::hidden_parts();
    for (name, bytes) in &files {
        folder.write(name, bytes);
    }
    let input = folder.path("hidden.alo");
    let shown = [
        // The part, and whether it is shown in MOVE, in DIE and at rest.
        ("Hull", [true, false, true]),
        ("Wreck", [false, true, false]),
        ("Blade", [true, true, true]),
        ("Turret", [true, true, false]),
        ("Flag", [false, false, false]),
    ];
    let model = folder.model(&input, &[]);
    for (name, [moves, dies, rests]) in shown {
        let nodes = model.nodes_of(&format!("{name}Mesh"));
        let [node] = nodes[..] else {
            panic!("{name}: {nodes:?}")
        };
        let scale = model.json["nodes"][node]["scale"][0].as_f64();
        assert_eq!(scale.is_none_or(|it| it > 0.0), rests, "{name} at rest");
        if moves == rests && dies == rests {
            continue;
        }
        for (clip, expected) in [("MOVE_00", moves), ("DIE_00", dies)] {
            let scale = scale_at(&model, clip, node, 0.0);
            assert_eq!(scale > 0.0, expected, "{name} in {clip}");
        }
    }
    let model = folder.model(&input, &["--visibility", "extension"]);
    for (name, [moves, dies, rests]) in shown {
        let node = model.nodes_of(&format!("{name}Mesh"))[0];
        if moves != rests || dies != rests {
            assert_eq!(is_visible_in(&model, "MOVE_00", node), moves, "{name}");
            assert_eq!(is_visible_in(&model, "DIE_00", node), dies, "{name}");
        }
    }
}

#[test]
fn each_clip_moves_what_any_clip_moves() {
    let folder = Folder::new();
    for (name, bytes) in export::hidden_parts() {
        folder.write(name, &bytes);
    }
    let model = folder.model(&folder.path("hidden.alo"), &[]);
    // Only DIE moves the turret.
    let node = model.nodes_of("Turret")[0];
    for clip in ["DIE_00", "MOVE_00"] {
        let animation = model.named("animations", clip);
        let channels = animation["channels"].as_array().unwrap().iter();
        let mut targets = channels.map(|channel| &channel["target"]);
        let expected = json!({ "node": node, "path": "translation" });
        assert!(targets.any(|target| *target == expected), "{clip}");
    }
    let positions = |clip| model.positions(Some(clip), 0.1)["TurretMesh"].clone();
    assert_ne!(positions("DIE_00"), positions("MOVE_00"));
}
