//! Malformed MDL files: every class of defect with its error kind or warning and its offset; truncation; bit flips.

use crate::support::mdl::{Offsets, tetrahedron, wide_tetrahedron};
use bevy_classic_models::quake::mdl::Timing;
use bevy_classic_models::quake::mdl::write::{FrameDocument, MdlDocument, SkinDocument};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};
use bevy_classic_models::read::{Format, ParseError};
use classic_models_fixtures::error_kinds;
use classic_models_fixtures::malformed::Expect::{Reject, Silent, Warn};
use classic_models_fixtures::malformed::{Case, assert_parsed, case};

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

fn cases() -> Vec<Case> {
    let mut cases = header_cases();
    cases.extend(foreign_cases());
    cases.extend(skin_cases());
    cases.extend(surface_cases());
    cases.extend(frame_cases());
    cases
}

fn header_cases() -> Vec<Case> {
    let at = Offsets::of(&tetrahedron());
    let trailing = |tail: &[u8]| [&tetrahedron().to_bytes()[..], tail].concat();
    vec![
        case(1, "empty", vec![], Reject(truncated, 0)),
        case(1, "three bytes", b"IDP".to_vec(), Reject(truncated, 0)),
        case(1, "magic only", b"IDPO".to_vec(), Reject(truncated, 4)),
        case(
            1,
            "header one byte short",
            tetrahedron().to_bytes()[..83].to_vec(),
            Reject(truncated, 0),
        ),
        case(
            4,
            "trailing bytes",
            trailing(b"QME and more"),
            Warn("12 trailing bytes", at.end),
        ),
        case(4, "an editor's data", trailing(b"QMEX and more"), Silent),
        case(4, "an editor's mark", trailing(b"QMEX"), Silent),
        case(6, "NaN scale", with_f32(8, f32::NAN), Reject(not_finite, 8)),
        case(
            6,
            "infinite scale of y",
            with_f32(12, f32::INFINITY),
            Reject(not_finite, 12),
        ),
        case(
            6,
            "NaN origin of z",
            with_f32(28, f32::NAN),
            Reject(not_finite, 28),
        ),
        case(
            6,
            "scale beyond all positions",
            with_f32(16, f32::MAX),
            Reject(not_finite, 16),
        ),
        case(6, "NaN radius", with_f32(32, f32::NAN), Warn("radius", 32)),
        case(
            6,
            "infinite eye",
            with_f32(40, f32::INFINITY),
            Warn("eye position", 36),
        ),
        case(30, "no vertices", with_i32(60, 0), Reject(bad_count, 60)),
        case(
            30,
            "negative vertices",
            with_i32(60, -4),
            Reject(bad_count, 60),
        ),
        case(
            30,
            "vertices beyond floats",
            with_i32(60, (1 << 24) + 1),
            Reject(bad_count, 60),
        ),
        case(
            30,
            "huge vertices",
            with_i32(60, 1 << 24),
            Reject(truncated, at.st_vertices),
        ),
        case(30, "no triangles", with_i32(64, 0), Reject(bad_count, 64)),
        case(
            30,
            "negative triangles",
            with_i32(64, -1),
            Reject(bad_count, 64),
        ),
        case(
            30,
            "huge triangles",
            with_i32(64, i32::MAX),
            Reject(truncated, at.triangles),
        ),
        case(30, "no frames", with_i32(68, 0), Reject(bad_count, 68)),
        case(
            30,
            "negative frames",
            with_i32(68, i32::MIN),
            Reject(bad_count, 68),
        ),
        case(
            30,
            "huge frames",
            with_i32(68, i32::MAX),
            Reject(truncated, at.end),
        ),
        case(
            30,
            "negative skins",
            with_i32(48, -1),
            Reject(bad_count, 48),
        ),
        // The texture coordinates are read as a third skin: a group of 0 images.
        case(
            30,
            "huge skins",
            with_i32(48, i32::MAX),
            Reject(bad_count, at.st_vertices + 4),
        ),
    ]
}

fn foreign_cases() -> Vec<Case> {
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
    let mut cases: Vec<_> = foreign
        .into_iter()
        .map(|(name, magic, expected)| {
            let bytes = patched(0, magic);
            let message = load(&bytes).unwrap_err().to_string();
            assert!(message.contains(expected), "{name}: {message}");
            case(2, name, bytes, Reject(wrong_magic, 0))
        })
        .collect();
    let bytes = with_i32(4, 3);
    let message = load(&bytes).unwrap_err().to_string();
    assert!(message.contains("test release"), "{message}");
    cases.push(case(2, "IDPO 3", bytes, Reject(version, 4)));
    cases.push(case(2, "IDPO 7", with_i32(4, 7), Reject(version, 4)));
    cases
}

