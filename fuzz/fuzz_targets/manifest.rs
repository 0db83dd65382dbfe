//! Any bytes as a manifest: parsed, written, and parsed again.
//!
//! `cargo +nightly fuzz run manifest -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/manifest`. What it finds goes to `tests/regressions/manifest`, which `cargo test` replays.

#![no_main]

use bevy_classic_models::model::manifest::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match parse(bytes) {
        Ok(manifest) => {
            let written = manifest.to_ron().unwrap();
            assert_eq!(parse(written.as_bytes()).unwrap(), manifest, "{written}");
        }
        Err(error) => {
            assert!(error.position.line > 0 && error.position.column > 0);
            assert!(error.to_string().len() < bytes.len() + 2000);
        }
    }
});
