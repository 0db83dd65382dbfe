//! Manifests with missing or invalid files, and what is reported about them.

use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

#[test]
fn models_and_manifests_are_no_clips() {
    log::listen();
    let itself = r#"(model: "tank.alo", clips: [
        (file: "unclip.model.ron"),
        (file: "tank.alo"),
        (file: "other.model.ron"),
        (file: "*"),
    ])"#;
    let mut app = TestApp::new(&[
        ("u/unclip.model.ron", text(itself)),
        ("u/other.model.ron", text("(model: \"tank.alo\")")),
        ("u/tank.alo", alo::clean()),
        ("u/tank_a.ala", ala::small(1)),
    ]);
    let root = app.spawn_model_ready("u/unclip.model.ron", ());
    let clips = app.cloned::<ModelClips>(root).unwrap().0;
    let names: Vec<&str> = clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["a"]);
    for (position, file) in [
        ("2:16", "unclip.model.ron"),
        ("3:16", "tank.alo"),
        ("4:16", "other.model.ron"),
    ] {
        let expected = format!("u/unclip.model.ron:{position}: ");
        let warnings = log::warnings_with(&expected);
        let is_right = |text: &str| text.contains(&format!("u/{file} is not a file of clips"));
        assert!(
            warnings.len() == 1 && is_right(&warnings[0]),
            "{warnings:?}"
        );
    }
}

