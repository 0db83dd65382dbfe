//! Malformed LithTech models: every class of flaw with the expected error or warning, and truncated files.

use super::*;
use classic_model_formats::abc::MAX_DEPTH;
use classic_model_formats::read::Format;
use classic_models_fixtures::abc::{IDENTITY_ROTATION, keyframe, track};
use classic_models_fixtures::error_kinds;
use classic_models_fixtures::malformed::Expect::{self, Reject, Silent, Warn};
use classic_models_fixtures::malformed::{Case, Cases, assert_cuts_are_errors, assert_parsed};

error_kinds! {
    missing: ErrorKind::Missing { .. },
    truncated: ErrorKind::Truncated { .. },
    magic: ErrorKind::WrongMagic { .. },
    version: ErrorKind::UnsupportedVersion { supported: 6, .. },
    bad_offset: ErrorKind::BadOffset { .. },
    bad_count: ErrorKind::BadCount { .. },
    not_finite: ErrorKind::NotFinite,
    too_deep: ErrorKind::TooDeep { limit: MAX_DEPTH },
    bad_vertex: ErrorKind::IndexOutOfRange { element: "vertex", .. },
    bad_node: ErrorKind::IndexOutOfRange { element: "node", .. },
}

fn at_u32(name: &str, value: u32) -> Vec<u8> {
    patched(Offsets::of(&sample_model()).at(name), &value.to_le_bytes())
}

fn cases() -> Vec<Case> {
    let mut cases = Cases::default();
    file_cases(&mut cases);
    foreign_cases(&mut cases);
    chain_cases(&mut cases);
    text_cases(&mut cases);
    number_cases(&mut cases);
    geometry_cases(&mut cases);
    node_cases(&mut cases);
    animation_cases(&mut cases);
    cases.rows
}

fn file_cases(cases: &mut Cases) {
    let file = write_unchecked(&sample_model());
    let end = file.len() as u64;
    let with = |tail: &[u8]| [&file[..], tail].concat();
    cases.expect(1, Reject(truncated, 0));
    cases.add("empty", vec![]);
    cases.add("three bytes", file[..3].to_vec());
    cases.expect(1, Reject(truncated, 8));
    cases.add("a name", file[..8].to_vec());
    cases.expect(1, Reject(truncated, 12));
    cases.add("a link", file[..12].to_vec());
    cases.expect(1, Reject(truncated, 14));
    cases.add("a file type cut off", file[..20].to_vec());
    cases.expect(4, Warn("1 trailing bytes in TransformInfo", end));
    cases.add("a trailing byte", with(b"!"));
    cases.expect(4, Warn("30 trailing bytes", end));
    cases.add("zeros", with(&[0; 30]));
    cases.expect(4, Warn("trailing bytes", end));
    cases.add("a second file", with(&file));
}

fn foreign_cases(cases: &mut Cases) {
    let start = |bytes: &[u8]| [bytes, &[0; 64]].concat();
    let nolf = |version: u32| {
        let link = 300_u32.to_le_bytes();
        let header = [&b"\x06\0Header"[..], &link, &version.to_le_bytes()].concat();
        start(&header)
    };
    let named = |name: &str| {
        let length = (name.len() as u16).to_le_bytes();
        start(
            &[
                &b"\x06\0Header"[..],
                &[40, 0, 0, 0],
                &length,
                name.as_bytes(),
            ]
            .concat(),
        )
    };
    type File = (&'static str, &'static str, Vec<u8>);
    let groups: [(Expect, &[File]); 3] = [
        (
            Reject(magic, 0),
            &[
                ("Alembic Ogawa", "Alembic", start(b"Ogawa\xff\0\x01")),
                ("Alembic HDF5", "HDF5", start(b"\x89HDF\r\n\x1a\n")),
                ("music", "ABC notation", start(b"X:1\nT:A Reel")),
                ("music with a version", "ABC notation", start(b"%abc-2.1\n")),
                ("a PNG", "is a PNG image", start(b"\x89PNG\r\n\x1a\n")),
            ],
        ),
        (
            Reject(version, 12),
            &[
                ("NOLF", "No One Lives Forever", nolf(12)),
                ("NOLF 9", "NOLF", nolf(9)),
                ("FEAR", "is 108", nolf(108)),
                (
                    "version 5",
                    "is 5, but",
                    named("MonolithExport Model File v5"),
                ),
                (
                    "version 10",
                    "is 10, but",
                    named("MonolithExport Model File v10"),
                ),
            ],
        ),
        (
            Reject(magic, 12),
            &[
                (
                    "another token",
                    "a cake",
                    named("I am a cake and not a model."),
                ),
                ("no token", "file type \"\"", named("")),
            ],
        ),
    ];
    for (expect, files) in groups {
        cases.expect(2, expect);
        for (name, expected, bytes) in files {
            let message = parse(bytes).unwrap_err().to_string();
            assert!(message.contains(expected), "{name}: {message}");
            cases.add(*name, &bytes[..]);
        }
    }
}

