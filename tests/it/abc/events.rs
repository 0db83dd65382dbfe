//! Keyframe events of LithTech models that only their clips have. `shared::model_events` has those of all formats, with the
//! strings of this format's keyframes.

use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;
use std::collections::HashMap;

const SCENE: &str = "model.abc#Scene";

/// The times in milliseconds of the main clip's keyframe events. The last is also the clip's length.
const TIMES: [u32; 5] = [0, 1, 130, 299, 300];
const MAIN: usize = 0;

/// A model whose clips have events named after the clip and the keyframe's time.
fn document_with_events() -> AbcDocument {
    let mut model = figure();
    let with = |from: &AnimationDocument, name: &str, times: &[u32]| {
        let mut animation = from.clone();
        animation.name = name.to_owned();
        animation.length = *times.last().unwrap();
        let keyframes = times
            .iter()
            .map(|time| keyframe(*time, &format!("{name} {time}")));
        animation.keyframes = keyframes.collect();
        for track in &mut animation.tracks {
            let first = track.keys[0];
            track.keys = vec![first; times.len()];
        }
        animation
    };
    let walk = &model.animations[0];
    model.animations = vec![
        with(walk, "main", &TIMES),
        with(walk, "brief", &[0, 4, 9]),
        with(walk, "still", &[0]),
    ];
    model
}

struct EventRecorder {
    app: TestApp,
    events: Recorded<ModelEvent>,
}

impl EventRecorder {
    fn new() -> Self {
        let mut app = TestApp::new(&[("model.abc", bytes(&document_with_events()))]);
        let events = app.record();
        Self { app, events }
    }

    fn spawn(&mut self, play: impl Bundle) -> Entity {
        self.app.spawn_ready(SCENE, play)
    }

    /// Takes the events of an entity. Returns their count by string.
    fn take(&mut self, root: Entity) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for event in self.events.take() {
            if event.entity == root {
                *counts.entry(event.name).or_default() += 1;
            }
        }
        counts
    }
}

/// The main clip's events by string, from times in milliseconds and counts.
fn main_events(times: impl IntoIterator<Item = (u32, usize)>) -> HashMap<String, usize> {
    let nonzero = times.into_iter().filter(|(_, count)| *count > 0);
    nonzero
        .map(|(time, count)| (format!("main {time}"), count))
        .collect()
}

#[test]
fn events_are_in_order_with_clip_and_keyframe() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(PlayClip::once(MAIN));
    recorder.app.steps(10, 0.05);
    let events = recorder.events.take();
    let expected = [0, 1, 2, 3, 4].map(|frame: u32| ModelEvent {
        entity: root,
        name: format!("main {}", TIMES[frame as usize]),
        clip: "main".into(),
        frame,
        bone: None,
    });
    assert_eq!(events, expected);
}

#[test]
fn clip_shorter_than_a_frame_triggers_the_events_of_every_loop() {
    for (clip, length, strings) in [
        (1_usize, 0.009, &["brief 0", "brief 4", "brief 9"][..]),
        // A clip with one keyframe lasts 1/30 second.
        (2, 1.0 / 30.0, &["still 0"][..]),
    ] {
        for speed in [1.0, -1.0] {
            let mut recorder = EventRecorder::new();
            let root = recorder.spawn(PlayClip::looping(clip).with_speed(speed));
            recorder.app.step(0.0);
            let mut sums = vec![0; strings.len()];
            for _ in 0..20 {
                recorder.app.step(0.101);
                let counts = recorder.take(root);
                for (sum, string) in sums.iter_mut().zip(strings) {
                    *sum += counts.get(*string).copied().unwrap_or(0);
                }
            }
            // An event may lie between the last whole loop and the end.
            let loops = (20.0 * 0.101 / length) as usize;
            assert!(
                sums.iter().all(|sum| (loops..=loops + 1).contains(sum)),
                "{sums:?} at {speed}, in {loops} loops"
            );
        }
    }
}

#[test]
fn player_with_an_unloaded_graph_does_not_block_events_of_others() {
    let mut recorder = EventRecorder::new();
    let graphs = recorder
        .app
        .world()
        .resource_mut::<Assets<AnimationGraph>>();
    let waiting = AnimationGraphHandle(graphs.reserve_handle());
    // Queries visit players in the order in which their archetypes were created.
    let player = (AnimationPlayer::default(), waiting.clone());
    recorder.app.world().spawn(player);
    let first = recorder.spawn(PlayClip::looping(MAIN));
    let player = (AnimationPlayer::default(), waiting, Name::new("another"));
    recorder.app.world().spawn(player);
    let second = recorder.spawn((PlayClip::looping(MAIN), Name::new("second")));
    recorder.app.step(0.0);
    recorder.events.take();
    recorder.app.steps(13, 0.01);
    let events = recorder.events.take();
    for root in [first, second] {
        let own = events.iter().filter(|event| event.entity == root);
        let names: Vec<_> = own.map(|event| &*event.name).collect();
        assert_eq!(names, ["main 0", "main 1"]);
    }
}

#[test]
fn custom_graph_triggers_events_without_the_asset_of_the_model() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(());
    let clip: Handle<AnimationClip> = recorder.app.load("model.abc#Animation0");
    recorder.app.wait_loaded(&clip);
    // No handle to the model's asset is left.
    recorder.app.steps(3, 0.0);
    assert_eq!(recorder.app.assets::<Abc>().len(), 0);
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = recorder.app.add_asset(graph);
    let mut player = AnimationPlayer::default();
    player.play(node).repeat();
    recorder
        .app
        .apply(root, (player, AnimationGraphHandle(graph)));
    recorder.events.take();
    recorder.app.steps(29, 0.01);
    assert_eq!(recorder.take(root), main_events([(0, 1), (1, 1), (130, 1)]));
}
