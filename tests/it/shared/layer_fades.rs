//! Weights and fades of `ClipLayers` on all formats that have layers. `ala::layers` and `abc::layers` compare poses with
//! the files.

use super::layer_events::layered_kinds;
use crate::clips::named::{Kind, app};
use crate::support::prelude::*;

/// Numbers that are no valid times.
const NO_TIMES: [f32; 4] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0];

/// A model with a still clip below a layer, and the positions of a bone without and with the layer at weight 1.
struct Layered {
    kind: &'static Kind,
    root: Entity,
    below: Vec3,
    above: Vec3,
}

/// A bone that the clips move.
fn bone(kind: &Kind) -> &'static str {
    match kind.scene.starts_with("art") {
        true => "Hull",
        false => "Arm",
    }
}

/// Steps twice, because Bevy limits a frame to a quarter of a second.
fn advance(app: &mut TestApp, seconds: f32) {
    app.step(seconds / 2.0);
    app.step(seconds / 2.0);
}

impl Layered {
    fn spawn(app: &mut TestApp, kind: &'static Kind) -> Self {
        let root = app.spawn_shown(kind.scene, still(kind.clip, 0.12));
        app.step(0.0);
        let above = position(app, root, bone(kind));
        app.apply(root, (still(kind.other, 0.0), ClipLayers::default()));
        app.step(0.0);
        let below = position(app, root, bone(kind));
        assert!(below.distance(above) > 0.5, "{}", kind.scene);
        Self {
            kind,
            root,
            below,
            above,
        }
    }

    /// A layer that does not move.
    fn layer(&self) -> ClipLayer {
        ClipLayer::new(still(self.kind.clip, 0.12))
    }

    fn layers<'a>(&self, app: &'a mut TestApp) -> Mut<'a, ClipLayers> {
        app.get_mut::<ClipLayers>(self.root)
    }

    fn push(&self, app: &mut TestApp, layer: impl Into<ClipLayer>) -> LayerId {
        let id = self.layers(app).push(layer);
        app.step(0.0);
        id
    }

    /// The weight of the layer, by the position of the bone.
    fn weight(&self, app: &mut TestApp) -> f32 {
        let position = position(app, self.root, bone(self.kind));
        let way = self.above - self.below;
        let weight = (position - self.below).dot(way) / way.length_squared();
        let expected = self.below + way * weight;
        assert!(position.distance(expected) < 1e-3, "{}", self.kind.scene);
        weight
    }

    #[track_caller]
    fn assert_weight(&self, app: &mut TestApp, expected: f32, context: &str) {
        let weight = self.weight(app);
        let scene = self.kind.scene;
        assert!(
            (weight - expected).abs() < 1e-3,
            "{scene}, {context}: {weight}, expected {expected}"
        );
    }

    fn despawn(self, app: &mut TestApp) {
        app.despawn(self.root);
        app.step(0.1);
        assert_eq!(app.finished_layers(), []);
    }
}

fn position(app: &mut TestApp, root: Entity, bone: &'static str) -> Vec3 {
    let find = move |models: ModelQuery| models.bone(root, bone).unwrap();
    let bone = app.world().run_system_once(find).unwrap();
    app.get::<Transform>(bone).translation
}

#[test]
fn one_shot_fades_in_and_out_by_itself_and_is_removed() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        let layered = Layered::spawn(&mut app, kind);
        let layer = ClipLayer::one_shot(kind.clip).with_fades(0.1, 0.15);
        let id = layered.push(&mut app, layer);
        app.finished_layers();
        let mut weights = Vec::new();
        for _ in 0..20 {
            let Some(playback) = layered.layers(&mut app).playback(id) else {
                break;
            };
            let time = playback.time;
            let expected = (time / 0.1).min((kind.seconds - time) / 0.15);
            let weight = app.layer_weight(layered.root, id).unwrap();
            let context = format!("{} at {time}", kind.scene);
            let is_expected = (weight - expected.clamp(0.0, 1.0)).abs() < 1e-3;
            assert!(is_expected, "{context}: {weight}");
            assert_eq!(app.finished_layers(), [], "{context}");
            weights.push(weight);
            app.step(0.025);
        }
        assert!(weights.contains(&1.0), "{}: {weights:?}", kind.scene);
        let clip = kind.clip.into();
        let expected = LayerFinished {
            entity: layered.root,
            layer: id,
            clip,
        };
        assert_eq!(app.finished_layers(), [expected], "{}", kind.scene);
        assert!(layered.layers(&mut app).is_empty(), "{}", kind.scene);
        assert_eq!(app.layer_weight(layered.root, id), None);
        app.step(0.1);
        layered.assert_weight(&mut app, 0.0, "after the end");
        layered.despawn(&mut app);
    }
}