fn skin_cases() -> Vec<Case> {
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
    vec![
        case(30, "no skin", unskinned, Warn("no skins", 48)),
        case(30, "96 small skins", tiny(96, 4), Silent),
        case(
            30,
            "97 small skins",
            tiny(97, 4),
            Reject(limit, 84 + 96 * 20),
        ),
        case(30, "97 skins of 48 × 48", tiny(97, 48), Silent),
        case(31, "skin of 8196 × 1", long_skin, Reject(limit, 52)),
        case(31, "skin width 0", with_i32(52, 0), Reject(bad_count, 52)),
        case(
            31,
            "negative skin width",
            with_i32(52, -4),
            Reject(bad_count, 52),
        ),
        case(31, "skin height 0", with_i32(56, 0), Reject(bad_count, 56)),
        case(
            31,
            "negative skin height",
            with_i32(56, -1),
            Reject(bad_count, 56),
        ),
        case(
            31,
            "overflowing skin",
            overflowing,
            Reject(truncated, single + 4),
        ),
        case(31, "skin width 2", odd, Warn("multiple of 4", 52)),
        case(
            32,
            "no images in a group",
            with_i32(group + 4, 0),
            Reject(bad_count, group + 4),
        ),
        case(
            32,
            "negative image count",
            with_i32(group + 4, -2),
            Reject(bad_count, group + 4),
        ),
        case(
            32,
            "huge image count",
            with_i32(group + 4, i32::MAX),
            Reject(truncated, group + 8),
        ),
        case(
            33,
            "image times that do not increase",
            with_f32(group + 12, 0.1),
            Warn("times of skin group 1", group + 8),
        ),
        case(
            33,
            "image time 0",
            with_f32(group + 8, 0.0),
            Warn("times of skin group 1", group + 8),
        ),
        case(
            33,
            "image time NaN",
            with_f32(group + 12, f32::NAN),
            Warn("times of skin group 1", group + 8),
        ),
    ]
}

fn surface_cases() -> Vec<Case> {
    let at = Offsets::of(&tetrahedron());
    let degenerate = edited(|document| document.triangles[1].vertices = [2.into(); 3]);
    let odd_front = edited(|document| document.triangles[0].faces_front = 1_637_888.into());
    vec![
        case(
            34,
            "vertex 4 of 4",
            with_i32(at.triangles + 16 + 8, 4),
            Reject(bad_index, at.triangles + 24),
        ),
        case(
            34,
            "negative vertex",
            with_i32(at.triangles + 4, -1),
            Reject(bad_index, at.triangles + 4),
        ),
        case(34, "degenerate triangle", degenerate, Silent),
        case(34, "front as 1637888", odd_front, Silent),
        case(
            36,
            "s at the width",
            with_i32(at.st_vertices + 12 + 4, 4),
            Warn("outside the skin", at.st_vertices + 12),
        ),
        case(
            36,
            "negative t",
            with_i32(at.st_vertices + 24 + 8, -1),
            Warn("outside the skin", at.st_vertices + 24),
        ),
        case(
            36,
            "s of 2³¹ − 1",
            with_i32(at.st_vertices + 4, i32::MAX),
            Warn("outside the skin", at.st_vertices),
        ),
    ]
}

fn frame_cases() -> Vec<Case> {
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
    let (times, huge) = (group + 16, with_i32(group + 4, i32::MAX));
    vec![
        case(
            7,
            "name that is not UTF-8",
            patched(first + 12, b"r\xffn1"),
            Warn("not UTF-8", first + 12),
        ),
        case(7, "empty name", unnamed, Silent),
        case(
            37,
            "name without NUL",
            patched(first + 12, b"sixteen letters!"),
            Warn("without a NUL", first + 12),
        ),
        case(37, "700 poses", many, Silent),
        case(
            32,
            "no poses in a group",
            with_i32(group + 4, 0),
            Reject(bad_count, group + 4),
        ),
        case(
            32,
            "negative poses",
            with_i32(group + 4, -1),
            Reject(bad_count, group + 4),
        ),
        case(32, "huge poses", huge, Reject(truncated, times)),
        case(
            33,
            "pose times that decrease",
            with_f32(times + 4, 0.05),
            Warn("times of frame group 3", times),
        ),
        case(
            33,
            "negative pose time",
            with_f32(times, -0.1),
            Warn("times of frame group 3", times),
        ),
        case(
            33,
            "infinite pose time",
            with_f32(times + 4, f32::INFINITY),
            Warn("times of frame group 3", times),
        ),
        case(
            35,
            "normal 162",
            patched(first + 4 + 24 + 4 + 3, &[162]),
            Warn("normal index above 161", first + 35),
        ),
        case(
            35,
            "normal 255",
            patched(first + 4 + 24 + 12 + 3, &[255]),
            Warn("normal index above 161", first + 43),
        ),
    ]
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
    for document in [tetrahedron(), wide_tetrahedron()] {
        let bytes = document.to_bytes();
        for length in 0..bytes.len() {
            let error = load(&bytes[..length]).unwrap_err();
            assert!(truncated(&error.kind), "{length} bytes: {error}");
            assert!(error.offset <= length as u64, "{length} bytes: {error}");
        }
        load(&bytes).unwrap();
    }
    // Truncated malformed files must not panic.
    for Case { bytes, .. } in cases().into_iter().filter(|case| case.bytes.len() < 4096) {
        for length in 0..bytes.len() {
            let _ = load(&bytes[..length]);
        }
    }
}

#[test]
fn flipped_bits_do_not_panic() {
    let mut outcomes = [0; 2];
    for document in [tetrahedron(), wide_tetrahedron()] {
        let mut bytes = document.to_bytes();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            outcomes[usize::from(load(&bytes).is_ok())] += 1;
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    assert!(outcomes[0] > 1000 && outcomes[1] > 1000, "{outcomes:?}");
}
