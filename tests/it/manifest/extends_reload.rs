//! Manifests whose bases change, are deleted and come back, and roots that are despawned while a base is loading.

use crate::manifest::reload::Folder;
use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

/// A model of each format.
fn models() -> [(&'static str, Vec<u8>, ModelFormat); 4] {
    [
        ("a.mdl", mdl(), ModelFormat::Quake),
        ("a.alo", alo::clean(), ModelFormat::Alamo),
        ("a.abc", abc::bytes(&abc::figure()), ModelFormat::LithTech),
        ("a.lgw", text(BICYCLE), ModelFormat::UfoAftermath),
    ]
}

fn base_of(model: &str, stage: u32) -> String {
    format!("(model: {model:?}, damage_stage: {stage})")
}

fn format(world: &World, root: Entity) -> Option<ModelFormat> {
    world.get::<ModelInstance>(root).map(ModelInstance::format)
}

fn has_error(text: &str) -> bool {
    !log::errors_with(text).is_empty()
}

#[test]
fn model_of_the_base_is_replaced_by_one_of_any_format() {
    log::listen();
    let models = models();
    let mut files = models
        .each_ref()
        .map(|(path, bytes, _)| (*path, bytes.clone()))
        .to_vec();
    files.push(("any_base.model.ron", text(&base_of("a.mdl", 0))));
    let manifest = r#"(extends: "any_base.model.ron", skin: 0)"#;
    files.push(("any.model.ron", text(manifest)));
    let mut app = Folder::watching(&files);
    let root = app.spawn("any.model.ron");
    app.wait_for(root);
    for (stage, (path, _, expected)) in models.iter().cycle().skip(1).take(4).enumerate() {
        let stage = stage as u32 + 1;
        app.save("any_base.model.ron", base_of(path, stage));
        app.wait(path, |world| {
            assert!(is_spawned(world, root), "no frame is empty");
            format(world, root) == Some(*expected)
        });
        assert_eq!(app.find(root), Some(&DamageStage(stage)));
        assert_eq!(app.get::<Children>(root).len(), 1);
    }
}

#[test]
fn deleted_base_keeps_its_values_until_it_comes_back() {
    log::listen();
    let manifest =
        |skin: &str| format!("(extends: \"gone_base.model.ron\", model: \"a.mdl\"{skin})");
    let mut app = Folder::watching(&[
        ("gone.model.ron", text(&manifest(""))),
        ("gone_base.model.ron", text("(damage_stage: 1)")),
        ("other_base.model.ron", text("(damage_stage: 7)")),
        ("a.mdl", mdl()),
    ]);
    let root = app.spawn("gone.model.ron");
    app.wait_for(root);
    let base = app.folder.path().join("files/gone_base.model.ron");
    let stage = |app: &Folder| app.find::<DamageStage>(root).cloned();
    std::fs::remove_file(&base).unwrap();
    app.wait_until_idle();
    assert!(is_spawned(app.app.world(), root));
    assert_eq!(stage(&app), Some(DamageStage(1)));
    app.save("gone_base.model.ron", "(damage_stage: 2)");
    app.wait_for_component(root, DamageStage(2));

    // The manifest is edited meanwhile.
    std::fs::remove_file(&base).unwrap();
    app.wait_until_idle();
    app.save("gone.model.ron", manifest(", skin: 0"));
    app.wait("an error", |_| {
        has_error("gone.model.ron:1:11: extends \"gone_base.model.ron\" was not found")
    });
    app.wait_until_idle();
    assert!(is_spawned(app.app.world(), root));
    assert_eq!(stage(&app), Some(DamageStage(2)));
    assert_eq!(app.find::<ModelSkin>(root), None);
    app.save("gone_base.model.ron", "(damage_stage: 3)");
    app.wait_for_component(root, DamageStage(3));
    assert_eq!(app.find(root), Some(&ModelSkin::Index(0)));

    // Another base, while the first is deleted. The first has no effect any more.
    std::fs::remove_file(&base).unwrap();
    app.save(
        "gone.model.ron",
        manifest("").replace("gone_base", "other_base"),
    );
    app.wait_for_component(root, DamageStage(7));
    app.save("gone_base.model.ron", "(damage_stage: 4)");
    app.wait_until_idle();
    assert_eq!(stage(&app), Some(DamageStage(7)));
    // No base.
    app.save("gone.model.ron", r#"(model: "a.mdl")"#);
    app.wait("no base", |world| world.get::<DamageStage>(root).is_none());
}

#[test]
fn roots_may_be_despawned_while_a_base_is_loading() {
    for (model, bytes, _) in models() {
        let files = [
            (model, bytes),
            ("base.model.ron", text(&base_of(model, 1))),
            ("a.model.ron", text(r#"(extends: "base.model.ron")"#)),
        ];
        let (mut app, held) = TestApp::with_held_files(&files);
        app.step(0.0);
        let world = app.world();
        let count = world.query::<()>().iter(world).count();
        for drops_handle in [true, false] {
            held.hold("base.model.ron");
            let kept: Option<Handle<ModelManifest>> =
                (!drops_handle).then(|| app.load("a.model.ron"));
            let roots = [(); 2].map(|()| app.spawn_model("a.model.ron", ()));
            app.wait("the base is requested", |_| held.is_waiting());
            let [first, second] = roots;
            app.despawn(first);
            if drops_handle {
                app.despawn(second);
            }
            app.step(0.0);
            held.release();
            app.wait_until_idle();
            if !drops_handle {
                assert!(is_spawned(app.world(), second), "{model}");
                assert_eq!(app.find(second), Some(&DamageStage(1)));
                app.despawn(second);
            }
            drop(kept);
            app.wait_until_idle();
            let world = app.world();
            let left = world.query::<()>().iter(world).count();
            assert_eq!(left, count, "{model}, dropped: {drops_handle}");
        }
        // The base is read again.
        let root = app.spawn_model("a.model.ron", ());
        app.wait_for_model(root);
        assert_eq!(app.find(root), Some(&DamageStage(1)), "{model}");
    }
}

#[test]
fn newest_base_is_used_whichever_load_ends_last() {
    let files = [
        ("a.mdl", mdl()),
        ("base.model.ron", text(&base_of("a.mdl", 1))),
        ("a.model.ron", text(r#"(extends: "base.model.ron")"#)),
    ];
    let (mut app, held) = TestApp::with_held_files(&files);
    let root = app.spawn_model("a.model.ron", ());
    app.wait_for_model(root);
    held.hold_next("base.model.ron");
    app.edit("a.model.ron", r#"(extends: "base.model.ron", skin: 0)"#);
    app.wait("the base is requested", |_| held.is_waiting());
    let newest = text(&base_of("a.mdl", 2));
    app.save("base.model.ron", newest);
    app.reload("a.model.ron");
    let is_newest = |world: &mut World| world.get(root) == Some(&DamageStage(2));
    app.wait("the newest base", is_newest);
    held.release();
    app.wait_until_idle();
    assert!(is_newest(app.world()));
    assert_eq!(app.find(root), Some(&ModelSkin::Index(0)));
}