fn chain_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let end = write_unchecked(&sample_model()).len() as u32;
    let linked = |chunk: &str, to: u32| -> (Vec<u8>, Expect) {
        let link = format!("{chunk} link");
        (at_u32(&link, to), Reject(bad_offset, offsets.at(&link)))
    };
    let geometry = offsets.at("Geometry") as u32;
    let body = offsets.at("Geometry body") as u32;
    for (name, (bytes, expect)) in [
        ("to the start", linked("Geometry", 0)),
        ("backwards", linked("Geometry", geometry - 1)),
        ("to itself", linked("Geometry", geometry)),
        ("into its own link", linked("Geometry", body - 1)),
        ("to the end", linked("Geometry", end)),
        ("past the end", linked("Geometry", end + 1)),
        ("far past the end", linked("Geometry", i32::MAX as u32)),
        ("negative", linked("Geometry", -2_i32 as u32)),
        ("of the first chunk", linked("Header", 0)),
        ("of the last chunk", linked("TransformInfo", end)),
    ] {
        cases.expect(38, expect);
        cases.add(name, bytes);
    }
    // The link points into the next chunk, or this is marked as the last chunk.
    let bytes = at_u32("Geometry link", offsets.at("Nodes") as u32 + 2);
    cases.expect(38, Reject(truncated, offsets.at("Nodes") + 4));
    cases.add("beside a chunk", bytes);
    let bytes = at_u32("Geometry link", u32::MAX);
    cases.expect(38, Reject(missing, end.into()));
    cases.add("early end", bytes);
    let dims = offsets.at("AnimDims body");
    let short = {
        let mut bytes = at_u32("AnimDims link", offsets.at("TransformInfo") as u32 - 1);
        bytes.remove(dims as usize);
        bytes
    };
    cases.expect(3, Reject(truncated, dims));
    cases.add("short chunk", short);
}

fn text_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let at = offsets.at("command string");
    let node = offsets.at("node 1") + 24;
    let keyframe = offsets.at("animation 0 keyframe 1") + 28;
    cases.expect(39, Reject(truncated, at + 2));
    cases.add("command string", patched(at, &[255, 255]));
    cases.expect(39, Reject(truncated, node + 2));
    cases.add("node name", patched(node, &[255, 255]));
    cases.expect(39, Reject(truncated, keyframe + 2));
    cases.add("event", patched(keyframe, &[255, 255]));
    cases.expect(39, Reject(truncated, offsets.at("Nodes") + 2));
    cases.add("chunk name", patched(offsets.at("Nodes"), &[255, 255]));
    cases.expect(
        7,
        Warn(
            "node 1 name is not UTF-8, read as \"\u{FFFD}ody\"",
            node + 2,
        ),
    );
    cases.add("node name", patched(node + 2, &[0xE4]));
    cases.expect(7, Warn("keyframe 1 event is not UTF-8", keyframe + 2));
    cases.add("event", patched(keyframe + 2, &[0xFF]));
}

