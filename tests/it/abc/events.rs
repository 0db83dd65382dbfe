//! Keyframe events of LithTech models: one event per keyframe and loop, with the right entity as target.

use crate::support::abc::{bytes, figure, keyframe};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::write::{AbcDocument, AnimationDocument};
use std::collections::HashMap;

const SCENE: &str = "model.abc#Scene";

/// The times in milliseconds of the main clip's keyframe events. The last is also the clip's length.
const TIMES: [u32; 5] = [0, 1, 130, 299, 300];
const LENGTH: f64 = 0.3;
const MAIN: usize = 0;
const OTHER: usize = 1;

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
        with(walk, "other", &[0, 50, 100]),
        with(walk, "brief", &[0, 4, 9]),
        with(walk, "still", &[0]),
    ];
    model
}

type Events = Arc<Mutex<Vec<ModelEvent>>>;

struct EventRecorder {
    app: TestApp,
    events: Events,
}

impl EventRecorder {
    fn new() -> Self {
        let mut app = TestApp::new(&[("model.abc", bytes(&document_with_events()))]);
        let events = Events::default();
        let recorded = events.clone();
        app.app.add_observer(move |event: On<ModelEvent>| {
            recorded.lock().unwrap().push(event.event().clone());
        });
        Self { app, events }
    }

    fn spawn(&mut self, play: impl Bundle) -> Entity {
        self.app.spawn_ready(SCENE, play)
    }

    /// Takes the events of an entity. Returns their count by string.
    fn take(&mut self, root: Entity) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        self.events.lock().unwrap().retain(|event| {
            if event.entity == root {
                *counts.entry(event.name.clone()).or_default() += 1;
            }
            event.entity != root
        });
        counts
    }

    fn steps(&mut self, count: usize, seconds: f32) {
        for _ in 0..count {
            self.app.step(seconds);
        }
    }
}

/// The main clip's events by string, from times in milliseconds and counts.
fn main_events(times: impl IntoIterator<Item = (u32, usize)>) -> HashMap<String, usize> {
    let nonzero = times.into_iter().filter(|(_, count)| *count > 0);
    nonzero
        .map(|(time, count)| (format!("main {time}"), count))
        .collect()
}

/// How often a looping main clip passes a time in milliseconds, if it plays for `seconds` from `start`. Negative
/// `seconds` play backward.
fn passes(time: u32, start: f64, seconds: f64) -> usize {
    let time = f64::from(time) / 1000.0;
    if seconds > 0.0 && time == LENGTH {
        // An event at the end triggers at the end of a loop, not at its start.
        let loops = |seconds: f64| (seconds / LENGTH).floor();
        return (loops(start + seconds) - loops(start)) as usize;
    }
    let from = (start - time) / LENGTH;
    // The interval includes its start and excludes its end, in both directions.
    let to = from + seconds / LENGTH;
    let whole = if seconds > 0.0 {
        to.ceil() - from.ceil()
    } else {
        from.floor() - to.floor()
    };
    whole as usize
}

#[test]
fn looping_clip_triggers_each_event_once_per_loop_at_any_speed() {
    for (count, step) in [(400, 0.0031_f32), (70, 0.0173), (31, 0.0571)] {
        let mut recorder = EventRecorder::new();
        let mut cases = Vec::new();
        for speed in [1.0_f32, 0.3, 3.0, -1.0, -0.45] {
            for start in [0.0, 0.05] {
                let play = PlayClip::looping(MAIN).with_speed(speed).starting_at(start);
                cases.push((speed, start, recorder.spawn(play)));
            }
        }
        recorder.app.step(0.0);
        let is_silent = recorder.events.lock().unwrap().is_empty();
        assert!(is_silent, "before time passes");
        recorder.steps(count, step);
        for (speed, start, root) in cases {
            let seconds = count as f64 * f64::from(step) * f64::from(speed);
            let times = TIMES.map(|time| (time, passes(time, start.into(), seconds)));
            let context = format!("speed {speed}, steps of {step} from {start}");
            assert_eq!(recorder.take(root), main_events(times), "{context}");
        }
    }
}

#[test]
fn clip_played_once_triggers_each_event_once() {
    for step in [0.0031_f32, 0.0573, 0.2] {
        let mut recorder = EventRecorder::new();
        let speeds = [1.0_f32, 0.3, 3.0, 40.0, -1.0, -40.0];
        let roots = speeds.map(|speed| recorder.spawn(PlayClip::once(MAIN).with_speed(speed)));
        // The slowest takes the longest.
        recorder.steps((1.2 / step / 0.3).ceil() as usize + 5, step);
        for (speed, root) in speeds.into_iter().zip(roots) {
            let context = format!("speed {speed}, steps of {step}");
            assert!(recorder.app.get::<Playback>(root).finished, "{context}");
            let once = main_events(TIMES.map(|time| (time, 1)));
            assert_eq!(recorder.take(root), once, "{context}");
        }
        recorder.steps(10, step);
        for root in roots {
            assert!(recorder.take(root).is_empty(), "{step}, after the end");
        }
    }
}

#[test]
fn events_are_in_order_with_clip_and_keyframe() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(PlayClip::once(MAIN));
    recorder.steps(10, 0.05);
    let events = core::mem::take(&mut *recorder.events.lock().unwrap());
    let expected = [0, 1, 2, 3, 4].map(|frame: u32| ModelEvent {
        entity: root,
        name: format!("main {}", TIMES[frame as usize]),
        clip: "main".into(),
        frame,
    });
    assert_eq!(events, expected);
}

