//! Malformed Alamo animations by way of the asset server: each is an error that says where, and what
//! plays in the same app plays on.

use crate::ala::play::{FPS, HULL, SCENE, files};
use crate::support::ala_malformed::rejected;
use crate::support::app::TestApp;
use bevy::asset::{AssetLoadError, LoadState};
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, Alo, AloInstance};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::ModelLoadError;

/// Animations that load at the same time.
const AT_ONCE: usize = 32;

/// The animation's own error, if the load failed for that.
fn parse_error(state: &LoadState) -> Option<&ModelLoadError> {
    let LoadState::Failed(error) = state else {
        return None;
    };
    match &**error {
        AssetLoadError::AssetLoaderError(error) => error.error().downcast_ref(),
        _ => None,
    }
}

#[test]
fn every_refused_animation_is_an_error_and_others_play_on() {
    let refused = rejected();
    assert!(refused.len() > 300, "{} files", refused.len());
    let paths: Vec<_> = (0..refused.len()).map(|n| format!("bad/{n}.ala")).collect();
    let mut all = files();
    for (path, (_, bytes, _)) in paths.iter().zip(&refused) {
        all.push((path.clone().leak(), bytes.clone()));
    }
    let mut app = TestApp::new(&all);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00"));
    app.step(0.0);
    let numbered: Vec<_> = refused.iter().zip(&paths).collect();
    for batch in numbered.chunks(AT_ONCE) {
        let handles: Vec<Handle<Ala>> = batch
            .iter()
            .map(|(_, path)| app.load((*path).clone()))
            .collect();
        for (((name, _, offset), path), handle) in batch.iter().zip(&handles) {
            let state = app.finish_load(handle);
            let Some(ModelLoadError::Parse { path: told, source }) = parse_error(&state) else {
                panic!("{name}: {state:?}");
            };
            assert_eq!((told, source.offset), (*path, *offset), "{name}");
            let text = parse_error(&state).unwrap().to_string();
            let place = format!("at offset {offset} ");
            let tells = text.starts_with(&format!("{path}: ALA: ")) && text.contains(&place);
            assert!(tells, "{name}: {text}");
        }
        app.step(0.03);
        let time = app.world().get::<Playback>(root).unwrap().time;
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[HULL];
        let x = app.world().get::<Transform>(bone).unwrap().translation.x;
        assert!((x - time * FPS).abs() < 1e-3, "{x} at {time}");
    }
    let steps = refused.len().div_ceil(AT_ONCE) as f32;
    let time = app.world().get::<Playback>(root).unwrap().time;
    let expected = (0.03 * steps).rem_euclid(4.0 / FPS);
    assert!(
        (time - expected).abs() < 1e-4,
        "{time} instead of {expected}"
    );
}
