//! The heap that LithTech models and pictures take while they are parsed and loaded, on files made to cost as
//! much of it as they can.

use crate::heap::{Loadable, Measured, alone};
use crate::support::abc::{NOT_TURNED, banner, bytes, figure, node, track, vertex};
use crate::support::{corpus, files_of};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcContents;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, KeyframeDocument, NodeDocument, TrackDocument, write_unchecked,
};
use bevy_classic_models::lithtech::abc::{Triangle, node_flags, parse};
use bevy_classic_models::lithtech::dtx::write::{self as dtx, DtxDocument};
use bevy_classic_models::lithtech::dtx::{self as pictures, DtxTexels};
use bevy_classic_models::prelude::*;
use bevy_classic_models::texture::ClassicImageSettings;
use zerocopy::little_endian::{F32, U16};

/// The promise: so many times the file, and so much more.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;
/// Half of it leaves as much again to what is made of the model.
const PARSE_FACTOR: usize = 8;
const PARSE_CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("abc_heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut measured = Measured::new(PARSE_FACTOR, PARSE_CONSTANT);
    let folder = corpus("parsing_takes_little_heap");
    let real = |extension: &str| folder.as_deref().map(|it| files_of(it, extension));
    for (name, bytes) in adversaries()
        .into_iter()
        .chain(real("abc").unwrap_or_default())
    {
        measured.take(&name, bytes.len(), || {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
    }
    for (name, bytes) in adverse_pictures()
        .into_iter()
        .chain(real("dtx").unwrap_or_default())
    {
        measured.take(&name, bytes.len(), || {
            let bytes = bytes.clone();
            let _ = pictures::parse(&bytes);
        });
    }
    measured.finish();
}

#[test]
fn loading_keeps_the_promise_on_heap() {
    alone("abc_heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut measured = Measured::new(FACTOR, CONSTANT);
    for (name, bytes) in adversaries() {
        measured.load::<Abc>(&format!("{name}.abc"), bytes.clone(), |_| {});
        let rigid = |settings: &mut AbcLoaderSettings| settings.rigid = true;
        measured.load::<Abc>(&format!("{name}-rigid.abc"), bytes, rigid);
    }
    if let Some(folder) = corpus("loading_keeps_the_promise_on_heap") {
        for (name, bytes) in files_of(&folder, "abc") {
            measured.load::<Abc>(&name, bytes, |_: &mut AbcLoaderSettings| {});
        }
    }
    measured.finish();
}

#[test]
fn loading_pictures_keeps_the_promise_on_heap() {
    alone("abc_heap::pictures_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn pictures_measured_alone() {
    let mut measured = Measured::new(FACTOR, CONSTANT);
    let none = |_: &mut ClassicImageSettings| {};
    for (name, bytes) in adverse_pictures() {
        measured.load::<Image>(&name, bytes, none);
    }
    if let Some(folder) = corpus("loading_pictures_keeps_the_promise_on_heap") {
        for (name, bytes) in files_of(&folder, "dtx") {
            measured.load::<Image>(&name, bytes, none);
        }
    }
    measured.finish();
}

impl Loadable for Abc {
    type Settings = AbcLoaderSettings;
}

impl Loadable for Image {
    type Settings = ClassicImageSettings;
}

/// Files that cost as much as they can of what is made of them, and files that lie about their counts.
fn adversaries() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("figure".to_owned(), bytes(&figure())),
        ("banner".to_owned(), bytes(&banner())),
        ("corners".to_owned(), corners(20_000, false)),
        ("corners-at-all-levels".to_owned(), corners(20_000, true)),
        ("many-corners".to_owned(), corners(70_000, true)),
        ("nodes-with-levels".to_owned(), many_nodes(255, 0)),
        (
            "reflecting-nodes".to_owned(),
            many_nodes(255, node_flags::ENVIRONMENT_MAP),
        ),
        (
            "deforming-nodes".to_owned(),
            many_nodes(255, node_flags::DEFORMATION),
        ),
        ("deforming".to_owned(), deforming(1100, 60, 0)),
        ("deforming-levels".to_owned(), deforming(1100, 60, 1000)),
        ("deforming-long".to_owned(), deforming(60, 2000, 0)),
        (
            "deforming-long-levels".to_owned(),
            deforming(4, 2000, 20_000),
        ),
        ("deforming-twice".to_owned(), deforming_twice()),
        ("animations".to_owned(), animations(512, 1, "a")),
        (
            "animations-not-utf8".to_owned(),
            not_utf8(animations(400, 1, &"~".repeat(2000))),
        ),
        ("nodes".to_owned(), flat(1024, "")),
        (
            "nodes-not-utf8".to_owned(),
            not_utf8(flat(1000, &"~".repeat(3000))),
        ),
        ("strings".to_owned(), strings(4096, "x")),
        (
            "strings-not-utf8".to_owned(),
            not_utf8(strings(4000, &"~".repeat(500))),
        ),
        ("too-many-nodes".to_owned(), flat(60_000, "")),
        ("too-many-animations".to_owned(), animations(60_000, 1, "")),
        ("too-many-strings".to_owned(), strings(60_000, "x")),
        ("animations-of-nothing".to_owned(), animations(500, 0, "")),
    ];
    let good = bytes(&figure());
    for at in (0..good.len() - 4).step_by(2) {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&(1_i32 << 24).to_le_bytes());
        // Most are refused, and all of them are small.
        if at % 50 == 0 {
            files.push((format!("lying-{at}"), bytes));
        }
    }
    files
}

/// Nothing but a root, and a triangle on it.
fn least() -> AbcDocument {
    let mut model = AbcDocument {
        nodes: vec![node("", 0, node_flags::TRIANGLES, 0)],
        animations: vec![still(1)],
        ..AbcDocument::default()
    };
    model.geometry.base_vertices = 3;
    model.geometry.vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        .map(|place| vertex(place, [0, 0, 127], 0, [0; 2]))
        .into();
    model.geometry.triangles = vec![corner([0, 1, 2], 0)];
    model
}

/// A moment in which all nodes rest.
fn still(nodes: usize) -> AnimationDocument {
    AnimationDocument {
        keyframes: vec![KeyframeDocument::default()],
        tracks: vec![track(&[([0.0; 3], NOT_TURNED)]); nodes],
        ..AnimationDocument::default()
    }
}

/// A triangle whose texture coordinates no other has.
fn corner(vertices: [u16; 3], number: usize) -> Triangle {
    Triangle {
        uvs: [0, 1, 2].map(|corner| [number, corner].map(|it| F32::new(it as f32))),
        vertices: vertices.map(U16::new),
        normal: [0; 3],
    }
}

/// Triangles of which every corner becomes a vertex. With levels of detail, each keeps as many of them as
/// it may, and none of their vertices.
fn corners(count: usize, levels: bool) -> Vec<u8> {
    let mut model = least();
    let geometry = &mut model.geometry;
    // The triangles of each group have the same corners, and vanish together.
    let mut groups: [[u16; 3]; 4] = [0, 3, 6, 9].map(|first| [first, first + 1, first + 2]);
    let shares = [2, 4, 8, 8].map(|part| count / part);
    for (group, share) in groups.iter().zip(shares) {
        geometry
            .triangles
            .extend((0..share).map(|number| corner(*group, number)));
    }
    // Beside their corners there are some that levels can take for partners.
    let mut partners = 12..30;
    geometry.vertices = (0..partners.end)
        .map(|place| {
            vertex(
                [f32::from(place), f32::from(place * place), 0.0],
                [0; 3],
                0,
                [0; 2],
            )
        })
        .collect();
    geometry.base_vertices = partners.end.into();
    let mut replace = |a: u16, b: u16| {
        let added = geometry.vertices.len() as u16;
        geometry
            .vertices
            .push(vertex([0.5; 3], [0; 3], 0, [a.min(b), a.max(b)]));
        geometry.lod_starts.push(0);
        added
    };
    for gone in 0..if levels { 3 } else { 0 } {
        for corner in groups[gone + 1..].as_flattened_mut() {
            *corner = replace(*corner, partners.next().unwrap());
        }
        let [a, b, _] = groups[gone];
        replace(a, b);
    }
    write_unchecked(&model)
}

/// As many nodes with triangles as there can be, each of which has these flags and something left at four levels.
fn many_nodes(count: usize, flags: u8) -> Vec<u8> {
    let mut model = least();
    model.geometry = Default::default();
    model.nodes[0].children = count as u32;
    for index in 1..=count {
        let first = model.geometry.vertices.len() as u16;
        let mut node = node("", index as u16, node_flags::TRIANGLES | flags, 0);
        if flags & node_flags::DEFORMATION != 0 {
            node.deform_vertices = vec![first];
        }
        model.nodes.push(node);
        let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let vertices = places.map(|place| vertex(place, [0; 3], index, [0; 2]));
        model.geometry.vertices.extend(vertices);
        let corners = [first, first + 1, first + 2];
        model.geometry.triangles.push(corner(corners, index));
    }
    // The root has triangles besides, of which a part vanishes at each level.
    let first = model.geometry.vertices.len() as u16;
    let root = (0..9).map(|_| vertex([0.0; 3], [0; 3], 0, [0; 2]));
    model.geometry.vertices.extend(root);
    model.geometry.base_vertices = model.geometry.vertices.len() as u32;
    for (group, part) in [6, 3, 1].into_iter().enumerate() {
        let at = first + 3 * group as u16;
        let group = (0..part * count).map(|number| corner([at, at + 1, at + 2], number));
        model.geometry.triangles.extend(group);
        let added = vertex([0.5; 3], [0; 3], 0, [at, at + 1]);
        model.geometry.vertices.push(added);
    }
    model.geometry.lod_starts = vec![0; 4];
    let mut animation = still(count + 1);
    for (track, node) in animation.tracks.iter_mut().zip(&model.nodes) {
        track.deform = vec![[1; 3]; node.deform_vertices.len()];
    }
    model.animations = vec![animation];
    write_unchecked(&model)
}

#[test]
fn what_would_be_too_many_meshes_is_left_out_and_told_of_once() {
    for (flags, rigid, levels) in [
        (0, false, 4),
        (0, true, 1),
        (node_flags::SCROLL_U, false, 1),
        (node_flags::DEFORMATION, false, 2),
    ] {
        let deforms = flags == node_flags::DEFORMATION;
        let bytes = many_nodes(255, flags);
        let settings = AbcLoaderSettings {
            rigid,
            ..AbcLoaderSettings::default()
        };
        let contents = AbcContents::load(&bytes, &settings).unwrap();
        assert_eq!(contents.levels.len(), levels);
        let told = |text: &str| {
            let warnings = contents.warnings.iter();
            warnings.filter(|it| it.message.contains(text)).count()
        };
        assert_eq!(told("levels of detail"), usize::from(levels < 4));
        assert_eq!(told("stand still"), usize::from(deforms));
        let most = 64 + bytes.len() / 4096;
        assert_eq!(contents.deforms.len(), if deforms { most } else { 0 });
    }
}

/// A node that deforms some vertices at many moments, and levels of detail that put others between them.
fn deforming(vertices: usize, keyframes: usize, levels: usize) -> Vec<u8> {
    let mut model = least();
    let geometry = &mut model.geometry;
    geometry.vertices = (0..vertices)
        .map(|place| vertex([place as f32; 3], [0; 3], 0, [0; 2]))
        .collect();
    // The chain of levels needs a vertex more for each.
    let partner = |level: usize| vertices + level;
    geometry
        .vertices
        .extend((0..levels).map(|_| vertex([0.0; 3], [0; 3], 0, [0; 2])));
    geometry.base_vertices = geometry.vertices.len() as u32;
    for level in 0..levels {
        let last = match level {
            0 => 0,
            level => geometry.base_vertices as usize + level - 1,
        };
        let pair = [partner(level).min(last), partner(level).max(last)];
        geometry
            .vertices
            .push(vertex([0.0; 3], [0; 3], 0, pair.map(|it| it as u16)));
        geometry.lod_starts.push(1);
    }
    geometry.triangles = (0..vertices as u16 - 2)
        .map(|at| corner([at, at + 1, at + 2], 0))
        .collect();
    model.nodes[0].deform_vertices = (0..vertices as u16).collect();
    model.animations = vec![moving(&model.nodes, keyframes)];
    write_unchecked(&model)
}

/// An animation in which the vertices of all nodes deform.
fn moving(nodes: &[NodeDocument], keyframes: usize) -> AnimationDocument {
    let at = |time: usize| KeyframeDocument {
        time: time as u32,
        ..KeyframeDocument::default()
    };
    let tracks = nodes.iter().map(|node| TrackDocument {
        deform: vec![[7, 8, 9]; keyframes * node.deform_vertices.len()],
        deform_scale: [1.0; 3],
        ..track(&vec![([0.0; 3], NOT_TURNED); keyframes])
    });
    AnimationDocument {
        keyframes: (0..keyframes).map(at).collect(),
        tracks: tracks.collect(),
        ..AnimationDocument::default()
    }
}

/// A vertex that is listed very often, in a model that never moves.
fn deforming_twice() -> Vec<u8> {
    let mut model = least();
    model.nodes[0].deform_vertices = vec![0; 500_000];
    model.animations = vec![moving(&model.nodes, 0)];
    write_unchecked(&model)
}

fn animations(count: usize, keyframes: usize, name: &str) -> Vec<u8> {
    let mut model = least();
    model.animations = vec![moving(&model.nodes, keyframes); count];
    for (index, animation) in model.animations.iter_mut().enumerate() {
        animation.name = format!("{name}{index}");
    }
    write_unchecked(&model)
}

fn flat(count: usize, name: &str) -> Vec<u8> {
    let mut model = least();
    model.nodes[0].children = count as u32 - 1;
    let leaf = |index: usize| node(&format!("{name}{index}"), index as u16, 0, 0);
    model.nodes.extend((1..count).map(leaf));
    model.animations = vec![still(count)];
    write_unchecked(&model)
}

fn strings(count: usize, event: &str) -> Vec<u8> {
    let mut model = least();
    model.animations = vec![moving(&model.nodes, count)];
    for keyframe in &mut model.animations[0].keyframes {
        keyframe.event = event.to_owned();
    }
    write_unchecked(&model)
}

/// With bytes that grow when they are made text in the place of every `~`.
fn not_utf8(mut bytes: Vec<u8>) -> Vec<u8> {
    for byte in &mut bytes {
        if *byte == b'~' {
            *byte = 0xFF;
        }
    }
    bytes
}

/// Pictures of all versions and forms, large and small, and DDS pictures that must be decoded.
fn adverse_pictures() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for side in [8, 64, 1000, 2048] {
        let indices = vec![3; usize::from(side) * usize::from(side)];
        let plain = DtxDocument::indexed(side, side, &[], &indices);
        let alpha = plain.clone().with_alpha(&indices);
        let second = DtxDocument {
            version: -2,
            ..alpha.clone()
        };
        for (name, picture) in [("plain", plain), ("alpha", alpha), ("second", second)] {
            files.push((format!("{name}-{side}.dtx"), dtx::write_unchecked(&picture)));
        }
        for (name, texels) in [
            ("bgra", DtxTexels::Bgra8),
            ("bc1", DtxTexels::Bc1),
            ("bc2", DtxTexels::Bc2),
            ("bc3", DtxTexels::Bc3),
        ] {
            for mips in [1, 8] {
                let bytes = fifth(texels, side, mips);
                files.push((format!("{name}-{side}-{mips}.dtx"), bytes));
            }
        }
    }
    for (name, code, bits) in [
        ("dxt1", b"DXT1", 4),
        ("dxt3", b"DXT3", 8),
        ("dxt5", b"DXT5", 8),
        ("ati1", b"ATI1", 4),
        ("ati2", b"ATI2", 8),
    ] {
        for mips in [1, 8] {
            files.push((format!("{name}-{mips}.dds"), dds(code, bits, mips)));
        }
    }
    files
}

