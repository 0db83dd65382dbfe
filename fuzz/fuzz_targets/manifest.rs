//! Parses arbitrary bytes as a model manifest, writes it and parses the result.
//!
//! Run `cargo +nightly fuzz run manifest -- -max_len=65536` with a seed corpus of small files in `fuzz/corpus/manifest`.
//! Add inputs that crash to `tests/regressions/manifest`: `cargo test` runs them.

#![no_main]

use bevy_classic_models::manifest::parse;
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
