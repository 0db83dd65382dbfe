//! Paths with a label where none is expected, and without one where it is.

use crate::attach::scene::{all_formats, app, wait_for_model};
use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::log;
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy::world_serialization::WorldAsset;
use bevy_classic_models::prelude::*;
use std::path::Path;

#[test]
fn world_asset_root_takes_models_without_a_label() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let scene: Handle<WorldAsset> = app.load(path);
        let root = app.world().spawn(WorldAssetRoot(scene)).id();
        wait_for_model(&mut app, root);
        let shown = app.world().get::<WorldAssetRoot>(root).unwrap();
        let shown = shown.0.path().unwrap().to_string();
        assert_eq!(shown, format!("{path}#Scene"));
        // Labels of the files are found as before.
        let labeled: Handle<WorldAsset> = app.load(format!("{path}#Scene"));
        assert!(matches!(app.finish_load(&labeled), LoadState::Loaded));
    }
}

#[test]
fn classic_model_says_that_it_takes_no_label() {
    let mut app = app();
    let manifest = b"(model: \"unit.mdl\")".to_vec();
    app.files
        .insert_asset(Path::new("hung/unit.model.ron"), manifest);
    let models = all_formats();
    let models = models.iter().map(|(path, ..)| *path);
    for path in models.chain(["hung/unit.model.ron"]) {
        let warning = format!("`ClassicModel` takes {path} without a label");
        let warnings = || log::warnings_with(&warning).len();
        for _ in 0..2 {
            let model = ClassicModel(app.load(format!("{path}#Scene")));
            app.world().spawn(model);
            assert!(
                gpuless::wait_until(&mut app.app, |_| warnings() > 0),
                "{path}"
            );
            app.wait_until_idle();
        }
        assert_eq!(warnings(), 1, "{path}");
    }
}

#[test]
fn a_scene_of_no_model_is_an_error_in_words() {
    let mut app = TestApp::new(&[("labels/text.txt", b"no model".to_vec())]);
    let scene: Handle<WorldAsset> = app.load("labels/text.txt");
    let LoadState::Failed(error) = app.finish_load(&scene) else {
        panic!("it was loaded");
    };
    let error = error.to_string();
    assert!(error.contains("as in labels/text.txt#Scene0"), "{error}");
}
