//! `ModelReady`: sent once per spawn, when everything that a model draws and plays is loaded and spawned.

use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

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

fn app() -> (TestApp, Received) {
    log::listen();
    let mut app = TestApp::new(&squad::files());
    let received = Received::record(&mut app.app);
    (app, received)
}

#[test]
fn every_format_becomes_ready_once() {
    let (mut app, received) = app();
    for path in ["gun.mdl", "lamp.alo", "body.abc", "bike.lgw"] {
        let root = app.spawn_model(path, ());
        let mut events = Vec::new();
        app.wait(path, |world| {
            let found = received.take(root);
            assert!(found.is_empty() || world.entity(root).contains::<ModelInstance>());
            events.extend(found);
            !events.is_empty()
        });
        app.wait_until_idle();
        events.extend(received.take(root));
        assert_eq!(events, [false], "{path}");
        // A change of a component respawns nothing.
        app.insert(root, (DamageStage(1), PlayClip::looping(0)));
        app.wait_until_idle();
        assert_eq!(received.take(root), [false; 0], "{path}");
    }
    // A scene without a `ClassicModel`.
    let root = app.spawn("gun.mdl#Scene", ());
    app.wait("the scene", |_| received.take(root) == [false]);
}

#[test]
fn preloaded_manifest_is_ready_in_its_first_frame() {
    let (mut app, received) = app();
    let manifest: Handle<ModelManifest> = app.load("soldier.model.ron");
    app.wait_loaded(&manifest);
    for _ in 0..2 {
        let root = app.spawn_entity(ClassicModel::new(manifest.clone()));
        app.step(0.0);
        let attached = app.attachments(root);
        assert_eq!(attached.len(), 3);
        for (_, entity) in attached {
            assert_eq!(received.take(entity), [false], "attachments are models too");
        }
        assert_eq!(received.take(root), [false]);
        app.wait_until_idle();
        assert_eq!(received.take(root), [false; 0]);
    }
}

/// An app whose reads of `path` are held.
fn app_that_holds(path: &str) -> (TestApp, HeldFiles, Received) {
    log::listen();
    let (mut app, held) = TestApp::with_held_files(&squad::files());
    held.hold(path);
    let received = Received::record(&mut app.app);
    (app, held, received)
}

/// Runs frames until no load makes progress without a release.
fn settle(app: &mut TestApp) {
    app.steps(5, 0.0);
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
        ("bike.lgw", "bike.lgw"),
        // Files that a model finds by itself.
        ("EV_Hull.tga", "lamp.alo"),
        ("riksa+kolo.tga", "bike.lgw"),
        ("walker_MOVE_00.ala", "walker.alo"),
        ("skins/a/guard.dtx", "models/a/guard.abc"),
    ] {
        let (mut app, files, _) = app_that_holds(held);
        let server = app.server();
        let model = load_model(&server, path);
        app.wait(held, |_| files.is_waiting());
        settle(&mut app);
        let state = server.recursive_dependency_load_state(&model);
        assert!(
            matches!(
                state,
                RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded
            ),
            "{held} of {path}: {state:?}"
        );
        files.release();
        app.wait(held, |_| server.is_loaded_with_dependencies(&model));
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
        let (mut app, files, received) = app_that_holds(held);
        let root = app.spawn_model(path, ());
        app.wait(held, |world| files.is_waiting() && is_spawned(world, root));
        settle(&mut app);
        assert_eq!(received.take(root), [false; 0], "{held} is loading");
        files.release();
        app.wait(held, |_| received.take(root) == [false]);
        app.wait_until_idle();
        assert_eq!(received.take(root), [false; 0], "{held}");
    }
}

#[test]
fn skin_and_clip_of_the_game_are_waited_for() {
    for (held, path) in [("red.tga", "body.abc"), ("anims/step.ala", "walker.alo")] {
        let (mut app, files, received) = app_that_holds(held);
        let root = app.spawn_model(path, ());
        if held == "red.tga" {
            app.insert(root, ModelSkin::from(held));
        } else {
            let clip: Handle<AnimationClip> = app.load("anims/step.ala#Clip");
            app.insert(root, PlayClip::looping(clip));
        }
        app.wait(held, |world| files.is_waiting() && is_spawned(world, root));
        settle(&mut app);
        assert_eq!(received.take(root), [false; 0], "{held}");
        files.release();
        app.wait(held, |_| received.take(root) == [false]);
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
    let root = app.spawn_model("lacks_files.model.ron", ());
    app.wait("the model", |_| received.take(root) == [false]);
    // A model that cannot be loaded never becomes ready.
    let bad = app.spawn_model("bad.mdl", ());
    app.wait_until_idle();
    assert_eq!(received.take(bad), [false; 0]);
}

#[test]
fn reload_sends_the_event_again_as_a_respawn() {
    let (mut app, received) = app();
    let manifest: Handle<ModelManifest> = app.load("soldier.model.ron");
    app.wait_loaded(&manifest);
    let root = app.spawn_entity(ClassicModel::new(manifest));
    app.step(0.0);
    assert_eq!(received.take(root), [false]);
    let mut edited = abc::figure();
    edited.command_string.push(' ');
    app.replace("body.abc", abc::bytes(&edited));
    app.step(0.0);
    assert_eq!(received.take(root), [true], "the model was edited");
    // The manifest names another model.
    app.edit("soldier.model.ron", r#"(model: "gun.mdl")"#);
    app.wait("the other model", |_| received.take(root) == [true]);
    app.wait_until_idle();
    assert_eq!(received.take(root), [false; 0]);
    // An edit of a component respawns nothing.
    app.edit(
        "soldier.model.ron",
        r#"(model: "gun.mdl", damage_stage: 1)"#,
    );
    app.wait_for_component(root, DamageStage(1));
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
        let bundle = (ClassicModel::new(manifest.clone()), Rival);
        app.spawn_entity(bundle)
    });
    let mut ready = 0;
    app.wait("a root that is ready", |_| {
        let taken = roots.iter().map(|root| received.take(*root).len());
        ready += taken.sum::<usize>();
        ready > 0
    });
    app.wait_until_idle();
    app.step(0.0);
    let later = roots.iter().map(|root| received.take(*root).len());
    assert_eq!((ready, later.sum::<usize>()), (1, 0));
    let alive = roots.iter().filter(|root| app.exists(**root));
    assert_eq!(alive.count(), 1);
    // A root that is despawned while it loads.
    let root = app.spawn_model("body.abc", ());
    app.despawn(root);
    app.wait_until_idle();
    assert_eq!(received.take(root), [false; 0]);
}
