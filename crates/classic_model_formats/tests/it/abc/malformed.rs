//! Malformed LithTech models: every class of flaw with the expected error or warning, and truncated files.

use super::*;
use crate::prelude::*;
use classic_models_fixtures::abc_malformed::cases;

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