#[test]
fn clip_shorter_than_a_frame_triggers_the_events_of_every_loop() {
    for (clip, length, strings) in [
        (2_usize, 0.009, &["brief 0", "brief 4", "brief 9"][..]),
        // A clip with one keyframe lasts 1/30 second.
        (3, 1.0 / 30.0, &["still 0"][..]),
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
fn seeking_triggers_no_skipped_events() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(PlayClip::looping(MAIN));
    recorder.app.step(0.0);
    recorder.app.step(0.05);
    assert_eq!(recorder.take(root), main_events([(0, 1), (1, 1)]));
    let seek = |recorder: &mut EventRecorder, time: f32| {
        recorder.app.get_mut::<Playback>(root).time = time;
        recorder.app.step(0.01);
        recorder.take(root)
    };
    assert_eq!(
        seek(&mut recorder, 0.2),
        main_events([]),
        "forward over an event"
    );
    assert_eq!(
        seek(&mut recorder, 0.125),
        main_events([(130, 1)]),
        "backward to before an event"
    );
    assert_eq!(
        seek(&mut recorder, 0.13),
        main_events([(130, 1)]),
        "exactly to an event, which then triggers"
    );
    assert_eq!(
        seek(&mut recorder, 0.0),
        main_events([(0, 1), (1, 1)]),
        "to the start"
    );
    assert_eq!(
        seek(&mut recorder, 0.0),
        main_events([(0, 1), (1, 1)]),
        "to the start again"
    );
    // In a looping clip, the end is the start.
    assert_eq!(
        seek(&mut recorder, 0.3),
        main_events([(0, 1), (1, 1)]),
        "to the end"
    );
}

#[test]
fn paused_stopped_and_removed_clips_trigger_no_events() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(PlayClip::looping(MAIN).starting_at(0.12));
    recorder.app.step(0.0);
    for change in [
        |play: &mut PlayClip| play.paused = true,
        |play: &mut PlayClip| (play.paused, play.speed) = (false, 0.0),
    ] {
        change(&mut recorder.app.get_mut::<PlayClip>(root));
        recorder.steps(20, 0.1);
        assert!(recorder.take(root).is_empty());
    }
    recorder.app.get_mut::<PlayClip>(root).speed = 1.0;
    recorder.app.step(0.02);
    assert_eq!(recorder.take(root), main_events([(130, 1)]));
    // The clip is paused just after the event, which triggers again only in the next loop.
    for paused in [true, false, true, false] {
        recorder.app.get_mut::<PlayClip>(root).paused = paused;
        recorder.app.step(0.0);
        recorder.app.step(0.001);
    }
    assert!(recorder.take(root).is_empty());
    recorder.app.remove::<PlayClip>(root);
    recorder.steps(10, 0.1);
    assert!(recorder.take(root).is_empty());
}

#[test]
fn clips_fading_out_trigger_no_events() {
    let mut recorder = EventRecorder::new();
    let root = recorder.spawn(PlayClip::looping(MAIN).starting_at(0.02));
    recorder.app.step(0.0);
    let other = PlayClip::looping(OTHER).with_fade(0.2);
    recorder.app.insert(root, other);
    // A new clip shows its start for one frame.
    recorder.app.step(0.0);
    assert!(recorder.take(root).is_empty());
    recorder.steps(15, 0.0101);
    let animator = recorder.app.get::<AbcAnimator>(root);
    assert!(animator.weight() < 1.0, "the fade is still running");
    let counts = recorder.take(root);
    let expected = [("other 0", 2), ("other 50", 2), ("other 100", 1)];
    let expected = expected.map(|(string, count)| (string.to_owned(), count));
    assert_eq!(counts, HashMap::from(expected));
}

#[test]
fn each_instance_triggers_its_own_events() {
    let mut recorder = EventRecorder::new();
    let first = recorder.spawn(PlayClip::looping(MAIN));
    let second = recorder.spawn(PlayClip::looping(MAIN).with_speed(2.0));
    let third = recorder.spawn(PlayClip::looping(OTHER));
    let paused_root = recorder.spawn(PlayClip::looping(MAIN).paused());
    recorder.app.step(0.0);
    let roots = [first, second, third, paused_root];
    // Earlier roots have triggered events in the frames that spawned later ones.
    for root in roots {
        recorder.take(root);
    }
    recorder.steps(29, 0.01);
    assert_eq!(
        recorder.take(first),
        main_events([(0, 1), (1, 1), (130, 1)])
    );
    let expected = [(0, 2), (1, 2), (130, 2), (299, 1), (300, 1)];
    assert_eq!(recorder.take(second), main_events(expected));
    assert_eq!(recorder.take(third)["other 50"], 3);
    assert!(recorder.take(paused_root).is_empty());
    assert!(recorder.events.lock().unwrap().is_empty());
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
    for root in [first, second] {
        recorder.take(root);
    }
    recorder.steps(13, 0.01);
    for root in [first, second] {
        assert_eq!(recorder.take(root), main_events([(0, 1), (1, 1)]));
    }
}

#[test]
fn custom_graph_triggers_events_without_the_model() {
    let mut recorder = EventRecorder::new();
    let clip: Handle<AnimationClip> = recorder.app.load("model.abc#Animation0");
    recorder.app.wait_loaded(&clip);
    // No handle to the model is left.
    recorder.steps(3, 0.0);
    assert_eq!(recorder.app.assets::<Abc>().len(), 0);
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = recorder.app.add_asset(graph);
    let mut player = AnimationPlayer::default();
    player.play(node).repeat();
    let player = (player, AnimationGraphHandle(graph));
    let player = recorder.app.spawn_entity(player);
    recorder.steps(29, 0.01);
    assert_eq!(
        recorder.take(player),
        main_events([(0, 1), (1, 1), (130, 1)])
    );
}
