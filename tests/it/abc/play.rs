//! Playback of clips on spawned LithTech models, and their keyframe events.

use crate::support::abc::{BODY, bytes, figure, walk};
use crate::support::prelude::*;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::animation::{AnimatedBy, AnimationPlayer};
use bevy_classic_models::lithtech::AbcModel;

const FILE: &str = "model.abc";
const SCENE: &str = "model.abc#Scene";

/// Received events: the root entity, the animation, and the string.
type Events = Arc<Mutex<Vec<(Entity, ClipRef, String)>>>;

fn app(play: impl Bundle) -> (TestApp, Entity, Events) {
    let mut app = TestApp::new(&[(FILE, bytes(&figure()))]);
    let events = Events::default();
    let recorded = events.clone();
    app.app.add_observer(move |event: On<ModelEvent>| {
        let event = (event.entity, event.clip.clone(), event.name.clone());
        recorded.lock().unwrap().push(event);
    });
    let root = app.spawn_ready(SCENE, play);
    (app, root, events)
}

/// Takes the strings of all events since the last call.
fn take(events: &Events) -> Vec<String> {
    let events = core::mem::take(&mut *events.lock().unwrap());
    events.into_iter().map(|(_, _, string)| string).collect()
}

fn body_position(app: &mut TestApp, root: Entity) -> Vec3 {
    let body = app.get::<AbcInstance>(root).nodes()[BODY];
    app.get::<Transform>(body).translation
}

fn model(app: &mut TestApp, root: Entity) -> Arc<AbcModel> {
    let instance = app.get::<AbcInstance>(root);
    instance.model().clone()
}

fn time(app: &mut TestApp, root: Entity) -> f32 {
    app.get::<Playback>(root).time
}

#[test]
fn idle_models_have_no_animated_nodes() {
    let (mut app, root, _) = app(());
    let mut animated = app.world().query_filtered::<(), With<AnimatedBy>>();
    app.step(0.0);
    assert_eq!(animated.iter(app.app.world()).count(), 0);
    let nodes = app.get::<AbcInstance>(root).nodes().len();
    app.apply(root, PlayClip::looping("walk"));
    assert_eq!(animated.iter(app.app.world()).count(), nodes);
    app.remove::<PlayClip>(root);
    app.step(0.0);
    assert_eq!(animated.iter(app.app.world()).count(), 0);
}

#[test]
fn events_trigger_once_per_loop() {
    let (mut app, root, events) = app(PlayClip::looping("walk"));
    // The clip shows its start for one frame.
    app.step(0.0);
    take(&events);
    let mut all = Vec::new();
    // Slightly more than two loops, in steps that land on no keyframe.
    for _ in 0..90 {
        app.step(0.007);
        all.extend(take(&events));
    }
    let one_loop = ["begin", "FOOTSTEP_KEY", "[play_sound:step]"];
    let expected = [&one_loop[..], &one_loop[..], &one_loop[..1]].concat();
    assert_eq!(all, expected);
    app.step(0.0);
    for _ in 0..3 {
        app.get_mut::<PlayClip>(root).paused = true;
        app.step(0.1);
    }
    assert!(take(&events).is_empty());
}

#[test]
fn events_of_a_clip_played_once_trigger_once() {
    let (mut app, root, events) = app(PlayClip::once(2_usize));
    app.step(0.0);
    app.steps(20, 0.05);
    let all = core::mem::take(&mut *events.lock().unwrap());
    let expected = ["begin", "FOOTSTEP_KEY", "[play_sound:step]"];
    // An earlier animation has the same name.
    let clip = ClipRef::from(2);
    let expected = expected.map(|string| (root, clip.clone(), string.to_owned()));
    assert_eq!(all, expected);
    assert!(app.get::<Playback>(root).finished);
    // The model stays in the last pose.
    assert!(body_position(&mut app, root).abs_diff_eq(Vec3::new(-10.0, 20.0, 0.0), 1e-3));
}

