//! Parses arbitrary bytes as the table of the sounds of Alamo animations.

#![no_main]

use classic_model_formats::ala::sfx_map::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let table = parse(bytes);
    for event in &table.events {
        assert!(event.seconds >= 0.0 && event.seconds.is_finite());
    }
    for warning in &table.warnings {
        assert!(warning.offset <= bytes.len() as u64);
    }
});
