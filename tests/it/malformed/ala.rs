//! Malformed Alamo animations through the asset server. Each causes an error with an offset, and playback in the same
//! app continues.

use super::suite::loader_error;
use crate::ala::play::{FPS, SCENE, files};
use crate::support::ala_malformed::rejected;
use crate::support::prelude::*;

/// The count of animations that load at the same time.
const BATCH: usize = 32;

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
            let error = loader_error(&state).unwrap_or_else(|| panic!("{name}: {state:?}"));
            let ModelLoadError::Parse { path: of, source } = error else {
                panic!("{name}: {error}");
            };
            assert_eq!((of, source.offset), (*path, *offset), "{name}");
            let text = error.to_string();
            let location = format!("at offset {offset} ");
            let is_located =
                text.starts_with(&format!("{path}: ALA: ")) && text.contains(&location);
            assert!(is_located, "{name}: {text}");
        }
        app.step(0.03);
        let time = app.get::<Playback>(root).time;
        let x = app.hull_x(root);
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
