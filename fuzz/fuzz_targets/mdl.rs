//! Parses arbitrary bytes as a Quake model, converts it and blends its poses.
//!
//! Run `cargo +nightly fuzz run mdl -- -max_len=65536` with a seed corpus of small files in `fuzz/corpus/mdl`.
//! Add inputs that crash to `tests/regressions/mdl`: `cargo test` runs them.

#![no_main]

use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette, PoseBlend};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let settings = MdlLoaderSettings::default();
    if let Ok(converted) = ConvertedMdl::load(bytes, &settings, &Palette::default()) {
        let last = converted.poses.pose_count() - 1;
        let vertices = converted.poses.blend(PoseBlend::from(last));
        assert!(
            vertices
                .into_iter()
                .all(|(position, _)| position.is_finite())
        );
    }
});