fn number_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let nan = f32::NAN.to_le_bytes();
    let infinity = f32::NEG_INFINITY.to_le_bytes();
    let at = |name: &str, more: u64| offsets.at(name) + more;
    let vertex = at("vertices", 20 * 3 + 4);
    let uv = at("triangles", 33 + 12);
    let bounds = at("Geometry body", 8);
    let translation = at("animation 0 keys 1", 28 + 8);
    let rotation = at("animation 0 keys 1", 28 + 12);
    let scale = at("animation 0 scale 2", 4);
    let moved = at("animation 0 scale 2", 20);
    let unused = at("animation 0 scale 1", 0);
    let dims = at("AnimDims body", 16);
    let extent = at("animation 0 keyframe 2", 4 + 20);
    cases.expect(6, Warn("vertex 3 is not finite", vertex));
    cases.add("vertex", patched(vertex, &nan));
    cases.expect(6, Warn("triangle 1 are not finite", uv));
    cases.add("texture coordinate", patched(uv, &infinity));
    cases.expect(6, Warn("beyond ±65536", uv));
    let bytes = patched(uv, &(-7.3e16_f32).to_le_bytes());
    cases.add("huge texture coordinate", bytes);
    cases.expect(6, Warn("Geometry / bounds is not finite", bounds));
    cases.add("bounds", patched(bounds, &nan));
    cases.expect(6, Warn("keyframe 2 bounds", extent));
    cases.add("bounds of a keyframe", patched(extent, &nan));
    cases.expect(6, Warn("AnimDims / animation 1", dims));
    cases.add("dims", patched(dims, &infinity));
    cases.expect(6, Reject(not_finite, translation));
    cases.add("translation", patched(translation, &nan));
    cases.expect(6, Reject(not_finite, rotation));
    cases.add("rotation", patched(rotation, &infinity));
    cases.expect(6, Reject(not_finite, scale));
    cases.add("scale", patched(scale, &nan));
    cases.add("huge scale", patched(scale, &3e38_f32.to_le_bytes()));
    cases.expect(6, Reject(not_finite, moved));
    cases.add("translation of deforming vertices", patched(moved, &nan));
    cases.expect(6, Warn("node 1 \"Body\" scale", unused));
    cases.add("scale of nothing", patched(unused, &nan));
    cases.expect(29, Warn("key 1 is zero", rotation));
    cases.add("zero rotation", patched(rotation, &[0; 16]));
}

fn geometry_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let at = |name: &str, more: u64| offsets.at(name) + more;
    let corner = at("triangles", 2 * 33 + 24 + 4);
    let node = at("vertices", 4 * 20 + 15);
    let pair = at("vertices", 9 * 20 + 16);
    let replaced = |slot: u64, by: u16, why: &'static str| {
        let offset = pair + 2 * slot;
        (patched(offset, &by.to_le_bytes()), Warn(why, offset))
    };
    for (name, (bytes, expect)) in [
        (
            "itself",
            replaced(1, 9, "LOD 2 of 3 replaces vertex 9, which must be less"),
        ),
        (
            "a later one",
            replaced(0, 10, "vertex 10, which must be less than its own vertex 9"),
        ),
        (
            "out of range",
            replaced(0, 0xCDCD, "vertex 52685, which must be less than its own"),
        ),
        (
            "one that is already replaced",
            replaced(0, 1, "vertex 1, which is already replaced"),
        ),
        (
            "one twice",
            replaced(1, 2, "vertex 2, which is already replaced"),
        ),
    ] {
        cases.expect(43, expect);
        cases.add(name, bytes);
    }
    let count = offsets.at("vertex count");
    let fewer = edited(|model| {
        model.geometry.lod_starts.pop();
    });
    // Each entry of `lod_starts` takes two bytes before the counts.
    cases.expect(43, Warn("3 LOD vertices for 2 LODs", count - 2));
    cases.add("fewer LODs than LOD vertices", fewer);
    let more = edited(|model| model.geometry.lod_starts.push(3));
    cases.expect(43, Warn("3 LOD vertices for 4 LODs", count + 2));
    cases.add("more LODs than LOD vertices", more);
    let base = offsets.at("base vertices");
    cases.expect(43, Reject(truncated, at("lods", 4)));
    cases.add("huge LOD count", at_u32("lods", u32::MAX));
    cases.expect(3, Reject(truncated, at("triangles", 0)));
    cases.add("huge triangle count", at_u32("triangle count", u32::MAX));
    cases.expect(3, Reject(truncated, at("vertices", 0)));
    cases.add("huge vertex count", at_u32("vertex count", i32::MAX as u32));
    cases.expect(41, Reject(bad_count, base));
    cases.add(
        "more base vertices than vertices",
        at_u32("base vertices", 12),
    );
    cases.expect(41, Reject(bad_vertex, corner));
    cases.add("triangle beyond the full model", patched(corner, &[8, 0]));
    cases.add("triangle beyond all", patched(corner, &[255, 255]));
    cases.expect(41, Reject(bad_node, node));
    cases.add("vertex of no node", patched(node, &[4]));
}

