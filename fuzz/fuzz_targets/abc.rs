//! Any bytes as a LithTech model: parsed, posed, thinned out, converted, written, and parsed again.
//!
//! `cargo +nightly fuzz run abc -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/abc`. What it finds goes to `tests/regressions/abc`, which `cargo test` replays.

#![no_main]

use bevy_classic_models::lithtech::ConvertedAbc;
use bevy_classic_models::prelude::AbcLoaderSettings;
use classic_model_formats::abc::parse;
use classic_model_formats::abc::write::{AbcDocument, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    for level in [0, 1, file.geometry.lods] {
        let count = file.geometry.vertices.len() as u32;
        let vertices = file.geometry.lod(level).vertices();
        assert!(vertices.iter().all(|index| *index < count));
    }
    file.geometry.normals();
    for animation in [None, Some(0), file.animations.len().checked_sub(1)] {
        for seconds in [0.0, 0.05, f32::MAX] {
            let poses = file.node_poses(animation, seconds);
            let mut numbers = poses.iter().flat_map(|pose| pose.rotation);
            assert!(numbers.all(f32::is_finite));
            let positions = file.vertex_positions(animation, seconds);
            assert!(positions.as_flattened().iter().all(|value| value.is_finite()));
            file.vertex_positions_in_model(animation, seconds);
        }
    }
    let _ = ConvertedAbc::load(bytes, &AbcLoaderSettings::default());
    // Texts may be too long to be written once they are made UTF-8.
    let document = AbcDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(AbcDocument::from(&parse(&written).unwrap()), document);
    }
});
