//! Any bytes as a Quake model: parsed, converted, posed.
//!
//! `cargo +nightly fuzz run mdl -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/mdl`. What it finds goes to `tests/regressions/mdl`, which `cargo test` replays.

#![no_main]

use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette, PoseBlend};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let settings = MdlLoaderSettings::default();
    if let Ok(contents) = ConvertedMdl::load(bytes, &settings, &Palette::default()) {
        let last = contents.poses.pose_count() - 1;
        let places = contents.poses.blend(PoseBlend::from(last));
        assert!(places.into_iter().all(|(place, _)| place.is_finite()));
    }
});
