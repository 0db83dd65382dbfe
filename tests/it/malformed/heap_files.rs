//! Files built to maximize the heap that their loaders take.

use crate::support::mdl::{figure, st, triangle};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Light, Mesh, Proxy};
use bevy_classic_models::quake::mdl::TriVertex;

/// Files with the highest heap use for each byte, and files with wrong counts.
pub fn mdl_files() -> Vec<(String, Vec<u8>)> {
    let documents = [
        ("figure", figure(Precision::Bits8)),
        ("wide-figure", figure(Precision::Bits16)),
        ("many-frames", many_frames(tetrahedron())),
        ("many-frames-16", many_frames(wide_tetrahedron())),
        ("many-groups", many_groups()),
        ("tiny-skins", skins(96, 1)),
        ("small-skins", skins(1000, 46)),
        ("one-vertex", one_vertex()),
        ("seams", seams()),
    ];
    let named =
        |(name, document): (&str, MdlDocument)| (format!("{name}.mdl"), document.to_bytes());
    let mut files: Vec<_> = documents.into_iter().map(named).collect();
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
        .map(|at| triangle(at % 2, [at, (at + 1) % 60_000, at]))
        .collect();
    document.frames.truncate(1);
    if let FrameDocument::Single(pose) = &mut document.frames[0] {
        pose.vertices = vec![TriVertex::default(); vertices];
    }
    document
}

/// Files with as many elements of each kind as the limits for small files allow, each as small as possible.
pub fn alo_files_at_the_limits() -> Vec<(String, Vec<u8>)> {
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

/// Texts of manifests.
pub fn manifest_files() -> Vec<(String, Vec<u8>)> {
    let list = |field: &str, element: &str, count: usize| {
        format!("(model: \"a.mdl\", {field}: [{}])", element.repeat(count))
    };
    // The maximum length of a text is 1 << 20.
    let long = "x".repeat(1 << 19);
    // The maximum length of a list.
    let many = 1024;
    let named = |index: usize| format!("(name:\"{index}\",frames:(1,2)),");
    let named: String = (0..many).map(named).collect();
    let texts = [
        ("clips", list("clips", "(file:\"a\"),", many)),
        ("frames", list("clips", &named, 1)),
        (
            "events",
            list("events", "(clip:\"a\",frame:1,name:\"b\"),", many),
        ),
        ("too_many", list("clips", "(file:\"a\"),", 1 << 16)),
        ("attachments", list("attachments", "(model:\"a\"),", many)),
        ("empty", list("attachments", "(),", 1 << 18)),
        ("hidden", list("hidden", "\"\",", 1 << 18)),
        (
            "masks",
            format!(
                "(model: \"a.mdl\", masks: {{\"a\": [{}]}})",
                "\"\",".repeat(1 << 18)
            ),
        ),
        ("folders", list("texture_folders", "\"a\",", many)),
        ("distances", list("lod_distances", "1,", 1 << 18)),
        ("long_model", format!("(model: {long:?})")),
        (
            "long_name",
            format!("(model: \"a.mdl\", clips: [(name: {long:?}, clip: 0)])"),
        ),
        (
            "escapes",
            format!("(model: \"{}\")", "\\u{61}".repeat(1 << 16)),
        ),
        ("field", format!("({long}: 1)")),
        ("choice", format!("(model: \"a\", play: {long})")),
        ("blank", " ".repeat(1 << 20)),
        ("comments", "/* // */ ".repeat(1 << 16)),
        ("nested_comments", "/*".repeat(1 << 19)),
        ("open", "(".repeat(1 << 20)),
        (
            "deep",
            format!("(model: \"a\", play: {}", "(".repeat(1 << 19)),
        ),
        (
            "deep_lists",
            format!("(model: \"a\", hidden: {}", "[".repeat(1 << 19)),
        ),
        (
            "somes",
            format!("(model: \"a\", damage_stage: {}1", "Some(".repeat(1 << 17)),
        ),
        ("attributes", "#![enable(implicit_some)]".repeat(1 << 15)),
        (
            "number",
            format!("(model: \"a\", scale: {})", "1".repeat(1 << 19)),
        ),
        ("raw", format!("(model: r{}\"", "#".repeat(1 << 19))),
    ];
    let texts = texts.into_iter();
    texts
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .collect()
}