#[test]
fn clips_play_by_name_or_index_and_cross_fade() {
    let (mut app, root, _) = app(PlayClip::looping("WALK").starting_at(0.1).with_speed(0.0));
    app.steps(2, 0.0);
    assert!(body_position(&mut app, root).abs_diff_eq(Vec3::new(10.0, 0.0, 0.0), 1e-3));
    let play = PlayClip::looping(2_usize).starting_at(0.1).with_speed(0.0);
    app.apply(root, play.with_fade(1.0));
    // Bevy limits a frame to a quarter of a second.
    app.step(0.25);
    app.step(0.25);
    // Both clips have a weight of one half.
    assert!(body_position(&mut app, root).abs_diff_eq(Vec3::ZERO, 1e-2));
    app.steps(3, 0.25);
    assert!(body_position(&mut app, root).abs_diff_eq(Vec3::new(-10.0, 0.0, 0.0), 1e-3));
    let animator = app.get::<AbcAnimator>(root);
    assert_eq!(animator.weight(), 1.0);
    let clip = animator.clip().cloned();
    let model = model(&mut app, root);
    assert_eq!(clip.as_ref(), Some(&model.animations[2].clip));
}

#[test]
fn models_with_the_same_clip_share_a_graph() {
    let (mut app, first, _) = app(PlayClip::looping("walk"));
    let second = app.spawn_ready(SCENE, PlayClip::looping(0_usize));
    app.steps(2, 0.0);
    let graph = |app: &mut TestApp, root| {
        let graph = app.find::<AnimationGraphHandle>(root);
        graph.unwrap().0.clone()
    };
    assert_eq!(graph(&mut app, first), graph(&mut app, second));
    let play = PlayClip::looping("stand");
    app.apply(second, play);
    app.step(0.0);
    assert_ne!(graph(&mut app, first), graph(&mut app, second));
}

#[test]
fn reload_keeps_playback_time_and_lod() {
    let (mut app, root, _) = app((PlayClip::looping("walk"), ModelLod(1)));
    // Without a watcher Bevy reloads only assets with live handles.
    let abc: Handle<Abc> = app.load(FILE);
    // The handle starts another load, which must end before the file is edited.
    app.wait_loaded(&abc);
    app.step(0.0);
    app.step(0.05);
    app.step(0.05);
    let (before, time_before) = (model(&mut app, root), time(&mut app, root));
    let mut edited = figure();
    edited.animations[0] = walk("Walk", 30.0);
    app.files.insert_asset(FILE.as_ref(), bytes(&edited));
    app.reload(FILE);
    let is_reloaded = |world: &mut World| {
        let instance = world.get::<AbcInstance>(root);
        instance.is_some_and(|instance| !Arc::ptr_eq(&before, instance.model()))
    };
    app.wait_until(is_reloaded);
    app.steps(2, 0.0);
    assert!((time(&mut app, root) - time_before).abs() < 1e-6);
    assert!(
        body_position(&mut app, root)
            .abs_diff_eq(Vec3::new(30.0 * time_before / 0.1, 0.0, 0.0), 1e-2)
    );
    let after = model(&mut app, root);
    let instance = app.get::<AbcInstance>(root);
    let mesh = instance.meshes()[0];
    let shown = app.get::<Mesh3d>(mesh);
    assert_eq!(shown.0, after.levels[1].meshes[0].mesh);
}

#[test]
fn removing_the_scene_removes_playback() {
    let (mut app, root, _) = app(PlayClip::looping("walk"));
    app.steps(2, 0.0);
    app.remove::<WorldAssetRoot>(root);
    app.step(0.0);
    let root = app.world().entity(root);
    assert!(!root.contains::<AbcInstance>());
    assert!(!root.contains::<AbcAnimator>());
    assert!(!root.contains::<AnimationGraphHandle>());
    let player = root.get::<AnimationPlayer>().unwrap();
    assert_eq!(player.playing_animations().count(), 0);
}
