//! The heap that parsing and loading an Alamo model take, on files made to cost as much of it as they
//! can.

use crate::heap::{alone, peak};
use crate::support::alo::{
    Body, Raw, clean, corpus_alo, data, minimal, patched, place, rearranged, with_data,
};
use crate::support::app::TestApp;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, Proxy, Vertex, parse,
};
use bevy_classic_models::prelude::*;

/// So many times the file, itself counted, leaves as much again to what is made of the model.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("alo_heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut files = adversaries();
    files.extend(corpus_alo("parsing_takes_little_heap"));
    println!("{:32} {:>10} {:>8}", "file", "bytes", "× parsed");
    for (name, bytes) in files {
        let taken = peak(|| {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
        let factor = taken as f64 / bytes.len() as f64;
        println!("{name:32} {:10} {factor:8.2}", bytes.len());
        let allowed = FACTOR * bytes.len() + CONSTANT;
        assert!(taken <= allowed, "{name}: {taken} of {allowed} bytes");
    }
}

#[test]
fn loading_keeps_the_promise_on_heap() {
    alone("alo_heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut files = adversaries();
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
            app.finish_load(&handle);
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
        .older()
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

const COUNT: usize = 30_000;

fn container(id: u32, chunks: Vec<Raw>) -> Raw {
    Raw {
        id,
        body: Body::Chunks(chunks),
    }
}

/// Each thing as often as a file of some length can have it, in as few bytes as it can be.
fn adversaries() -> Vec<(String, Vec<u8>)> {
    let floats = |count: usize| vec![0; 4 * count];
    let bone = |parent: i32| {
        let record = [&parent.to_le_bytes()[..], &floats(13)].concat();
        container(0x202, vec![data(0x203, &[]), data(0x205, &record)])
    };
    let submesh = [
        container(0x10100, vec![data(0x10101, &[])]),
        container(0x10000, vec![data(0x10001, &[0; 8])]),
    ];
    let mesh = container(0x400, vec![data(0x401, &[]), data(0x402, &floats(10))]);
    let light = container(0x1300, vec![data(0x1301, &[]), data(0x1302, &floats(9))]);
    let parameter = data(0x10105, &[1, 0, 2, 0]);
    let object = data(0x602, &[2, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0]);
    let proxy = data(0x603, &[5, 0, 6, 4, 0, 0, 0, 0]);
    let dazzle = data(0, &[5, 0, 10, 4, 0, 0, 0, 0, 11, 0]);
    let dazzle = container(0x604, vec![dazzle]);

    let base = minimal();
    let many = |path: &str, at: usize, chunks: &[Raw]| {
        let chunks = chunks.iter().cycle().take(COUNT).cloned();
        rearranged(&base, path, |there| {
            let last = there.split_off(at.min(there.len()));
            there.extend(chunks);
            there.extend(last);
        })
    };
    let counted =
        |bytes: Vec<u8>, offset: u64, count: u32| patched(&bytes, offset, &count.to_le_bytes());
    let announced = |bytes: Vec<u8>, counts: [u32; 3]| {
        let mut minis = Vec::new();
        for (id, count) in [1, 4, 9].into_iter().zip(counts) {
            minis.extend([id, 4]);
            minis.extend(count.to_le_bytes());
        }
        with_data(&bytes, "600/601", |data| *data = minis)
    };
    let count = COUNT as u32;
    let bones = many("200", 9, &[bone(-1)]);
    let bones_at = place(&bones, "200/201").body;
    let submeshes = many("400", 9, &submesh);
    let submeshes_at = place(&submeshes, "400/402").body;
    let long_names = |byte: u8| {
        rearranged(&base, "400", |chunks| {
            chunks[0] = data(0x401, &vec![byte; 1 << 20]);
        })
    };
    let bone_names = rearranged(&base, "200", |chunks| {
        for _ in 0..1000 {
            let record = [&(-1_i32).to_le_bytes()[..], &floats(13)].concat();
            let name = data(0x203, &[0xff; 1000]);
            chunks.push(container(0x202, vec![name, data(0x205, &record)]));
        }
    });
    let bone_names_at = place(&bone_names, "200/201").body;
    let proxy_names = {
        let mini = [&[5, 255][..], &[0xff; 255], &[6, 4, 0, 0, 0, 0]].concat();
        announced(many("600", 9, &[data(0x603, &mini)]), [1, count, 0])
    };
    // Headers alone: what is not there must not be made room for.
    let hollow = |path, id| many(path, 9, &[container(id, Vec::new())]);
    let files = [
        ("clean", clean()),
        ("bones", counted(bones, bones_at, count + 1)),
        ("meshes", many("", 1, std::slice::from_ref(&mesh))),
        ("lights", many("", 1, std::slice::from_ref(&light))),
        ("meshes-and-lights", many("", 1, &[mesh, light])),
        ("submeshes", counted(submeshes, submeshes_at, 1 + count / 2)),
        ("parameters", many("400/10100", 9, &[parameter])),
        (
            "objects",
            announced(many("600", 9, &[object]), [1 + count, 0, 0]),
        ),
        (
            "proxies",
            announced(many("600", 9, &[proxy]), [1, count, 0]),
        ),
        (
            "dazzles",
            announced(many("600", 9, &[dazzle]), [1, 0, count]),
        ),
        ("unknown", many("", 1, &[data(0x7777, &[])])),
        ("long-name-not-utf8", long_names(0xff)),
        ("long-name-of-controls", long_names(1)),
        (
            "bone-names-not-utf8",
            counted(bone_names, bone_names_at, 1001),
        ),
        ("proxy-names-not-utf8", proxy_names),
        ("hollow-bones", hollow("200", 0x202)),
        ("hollow-meshes", hollow("", 0x400)),
        ("hollow-submeshes", hollow("400", 0x10000)),
        (
            "hollow-parameters",
            many("400/10100", 9, &[data(0x10106, &[])]),
        ),
        ("hollow-proxies", many("600", 9, &[data(0x603, &[])])),
        ("hollow-dazzles", hollow("600", 0x604)),
    ];
    let refused = |name: &str| name.starts_with("hollow");
    let files = files.map(|(name, bytes)| {
        match parse(&bytes) {
            Ok(_) => assert!(!refused(name), "{name}"),
            Err(error) => assert!(refused(name), "{name}: {error}"),
        }
        (name.to_owned(), bytes)
    });
    files.into()
}