fn fifth(texels: DtxTexels, side: u16, mips: u16) -> Vec<u8> {
    let mut picture = DtxDocument {
        version: -5,
        width: side,
        height: side,
        mips,
        palette: Vec::new(),
        ..DtxDocument::indexed(8, 8, &[], &[0; 64])
    };
    picture.extra[2] = texels.code();
    let sides = (0..mips).map(|mip| u32::from(side >> mip));
    let lengths = sides.map(|side| texels.level_bytes(side, side));
    picture.levels = lengths.map(|length| vec![0x5A; length as usize]).collect();
    dtx::write_unchecked(&picture)
}

/// A square picture of blocks.
fn dds(code: &[u8; 4], bits: u32, mips: u32) -> Vec<u8> {
    const SIDE: u32 = 1024;
    let mut words = vec![124, 0x2_1007, SIDE, SIDE, 0, 0, mips];
    words.extend([0; 11]);
    words.extend([32, 4, u32::from_le_bytes(*code), 0, 0, 0, 0, 0]);
    words.extend([0x40_1008, 0, 0, 0, 0]);
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    let mut bytes: Vec<u8> = b"DDS ".iter().copied().chain(words).collect();
    let sides = (0..mips).map(|mip| (SIDE >> mip).next_multiple_of(4));
    let length: u32 = sides.map(|side| side * side * bits / 8).sum();
    bytes.resize(bytes.len() + length as usize, 0x5A);
    bytes
}
