//! Asset paths with a superfluous label, and asset paths without the expected one.

use crate::attach::scene::{all_formats, app, wait_for_model};
use crate::support::prelude::*;

#[test]
fn world_asset_root_adds_the_label_of_a_models_scene() {
    let mut app = app();
    for (path, ..) in all_formats() {
        let scene: Handle<WorldAsset> = app.load(path);
        let root = app.spawn_entity(WorldAssetRoot(scene));
        wait_for_model(&mut app, root);
        assert_eq!(app.model_path(root), path);
        // The explicit label still works.
        let labeled: Handle<WorldAsset> = app.load(format!("{path}#Scene"));
        assert!(matches!(app.finish_load(&labeled), LoadState::Loaded));
    }
}

#[test]
fn formats_with_a_common_extension_register_one_loader_of_scenes_for_it() {
    log::listen();
    let quake = QuakePlugin {
        extensions: vec!["mdl".into(), "ALO".into()],
        ..default()
    };
    let files = [("common.alo", tetrahedron().to_bytes())];
    let mut app = TestApp::with_plugin(&files, ClassicModelsPlugins.set(quake));
    let scene: Handle<WorldAsset> = app.load("common.alo");
    let root = app.spawn_entity(WorldAssetRoot(scene));
    wait_for_model(&mut app, root);
    assert_eq!(
        app.get::<ModelInstance>(root).format(),
        ModelFormat::Quake,
        "the last format"
    );
    let mut warnings = log::warnings_with("Duplicate AssetLoader");
    warnings.retain(|warning| warning.contains("WorldAsset"));
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn a_label_on_classic_model_is_a_warning() {
    let mut app = app();
    let manifest = b"(model: \"unit.mdl\")".to_vec();
    app.save("attached/unit.model.ron", manifest);
    let models = all_formats();
    let models = models.iter().map(|(path, ..)| *path);
    for path in models.chain(["attached/unit.model.ron"]) {
        let warning = format!("`ClassicModel` takes {path} without a label");
        let warnings = || log::warnings_with(&warning).len();
        for _ in 0..2 {
            let model = ClassicModel::new(format!("{path}#Scene"));
            app.world().spawn(model);
            app.wait(path, |_| warnings() > 0);
            app.wait_until_idle();
        }
        assert_eq!(warnings(), 1, "{path}");
    }
}

#[test]
fn the_error_of_a_scene_path_without_a_label_names_an_example() {
    let mut app = TestApp::new(&[("labels/text.txt", b"no model".to_vec())]);
    let scene: Handle<WorldAsset> = app.load("labels/text.txt");
    let error = app.load_error(&scene);
    assert!(error.contains("such as labels/text.txt#Scene0"), "{error}");
}
