//! Edits of the `events` and `masks` of manifests while clips play, on all formats with clips.

use super::layer_events::layered_kinds;
use super::model_events::{Received, kinds};
use crate::ala::play::files;
use crate::clips::named::Kind;
use crate::manifest::spawn::text;
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The file of a kind, and the path of its manifest.
fn paths(kind: &Kind) -> (&'static str, &'static str) {
    match kind.scene {
        "tetra.mdl#Scene" => ("tetra.mdl", "tetra.model.ron"),
        "model.abc#Scene" => ("model.abc", "figure.model.ron"),
        _ => ("art/Unit.alo", "unit.model.ron"),
    }
}

/// An app with the models of all kinds.
fn app() -> TestApp {
    log::listen();
    let mut files = files();
    files.push(("tetra.mdl", tetrahedron().to_bytes()));
    files.push(("model.abc", bytes(&figure())));
    TestApp::new(&files)
}

/// A manifest of a kind, which plays its clip.
fn manifest(kind: &Kind, fields: &str) -> String {
    let (model, clip) = (paths(kind).0, kind.clip);
    format!("(model: {model:?}, play: {clip:?}, {fields})")
}

/// An event of a manifest: the clip, the frame and the name.
type Event<'a> = (&'a str, u32, &'a str);

fn with_events(kind: &Kind, events: &[Event]) -> String {
    let events = events
        .iter()
        .map(|(clip, frame, name)| format!("(clip: {clip:?}, frame: {frame}, name: {name:?}),"));
    manifest(kind, &format!("events: [{}]", events.collect::<String>()))
}

/// Spawns a manifest, and waits until its clip plays.
fn spawn(app: &mut TestApp, kind: &Kind, manifest: &str, bundle: impl Bundle) -> Entity {
    let path = paths(kind).1;
    app.files.insert_asset(path.as_ref(), text(manifest));
    let root = app.spawn_model_ready(path, bundle);
    app.wait("the clip", |world| {
        let playback = world.get::<Playback>(root);
        playback.is_some_and(|playback| playback.duration > 0.0)
    });
    root
}

/// Sets the time of the clip, and runs frames until the time has passed the clip once.
fn play_once(app: &mut TestApp, root: Entity, kind: &Kind) {
    app.get_mut::<Playback>(root).time = 0.0;
    app.step(0.0);
    let count = 10;
    app.steps(count, kind.seconds * 0.999 / count as f32);
}

#[test]
fn edited_events_are_sent_at_once() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        let path = paths(kind).1;
        let last = times.len() as u32 - 2;
        let first = with_events(
            kind,
            &[(kind.clip, 0, "frame a"), (kind.clip, 1, "frame b")],
        );
        let root = spawn(&mut app, kind, &first, ());
        received.take_all();
        play_once(&mut app, root, kind);
        assert_eq!(received.take(root), ["frame a", "frame b"], "{path}");

        // The name, the frame and the clip of an event change, one is removed, and one is added.
        let edits: [(&[Event], &[&str]); 6] = [
            (&[(kind.clip, 0, "frame c")], &["frame c"]),
            (&[(kind.clip, last, "frame c")], &["frame c"]),
            (&[(kind.other, 0, "frame c")], &[]),
            (
                &[(kind.clip, 1, "frame e"), (kind.clip, 0, "frame d")],
                &["frame d", "frame e"],
            ),
            (&[], &[]),
            (&[(kind.clip, 0, "frame f")], &["frame f"]),
        ];
        for (events, expected) in edits {
            let list = ModelEvents::new(
                events
                    .iter()
                    .map(|(clip, frame, name)| ClipEvent::new(*clip, *frame, *name)),
            );
            let is_applied = |world: &mut World| {
                let found = world.get::<ModelEvents>(root).cloned();
                found.unwrap_or_default() == list
            };
            let time = app.get::<Playback>(root).time;
            app.edit(path, with_events(kind, events));
            app.wait(path, is_applied);
            app.step(0.0);
            let after = app.get::<Playback>(root).time;
            assert_eq!(time, after, "{path}: the clip plays on");
            assert_eq!(received.take(root), [""; 0], "{path}: no time passes");
            play_once(&mut app, root, kind);
            assert_eq!(received.take(root), expected, "{path}: {events:?}");
        }

        // An invalid edit changes nothing. Events that the game has set stay.
        app.edit(path, "(events: 3)");
        app.wait_until_idle();
        play_once(&mut app, root, kind);
        assert_eq!(received.take(root), ["frame f"], "{path}");
        let own = ModelEvents::new([ClipEvent::new(kind.clip, 0, "frame of the game")]);
        app.insert(root, own.clone());
        app.edit(path, &first);
        app.wait_until_idle();
        assert_eq!(app.find(root), Some(&own), "{path}");
        play_once(&mut app, root, kind);
        assert_eq!(received.take(root), ["frame of the game"], "{path}");
        app.despawn(root);
        app.step(0.1);
    }
}

/// A bone that the clips move, and one that is not above it.
fn bones(kind: &Kind) -> [&'static str; 2] {
    match kind.scene.starts_with("art") {
        true => ["Hull", "Turret"],
        false => ["Body", "Tail"],
    }
}

fn position(app: &mut TestApp, root: Entity, bone: &'static str) -> Vec3 {
    let find = move |models: ModelQuery| models.bone(root, bone).unwrap();
    let bone = app.world().run_system_once(find).unwrap();
    app.get::<Transform>(bone).translation
}

#[test]
fn edited_masks_apply_to_layers_that_play() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        let path = paths(kind).1;
        let [moved, other] = bones(kind);
        let masks = |mask: &str| manifest(kind, &format!("masks: {{{mask}}}"));
        let of_bone = |bone: &str| masks(&format!("\"upper\": [{bone:?}]"));
        let still = |clip: &'static str| PlayClip::looping(clip).with_speed(0.0);
        let layer = ClipLayer::new(still(kind.other).starting_at(0.0)).with_mask("upper");
        let bundle = (still(kind.clip).starting_at(0.12), ClipLayers::new([layer]));
        let root = spawn(&mut app, kind, &of_bone(moved), bundle);
        app.steps(2, 0.0);
        let layered = position(&mut app, root, moved);
        let has_layer = |world: &mut World, expected: bool| {
            let find = move |models: ModelQuery| models.bone(root, moved).unwrap();
            let bone = world.run_system_once(find).unwrap();
            let found = world.get::<Transform>(bone).unwrap().translation;
            found.abs_diff_eq(layered, 1e-4) == expected
        };
        for (manifest, expected) in [
            (of_bone(other), false),
            (of_bone(moved), true),
            // No mask of this name.
            (masks("\"lower\": [\"Root\"]"), false),
            (masks(&format!("\"UPPER\": [{other:?}, {moved:?}]")), true),
            (manifest(kind, ""), false),
            (of_bone(moved), true),
        ] {
            app.edit(path, &manifest);
            app.wait(&manifest, |world| has_layer(world, expected));
            app.step(0.0);
            assert!(has_layer(app.world(), expected), "{manifest}");
        }
        // Masks that the game has set stay.
        let own = ModelMasks::new([("upper", BoneMask::bones([other]))]);
        app.apply(root, own.clone());
        app.step(0.0);
        assert!(has_layer(app.world(), false), "{path}");
        app.edit(path, masks(&format!("\"upper\": [{moved:?}, {other:?}]")));
        app.wait_until_idle();
        assert_eq!(app.find(root), Some(&own), "{path}");
        assert!(has_layer(app.world(), false), "{path}");
        app.despawn(root);
        app.step(0.1);
    }
}
