//! Peak heap while an Alamo model loads, measured on files built to maximize it.

use crate::support::alo::corpus_alo;
use crate::support::alo_adversarial::{adversarial_files, parse_outcome};
use crate::support::heap::{HeapBudget, Loadable, Outcome, measure_load, run_in_own_process};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, Proxy, Vertex,
};
use bevy_classic_models::alamo::{Alo, AloLoaderSettings};
use classic_models_fixtures::particles_adversarial;

/// The heap limit in bytes: `FACTOR` × the file's size + `CONSTANT`.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

#[test]
fn model_loads_stay_within_the_heap_limit() {
    run_in_own_process("alo::heap::model_loads_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn model_loads_in_own_process() {
    let mut budget = HeapBudget::new(FACTOR, CONSTANT);
    let mut files = adversarial_files();
    files.extend(files_at_the_limits());
    files.extend(corpus_alo("model_loads_stay_within_the_heap_limit"));
    for (name, bytes) in files {
        let path = format!("{name}.alo");
        measure_load::<Alo>(&mut budget, &path, bytes, load_outcome(&name), |_| {});
    }
    for (name, bytes) in particles_adversarial::adversarial_files() {
        let path = format!("particles, {name}.alo");
        let expected = Outcome::rejected_if(name == "two billion bytes");
        measure_load::<Alo>(&mut budget, &path, bytes, expected, |_| {});
    }
    budget.finish();
}

/// The outcome of loading a file.
fn load_outcome(name: &str) -> Outcome {
    let exceeds_limits = [
        "bones",
        "meshes",
        "lights",
        "meshes-and-lights",
        "submeshes",
        "proxies",
        "dazzles",
        "proxy-names-not-utf8",
    ];
    match exceeds_limits.contains(&name) {
        true => Outcome::Rejected,
        false => parse_outcome(name),
    }
}

impl Loadable for Alo {
    type Settings = AloLoaderSettings;
}

/// Files with as many elements of each kind as the limits for small files allow, each as small as possible.
fn files_at_the_limits() -> Vec<(String, Vec<u8>)> {
    let corner = |x: f32| Vertex {
        position: [x, x * x, 1.0],
        ..Vertex::default()
    };
    let corners = [0.0, 1.0, 2.0].map(corner);
    let triangle = SubmeshBuffers::new(&corners, &[[0, 1, 2]])
        .with_v1_vertices()
        .with_palette(&[0])
        .with_tree();
    let submesh = |index: usize| {
        // Each sub-mesh has its own material.
        let color = vec![Parameter::float4("Diffuse", [index as f32, 0.0, 0.0, 0.0])];
        triangle.submesh("SkinGloss.fx", "alD3dVertB4I4NU2U3U3C", color)
    };
    let empty = || AloFile::new(vec![Bone::new("", None, [0.0; 3])]);
    let mut all = empty();
    all.meshes = (0..128)
        .map(|index| Mesh::new("", 0, vec![submesh(index)]))
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
    let dazzle = |index: usize| Dazzle {
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
        name: index.to_string().into(),
        is_hidden: false,
        bias: None,
    };
    all.version = 2;
    all.dazzles = (0..32).map(dazzle).collect();
    let all = write(&all).unwrap();
    // The limit of sub-meshes for a larger file.
    let mut larger = empty();
    larger.meshes = (0..160)
        .map(|index| Mesh::new("", 0, vec![submesh(index)]))
        .collect();
    let larger = write(&larger).unwrap();
    vec![
        ("all-limits".into(), all),
        ("submeshes-limit".into(), larger),
    ]
}
