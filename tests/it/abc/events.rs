//! What animations of LithTech models tell the game: once in each pass, to the right entity.

use crate::support::abc::{bytes, figure, keyframe};
use crate::support::app::TestApp;
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{AbcDocument, AnimationDocument};
use bevy_classic_models::lithtech::{Abc, AbcKeyframeEvent};
use bevy_classic_models::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

const SCENE: &str = "model.abc#Scene";

/// Milliseconds of what the clip tells, of which the last is also its length.
const TIMES: [u32; 5] = [0, 1, 130, 299, 300];
const LENGTH: f64 = 0.3;
const LOUD: usize = 0;
const OTHER: usize = 1;

/// An animation that tells its times, and one of another length that tells its own.
fn loud() -> AbcDocument {
    let mut model = figure();
    let with = |from: &AnimationDocument, name: &str, times: &[u32]| {
        let mut animation = from.clone();
        animation.name = name.to_owned();
        animation.length = *times.last().unwrap();
        let told = times
            .iter()
            .map(|time| keyframe(*time, &format!("{name} {time}")));
        animation.keyframes = told.collect();
        for track in &mut animation.tracks {
            let first = track.keys[0];
            track.keys = vec![first; times.len()];
        }
        animation
    };
    let walk = &model.animations[0];
    model.animations = vec![
        with(walk, "loud", &TIMES),
        with(walk, "other", &[0, 50, 100]),
        with(walk, "brief", &[0, 4, 9]),
        with(walk, "still", &[0]),
    ];
    model
}

type Told = Arc<Mutex<Vec<(Entity, AbcKeyframeEvent)>>>;

struct Ear {
    app: TestApp,
    told: Told,
}

impl Ear {
    fn new() -> Self {
        let mut app = TestApp::new(&[("model.abc", bytes(&loud()))]);
        let told = Told::default();
        let to = told.clone();
        app.app.add_observer(move |event: On<AbcKeyframeEvent>| {
            let root = event.trigger().target;
            to.lock().unwrap().push((root, event.event().clone()));
        });
        Self { app, told }
    }

    fn spawn(&mut self, play: impl Bundle) -> Entity {
        self.app.spawn_ready(SCENE, play)
    }

    /// What an entity was told since the last time, and how often.
    fn take(&mut self, root: Entity) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        self.told.lock().unwrap().retain(|(to, event)| {
            if *to == root {
                *counts.entry(event.string.to_string()).or_default() += 1;
            }
            *to != root
        });
        counts
    }

    fn steps(&mut self, count: usize, seconds: f32) {
        for _ in 0..count {
            self.app.step(seconds);
        }
    }
}

fn is_told(times: impl IntoIterator<Item = (u32, usize)>) -> HashMap<String, usize> {
    let told = times.into_iter().filter(|(_, count)| *count > 0);
    told.map(|(time, count)| (format!("loud {time}"), count))
        .collect()
}

/// How often a clip that goes round comes by a time on its way over so many seconds.
fn passes(time: u32, start: f64, seconds: f64) -> usize {
    let time = f64::from(time) / 1000.0;
    if seconds > 0.0 && time == LENGTH {
        // The end is not its beginning: it comes first with the end of the first pass.
        let round = |seconds: f64| (seconds / LENGTH).floor();
        return (round(start + seconds) - round(start)) as usize;
    }
    let from = (start - time) / LENGTH;
    // Forwards where it begins counts, and where it ends does not; backwards likewise.
    let to = from + seconds / LENGTH;
    let whole = if seconds > 0.0 {
        to.ceil() - from.ceil()
    } else {
        from.floor() - to.floor()
    };
    whole as usize
}

#[test]
fn each_is_told_once_in_each_pass_at_any_speed() {
    for speed in [1.0_f32, 0.3, 3.0, -1.0, -0.45] {
        for (count, step) in [(400, 0.0031_f32), (70, 0.0173), (31, 0.0571)] {
            for start in [0.0, 0.05] {
                let mut ear = Ear::new();
                let play = PlayClip::looping(LOUD).with_speed(speed).starting_at(start);
                let root = ear.spawn(play);
                ear.app.step(0.0);
                assert!(ear.take(root).is_empty(), "before it moves");
                ear.steps(count, step);
                let seconds = count as f64 * f64::from(step) * f64::from(speed);
                let times = TIMES.map(|time| (time, passes(time, start.into(), seconds)));
                let what = format!("speed {speed}, steps of {step} from {start}");
                assert_eq!(ear.take(root), is_told(times), "{what}");
            }
        }
    }
}

