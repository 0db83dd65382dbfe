//! The heap use of loading MDL models, counted by the allocator in a separate process.

use crate::support::app::TestApp;
use crate::support::corpus_mdl;
use crate::support::heap::{peak, run_in_own_process};
use crate::support::mdl::{figure, st, tetrahedron, wide_tetrahedron};
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::mdl::write::{FrameDocument, MdlDocument, SkinDocument};
use bevy_classic_models::quake::mdl::{Precision, TriVertex};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};

/// The documented limit: `FACTOR` × the file size + `CONSTANT` bytes.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

#[test]
fn heap_use_stays_below_the_documented_limit() {
    run_in_own_process("mdl::heap::measured_in_own_process");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn measured_in_own_process() {
    let mut files = corpus_mdl("heap_use_stays_below_the_documented_limit");
    files.extend(adversarial_files());
    println!(
        "{:24} {:>10} {:>12} {:>12}",
        "file", "bytes", "× converted", "× loaded"
    );
    for (name, bytes) in files {
        let converted = peak(|| {
            // The bytes of the file count while it loads.
            let bytes = bytes.clone();
            let settings = MdlLoaderSettings::default();
            let loaded = ConvertedMdl::load(&bytes, &settings, &Palette::default());
            drop(loaded);
        });
        let path: &'static str = name.clone().leak();
        let mut app = TestApp::new(&[(path, bytes.clone())]);
        for _ in 0..8 {
            app.step(0.0);
        }
        let loaded = peak(|| {
            let handle = app.load::<Mdl>(path);
            _ = app.finish_load(&handle);
            // The assets stay in the app, so they are part of the peak.
        });
        let factor = |peak: usize| peak as f64 / bytes.len() as f64;
        println!(
            "{name:24} {:10} {:12.2} {:12.2}",
            bytes.len(),
            factor(converted),
            factor(loaded)
        );
        let limit = FACTOR * bytes.len() + CONSTANT;
        assert!(converted <= limit, "{name}: {converted} bytes to convert");
        assert!(loaded <= limit, "{name}: {loaded} bytes to load");
    }
}

/// Files with the highest heap use for each byte, and files with wrong counts.
fn adversarial_files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("figure.mdl".into(), figure(Precision::Bits8).to_bytes()),
        (
            "wide-figure.mdl".into(),
            figure(Precision::Bits16).to_bytes(),
        ),
        (
            "many-frames.mdl".into(),
            many_frames(tetrahedron()).to_bytes(),
        ),
        (
            "many-frames-16.mdl".into(),
            many_frames(wide_tetrahedron()).to_bytes(),
        ),
        ("many-groups.mdl".into(), many_groups().to_bytes()),
        ("tiny-skins.mdl".into(), skins(96, 1).to_bytes()),
        ("small-skins.mdl".into(), skins(1000, 46).to_bytes()),
        ("one-vertex.mdl".into(), one_vertex().to_bytes()),
        ("seams.mdl".into(), seams().to_bytes()),
    ];
    for (field, name) in [
        (48, "skins"),
        (52, "width"),
        (60, "vertices"),
        (64, "triangles"),
        (68, "frames"),
    ] {
        let mut bytes = tetrahedron().to_bytes();
        bytes[field..field + 4].copy_from_slice(&(1_i32 << 24).to_le_bytes());
        files.push((format!("lying-{name}.mdl"), bytes));
    }
    files
}

fn many_frames(mut document: MdlDocument) -> MdlDocument {
    let mut frame = document.frames[0].clone();
    document.frames = (0..20_000_u32)
        .map(|index| {
            if let FrameDocument::Single(pose) = &mut frame {
                // Each name makes a separate clip, of bytes that take more space as UTF-8.
                pose.name = [0xff; 16];
                pose.name[..4].copy_from_slice(&index.to_le_bytes());
                pose.name[3] = b'x';
            }
            frame.clone()
        })
        .collect();
    document
}

fn many_groups() -> MdlDocument {
    let mut document = tetrahedron();
    let FrameDocument::Single(pose) = document.frames[0].clone() else {
        panic!("the fixture begins with a single frame");
    };
    let group = FrameDocument::Group {
        min: TriVertex::default(),
        max: TriVertex::default(),
        times: vec![0.1],
        poses: vec![pose],
    };
    document.frames = vec![group; 20_000];
    document
}

fn skins(count: usize, size: u32) -> MdlDocument {
    let mut document = tetrahedron();
    (document.header.skin_width, document.header.skin_height) = (size, size);
    // Full-bright texels, so that every skin has a second image.
    let image = vec![250; (size * size) as usize];
    document.skins = vec![SkinDocument::Single(image); count];
    document
}

/// The smallest possible poses.
fn one_vertex() -> MdlDocument {
    let mut document = many_frames(tetrahedron());
    document.st_vertices.truncate(1);
    document.triangles.truncate(1);
    document.triangles[0].vertices = [0.into(); 3];
    for frame in &mut document.frames {
        if let FrameDocument::Single(pose) = frame {
            pose.vertices.truncate(1);
        }
    }
    document
}

/// A model whose vertices are all split at the seam.
fn seams() -> MdlDocument {
    let mut document = tetrahedron();
    let vertices = 60_000;
    document.st_vertices = vec![st(1, 0, 0); vertices];
    document.triangles = (0..vertices as i32)
        .map(|at| crate::support::mdl::triangle(at % 2, [at, (at + 1) % 60_000, at]))
        .collect();
    document.frames.truncate(1);
    if let FrameDocument::Single(pose) = &mut document.frames[0] {
        pose.vertices = vec![TriVertex::default(); vertices];
    }
    document
}
