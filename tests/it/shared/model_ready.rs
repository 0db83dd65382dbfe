//! `ModelReady`: sent once per spawn, when everything that a model draws and plays is loaded and spawned.

use crate::gpuless;
use crate::manifest::spawn::{attachments, edit, is_spawned, mdl, text, wait};
use crate::support::activity::{Activity, Quiet};
use crate::support::app::TestApp;
use crate::support::held_files::HeldFiles;
use crate::support::{abc, ala, alo, lgw, log};
use bevy::asset::RecursiveDependencyLoadState;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The received events.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<ModelReady>>>);

impl Received {
    fn record(app: &mut App) -> Self {
        let received = Self::default();
        let events = received.0.clone();
        app.add_observer(move |event: On<ModelReady>| {
            events.lock().unwrap().push(*event.event());
        });
        received
    }

    /// Takes the events of a root. Returns whether each is a respawn.
    fn take(&self, root: Entity) -> Vec<bool> {
        let mut events = self.0.lock().unwrap();
        let own = events.iter().filter(|event| event.entity == root);
        let own = own.map(|event| event.is_respawn).collect();
        events.retain(|event| event.entity != root);
        own
    }
}

/// A soldier with a gun and a lamp, whose manifests name all kinds of files.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let soldier = r#"(model: "body.abc", skins: {"red": "red.tga", "blue": "blue.tga"}, skin: "red",
        attachments: [(bone: "Arm", model: "gun.model.ron"), (model: "lamp.alo")])"#;
    let gun =
        r#"(model: "gun.mdl", palette: "gun.lmp", attachments: [(model: "walker.model.ron")])"#;
    let walker = r#"(model: "walker.alo", clips: [(file: "anims/*.ala")], play: "step")"#;
    let skin = crate::support::alo_stage::tga(&[[200, 10, 10, 255]; 64]);
    vec![
        ("soldier.model.ron", text(soldier)),
        ("gun.model.ron", text(gun)),
        ("walker.model.ron", text(walker)),
        ("body.abc", abc::bytes(&abc::figure())),
        ("gun.mdl", mdl()),
        ("lamp.alo", alo::clean()),
        ("walker.alo", alo::clean()),
        ("anims/step.ala", ala::small(1)),
        ("anims/other.ala", ala::small(1)),
        ("walker_MOVE_00.ala", ala::small(1)),
        ("gun.lmp", vec![9; 768]),
        ("models/a/guard.abc", abc::bytes(&abc::figure())),
        (
            "skins/a/guard.dtx",
            crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]),
        ),
        ("red.tga", skin.clone()),
        ("EV_Hull.tga", skin.clone()),
        ("riksa+kolo.tga", skin.clone()),
        ("blue.tga", skin),
        ("bicycle.lgw", lgw::BICYCLE.as_bytes().to_vec()),
    ]
}

fn app() -> (TestApp, Received) {
    log::listen();
    let mut app = TestApp::new(&files());
    let received = Received::record(&mut app.app);
    (app, received)
}

#[test]
fn every_format_becomes_ready_once() {
    let (mut app, received) = app();
    for path in ["gun.mdl", "lamp.alo", "body.abc", "bicycle.lgw"] {
        let model = ClassicModel(app.load(path));
        let root = app.world().spawn(model).id();
        let mut events = Vec::new();
        wait(&mut app, path, |world| {
            let found = received.take(root);
            assert!(found.is_empty() || world.entity(root).contains::<ModelInstance>());
            events.extend(found);
            !events.is_empty()
        });
        app.wait_until_idle();
        events.extend(received.take(root));
        assert_eq!(events, [false], "{path}");
        // A change of a component respawns nothing.
        app.world()
            .entity_mut(root)
            .insert((DamageStage(1), PlayClip::looping(0)));
        app.wait_until_idle();
        assert_eq!(received.take(root), [false; 0], "{path}");
    }
    // A scene without a `ClassicModel`.
    let root = app.spawn("gun.mdl#Scene", ());
    wait(&mut app, "the scene", |_| received.take(root) == [false]);
}

#[test]
fn preloaded_manifest_is_ready_in_its_first_frame() {
    let (mut app, received) = app();
    let manifest: Handle<ModelManifest> = app.load("soldier.model.ron");
    app.wait_loaded(&manifest);
    for _ in 0..2 {
        let root = app.world().spawn(ClassicModel(manifest.clone())).id();
        app.step(0.0);
        let attached = attachments(&mut app, root);
        assert_eq!(attached.len(), 2);
        for (_, entity) in attached {
            assert_eq!(received.take(entity), [false], "attachments are models too");
        }
        assert_eq!(received.take(root), [false]);
        app.wait_until_idle();
        assert_eq!(received.take(root), [false; 0]);
    }
}

