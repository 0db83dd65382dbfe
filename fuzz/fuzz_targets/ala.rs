//! Parses arbitrary bytes as an Alamo animation, samples it, writes it and parses the result.

#![no_main]

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
