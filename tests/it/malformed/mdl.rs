//! Malformed MDL files: every class of defect with its error kind or warning and its offset; truncation; bit flips.

use crate::support::mdl::Offsets;
use crate::support::prelude::*;
use bevy_classic_models::quake::mdl::Timing;
use bevy_classic_models::read::{Format, ParseError};
use classic_models_fixtures::error_kinds;
use classic_models_fixtures::malformed::{
    assert_cuts_are_errors, assert_parsed, case, for_each_flipped_bit,
};

fn load(bytes: &[u8]) -> Result<ConvertedMdl, ParseError> {
    ConvertedMdl::load(bytes, &MdlLoaderSettings::default(), &Palette::default())
}

error_kinds! {
    truncated: ErrorKind::Truncated { .. },
    bad_count: ErrorKind::BadCount { .. },
    bad_index: ErrorKind::IndexOutOfRange { element: "vertex", count: 4, .. },
    not_finite: ErrorKind::NotFinite,
    wrong_magic: ErrorKind::WrongMagic { .. },
    limit: ErrorKind::LimitExceeded { .. },
    version: ErrorKind::UnsupportedVersion { found: 3 | 7, supported: 6, .. },
}

/// The bytes of the tetrahedron, some of them replaced.
fn patched(at: u64, bytes: &[u8]) -> Vec<u8> {
    let mut file = tetrahedron().to_bytes();
    let at = at as usize;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn with_i32(at: u64, value: i32) -> Vec<u8> {
    patched(at, &value.to_le_bytes())
}

fn with_f32(at: u64, value: f32) -> Vec<u8> {
    patched(at, &value.to_le_bytes())
}

fn edited(edit: impl FnOnce(&mut MdlDocument)) -> Vec<u8> {
    let mut document = tetrahedron();
    edit(&mut document);
    document.to_bytes()
}

/// A table of malformed files.
#[derive(Default)]
struct Table {
    cases: Vec<Case>,
}

impl Table {
    fn add(&mut self, class: u32, name: &str, bytes: impl Into<Vec<u8>>, expect: Expect) {
        self.cases.push(case(class, name, bytes, expect));
    }

    /// Adds the tetrahedron with other bytes at an offset.
    fn patch(&mut self, class: u32, name: &str, at: u64, bytes: &[u8], expect: Expect) {
        self.add(class, name, patched(at, bytes), expect);
    }

    fn int(&mut self, class: u32, name: &str, at: u64, value: i32, expect: Expect) {
        self.patch(class, name, at, &value.to_le_bytes(), expect);
    }

    fn float(&mut self, class: u32, name: &str, at: u64, value: f32, expect: Expect) {
        self.patch(class, name, at, &value.to_le_bytes(), expect);
    }
}

/// An error of this kind at an offset.
fn reject(kind: fn(&ErrorKind) -> bool, offset: u64) -> Expect {
    Reject(kind, offset)
}

fn cases() -> Vec<Case> {
    let mut table = Table::default();
    header_cases(&mut table);
    foreign_cases(&mut table);
    skin_cases(&mut table);
    surface_cases(&mut table);
    frame_cases(&mut table);
    table.cases
}

fn header_cases(table: &mut Table) {
    let at = Offsets::of(&tetrahedron());
    let trailing = |tail: &[u8]| [&tetrahedron().to_bytes()[..], tail].concat();
    let short = tetrahedron().to_bytes()[..83].to_vec();
    let tail = Warn("12 trailing bytes", at.end);
    let infinity = f32::INFINITY;
    let too_many = (1 << 24) + 1;
    let no_vertices = reject(truncated, at.st_vertices);
    let no_triangles = reject(truncated, at.triangles);
    let no_images = reject(bad_count, at.st_vertices + 4);
    table.add(1, "empty", vec![], Reject(truncated, 0));
    table.add(1, "three bytes", b"IDP".to_vec(), Reject(truncated, 0));
    table.add(1, "magic only", b"IDPO".to_vec(), Reject(truncated, 4));
    table.add(1, "header one byte short", short, Reject(truncated, 0));
    table.add(4, "trailing bytes", trailing(b"QME and more"), tail);
    table.add(4, "an editor's data", trailing(b"QMEX and more"), Silent);
    table.add(4, "an editor's mark", trailing(b"QMEX"), Silent);
    table.float(6, "NaN scale", 8, f32::NAN, Reject(not_finite, 8));
    table.float(6, "infinite Y scale", 12, infinity, Reject(not_finite, 12));
    table.float(6, "NaN origin of z", 28, f32::NAN, Reject(not_finite, 28));
    table.float(6, "huge Z scale", 16, f32::MAX, Reject(not_finite, 16));
    table.float(6, "NaN radius", 32, f32::NAN, Warn("radius", 32));
    table.float(6, "infinite eye", 40, infinity, Warn("eye position", 36));
    table.int(30, "no vertices", 60, 0, Reject(bad_count, 60));
    table.int(30, "negative vertices", 60, -4, Reject(bad_count, 60));
    table.int(30, "inexact vertices", 60, too_many, Reject(bad_count, 60));
    table.int(30, "huge vertices", 60, 1 << 24, no_vertices);
    table.int(30, "no triangles", 64, 0, Reject(bad_count, 64));
    table.int(30, "negative triangles", 64, -1, Reject(bad_count, 64));
    table.int(30, "huge triangles", 64, i32::MAX, no_triangles);
    table.int(30, "no frames", 68, 0, Reject(bad_count, 68));
    table.int(30, "negative frames", 68, i32::MIN, Reject(bad_count, 68));
    table.int(30, "huge frames", 68, i32::MAX, Reject(truncated, at.end));
    table.int(30, "negative skins", 48, -1, Reject(bad_count, 48));
    // The texture coordinates are read as a third skin: a group of 0 images.
    table.int(30, "huge skins", 48, i32::MAX, no_images);
}

fn foreign_cases(table: &mut Table) {
    let foreign = [
        ("Hexen II", b"RAPO", "Hexen II"),
        ("Half-Life", b"IDST", "Half-Life or Source"),
        ("Half-Life sequence", b"IDSQ", "Half-Life sequence"),
        ("MD2", b"IDP2", "Quake II"),
        ("MD3", b"IDP3", "Quake III"),
        ("sprite", b"IDSP", "sprite"),
        ("MDL3", b"MDL3", "3D GameStudio model (MDL3)"),
        ("MDL4", b"MDL4", "3D GameStudio model (MDL4)"),
        ("MDL5", b"MDL5", "3D GameStudio model (MDL5)"),
        ("MDL7", b"MDL7", "3D GameStudio model (MDL7)"),
        ("PNG", b"\x89PNG", "a PNG image"),
        ("unknown", b"\xFF\xFE\xFD\xFC", "\\xff\\xfe\\xfd\\xfc"),
    ];
    for (name, magic, expected) in foreign {
        let message = load(&patched(0, magic)).unwrap_err().to_string();
        assert!(message.contains(expected), "{name}: {message}");
        table.patch(2, name, 0, magic, Reject(wrong_magic, 0));
    }
    let message = load(&with_i32(4, 3)).unwrap_err().to_string();
    assert!(message.contains("test release"), "{message}");
    table.int(2, "IDPO 3", 4, 3, Reject(version, 4));
    table.int(2, "IDPO 7", 4, 7, Reject(version, 4));
}

fn skin_cases(table: &mut Table) {
    let at = Offsets::of(&tetrahedron());
    let [single, group] = at.skins[..] else {
        panic!("the fixture has two skins");
    };
    let overflowing = {
        let mut bytes = with_i32(52, i32::MAX);
        bytes[56..60].copy_from_slice(&i32::MAX.to_le_bytes());
        bytes
    };
    let odd = edited(|document| {
        document.header.skin_width = 2;
        document.header.skin_height = 4;
    });
    let tiny = |count: usize, width: u32| {
        edited(|document| {
            document.header.skin_width = width;
            document.header.skin_height = width;
            let image = vec![0; (width * width) as usize];
            document.skins = vec![SkinDocument::Single(image); count];
            for st in &mut document.st_vertices {
                (st.s, st.t) = (0.into(), 0.into());
            }
        })
    };
    // A texture larger than GPU limits, on which wgpu would panic.
    let long_skin = edited(|document| {
        document.header.skin_width = 8196;
        document.header.skin_height = 1;
        document.skins = vec![SkinDocument::Single(vec![0; 8196])];
        for st in &mut document.st_vertices {
            st.t = 0.into();
        }
    });
    let unskinned = edited(|document| {
        document.skins.clear();
        document.header.skin_width = 0;
        document.header.skin_height = 0;
    });
    let (count, times) = (group + 4, group + 8);
    let bad_images = reject(bad_count, count);
    let bad_times = Warn("times of skin group 1", times);
    let no_texels = reject(truncated, single + 4);
    let over_limit = reject(limit, 84 + 96 * 20);
    table.add(30, "no skin", unskinned, Warn("no skins", 48));
    table.add(30, "96 small skins", tiny(96, 4), Silent);
    table.add(30, "97 small skins", tiny(97, 4), over_limit);
    table.add(30, "97 skins of 48 × 48", tiny(97, 48), Silent);
    table.add(31, "skin of 8196 × 1", long_skin, Reject(limit, 52));
    table.int(31, "skin width 0", 52, 0, Reject(bad_count, 52));
    table.int(31, "negative skin width", 52, -4, Reject(bad_count, 52));
    table.int(31, "skin height 0", 56, 0, Reject(bad_count, 56));
    table.int(31, "negative skin height", 56, -1, Reject(bad_count, 56));
    table.add(31, "overflowing skin", overflowing, no_texels);
    table.add(31, "skin width 2", odd, Warn("multiple of 4", 52));
    table.int(32, "no images in a group", count, 0, bad_images);
    table.int(32, "negative image count", count, -2, bad_images);
    let cut = reject(truncated, times);
    table.int(32, "huge image count", count, i32::MAX, cut);
    table.float(33, "image times decrease", times + 4, 0.1, bad_times);
    table.float(33, "image time 0", times, 0.0, bad_times);
    table.float(33, "image time NaN", times + 4, f32::NAN, bad_times);
}

fn surface_cases(table: &mut Table) {
    let at = Offsets::of(&tetrahedron());
    let degenerate = edited(|document| document.triangles[1].vertices = [2.into(); 3]);
    let odd_front = edited(|document| document.triangles[0].faces_front = 1_637_888.into());
    let (triangles, st) = (at.triangles, at.st_vertices);
    let outside = |at: u64| Warn("outside the skin", at);
    let [second, first] = [triangles + 24, triangles + 4];
    let no_vertex = |at: u64| reject(bad_index, at);
    table.int(34, "vertex 4 of 4", second, 4, no_vertex(second));
    table.int(34, "negative vertex", first, -1, no_vertex(first));
    table.add(34, "degenerate triangle", degenerate, Silent);
    table.add(34, "front as 1637888", odd_front, Silent);
    table.int(36, "s at the width", st + 12 + 4, 4, outside(st + 12));
    table.int(36, "negative t", st + 24 + 8, -1, outside(st + 24));
    table.int(36, "s of 2³¹ − 1", st + 4, i32::MAX, outside(st));
}

fn frame_cases(table: &mut Table) {
    let at = Offsets::of(&tetrahedron());
    let (first, group) = (at.frames[0], at.frames[3]);
    let many = edited(|document| {
        let frame = document.frames[0].clone();
        document.frames = vec![frame; 700];
    });
    let unnamed = edited(|document| {
        if let FrameDocument::Single(pose) = &mut document.frames[1] {
            pose.name = [0; 16];
        }
    });
    let (name, count, times) = (first + 12, group + 4, group + 16);
    let [low, high] = [first + 35, first + 43];
    let (no_utf8, no_nul) = (Warn("not UTF-8", name), Warn("without a NUL", name));
    let bad_poses = reject(bad_count, count);
    let bad_times = Warn("times of frame group 3", times);
    let bad_normal = |at: u64| Warn("normal index above 161", at);
    let infinity = f32::INFINITY;
    table.patch(7, "name that is not UTF-8", name, b"r\xffn1", no_utf8);
    table.add(7, "empty name", unnamed, Silent);
    let letters = b"sixteen letters!";
    table.patch(37, "name without NUL", name, letters, no_nul);
    table.add(37, "700 poses", many, Silent);
    table.int(32, "no poses in a group", count, 0, bad_poses);
    table.int(32, "negative poses", count, -1, bad_poses);
    let cut = reject(truncated, times);
    table.int(32, "huge poses", count, i32::MAX, cut);
    let decreasing = "pose times that decrease";
    table.float(33, decreasing, times + 4, 0.05, bad_times);
    table.float(33, "negative pose time", times, -0.1, bad_times);
    let infinite = "infinite pose time";
    table.float(33, infinite, times + 4, infinity, bad_times);
    table.patch(35, "normal 162", low, &[162], bad_normal(low));
    table.patch(35, "normal 255", high, &[255], bad_normal(high));
}

#[test]
fn every_class_is_an_error_or_a_warning_at_its_offset() {
    assert_parsed(Format::Mdl, &cases(), |bytes| Ok(load(bytes)?.warnings));
}

#[test]
fn the_error_names_the_triangle_and_the_vertex() {
    let at = Offsets::of(&tetrahedron()).triangles + 16 + 4;
    let error = load(&with_i32(at, 900)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("MDL: triangle 1 at offset {at} uses vertex 900, but only 4 exist")
    );
}

#[test]
fn too_many_poses_are_an_error_before_they_are_read() {
    let mut document = tetrahedron();
    document.frames.truncate(4);
    let group = Offsets::of(&document).frames[3];
    let mut bytes = document.to_bytes();
    bytes[group as usize + 4..][..4].copy_from_slice(&3_i32.to_le_bytes());
    let error = load(&bytes).unwrap_err();
    assert!(truncated(&error.kind), "{error}");
    assert_eq!(error.offset, group + 16 + 12);
}

#[test]
fn invalid_times_become_a_rate_of_10_hz() {
    let at = Offsets::of(&tetrahedron());
    let converted = load(&with_f32(at.frames[3] + 16, f32::NAN)).unwrap();
    assert_eq!(converted.frames[3].timing, Some(Timing::Rate(10.0)));
    let converted = load(&with_f32(at.skins[1] + 8, -1.0)).unwrap();
    assert_eq!(converted.skins[1].timing, Some(Timing::Rate(10.0)));
}

#[test]
fn normal_indices_out_of_range_become_the_last_one() {
    for mut document in [tetrahedron(), wide_tetrahedron()] {
        if let FrameDocument::Single(pose) = &mut document.frames[0] {
            pose.vertices[1].normal = 200;
        }
        let converted = load(&document.to_bytes()).unwrap();
        let last = bevy_classic_models::quake::mdl::normals()[161].into();
        assert_eq!(converted.poses.vertex(0, 1).1, last);
        assert_ne!(converted.poses.vertex(1, 1).1, last);
        assert_eq!(converted.warnings.len(), 1);
    }
}

#[test]
fn truncation_at_any_byte_is_an_error() {
    let files = [tetrahedron(), wide_tetrahedron()].map(|document| document.to_bytes());
    assert_cuts_are_errors(files, [], truncated, |bytes| load(bytes).map(drop));
    // Truncated malformed files must not panic.
    for Case { bytes, .. } in cases().into_iter().filter(|case| case.bytes.len() < 4096) {
        for length in 0..bytes.len() {
            let _ = load(&bytes[..length]);
        }
    }
}

#[test]
fn flipped_bits_do_not_panic() {
    let files = [tetrahedron(), wide_tetrahedron()].map(|document| document.to_bytes());
    for_each_flipped_bit(files, |bytes| load(bytes).is_ok());
}
