//! The heap use of loading MDL models, counted by the allocator in a separate process.

use crate::support::corpus_mdl;
use crate::support::heap::{HeapBudget, Loadable, Outcome, measure_load, run_in_own_process};
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
    let mut budget = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in files {
        let expected = Outcome::rejected_if(name.starts_with("lying-"));
        budget.take(&format!("{name} converted"), bytes.len(), expected, || {
            // The bytes of the file count while it loads.
            let bytes = bytes.clone();
            let settings = MdlLoaderSettings::default();
            let converted = ConvertedMdl::load(&bytes, &settings, &Palette::default());
            converted.map(drop).map_err(|error| error.to_string())
        });
        measure_load::<Mdl>(&mut budget, &name, bytes, expected, |_| {});
    }
    budget.finish();
}

impl Loadable for Mdl {
    type Settings = MdlLoaderSettings;
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
