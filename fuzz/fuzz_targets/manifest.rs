//! Parses arbitrary bytes as a model manifest, writes it and parses the result.

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