#[test]
fn a_clip_that_plays_once_tells_each_once() {
    for speed in [1.0_f32, 0.3, 3.0, 40.0, -1.0, -40.0] {
        for step in [0.0031_f32, 0.0573, 0.2] {
            let mut ear = Ear::new();
            let root = ear.spawn(PlayClip::once(LOUD).with_speed(speed));
            ear.steps((1.2 / step / speed.abs()).ceil() as usize + 5, step);
            let what = format!("speed {speed}, steps of {step}");
            assert!(
                ear.app.world().get::<Playback>(root).unwrap().finished,
                "{what}"
            );
            assert_eq!(
                ear.take(root),
                is_told(TIMES.map(|time| (time, 1))),
                "{what}"
            );
            ear.steps(10, step);
            assert!(ear.take(root).is_empty(), "{what}, at its end");
        }
    }
}

#[test]
fn in_order_with_all_that_is_known_of_them() {
    let mut ear = Ear::new();
    let root = ear.spawn(PlayClip::once(LOUD));
    ear.steps(10, 0.05);
    let told = core::mem::take(&mut *ear.told.lock().unwrap());
    let expected = TIMES.map(|time| {
        let event = AbcKeyframeEvent {
            string: format!("loud {time}").into(),
            animation: LOUD,
            name: "loud".into(),
            seconds: (f64::from(time) / 1000.0) as f32,
        };
        (root, event)
    });
    assert_eq!(told, expected);
}

/// Bevy tells of two passes in a frame at most: of those in which a frame begins and ends.
#[test]
fn a_clip_shorter_than_a_frame_tells_no_more_than_it_passes() {
    for (clip, length, strings) in [
        (2_usize, 0.009, &["brief 0", "brief 4", "brief 9"][..]),
        // A clip of one keyframe takes a thirtieth of a second.
        (3, 1.0 / 30.0, &["still 0"][..]),
    ] {
        for speed in [1.0, -1.0] {
            let mut ear = Ear::new();
            let root = ear.spawn(PlayClip::looping(clip).with_speed(speed));
            ear.app.step(0.0);
            let mut sums = vec![0; strings.len()];
            for _ in 0..20 {
                ear.app.step(0.1);
                let told = ear.take(root);
                for (sum, string) in sums.iter_mut().zip(strings) {
                    let count = told.get(*string).copied().unwrap_or(0);
                    let most = ((0.1 / length) as usize + 1).min(2);
                    assert!(count <= most, "{string}: {count} at {speed}");
                    *sum += count;
                }
            }
            assert!(sums.iter().all(|sum| *sum >= 10), "{sums:?} at {speed}");
        }
    }
}

#[test]
fn what_is_jumped_over_is_not_told() {
    let mut ear = Ear::new();
    let root = ear.spawn(PlayClip::looping(LOUD));
    ear.app.step(0.0);
    ear.app.step(0.05);
    assert_eq!(ear.take(root), is_told([(0, 1), (1, 1)]));
    let jump = |ear: &mut Ear, time: f32| {
        ear.app.world().get_mut::<Playback>(root).unwrap().time = time;
        ear.app.step(0.01);
        ear.take(root)
    };
    assert_eq!(jump(&mut ear, 0.2), is_told([]), "over one");
    assert_eq!(jump(&mut ear, 0.125), is_told([(130, 1)]), "back before it");
    assert_eq!(
        jump(&mut ear, 0.13),
        is_told([(130, 1)]),
        "to it, and so it comes by"
    );
    assert_eq!(
        jump(&mut ear, 0.0),
        is_told([(0, 1), (1, 1)]),
        "to the beginning"
    );
    assert_eq!(jump(&mut ear, 0.0), is_told([(0, 1), (1, 1)]), "and again");
    // The end of a clip that goes round is its beginning.
    assert_eq!(jump(&mut ear, 0.3), is_told([(0, 1), (1, 1)]), "to the end");
}

