//! Converts arbitrary bytes as a model of a format, which the first byte selects, to Bevy's assets.
//!
//! The targets of the formats only parse, which does not need Bevy and is many times faster.

#![no_main]

use bevy_classic_models::alamo::{ConvertedAlo, clip};
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use bevy_classic_models::lithtech::{AbcLoaderSettings, ConvertedAbc};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette, PoseBlend};
use classic_model_formats::ala::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((format, bytes)) = bytes.split_first() else {
        return;
    };
    match format % 5 {
        0 => drop(ConvertedAlo::load(bytes, &Default::default())),
        1 => drop(ConvertedAbc::load(bytes, &AbcLoaderSettings::default())),
        2 => drop(ConvertedLgw::load(bytes, &LgwLoaderSettings::default())),
        3 => {
            let settings = MdlLoaderSettings::default();
            if let Ok(converted) = ConvertedMdl::load(bytes, &settings, &Palette::default()) {
                let last = converted.poses.pose_count() - 1;
                let mut vertices = converted.poses.blend(PoseBlend::from(last));
                assert!(vertices.all(|(position, _)| position.is_finite()));
            }
        }
        _ => {
            let Ok(file) = parse(bytes) else { return };
            let clip = clip(&file);
            for curve in clip.curves().values().flatten() {
                for time in [0.0, 0.5 * clip.duration(), f32::NAN, f32::MAX] {
                    curve.0.sample_clamped(time);
                }
            }
        }
    }
});
