//! Manifests that are loaded with their dependencies: all files are loaded and spawned in the first frame.

use crate::manifest::reload::Folder;
use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;
use bevy::asset::AssetEvent;
use bevy::ecs::message::MessageCursor;

/// The count of frames that are checked after a spawn.
const FRAMES: usize = 6;

/// Waits until a manifest is loaded with its dependencies.
fn preload(app: &mut TestApp, path: &'static str) -> Handle<ModelManifest> {
    let manifest: Handle<ModelManifest> = app.load(path);
    let server = app.server();
    let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&manifest);
    app.wait(path, is_loaded);
    manifest
}

/// A stage with copies of the bundled models.
fn stage_of_samples() -> Stage {
    let stage = Stage::new(&[]);
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for folder in ["models", "skins", "textures"] {
        let to = stage.folder().join(folder);
        std::fs::create_dir(&to).unwrap();
        for file in std::fs::read_dir(assets.join(folder)).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    stage
}

/// Screenshots of the next frames, in which no time passes.
fn film(stage: &mut Stage) -> Vec<Picture> {
    #[derive(Resource, Default)]
    struct Film(Vec<Option<Image>>);
    let target = stage.headless.target.clone();
    stage.insert_resource(Film((0..FRAMES).map(|_| None).collect()));
    for frame in 0..FRAMES {
        let shot = Screenshot::image(target.clone());
        stage.world().spawn(shot).observe(
            move |shot: On<ScreenshotCaptured>, mut film: ResMut<Film>| {
                film.0[frame] = Some(shot.image.clone());
            },
        );
        stage.headless.step(0.0);
    }
    stage.wait_for("all screenshots are captured", |world| {
        world.resource::<Film>().0.iter().all(Option::is_some)
    });
    let film = stage.world().remove_resource::<Film>().unwrap();
    let picture = |image: Image| {
        let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
        Picture(texels.to_vec())
    };
    film.0.into_iter().flatten().map(picture).collect()
}

/// Preloads a manifest by its handle, spawns it, and compares the first frames with a later one.
fn assert_drawn_from_first_frame(path: &'static str, from: Vec3, at: Vec3) {
    let mut stage = stage_of_samples();
    let view = Transform::from_translation(from).looking_at(at, Vec3::Y);
    stage.camera().insert(view);
    let server = stage.server();
    let manifest: Handle<ModelManifest> = server.load(path);
    stage.wait_for("the manifest is loaded", |_| {
        server.is_loaded_with_dependencies(&manifest)
    });
    let empty = stage.capture();

    let root = stage.spawn_entity(ClassicModel::new(manifest));
    let film = film(&mut stage);
    let settled = stage.capture();
    assert!(settled.different(&empty) > 2000, "{path} is drawn");
    for (frame, picture) in film.iter().enumerate() {
        let different = picture.different(&settled);
        if different > 20 {
            let what = format!("{path} in frame {frame}");
            let saved = picture.save_beside(&settled, &what);
            panic!("{what}: {different} pixels differ from the later frame, see {saved}");
        }
    }
    // The attachment is drawn too.
    let mut attached = stage.world().query::<(Entity, &AttachedToBone)>();
    let mut attached = attached.iter(stage.world());
    let is_on_root = |(_, attached): &(Entity, &AttachedToBone)| attached.to == root;
    let (attachment, _) = attached.find(is_on_root).unwrap();
    stage.insert(attachment, Visibility::Hidden);
    assert!(
        stage.capture().different(&settled) > 30,
        "{path}: the attachment is drawn"
    );
    let mut errors = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
    // Other tests log errors about files of their own.
    let folder = stage.folder().to_string_lossy().into_owned();
    errors.retain(|error| error.contains(&folder) || error.contains("'models/"));
    assert_eq!(errors, [""; 0]);
}

#[test]
fn preloaded_lithtech_model_is_drawn_from_its_first_frame() {
    let path = "models/frost_warden.model.ron";
    assert_drawn_from_first_frame(path, Vec3::new(-70.0, 60.0, -90.0), Vec3::Y * 35.0);
}

#[test]
fn preloaded_alamo_model_is_drawn_from_its_first_frame() {
    let path = "models/patrol.model.ron";
    assert_drawn_from_first_frame(path, Vec3::new(-15.0, 12.0, 20.0), Vec3::Y * 6.0);
}

/// A root and all attachments below it.
fn with_attachments(app: &mut TestApp, root: Entity) -> Vec<Entity> {
    let mut all = vec![root];
    let mut next = 0;
    while let Some(root) = all.get(next).copied() {
        all.extend(app.attachments(root).into_iter().map(|(_, entity)| entity));
        next += 1;
    }
    all
}

#[test]
fn preloaded_manifest_is_complete_in_its_first_frame() {
    log::listen();
    let mut app = TestApp::new(&squad::files());
    let manifest = preload(&mut app, "soldier.model.ron");
    for root in 0..2 {
        let root = app.spawn_entity((
            Name::new(format!("{root}")),
            ClassicModel::new(manifest.clone()),
        ));
        for frame in 0..FRAMES {
            app.step(0.0);
            let all = with_attachments(&mut app, root);
            assert_eq!(all.len(), 5, "frame {frame}");
            for entity in all {
                assert!(is_spawned(app.world(), entity), "frame {frame}: {entity}");
                let visible = app.find::<Visibility>(entity);
                assert_eq!(visible, Some(&Visibility::Inherited));
            }
        }
    }
}

#[test]
fn manifest_settings_apply_to_the_first_load_of_a_model() {
    let mut app = TestApp::new(&squad::files());
    let mut changes = MessageCursor::<AssetEvent<Mdl>>::default();
    let manifest = preload(&mut app, "gun.model.ron");
    let root = app.spawn_entity(ClassicModel::new(manifest));
    app.run_until_idle(0.0, |world| {
        let events = world.resource::<Messages<AssetEvent<Mdl>>>();
        for event in changes.read(events) {
            assert!(!matches!(event, AssetEvent::Modified { .. }), "{event:?}");
        }
    });
    // All colors of the palette are equal.
    let model = app.get::<MdlInstance>(root).model();
    let material = model.material(0, 0).unwrap().clone();
    let image = app.asset(&material);
    let image = image.base.base_color_texture.clone().unwrap();
    let image = app.asset(&image);
    assert_eq!(image.data.as_ref().unwrap()[..3], [9, 9, 9]);
}

#[test]
fn manifests_with_attachment_cycles_are_loaded() {
    log::listen();
    let with_attachment = |model: &str, attached: &str| {
        text(&format!(
            "(model: \"{model}\", attachments: [(model: \"{attached}\")])"
        ))
    };
    let mut app = TestApp::new(&[
        ("self.model.ron", with_attachment("a.mdl", "self.model.ron")),
        ("one.model.ron", with_attachment("a.mdl", "two.model.ron")),
        ("two.model.ron", with_attachment("b.mdl", "three.model.ron")),
        ("three.model.ron", with_attachment("c.mdl", "one.model.ron")),
        ("a.mdl", mdl()),
        ("b.mdl", mdl()),
        ("c.mdl", mdl()),
    ]);
    let alone = preload(&mut app, "self.model.ron");
    let one = preload(&mut app, "one.model.ron");
    let three = preload(&mut app, "three.model.ron");
    for (manifest, count) in [(alone, 1), (one, 3), (three, 3)] {
        let root = app.spawn_entity(ClassicModel::new(manifest));
        app.step(0.0);
        let all = with_attachments(&mut app, root);
        assert_eq!(all.len(), count);
        for entity in all {
            assert!(is_spawned(app.world(), entity));
        }
    }
    // Concurrent loads, which run in any order.
    let mut app = TestApp::new(&[
        ("one.model.ron", with_attachment("a.mdl", "two.model.ron")),
        ("two.model.ron", with_attachment("a.mdl", "three.model.ron")),
        ("three.model.ron", with_attachment("a.mdl", "one.model.ron")),
        ("a.mdl", mdl()),
    ]);
    let all = ["one", "two", "three"].map(|name| app.load(format!("{name}.model.ron")));
    let server = app.server();
    let are_loaded = |_: &mut World| {
        let mut all = all.iter();
        all.all(|manifest: &Handle<ModelManifest>| server.is_loaded_with_dependencies(manifest))
    };
    app.wait_until(are_loaded);
}

#[test]
fn manifest_with_missing_attachment_is_loaded() {
    log::listen();
    let manifest = r#"(model: "a.mdl", skins: {"no": "no.tga"}, attachments: [(model: "no.mdl")])"#;
    let mut app = TestApp::new(&[("lacks.model.ron", text(manifest)), ("a.mdl", mdl())]);
    preload(&mut app, "lacks.model.ron");
}

#[test]
fn invalid_attachment_fails_as_a_dependency_until_it_is_fixed() {
    log::listen();
    let manifest = r#"(model: "a.mdl", attachments: [(model: "broken.mdl")])"#;
    let mut app = TestApp::new(&[
        ("holds_broken.model.ron", text(manifest)),
        ("a.mdl", mdl()),
        ("broken.mdl", mdl()[..100].to_vec()),
    ]);
    let manifest: Handle<ModelManifest> = app.load("holds_broken.model.ron");
    let server = app.server();
    let has_dependency_failed = |_: &mut World| {
        let state = server.recursive_dependency_load_state(&manifest);
        matches!(state, RecursiveDependencyLoadState::Failed(_))
    };
    app.wait_until(has_dependency_failed);
    assert!(server.is_loaded(&manifest));
    let root = app.spawn_entity(ClassicModel::new(manifest.clone()));
    app.step(0.0);
    assert!(is_spawned(app.world(), root), "the model itself is spawned");
    // The attachment's entity loads the file once more.
    let broken = server.get_handle::<Mdl>("broken.mdl").unwrap();
    let has_failed = |_: &mut World| server.load_state(&broken).is_failed();
    app.wait_until(has_failed);
    // After the file is fixed, a reload of the manifest succeeds with all dependencies.
    app.save("broken.mdl", mdl());
    server.reload("holds_broken.model.ron");
    let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&manifest);
    app.wait_until(is_loaded);
}