#[test]
fn what_stands_tells_nothing() {
    let mut ear = Ear::new();
    let root = ear.spawn(PlayClip::looping(LOUD).starting_at(0.12));
    ear.app.step(0.0);
    for change in [
        |play: &mut PlayClip| play.paused = true,
        |play: &mut PlayClip| (play.paused, play.speed) = (false, 0.0),
    ] {
        change(&mut ear.app.world().get_mut::<PlayClip>(root).unwrap());
        ear.steps(20, 0.1);
        assert!(ear.take(root).is_empty());
    }
    ear.app.world().get_mut::<PlayClip>(root).unwrap().speed = 1.0;
    ear.app.step(0.02);
    assert_eq!(ear.take(root), is_told([(130, 1)]));
    // It has stopped right behind what it told, which comes by only with the next pass.
    for paused in [true, false, true, false] {
        ear.app.world().get_mut::<PlayClip>(root).unwrap().paused = paused;
        ear.app.step(0.0);
        ear.app.step(0.001);
    }
    assert!(ear.take(root).is_empty());
    ear.app.world().entity_mut(root).remove::<PlayClip>();
    ear.steps(10, 0.1);
    assert!(ear.take(root).is_empty());
}

#[test]
fn clips_that_fade_out_go_on_telling() {
    let mut ear = Ear::new();
    let root = ear.spawn(PlayClip::looping(LOUD).starting_at(0.02));
    ear.app.step(0.0);
    let other = PlayClip::looping(OTHER).with_fade(0.2);
    ear.app.world().entity_mut(root).insert(other);
    // The new clip shows where it begins for a frame.
    ear.app.step(0.0);
    assert!(ear.take(root).is_empty());
    ear.steps(15, 0.0101);
    let told = ear.take(root);
    let expected = [
        ("loud 130", 1),
        ("other 0", 2),
        ("other 50", 2),
        ("other 100", 1),
    ];
    let expected = expected.map(|(string, count)| (string.to_owned(), count));
    assert_eq!(told, HashMap::from(expected));
    // Then only the new one is left.
    ear.steps(10, 0.01);
    ear.take(root);
    ear.steps(40, 0.01);
    assert!(ear.take(root).keys().all(|told| told.starts_with("other")));
}

#[test]
fn each_instance_is_told_its_own() {
    let mut ear = Ear::new();
    let first = ear.spawn(PlayClip::looping(LOUD));
    let second = ear.spawn(PlayClip::looping(LOUD).with_speed(2.0));
    let third = ear.spawn(PlayClip::looping(OTHER));
    let silent = ear.spawn(PlayClip::looping(LOUD).paused());
    ear.app.step(0.0);
    let roots = [first, second, third, silent];
    // The first has been there for some frames more, in which no time passed.
    for root in roots {
        ear.take(root);
    }
    ear.steps(29, 0.01);
    assert_eq!(ear.take(first), is_told([(0, 1), (1, 1), (130, 1)]));
    let twice = [(0, 2), (1, 2), (130, 2), (299, 1), (300, 1)];
    assert_eq!(ear.take(second), is_told(twice));
    assert_eq!(ear.take(third)["other 50"], 3);
    assert!(ear.take(silent).is_empty());
    assert!(ear.told.lock().unwrap().is_empty());
}

#[test]
fn a_player_whose_graph_is_not_loaded_silences_no_other() {
    let mut ear = Ear::new();
    let graphs = ear.app.world().resource_mut::<Assets<AnimationGraph>>();
    let waiting = AnimationGraphHandle(graphs.reserve_handle());
    // Players are visited in the order in which entities of their kind first came.
    let player = (AnimationPlayer::default(), waiting.clone());
    ear.app.world().spawn(player);
    let first = ear.spawn(PlayClip::looping(LOUD));
    let player = (AnimationPlayer::default(), waiting, Name::new("another"));
    ear.app.world().spawn(player);
    let second = ear.spawn((PlayClip::looping(LOUD), Name::new("second")));
    ear.app.step(0.0);
    for root in [first, second] {
        ear.take(root);
    }
    ear.steps(13, 0.01);
    for root in [first, second] {
        assert_eq!(ear.take(root), is_told([(0, 1), (1, 1)]));
    }
}

#[test]
fn a_graph_of_the_game_triggers_events_without_the_model() {
    let mut ear = Ear::new();
    let clip: Handle<AnimationClip> = ear.app.load("model.abc#Animation0");
    ear.app.wait_loaded(&clip);
    // Nothing else holds the model by now.
    ear.steps(3, 0.0);
    assert_eq!(ear.app.world().resource::<Assets<Abc>>().len(), 0);
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = ear
        .app
        .world()
        .resource_mut::<Assets<AnimationGraph>>()
        .add(graph);
    let mut player = AnimationPlayer::default();
    player.play(node).repeat();
    let player = (player, AnimationGraphHandle(graph));
    let player = ear.app.world().spawn(player).id();
    ear.steps(29, 0.01);
    assert_eq!(ear.take(player), is_told([(0, 1), (1, 1), (130, 1)]));
}
