//! Runs the conversion part of the fuzz targets on stored regressions and on random mutations of valid files.
//! `classic_model_formats` tests the parser part.

use crate::support::prelude::*;
use bevy::math::Quat;
use bevy_classic_models::alamo::ala::parse as parse_ala;
use bevy_classic_models::alamo::clip;
use bevy_classic_models::lgw::ConvertedLgw;
use classic_models_fixtures::{for_each_regression, mutations};

/// The conversion's part of `fuzz/fuzz_targets/mdl.rs`.
fn mdl_target(bytes: &[u8]) {
    let settings = MdlLoaderSettings::default();
    if let Ok(contents) = ConvertedMdl::load(bytes, &settings, &Palette::default()) {
        let last = contents.poses.pose_count() - 1;
        let mut vertices = contents.poses.blend(PoseBlend::from(last));
        assert!(vertices.all(|(position, _)| position.is_finite()));
    }
}

/// The conversion's part of `fuzz/fuzz_targets/ala.rs`.
fn ala_target(bytes: &[u8]) {
    if let Ok(file) = parse_ala(bytes) {
        sample_clip(&file);
    }
}

/// Samples every curve that Bevy would evaluate.
fn sample_clip(file: &AlaFile) {
    let clip = clip(file);
    let duration = clip.duration();
    assert!(duration > 0.0 && duration.is_finite());
    for curve in clip.curves().values().flatten() {
        for time in [0.0, 0.5 * duration, duration, f32::NAN, f32::MAX] {
            let sample = curve.0.sample_clamped(time);
            let vector = sample.downcast_ref::<Vec3>();
            let rotation = sample.downcast_ref::<Quat>();
            assert!(vector.is_none_or(|vector| vector.is_finite()));
            assert!(rotation.is_none_or(|rotation| rotation.is_normalized()));
        }
    }
}

/// The conversion's part of `fuzz/fuzz_targets/abc.rs`.
fn abc_target(bytes: &[u8]) {
    let _ = ConvertedAbc::load(bytes, &AbcLoaderSettings::default());
}

/// The conversion's part of `fuzz/fuzz_targets/lgw.rs`.
fn lgw_target(bytes: &[u8]) {
    let _ = ConvertedLgw::load(bytes, &LgwLoaderSettings::default());
}

#[test]
fn regressions_stay_fixed() {
    for_each_regression("mdl", mdl_target);
    for_each_regression("ala", ala_target);
    for_each_regression("abc", abc_target);
    for_each_regression("lgw", lgw_target);
}

#[test]
fn mutated_mdl_models_do_not_panic() {
    mutations::for_each_mdl(mdl_target);
}

#[test]
fn mutated_ala_animations_do_not_panic() {
    mutations::for_each_ala(ala_target);
}

#[test]
fn mutated_abc_models_do_not_panic() {
    mutations::for_each_abc(abc_target);
}

#[test]
fn mutated_lgw_models_do_not_panic() {
    mutations::for_each_lgw(lgw_target);
}
