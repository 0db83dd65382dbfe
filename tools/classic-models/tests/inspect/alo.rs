//! `inspect` on Alamo models.

use crate::{inspect, lines};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write_unchecked};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Dazzle, Light, Mesh, Proxy, Vertex};
use serde_json::{Value, json};

/// A triangle in front of the model, and a vertex with a non-finite position.
fn buffers() -> SubmeshBuffers {
    let vertex = |position| Vertex {
        position,
        normal: [0.0, -1.0, 0.0],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
        ..Vertex::default()
    };
    let positions = [
        [1.0, 2.0, 3.0],
        [2.0, 2.0, 3.0],
        [1.0, 2.0, 4.0],
        [900.0, f32::NAN, 0.0],
    ];
    SubmeshBuffers::new(&positions.map(vertex), &[[0, 1, 2]])
}

/// Four bones: one is rotated, and one is hidden and has a child.
fn bones() -> Vec<Bone<'static>> {
    let mut arm = Bone::new("Arm", Some(0), [10.0, 0.0, 0.0]);
    // A quarter turn about Z.
    arm.matrix[0][..2].copy_from_slice(&[0.0, -1.0]);
    arm.matrix[1][..2].copy_from_slice(&[1.0, 0.0]);
    let gone = Bone {
        visible: false,
        billboard: 3,
        ..Bone::new("Gone", Some(0), [0.0; 3])
    };
    vec![
        Bone::new("Root", None, [0.0; 3]),
        arm,
        gone,
        Bone::new("Below", Some(2), [0.0; 3]),
    ]
}

/// A model with two visible meshes: one is attached to the rotated bone, and one is skinned to it and attached to a bone
/// below a hidden one. All hidden meshes are far away.
fn model() -> Vec<u8> {
    let here = buffers();
    let skinned = buffers().with_palette(&[1]);
    let far = Vertex {
        position: [500.0; 3],
        ..Vertex::default()
    };
    let far = SubmeshBuffers::new(&[far; 3], &[[0, 1, 2]]);
    let format = "alD3dVertNU2";
    let drawn = |buffers| {
        [SubmeshBuffers::submesh(
            buffers,
            "MeshGloss.fx",
            format,
            vec![],
        )]
    };
    let mut file = AloFile::new(bones());
    let collision = far.submesh("MeshCollision.fx", format, vec![]);
    file.meshes = vec![
        Mesh::new("Hull_LOD1", 1, drawn(&here).into()),
        Mesh::new("Hull_LOD0", 1, drawn(&far).into()),
        Mesh::new("Wreck_ALT1", 1, drawn(&far).into()),
        Mesh::new("Skin", 3, drawn(&skinned).into()),
        Mesh::new("Coll", 0, vec![collision]),
        Mesh {
            hidden: true,
            bone: None,
            ..Mesh::new("Secret", 0, drawn(&far).into())
        },
        Mesh::new("Ghost", 2, drawn(&far).into()),
    ];
    file.lights = vec![Light {
        name: "Lamp".into(),
        bone: None,
        kind: 2,
        color: [1.0, 0.9, 0.8],
        intensity: 2.0,
        far_attenuation_end: 40.0,
        far_attenuation_start: 10.0,
        hotspot: 0.75,
        falloff: 0.785,
    }];
    file.proxies = vec![Proxy {
        name: "p_smoke_ALT1".into(),
        bone: 1,
        hidden: None,
        alt_decrease_stay_hidden: Some(true),
    }];
    file.version = 2;
    file.dazzles = vec![Dazzle {
        color: [1.0, 0.0, 0.5],
        position: [0.0, 0.0, 1.0],
        radius: 2.0,
        slot_x: 1,
        slot_y: 2,
        num_slots: 4,
        texture: "lamps.tga".into(),
        frequency: 1.5,
        phase: 0.25,
        night_only: true,
        bone: 1,
        name: "FC_lamp".into(),
        is_hidden: false,
        bias: None,
    }];
    write_unchecked(&file)
}

/// The expected JSON of a mesh with one sub-mesh.
fn mesh_json(name: &str, bone: u32, hidden: bool, submesh: [Value; 3]) -> Value {
    let [shader, vertices, palette] = submesh;
    json!({
        "name": name, "bone": bone, "hidden": hidden, "collidable": false,
        "submeshes": [{
            "shader": shader, "vertex_format": "alD3dVertNU2", "vertices": vertices,
            "triangles": 1, "palette": palette, "tree_nodes": 0,
        }],
    })
}

