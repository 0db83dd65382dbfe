//! Any bytes as a model of UFO: Aftermath: parsed by readers of all kinds, converted, written, and parsed again.
//!
//! `cargo +nightly fuzz run lgw -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/lgw`. What it finds goes to `tests/regressions/lgw`, which `cargo test` replays.

#![no_main]

use bevy_classic_models::lgw::ConvertedLgw;
use bevy_classic_models::prelude::LgwLoaderSettings;
use classic_model_formats::lgw::{LgwFile, Tolerance, parse, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for tolerance in [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient] {
        let Ok(mut file) = parse(bytes, tolerance) else {
            continue;
        };
        for mesh in &file.meshes {
            let count = mesh.vertices.len();
            let mut corners = mesh.triangles().flatten();
            assert!(corners.all(|index| (index as usize) < count));
            let positions = mesh.vertices.positions.as_flattened();
            assert!(positions.iter().all(|number| number.is_finite()));
        }
        file.warnings.clear();
        // What lenient readers accept may have no text.
        if let Ok(written) = write(&file) {
            let read = parse(&written, Tolerance::Strict).unwrap();
            let warnings = Vec::new();
            assert_eq!(LgwFile { warnings, ..read }, file);
        }
    }
    let _ = ConvertedLgw::load(bytes, &LgwLoaderSettings::default());
});