/// An app whose reads of one file can be held.
struct HeldApp {
    app: App,
    files: HeldFiles,
    activity: Activity,
    received: Received,
}

impl HeldApp {
    fn new() -> Self {
        log::listen();
        let root = Dir::default();
        for (path, bytes) in files() {
            root.insert_asset(Path::new(path), bytes);
        }
        let files = HeldFiles::new(MemoryAssetReader { root });
        let activity = Activity::default();
        let (observed, reader) = (activity.clone(), files.clone());
        let source = move || Box::new(observed.observe(Box::new(reader.clone()))) as Box<_>;
        let mut app = App::new();
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(source));
        let plugins = gpuless::plugins(Path::new("unused"), false);
        let mut app = TestApp::with_sources(app, plugins).app;
        let received = Received::record(&mut app);
        Self {
            app,
            files,
            activity,
            received,
        }
    }

    /// Runs frames until no load makes progress without a release.
    fn settle(&mut self) {
        for _ in 0..5 {
            gpuless::step(&mut self.app, 0.0);
        }
    }

    fn wait_until_idle(&mut self) {
        let mut quiet = Quiet::new(&self.activity);
        assert!(gpuless::wait_until(&mut self.app, |_| quiet.is_reached(false)));
    }
}

#[test]
fn load_state_includes_every_file() {
    for (held, path) in [
        ("body.abc", "soldier.model.ron"),
        ("red.tga", "soldier.model.ron"),
        ("blue.tga", "soldier.model.ron"),
        ("gun.lmp", "soldier.model.ron"),
        ("walker.alo", "soldier.model.ron"),
        ("anims/other.ala", "soldier.model.ron"),
        ("body.abc", "body.abc"),
        ("gun.mdl", "gun.model.ron"),
        ("bicycle.lgw", "bicycle.lgw"),
        // Files that a model finds by itself.
        ("EV_Hull.tga", "lamp.alo"),
        ("riksa+kolo.tga", "bicycle.lgw"),
        ("walker_MOVE_00.ala", "walker.alo"),
        ("skins/a/guard.dtx", "models/a/guard.abc"),
    ] {
        let mut app = HeldApp::new();
        app.files.hold(held);
        let server = app.app.world().resource::<AssetServer>().clone();
        let manifest: Handle<ModelManifest> = server.load(path);
        let files = app.files.clone();
        assert!(
            gpuless::wait_until(&mut app.app, |_| files.is_waiting()),
            "{held} is requested"
        );
        app.settle();
        let state = server.recursive_dependency_load_state(&manifest);
        assert!(
            matches!(
                state,
                RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded
            ),
            "{held} of {path}: {state:?}"
        );
        app.files.release();
        let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&manifest);
        assert!(gpuless::wait_until(&mut app.app, is_loaded), "{held}");
    }
}

#[test]
fn model_is_ready_only_when_all_of_its_files_are_loaded() {
    for (held, path) in [
        ("red.tga", "soldier.model.ron"),
        // The manifest names it, although the model does not use it yet.
        ("blue.tga", "soldier.model.ron"),
        ("lamp.alo", "soldier.model.ron"),
        // The attachment of an attachment.
        ("walker.alo", "soldier.model.ron"),
        ("anims/step.ala", "walker.model.ron"),
        ("anims/other.ala", "walker.model.ron"),
    ] {
        let mut app = HeldApp::new();
        app.files.hold(held);
        let server = app.app.world().resource::<AssetServer>().clone();
        let root = app
            .app
            .world_mut()
            .spawn(ClassicModel(server.load(path)))
            .id();
        let files = app.files.clone();
        let is_held = gpuless::wait_until(&mut app.app, |world| {
            files.is_waiting() && is_spawned(world, root)
        });
        assert!(is_held, "{held} is held, and the model spawned without it");
        app.settle();
        assert_eq!(app.received.take(root), [false; 0], "{held} is loading");
        app.files.release();
        let received = app.received.clone();
        let is_ready = gpuless::wait_until(&mut app.app, |_| received.take(root) == [false]);
        assert!(is_ready, "{held} is loaded");
        app.wait_until_idle();
        assert_eq!(app.received.take(root), [false; 0], "{held}");
    }
}