fn assert_near(value: &Value, expected: [f64; 3]) {
    for (axis, expected) in expected.into_iter().enumerate() {
        let number = value[axis].as_f64().unwrap();
        assert!((number - expected).abs() < 1e-5, "{value}");
    }
}

#[test]
fn json_describes_and_poses_alamo_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("good.alo"), model()).unwrap();
    std::fs::write(path("good #2"), model()).unwrap();
    let [good, odd] = ["good.alo", "good #2"].map(path);

    let output = inspect(&["--json", &good, &odd]);
    let objects = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{objects:?}");
    assert_eq!(objects[0]["posed"], objects[1]["posed"]);
    let mut object = objects[0].clone();
    let posed = object["posed"].take();
    // The bone rotates the first triangle. The skinned triangle is at its position in the file.
    assert_near(&posed["min"], [1.0, 3.0, -2.0]);
    assert_near(&posed["max"], [8.0, 4.0, -1.0]);
    assert_near(&posed["centroid"], [28.0 / 6.0, 20.0 / 6.0, -10.0 / 6.0]);

    let warnings = object["warnings"].take();
    assert!(warnings[0].as_str().unwrap().contains("not finite"));

    let gloss =
        |vertices: u32, palette: u32| ["MeshGloss.fx".into(), vertices.into(), palette.into()];
    let collision = ["MeshCollision.fx".into(), 3.into(), 0.into()];
    let bone = |name: &str, parent: i32, visible: bool, billboard: u32| json!({"name": name, "parent": parent, "visible": visible, "billboard": billboard});
    assert_eq!(
        object,
        json!({
            "file": good, "ok": true, "format": "alo", "version": 2,
            "bones": [
                bone("Root", -1, true, 0), bone("Arm", 0, true, 0),
                bone("Gone", 0, false, 3), bone("Below", 2, true, 0),
            ],
            "meshes": [
                mesh_json("Hull_LOD1", 1, false, gloss(4, 0)),
                mesh_json("Hull_LOD0", 1, false, gloss(3, 0)),
                mesh_json("Wreck_ALT1", 1, false, gloss(3, 0)),
                mesh_json("Skin", 3, false, gloss(4, 1)),
                mesh_json("Coll", 0, false, collision),
                mesh_json("Secret", 0, true, gloss(3, 0)),
                mesh_json("Ghost", 2, false, gloss(3, 0)),
            ],
            "lights": [{
                "name": "Lamp", "bone": 0, "type": 2, "color": [1.0, 0.9, 0.8], "intensity": 2.0,
                "far_attenuation_end": 40.0, "far_attenuation_start": 10.0,
                "hotspot": 0.75, "falloff": 0.785,
            }],
            "proxies": [{
                "name": "p_smoke_ALT1", "bone": 1, "hidden": false,
                "alt_decrease_stay_hidden": true,
            }],
            "dazzles": [{
                "name": "FC_lamp", "bone": 1, "color": [1.0, 0.0, 0.5], "position": [0.0, 0.0, 1.0],
                "radius": 2.0, "slot_x": 1, "slot_y": 2, "num_slots": 4, "texture": "lamps.tga",
                "frequency": 1.5, "phase": 0.25, "night_only": true, "is_hidden": false, "bias": 1.0,
            }],
            "warnings": null, "posed": null,
        })
    );
}

#[test]
fn empty_models_have_no_pose_and_missing_clips_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let bare = write_unchecked(&AloFile::new(bones()));
    std::fs::write(path("bare.alo"), bare).unwrap();
    // A file of lights only, which no known game has.
    std::fs::write(path("lights.alo"), [0, 0x13, 0, 0, 0, 0, 0, 0]).unwrap();
    std::fs::write(path("cut.alo"), &model()[..300]).unwrap();
    let [bare, lights, cut] = ["bare.alo", "lights.alo", "cut.alo"].map(path);

    let output = inspect(&["--json", &lights, &cut, &bare]);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    for object in &objects[..2] {
        assert_eq!(object["ok"], false, "{object}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("ALO: "), "{message}");
    }
    assert_eq!(objects[0]["error"]["offset"], 0);
    assert_eq!(objects[2]["ok"], true);
    assert_eq!(objects[2]["posed"], Value::Null);

    let output = inspect(&["--json", "--animation", "swim", &bare]);
    assert_eq!(output.status.code(), Some(1));
    let message = lines(&output)[0]["error"]["message"].to_string();
    assert!(message.contains("swim"), "{message}");
}
