//! Events of the clips of `ClipLayers`, on the formats that have layers.

use super::model_events::{Received, every_frame, kinds, names, names_of};
use crate::ala::play::files;
use crate::clips::named::{Kind, app, named};
use crate::manifest::spawn::text;
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The formats with layers, and the times of the frames of their clips.
pub(super) fn layered_kinds() -> impl Iterator<Item = (&'static Kind, &'static [f32])> {
    kinds().filter(|(kind, _)| !kind.scene.starts_with("tetra"))
}

/// A bone of the model.
fn bone(kind: &Kind) -> &'static str {
    match kind.scene.starts_with("art") {
        true => "Turret",
        false => "Arm",
    }
}

/// Spawns a model that plays a clip below a layer. The clip of the layer has events.
fn spawn_layered(app: &mut TestApp, kind: &Kind, count: usize, layer: ClipLayer) -> Entity {
    let layers = ClipLayers::new([layer.with_mask(BoneMask::bones([bone(kind)]))]);
    let bundle = (
        PlayClip::looping(kind.other),
        layers,
        every_frame(kind.clip, count),
    );
    let root = app.spawn_shown(kind.scene, bundle);
    let ids: Vec<LayerId> = app.get::<ClipLayers>(root).iter().map(|it| it.0).collect();
    assert!(ids.iter().all(|id| app.layer_weight(root, *id).is_some()));
    root
}

#[test]
fn layer_sends_the_events_that_its_clip_sends_without_layers() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in layered_kinds() {
        for play in [PlayClip::looping(kind.clip), PlayClip::once(kind.clip)] {
            for speed in [1.0_f32, 0.4, -0.7, 11.0, -11.0] {
                let play = play.clone().with_speed(speed);
                let layer = ClipLayer::new(play.clone());
                let layered = spawn_layered(&mut app, kind, times.len(), layer);
                let events = every_frame(kind.clip, times.len());
                let plain = app.spawn_shown(kind.scene, (play, events));
                received.take_all();
                app.steps(20, 0.06);
                let events = received.take_all();
                let [of_layer, of_clip] = [layered, plain].map(|root| names_of(&events, root));
                let context = format!("{} at speed {speed}", kind.scene);
                assert!(of_clip.len() >= times.len(), "{context}: {of_clip:?}");
                assert_eq!(of_layer, of_clip, "{context}");
                for root in [layered, plain] {
                    app.despawn(root);
                }
            }
        }
    }
}

#[test]
fn layer_without_a_clip_below_sends_events_and_follows_their_changes() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in layered_kinds() {
        let layers = ClipLayers::new([ClipLayer::looping(kind.clip).with_weight(0.0)]);
        let root = app.spawn_shown(kind.scene, layers);
        app.step(0.05);
        assert_eq!(received.take(root), [""; 0], "{}", kind.scene);
        app.apply(root, every_frame(kind.clip, times.len()));
        app.step(0.1);
        assert_eq!(received.take(root), names(&[1]), "{}", kind.scene);
        let mut layers = app.get_mut::<ClipLayers>(root);
        let id = layers.iter().next().unwrap().0;
        layers.seek(id, times[1]);
        app.step(0.05);
        assert_eq!(received.take(root), names(&[1]), "{}", kind.scene);
        app.remove::<ClipLayers>(root);
        app.steps(10, 0.1);
        assert_eq!(received.take(root), [""; 0], "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn clip_and_layers_send_the_events_of_their_own_clips_in_order() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, _) in layered_kinds() {
        let events = [(kind.clip, "frame of the top"), (kind.other, "frame below")];
        let events = events.map(|(clip, name)| ClipEvent::new(clip, 0, name));
        // Only the layers that play the clip under this name send the event.
        let of_shot = ClipEvent::new("shot", 0, "frame of the shot");
        let shot = named("shot", kind.clip, 1.0, Repeat::Loop);
        let layers = [
            ClipLayer::new(PlayClip::looping(kind.clip)),
            ClipLayer::new(PlayClip::from_manifest("Shot")),
        ];
        let bundle = (
            PlayClip::looping(kind.other),
            ClipLayers::new(layers),
            ModelClips::new([shot]),
            ModelEvents::new(events.into_iter().chain([of_shot])),
        );
        let root = app.spawn_shown(kind.scene, bundle);
        app.step(0.01);
        let expected = [
            "frame below",
            "frame of the top",
            "frame of the top",
            "frame of the shot",
        ];
        assert_eq!(received.take(root), expected, "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn one_shot_layer_sends_each_event_once_and_removes_itself() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in layered_kinds() {
        let layer = ClipLayer::one_shot(kind.clip).with_fades(0.1, 0.1);
        for layer in [layer.clone(), layer.added()] {
            let root = spawn_layered(&mut app, kind, times.len(), layer);
            app.steps(12, 0.05);
            let all: Vec<_> = (0..times.len()).collect();
            assert_eq!(received.take(root), names(&all), "{}", kind.scene);
            assert!(app.get::<ClipLayers>(root).is_empty());
            app.steps(12, 0.05);
            assert_eq!(received.take(root), [""; 0], "{}", kind.scene);
            app.despawn(root);
        }
    }
}

#[test]
fn layers_that_fade_out_send_no_events() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in layered_kinds() {
        let layer = ClipLayer::looping(kind.clip).with_fades(0.0, 1.0);
        let root = spawn_layered(&mut app, kind, times.len(), layer);
        app.step(0.02);
        assert_eq!(received.take(root), names(&[0]), "{}", kind.scene);
        // A new clip in the layer.
        let mut layers = app.get_mut::<ClipLayers>(root);
        let (id, layer) = layers.iter_mut().next().unwrap();
        layer.play = PlayClip::looping(ClipRef::part(kind.clip, 1..3));
        app.step(0.0);
        received.take_all();
        app.step(0.09);
        assert_eq!(received.take(root), names(&[1]), "{}", kind.scene);
        // No layer any more. The clip would pass frames, and keyframes with strings.
        app.get_mut::<ClipLayers>(root).remove(id).unwrap();
        app.steps(8, 0.1);
        let stray: Vec<_> = received
            .take_all()
            .into_iter()
            .filter(|event| event.clip != kind.other)
            .collect();
        assert_eq!(stray, [], "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn events_and_masks_of_a_manifest_apply_to_layers() {
    let manifest = |model: &str, clip: &str, bone: &str| {
        format!(
            r#"(model: "{model}", clips: [(name: "shot", clip: "{clip}", frames: (1, 2), repeat: Once)],
                masks: {{"upper": ["{bone}"]}}, events: [(clip: "shot", frame: 0, name: "frame fire"),
                (clip: "{clip}", frame: 2, name: "frame 2"), (clip: "{clip}", frame: 0, name: "frame 0")])"#
        )
    };
    let unit = manifest("Unit.alo", "MOVE_00", "Turret");
    let figured = manifest("model.abc", "Walk", "Arm");
    let mut files = files();
    files.push(("art/unit.model.ron", text(&unit)));
    files.push(("figure.model.ron", text(&figured)));
    files.push(("model.abc", bytes(&figure())));
    let mut app = TestApp::new(&files);
    let received = Received::record(&mut app);
    for path in ["art/unit.model.ron", "figure.model.ron"] {
        let layer = ClipLayer::new(PlayClip::from_manifest("shot")).with_mask("upper");
        let root = app.spawn_model_ready(path, ClipLayers::new([layer]));
        app.step(0.0);
        assert_eq!(received.take(root), [""; 0], "{path}");
        app.steps(10, 0.05);
        assert_eq!(received.take(root), ["frame fire", "frame 2"], "{path}");
    }
}