#[test]
fn skin_and_clip_of_the_game_are_waited_for() {
    for (held, path) in [("red.tga", "body.abc"), ("anims/step.ala", "walker.alo")] {
        let mut app = HeldApp::new();
        app.files.hold(held);
        let server = app.app.world().resource::<AssetServer>().clone();
        let model = ClassicModel(server.load(path));
        let root = app.app.world_mut().spawn(model).id();
        let mut entity = app.app.world_mut().entity_mut(root);
        if held == "red.tga" {
            entity.insert(ModelSkin::from(held));
        } else {
            let clip: Handle<AnimationClip> = server.load("anims/step.ala#Clip");
            entity.insert(PlayClip::looping(clip));
        }
        let files = app.files.clone();
        let is_held = gpuless::wait_until(&mut app.app, |world| {
            files.is_waiting() && is_spawned(world, root)
        });
        assert!(is_held, "{held}");
        app.settle();
        assert_eq!(app.received.take(root), [false; 0], "{held}");
        app.files.release();
        let received = app.received.clone();
        let is_ready = gpuless::wait_until(&mut app.app, |_| received.take(root) == [false]);
        assert!(is_ready, "{held}");
    }
}

#[test]
fn files_that_fail_are_not_waited_for() {
    log::listen();
    let manifest = r#"(model: "a.mdl", skins: {"no": "no.tga", "bad": "bad.tga"}, skin: "bad",
        attachments: [(model: "no.mdl"), (model: "bad.mdl")])"#;
    let mut app = TestApp::new(&[
        ("lacks_files.model.ron", text(manifest)),
        ("a.mdl", mdl()),
        ("bad.mdl", mdl()[..100].to_vec()),
        ("bad.tga", vec![1; 7]),
    ]);
    let received = Received::record(&mut app.app);
    let model = ClassicModel(app.load("lacks_files.model.ron"));
    let root = app.world().spawn(model).id();
    wait(&mut app, "the model", |_| received.take(root) == [false]);
    // A model that cannot be loaded never becomes ready.
    let bad = ClassicModel(app.load("bad.mdl"));
    let bad = app.world().spawn(bad).id();
    app.wait_until_idle();
    assert_eq!(received.take(bad), [false; 0]);
}

#[test]
fn reload_sends_the_event_again_as_a_respawn() {
    let (mut app, received) = app();
    let manifest: Handle<ModelManifest> = app.load("soldier.model.ron");
    app.wait_loaded(&manifest);
    let root = app.world().spawn(ClassicModel(manifest)).id();
    app.step(0.0);
    assert_eq!(received.take(root), [false]);
    let mut edited = abc::figure();
    edited.command_string.push(' ');
    app.replace("body.abc", abc::bytes(&edited));
    app.step(0.0);
    assert_eq!(received.take(root), [true], "the model was edited");
    // The manifest names another model.
    edit(&mut app, "soldier.model.ron", r#"(model: "gun.mdl")"#);
    wait(&mut app, "the other model", |_| {
        received.take(root) == [true]
    });
    app.wait_until_idle();
    assert_eq!(received.take(root), [false; 0]);
    // An edit of a component respawns nothing.
    edit(
        &mut app,
        "soldier.model.ron",
        r#"(model: "gun.mdl", damage_stage: 1)"#,
    );
    wait(&mut app, "the edit", |world| {
        world.get::<DamageStage>(root) == Some(&DamageStage(1))
    });
    app.wait_until_idle();
    assert_eq!(received.take(root), [false; 0]);
}

#[test]
fn despawned_roots_receive_no_event() {
    let (mut app, received) = app();
    let manifest: Handle<ModelManifest> = app.load("gun.model.ron");
    app.wait_loaded(&manifest);
    // The first root that is ready despawns all others.
    #[derive(Component)]
    struct Rival;
    app.app.add_observer(
        |event: On<ModelReady>, rivals: Query<Entity, With<Rival>>, mut commands: Commands| {
            // Attachments become ready too.
            if !rivals.contains(event.entity) {
                return;
            }
            for rival in rivals.iter().filter(|rival| *rival != event.entity) {
                commands.entity(rival).despawn();
            }
        },
    );
    let roots = [(); 3].map(|()| {
        let bundle = (ClassicModel(manifest.clone()), Rival);
        app.world().spawn(bundle).id()
    });
    let mut ready = 0;
    wait(&mut app, "a root that is ready", |_| {
        let taken = roots.iter().map(|root| received.take(*root).len());
        ready += taken.sum::<usize>();
        ready > 0
    });
    app.wait_until_idle();
    app.step(0.0);
    let later = roots.iter().map(|root| received.take(*root).len());
    assert_eq!((ready, later.sum::<usize>()), (1, 0));
    let alive = roots
        .iter()
        .filter(|root| app.app.world().get_entity(**root).is_ok());
    assert_eq!(alive.count(), 1);
    // A root that is despawned while it loads.
    let model = ClassicModel(app.load("body.abc"));
    let root = app.world().spawn(model).id();
    app.world().entity_mut(root).despawn();
    app.wait_until_idle();
    assert_eq!(received.take(root), [false; 0]);
}
