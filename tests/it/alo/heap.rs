//! The heap that loading an Alamo model takes, on files made to cost as much of it as they can.

use crate::support::alo::corpus_alo;
use crate::support::alo_adversarial::adversarial_files;
use crate::support::app::TestApp;
use crate::support::heap::{peak, run_in_own_process};
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, Proxy, Vertex,
};
use bevy_classic_models::prelude::*;

#[test]
fn loading_keeps_the_promise_on_heap() {
    run_in_own_process("alo::heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut files = adversarial_files();
    files.extend(at_the_limits());
    files.extend(corpus_alo("loading_keeps_the_promise_on_heap"));
    println!("{:32} {:>10} {:>8}", "file", "bytes", "× loaded");
    let mut broken = Vec::new();
    for (name, bytes) in files {
        let path: &'static str = format!("{name}.alo").leak();
        let mut app = TestApp::new(&[(path, bytes.clone())]);
        for _ in 0..8 {
            app.step(0.0);
        }
        let taken = peak(|| {
            let handle = app.load::<Alo>(path);
            _ = app.finish_load(&handle);
            // The assets stay in the app, which is not part of the promise, but of the peak.
        });
        let factor = taken as f64 / bytes.len() as f64;
        println!("{name:32} {:10} {factor:8.2}", bytes.len());
        if taken > 16 * bytes.len() + (1 << 20) {
            broken.push(format!("{name}: {taken} bytes to load {}", bytes.len()));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// As much of everything as a small file may have, and of each as little as there can be.
fn at_the_limits() -> Vec<(String, Vec<u8>)> {
    let corner = |x: f32| Vertex {
        position: [x, x * x, 1.0],
        ..Vertex::default()
    };
    let corners = [0.0, 1.0, 2.0].map(corner);
    let triangle = SubmeshBuffers::new(&corners, &[[0, 1, 2]])
        .with_v1_vertices()
        .with_palette(&[0])
        .with_tree();
    let submesh = |number: usize| {
        // A material of its own.
        let color = vec![Parameter::float4("Diffuse", [number as f32, 0.0, 0.0, 0.0])];
        triangle.submesh("SkinGloss.fx", "alD3dVertB4I4NU2U3U3C", color)
    };
    let empty = || AloFile::new(vec![Bone::new("", None, [0.0; 3])]);
    let mut all = empty();
    all.meshes = (0..128)
        .map(|number| Mesh::new("", 0, vec![submesh(number)]))
        .collect();
    let light = Light {
        name: "".into(),
        bone: Some(0),
        kind: 0,
        color: [1.0; 3],
        intensity: 1.0,
        far_attenuation_end: 1.0,
        far_attenuation_start: 1.0,
        hotspot: 1.0,
        falloff: 1.0,
    };
    all.lights = vec![light; 64];
    let proxy = Proxy {
        name: "".into(),
        bone: 0,
        hidden: None,
        alt_decrease_stay_hidden: None,
    };
    all.proxies = vec![proxy; 512];
    let dazzle = |number: usize| Dazzle {
        color: [1.0; 3],
        position: [0.0; 3],
        radius: 1.0,
        slot_x: 0,
        slot_y: 0,
        num_slots: 1,
        texture: "".into(),
        frequency: 0.0,
        phase: 0.0,
        night_only: false,
        bone: 0,
        name: number.to_string().into(),
        is_hidden: false,
        bias: None,
    };
    all.version = 2;
    all.dazzles = (0..32).map(dazzle).collect();
    let all = write(&all).unwrap();
    // As many sub-meshes as a larger file may have.
    let mut larger = empty();
    larger.meshes = (0..160)
        .map(|number| Mesh::new("", 0, vec![submesh(number)]))
        .collect();
    let larger = write(&larger).unwrap();
    vec![
        ("all-limits".into(), all),
        ("submeshes-limit".into(), larger),
    ]
}
