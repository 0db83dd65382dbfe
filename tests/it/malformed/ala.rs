//! Malformed Alamo animations through the asset server. Each causes an error with an offset, and playback in the same
//! app continues.

use crate::ala::play::{FPS, HULL, SCENE, files};
use crate::support::ala_malformed::rejected;
use crate::support::prelude::*;
use bevy::asset::AssetLoadError;
use bevy_classic_models::alamo::Ala;
use bevy_classic_models::load::ModelLoadError;

/// The count of animations that load at the same time.
const BATCH: usize = 32;

/// The loader's error, if the load failed with one.
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
fn rejected_animations_are_errors_and_others_keep_playing() {
    let rejected_files = rejected();
    assert!(rejected_files.len() > 300, "{} files", rejected_files.len());
    let paths: Vec<_> = (0..rejected_files.len())
        .map(|n| format!("bad/{n}.ala"))
        .collect();
    let mut all = files();
    for (path, (_, bytes, _)) in paths.iter().zip(&rejected_files) {
        all.push((path.clone().leak(), bytes.clone()));
    }
    let mut app = TestApp::new(&all);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00"));
    app.step(0.0);
    let numbered: Vec<_> = rejected_files.iter().zip(&paths).collect();
    for batch in numbered.chunks(BATCH) {
        let handles: Vec<Handle<Ala>> = batch
            .iter()
            .map(|(_, path)| app.load((*path).clone()))
            .collect();
        for (((name, _, offset), path), handle) in batch.iter().zip(&handles) {
            let state = app.finish_load(handle);
            let Some(ModelLoadError::Parse {
                path: error_path,
                source,
            }) = parse_error(&state)
            else {
                panic!("{name}: {state:?}");
            };
            assert_eq!((error_path, source.offset), (*path, *offset), "{name}");
            let text = parse_error(&state).unwrap().to_string();
            let location = format!("at offset {offset} ");
            let is_located =
                text.starts_with(&format!("{path}: ALA: ")) && text.contains(&location);
            assert!(is_located, "{name}: {text}");
        }
        app.step(0.03);
        let time = app.get::<Playback>(root).time;
        let bone = app.get::<AloInstance>(root).bones()[HULL];
        let x = app.get::<Transform>(bone).translation.x;
        assert!((x - time * FPS).abs() < 1e-3, "{x} at {time}");
    }
    let steps = rejected_files.len().div_ceil(BATCH) as f32;
    let time = app.get::<Playback>(root).time;
    let expected = (0.03 * steps).rem_euclid(4.0 / FPS);
    assert!(
        (time - expected).abs() < 1e-4,
        "{time}, expected {expected}"
    );
}