/// A model with a chain of nodes.
fn deep(levels: usize) -> AbcDocument {
    let mut model = minimal();
    let node = |index: usize| NodeDocument {
        transformation_index: index as u16,
        children: u32::from(index + 1 < levels),
        ..NodeDocument::default()
    };
    model.nodes = (0..levels).map(node).collect();
    model.animations = vec![AnimationDocument {
        keyframes: vec![keyframe(0, "")],
        tracks: vec![track(&[([0.0; 3], IDENTITY_ROTATION)]); levels],
        ..AnimationDocument::default()
    }];
    model
}

fn node_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let at = |name: &str, more: u64| offsets.at(name) + more;
    let children = |node: usize, count: u32| at_u32(&format!("node {node} children"), count);
    let deforming = at("node 2 deforming", 4 + 2);
    let fewer = edited(|model| {
        model.nodes[0].children = 1;
        for animation in &mut model.animations {
            animation.tracks.pop();
        }
    });
    let bomb = deep(100_000);
    let bomb_places = Offsets::of(&bomb);
    let deepest = bomb_places.at(&format!("node {MAX_DEPTH}"));
    cases.expect(40, Reject(truncated, at("node 1 children", 4)));
    cases.add("two billion children", children(1, i32::MAX as u32));
    cases.expect(40, Reject(truncated, at("node 3 children", 4)));
    cases.add("children that never come", children(3, 1));
    cases.expect(40, Warn("trailing bytes in Nodes", at("node 3", 0)));
    cases.add("fewer children", fewer);
    cases.expect(40, Silent);
    cases.add("as deep as may be", write_unchecked(&deep(MAX_DEPTH)));
    cases.expect(40, Reject(too_deep, deepest));
    cases.add("a depth bomb", write_unchecked(&bomb));
    cases.expect(41, Reject(bad_vertex, deforming));
    let bytes = patched(deforming, &[11, 0]);
    cases.add("deforming vertex out of range", bytes);
    cases.expect(41, Warn("vertex 3 of node 1", deforming));
    cases.add("deforming vertex of another", patched(deforming, &[3, 0]));
    cases.expect(41, Reject(truncated, at("node 1 deforming", 4)));
    let bytes = at_u32("node 1 deforming", i32::MAX as u32);
    cases.add("two billion deforming vertices", bytes);
    cases.expect(41, Warn("stores the index 9", at("node 3 index", 0)));
    cases.add("another index", patched(at("node 3 index", 0), &[9]));
}