#[test]
fn missing_files_are_reported_with_their_positions() {
    log::listen();
    let bad = r#"(
    model: "missing.mdl",
)"#;
    let lacking = "(
    model: \"here.mdl\",
    clips: [(file: \"gone.ala\"),
            (file: \"none/*.ala\")],
    skins: {\"red\": \"gone.tga\"},
    skin: \"blue\",
    palette: \"gone.lmp\",
    attachments: [(model: \"gone.mdl\")],
)";
    let mut app = TestApp::new(&[
        ("far/no_model.model.ron", text(bad)),
        ("far/lacking.model.ron", text(lacking)),
        ("far/here.mdl", mdl()),
    ]);
    let handle = app.load::<ModelManifest>("far/no_model.model.ron");
    let error = app.load_error(&handle);
    let expected = "far/no_model.model.ron:2:12: model \"missing.mdl\" was not found; tried \
                    far/missing.mdl, Textures/missing.mdl, missing.mdl";
    assert!(error.contains(expected), "{error}");
    let root = app.spawn_model_ready("far/lacking.model.ron", ());
    let warnings = log::warnings_with("far/lacking.model.ron");
    for (position, file) in [
        ("3:20: clips[0].file", "gone.ala"),
        ("4:20: clips[1].file \"none/*.ala\" matches no file", ""),
        ("5:20: skins[\"red\"]", "gone.tga"),
        (
            "6:11: skin is \"blue\", but `skins` has no entry of this name",
            "",
        ),
        ("7:14: palette", "gone.lmp"),
        ("8:27: attachments[0].model", "gone.mdl"),
    ] {
        let position = format!("far/lacking.model.ron:{position}");
        let is_match = |text: &&String| text.contains(&position) && text.contains(file);
        assert_eq!(
            warnings.iter().filter(is_match).count(),
            1,
            "{position} {warnings:#?}"
        );
    }
    assert!(is_spawned(app.world(), root));
}

#[test]
fn invalid_edit_keeps_the_model() {
    log::listen();
    let files = [
        (
            "broken_edit.model.ron",
            text(r#"(model: "a.mdl", damage_stage: 1)"#),
        ),
        ("a.mdl", mdl()),
    ];
    let mut app = TestApp::new(&files);
    let root = app.spawn_model_ready("broken_edit.model.ron", ());
    app.edit(
        "broken_edit.model.ron",
        "(model: \"a.mdl\",\n damage_stage: 2, new: 3)",
    );
    let errors = || {
        let errors = log::errors_with("broken_edit.model.ron:2:19:");
        errors.len()
    };
    app.wait("an error", |_| errors() > 0);
    app.wait_until_idle();
    // Bevy tries twice to load a file whose main asset is kept, and logs the error each time.
    assert!(errors() <= 2);
    assert_eq!(app.cloned(root), Some(DamageStage(1)));
    app.edit(
        "broken_edit.model.ron",
        r#"(model: "a.mdl", damage_stage: 3)"#,
    );
    app.wait_for_component(root, DamageStage(3));
}

#[test]
fn manifest_with_unsupported_model_extension_fails_to_load() {
    let manifest = text("(\n    model: \"unclaimed.xyz\",\n)");
    let files = [("unclaimed.model.ron", manifest), ("unclaimed.xyz", mdl())];
    let mut app = TestApp::new(&files);
    let manifest = app.load::<ModelManifest>("unclaimed.model.ron");
    let error = app.load_error(&manifest);
    let expected = "unclaimed.model.ron:2:12: model unclaimed.xyz has no extension of a model format; expected one of .alo";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn unsupported_model_extension_is_reported_once() {
    log::listen();
    let mut app = TestApp::new(&[]);
    for _ in 0..10 {
        app.world().spawn(ClassicModel::new("spawned_often.xyz"));
        app.step(0.0);
    }
    app.wait_until_idle();
    log::expect_warnings("spawned_often.xyz has no extension of a model format", 1);
}

#[test]
fn waiting_for_a_failed_model_is_cheap() {
    let clips: String = (0..1000)
        .map(|number| format!("(name: \"{number}\", clip: 0),"))
        .collect();
    let manifest = format!("(model: \"broken_for_all.mdl\", clips: [{clips}])");
    let mut app = TestApp::new(&[
        ("waits.model.ron", text(&manifest)),
        ("broken_for_all.mdl", mdl()[..2000].to_vec()),
    ]);
    let roots: Vec<_> = (0..200)
        .map(|_| app.spawn_model("waits.model.ron", ()))
        .collect();
    let errors = || !log::errors_with("broken_for_all.mdl").is_empty();
    app.wait("an error", |_| errors());
    app.wait_until_idle();
    // Cloning the manifests takes about 5 s.
    cpu_time::assert_cpu_time_below(Duration::from_secs(1), "waiting", || {
        app.steps(100, 0.0);
    });
    // The model is spawned once its file is fixed.
    app.save("broken_for_all.mdl", mdl());
    let server = app.server();
    server.reload("broken_for_all.mdl");
    app.wait_for_model(roots[199]);
}

#[test]
fn manifests_created_in_code_are_validated() {
    log::listen();
    let mut app = TestApp::new(&[("by_code.mdl", mdl())]);
    let manifest = ModelManifest {
        model: "by_code.mdl".into(),
        scale: f32::NAN,
        ..default()
    };
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    let nothing = manifests.add(ModelManifest::default());
    let manifest = manifests.add(manifest);
    app.world().spawn(ClassicModel::new(nothing));
    let root = app.spawn_entity(ClassicModel::new(manifest.clone()));
    app.world().spawn(ClassicModel::new(manifest.clone()));
    let warnings = [
        "a manifest of by_code.mdl, created in code: scale is NaN",
        "a manifest created in code: the manifest lacks the field `model`",
    ];
    app.wait("the warnings", |_| {
        let is_logged = |warning: &&str| !log::warnings_with(warning).is_empty();
        warnings.iter().all(is_logged)
    });
    app.wait_until_idle();
    assert!(!is_spawned(app.world(), root));
    for warning in warnings {
        log::expect_warnings(warning, 1);
    }
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    manifests.get_mut(&manifest).unwrap().scale = 2.0;
    app.wait_for_model(root);
    assert_eq!(app.scene(root).scale, Vec3::splat(2.0));
}

#[test]
fn missing_skin_is_reported_once() {
    log::listen();
    let files = |skins: &str, skin: &str| {
        text(&format!(
            "(model: \"no_skin.mdl\", skins: {skins}, skin: {skin:?})"
        ))
    };
    let mut app = TestApp::new(&[
        ("no_skin.mdl", mdl()),
        (
            "no_skin_1.model.ron",
            files(r#"{"red": "gone.tga"}"#, "red"),
        ),
        ("no_skin_2.model.ron", files("{}", "blue")),
    ]);
    for path in ["no_skin_1.model.ron", "no_skin_2.model.ron"] {
        let root = app.spawn_model_ready(path, ());
        app.step(0.0);
        log::expect_warnings(path, 1);
        assert_eq!(app.cloned::<ModelSkin>(root), None);
    }
    assert_eq!(log::warnings_with("no_skin.mdl keeps its skin"), [""; 0]);
}