/// The count of assets of each type.
fn counts(app: &mut TestApp) -> [usize; 8] {
    fn count<A: Asset>(world: &World) -> usize {
        world.resource::<Assets<A>>().len()
    }
    let world = app.world();
    [
        count::<ModelManifest>(world),
        count::<Mdl>(world),
        count::<Alo>(world),
        count::<Abc>(world),
        count::<WorldAsset>(world),
        count::<AnimationClip>(world),
        count::<Image>(world),
        count::<Mesh>(world),
    ]
}

#[test]
fn assets_of_a_manifest_are_dropped_with_its_handle() {
    let mut app = TestApp::new(&squad::files());
    app.step(0.0);
    let before = counts(&mut app);
    let manifest = preload(&mut app, "soldier.model.ron");
    let held = counts(&mut app);
    assert_eq!(held[..4], [3, 1, 2, 1]);
    assert!(held[5] > before[5] && held[6] > before[6], "{held:?}");
    app.wait_until_idle();
    assert_eq!(counts(&mut app), held, "the handle keeps them loaded");
    drop(manifest);
    app.wait_until_idle();
    assert_eq!(counts(&mut app), before);
}

#[test]
fn spawning_again_does_not_reload_with_file_watching() {
    let mut app = Folder::watching(&[
        ("one.model.ron", text(r#"(model: "a.mdl")"#)),
        (
            "two.model.ron",
            text(r#"(model: "a.mdl", damage_stage: 1)"#),
        ),
        ("a.mdl", mdl()),
    ]);
    let server = app.server();
    let mut changes = MessageCursor::<AssetEvent<WorldAsset>>::default();
    let mut held = Vec::new();
    for path in ["one.model.ron", "two.model.ron"] {
        let manifest: Handle<ModelManifest> = server.load(path);
        let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&manifest);
        app.wait_until(is_loaded);
        for _ in 0..2 {
            let root = app.spawn_entity(ClassicModel::new(manifest.clone()));
            gpuless::step(&mut app.app, 0.0);
            assert!(is_spawned(app.app.world(), root), "{path}");
        }
        held.push(manifest);
    }
    app.wait_until_idle();
    let events = app
        .app
        .world()
        .resource::<Messages<AssetEvent<WorldAsset>>>();
    let changed = |event: &&AssetEvent<WorldAsset>| matches!(event, AssetEvent::Modified { .. });
    assert_eq!(changes.read(events).filter(changed).count(), 0);
}