fn animation_cases(cases: &mut Cases) {
    let offsets = Offsets::of(&sample_model());
    let at = |name: &str, more: u64| offsets.at(name) + more;
    let third = offsets.at("animation 0 keyframe 2");
    let short = |tracks: usize| {
        edited(|model| {
            model.animations.truncate(1);
            model.animations[0].tracks.truncate(tracks);
        })
    };
    // The offset after the tracks of the first three nodes.
    let three = offsets.at("animation 0 scale 3") - 3 * 28;
    let frames = offsets.at("animation 0 keyframe 0");
    cases.expect(42, Reject(truncated, three));
    cases.add("a track less", short(3));
    cases.expect(42, Reject(truncated, at("Animation body", 4)));
    let bytes = at_u32("Animation body", i32::MAX as u32);
    cases.add("two billion animations", bytes);
    cases.expect(42, Reject(truncated, at("animation 1 keyframe 0", 0)));
    let bytes = at_u32("animation 1 keyframes", i32::MAX as u32);
    cases.add("two billion keyframes", bytes);
    cases.expect(
        42,
        Warn("trailing bytes in Animation", at("animation 1", 0)),
    );
    cases.add("an animation less", at_u32("Animation body", 1));
    cases.expect(42, Warn("keyframe 2 at 100 ms is not after", third));
    cases.add("same time", patched(third, &100_u32.to_le_bytes()));
    cases.expect(42, Warn("keyframe 2 at 7 ms is not after", third));
    cases.add("earlier time", patched(third, &7_u32.to_le_bytes()));
    cases.expect(42, Warn("\"Walk\" has no keyframes", frames - 4));
    cases.add(
        "no keyframes",
        edited(|model| {
            let animation = &mut model.animations[0];
            animation.keyframes.clear();
            for track in &mut animation.tracks {
                track.keys.clear();
                track.deform.clear();
            }
        }),
    );
}

#[test]
fn malformed_models_give_the_expected_error_or_warning() {
    assert_parsed(Format::Abc, &cases(), |bytes| Ok(parse(bytes)?.warnings));
}

#[test]
fn errors_contain_the_path_to_the_value() {
    let offsets = Offsets::of(&sample_model());
    let at = offsets.at("animation 0 keys 1") + 28;
    let error = parse(&patched(at, &f32::NAN.to_le_bytes()))
        .map(drop)
        .unwrap_err();
    let context = "ABC: Animation / animation 0 \"Walk\" / node 1 \"Body\" key 1";
    assert_eq!(
        error.to_string(),
        format!("{context} at offset {at} is not a finite number")
    );
}

#[test]
fn warnings_of_a_kind_are_reported_once() {
    let bytes = edited(|model| {
        for vertex in &mut model.geometry.vertices {
            vertex.position[1] = f32::NAN.into();
        }
    });
    let file = parse(&bytes).unwrap();
    let warnings = warnings(&file);
    let [warning] = &warnings[..] else {
        panic!("expected one warning, found {warnings:?}");
    };
    assert!(
        warning.contains("vertex 0 ") && warning.contains("(and 10 more like it)"),
        "{warning}"
    );
}

#[test]
fn keyframe_before_the_previous_one_gets_its_time() {
    let third = Offsets::of(&sample_model()).at("animation 0 keyframe 2");
    let bytes = patched(third, &7_u32.to_le_bytes());
    let file = parse(&bytes).unwrap();
    let times: Vec<_> = file.animations[0]
        .keyframes
        .iter()
        .map(|it| it.time)
        .collect();
    assert_eq!(times, [0, 100, 100]);
    let at = |seconds| file.node_poses(Some(0), seconds)[1].translation;
    assert_eq!(at(0.05), [5.0, 0.0, 0.0]);
    assert_eq!(at(0.1), [10.0, 20.0, 0.0]);
}

#[test]
fn truncated_files_are_errors() {
    let files = [sample_model(), minimal()].map(|model| write_unchecked(&model));
    assert_cuts_are_errors(files, [], |_| true, |bytes| parse(bytes).map(drop));
}