#[test]
fn layer_that_is_removed_during_a_fade_fades_out_from_its_weight() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        let layered = Layered::spawn(&mut app, kind);
        // In the middle of its fade in.
        let layer = layered.layer().with_fades(0.2, 0.4);
        let id = layered.push(&mut app, layer.clone());
        app.step(0.1);
        layered.assert_weight(&mut app, 0.5, "fading in");
        layered.layers(&mut app).remove(id);
        app.step(0.1);
        layered.assert_weight(&mut app, 0.25, "fading out");
        // A new layer begins its own fade.
        let id = layered.push(&mut app, layer);
        app.step(0.1);
        layered.assert_weight(&mut app, 0.5, "the new layer");
        app.step(0.1);
        layered.assert_weight(&mut app, 1.0, "the new layer");
        // In the middle of the fade out of all layers, the component is removed.
        layered.layers(&mut app).clear();
        app.step(0.1);
        layered.assert_weight(&mut app, 0.75, "all fade out");
        app.remove::<ClipLayers>(layered.root);
        app.step(0.0);
        layered.assert_weight(&mut app, 0.0, "without the component");
        assert_eq!(app.layer_weight(layered.root, id), None);
        assert_eq!(app.finished_layers(), []);
        layered.despawn(&mut app);
    }
}

#[test]
fn one_shot_that_is_removed_in_its_last_fade_sends_no_message() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        let layered = Layered::spawn(&mut app, kind);
        let layer = ClipLayer::one_shot(kind.clip).with_fades(0.0, 0.2);
        let id = layered.push(&mut app, layer);
        advance(&mut app, kind.seconds - 0.1);
        let weight = app.layer_weight(layered.root, id).unwrap();
        assert!((weight - 0.5).abs() < 1e-3, "{}: {weight}", kind.scene);
        layered.layers(&mut app).remove(id);
        for _ in 0..3 {
            app.step(0.1);
            assert_eq!(app.finished_layers(), [], "{}", kind.scene);
        }
        layered.assert_weight(&mut app, 0.0, "after the fade");
        layered.despawn(&mut app);
    }
}

#[test]
fn models_may_be_despawned_during_a_fade() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        for is_removed in [false, true] {
            let [first, second] = [(); 2].map(|()| Layered::spawn(&mut app, kind));
            for layered in [&first, &second] {
                let layer = layered.layer().with_fades(0.2, 0.4);
                let id = layered.push(&mut app, layer);
                app.step(0.1);
                if is_removed {
                    layered.layers(&mut app).remove(id);
                }
            }
            app.step(0.05);
            let weight = second.weight(&mut app);
            first.despawn(&mut app);
            // The other model, which may share the graph, continues its fade.
            let expected = match is_removed {
                false => (weight + 0.1 / 0.2).min(1.0),
                true => (weight - 0.1 / 0.4).max(0.0),
            };
            second.assert_weight(&mut app, expected, "the other model");
            second.despawn(&mut app);
        }
    }
}

#[test]
fn weights_out_of_range_are_clamped() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        let layered = Layered::spawn(&mut app, kind);
        let id = layered.push(&mut app, layered.layer());
        for additive in [false, true] {
            layered.layers(&mut app).get_mut(id).unwrap().additive = additive;
            app.steps(2, 0.0);
            let at = |app: &mut TestApp, weight: f32| {
                layered.layers(app).get_mut(id).unwrap().weight = weight;
                app.step(0.0);
                position(app, layered.root, bone(kind))
            };
            let [none, all] = [0.0, 1.0].map(|weight| at(&mut app, weight));
            assert_eq!(none, layered.below, "{}", kind.scene);
            assert!(
                all.distance(none) > 0.1,
                "{}, additive: {additive}",
                kind.scene
            );
            for (weight, expected) in [
                (f32::NAN, none),
                (-3.0, none),
                (f32::NEG_INFINITY, none),
                (f32::INFINITY, all),
                (f32::MAX, all),
                (1e-40, none),
            ] {
                let found = at(&mut app, weight);
                let context = format!("{}, additive: {additive}, {weight}", kind.scene);
                assert!(found.abs_diff_eq(expected, 1e-4), "{context}: {found}");
            }
        }
        layered.despawn(&mut app);
    }
}

#[test]
fn fades_that_are_no_times_are_instant() {
    let mut app = app();
    for (kind, _) in layered_kinds() {
        for fade in NO_TIMES {
            let layered = Layered::spawn(&mut app, kind);
            let context = format!("fades of {fade}");
            let layer = layered.layer().with_fades(fade, fade);
            let id = layered.push(&mut app, layer);
            layered.assert_weight(&mut app, 1.0, &context);
            layered.layers(&mut app).remove(id);
            app.step(0.01);
            layered.assert_weight(&mut app, 0.0, &context);
            // A one-shot has its weight until its end.
            let shot = ClipLayer::one_shot(kind.clip).with_fades(fade, fade);
            let id = layered.push(&mut app, shot);
            advance(&mut app, kind.seconds - 0.01);
            assert_eq!(app.layer_weight(layered.root, id), Some(1.0), "{context}");
            app.step(0.02);
            assert_eq!(app.finished_layers().len(), 1, "{context}");
            app.step(0.0);
            layered.assert_weight(&mut app, 0.0, &context);
            layered.despawn(&mut app);
        }
    }
}
