//! Parses arbitrary bytes as an Alamo animation, samples it, converts it to a clip, writes it and parses the result.
//!
//! Run `cargo +nightly fuzz run ala -- -max_len=65536` with a seed corpus of small files in `fuzz/corpus/ala`.
//! Add inputs that crash to `tests/regressions/ala`: `cargo test` runs them.

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
            let mut values = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(values.all(|value| value.is_finite()));
        }
    }
    let clip = clip(&file);
    for curve in clip.curves().values().flatten() {
        for time in [0.0, 0.5 * clip.duration(), f32::NAN, f32::MAX] {
            curve.0.sample_clamped(time);
        }
    }
    // Unpacking the maximum frame count of a file would take too much memory.
    if file.frames > 1 << 12 {
        return;
    }
    // Strings may exceed the length limit of the format after their conversion to UTF-8.
    let document = AlaDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(AlaDocument::from(&parse(&written).unwrap()), document);
    }
});
