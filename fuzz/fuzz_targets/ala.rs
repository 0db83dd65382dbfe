//! Any bytes as an Alamo animation: parsed, sampled, made a clip, written, and parsed again.
//!
//! `cargo +nightly fuzz run ala -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/ala`. What it finds goes to `tests/regressions/ala`, which `cargo test` replays.

#![no_main]

use bevy_classic_models::alamo::clip;
use classic_model_formats::ala::parse;
use classic_model_formats::ala::write::{AlaDocument, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    for bone in &file.bones {
        for time in [0.0, 0.5, file.frames as f32 - 1.25, f32::MAX] {
            let pose = file.sample(bone, time);
            let rotation = pose.rotation.unwrap_or_default();
            let mut numbers = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(numbers.all(|value| value.is_finite()));
        }
    }
    let clip = clip(&file);
    for curve in clip.curves().values().flatten() {
        for time in [0.0, 0.5 * clip.duration(), f32::NAN, f32::MAX] {
            curve.0.sample_clamped(time);
        }
    }
    // As many frames as a file may have would be a lot of them once they are unpacked.
    if file.frames > 1 << 12 {
        return;
    }
    // Texts may be too long to be written once they are made UTF-8.
    let document = AlaDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(AlaDocument::from(&parse(&written).unwrap()), document);
    }
});
