//! Clips that play on spawned LithTech models, and what they tell the game.

use crate::gpuless;
use crate::support::abc::{BODY, bytes, figure, walk};
use crate::support::app::TestApp;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::animation::{AnimatedBy, AnimationPlayer};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcModel;
use bevy_classic_models::lithtech::{Abc, AbcAnimator, AbcInstance, AbcKeyframeEvent};
use bevy_classic_models::prelude::*;
use std::sync::{Arc, Mutex};

const FILE: &str = "model.abc";
const SCENE: &str = "model.abc#Scene";

/// What was told, to whom and of which animation.
type Told = Arc<Mutex<Vec<(Entity, usize, String)>>>;

fn app(play: impl Bundle) -> (TestApp, Entity, Told) {
    let mut app = TestApp::new(&[(FILE, bytes(&figure()))]);
    let told = Told::default();
    let to = told.clone();
    app.app.add_observer(move |event: On<AbcKeyframeEvent>| {
        let root = event.trigger().target;
        let told = (root, event.animation, event.string.to_string());
        to.lock().unwrap().push(told);
    });
    let root = app.spawn_ready(SCENE, play);
    (app, root, told)
}

/// What was told since the last time.
fn take(told: &Told) -> Vec<String> {
    let told = core::mem::take(&mut *told.lock().unwrap());
    told.into_iter().map(|(_, _, string)| string).collect()
}

fn body(app: &mut TestApp, root: Entity) -> Vec3 {
    let body = app.world().get::<AbcInstance>(root).unwrap().nodes()[BODY];
    app.world().get::<Transform>(body).unwrap().translation
}

fn model(app: &mut TestApp, root: Entity) -> Arc<AbcModel> {
    let instance = app.world().get::<AbcInstance>(root).unwrap();
    instance.model().clone()
}

fn time(app: &mut TestApp, root: Entity) -> f32 {
    app.world().get::<Playback>(root).unwrap().time
}

#[test]
fn nodes_of_idle_models_are_not_visited() {
    let (mut app, root, _) = app(());
    let mut visited = app.world().query_filtered::<(), With<AnimatedBy>>();
    app.step(0.0);
    assert_eq!(visited.iter(app.app.world()).count(), 0);
    let nodes = app.world().get::<AbcInstance>(root).unwrap().nodes().len();
    app.world()
        .entity_mut(root)
        .insert(PlayClip::looping("walk"));
    app.step(0.0);
    assert_eq!(visited.iter(app.app.world()).count(), nodes);
    app.world().entity_mut(root).remove::<PlayClip>();
    app.step(0.0);
    assert_eq!(visited.iter(app.app.world()).count(), 0);
}

#[test]
fn events_are_told_once_in_each_pass() {
    let (mut app, root, told) = app(PlayClip::looping("walk"));
    // It shows where it begins for a frame.
    app.step(0.0);
    take(&told);
    let mut all = Vec::new();
    // Two passes and a little, in steps that meet no keyframe.
    for _ in 0..90 {
        app.step(0.007);
        all.extend(take(&told));
    }
    let pass = ["begin", "FOOTSTEP_KEY", "[play_sound:step]"];
    let expected = [&pass[..], &pass[..], &pass[..1]].concat();
    assert_eq!(all, expected);
    app.step(0.0);
    for _ in 0..3 {
        app.world().get_mut::<PlayClip>(root).unwrap().paused = true;
        app.step(0.1);
    }
    assert!(take(&told).is_empty());
}

#[test]
fn events_of_a_clip_that_plays_once_are_told_once() {
    let (mut app, root, told) = app(PlayClip::once(2_usize));
    app.step(0.0);
    for _ in 0..20 {
        app.step(0.05);
    }
    let all = core::mem::take(&mut *told.lock().unwrap());
    let expected = ["begin", "FOOTSTEP_KEY", "[play_sound:step]"];
    let expected = expected.map(|string| (root, 2, string.to_owned()));
    assert_eq!(all, expected);
    assert!(app.world().get::<Playback>(root).unwrap().finished);
    // It stays in its last pose.
    assert!(body(&mut app, root).abs_diff_eq(Vec3::new(-10.0, 20.0, 0.0), 1e-3));
}

#[test]
fn clips_are_chosen_by_name_and_index_and_fade() {
    let (mut app, root, _) = app(PlayClip::looping("WALK").starting_at(0.1).with_speed(0.0));
    app.step(0.0);
    app.step(0.0);
    assert!(body(&mut app, root).abs_diff_eq(Vec3::new(10.0, 0.0, 0.0), 1e-3));
    let play = PlayClip::looping(2_usize).starting_at(0.1).with_speed(0.0);
    app.world().entity_mut(root).insert(play.with_fade(1.0));
    app.step(0.0);
    // Bevy lets no more than a quarter of a second pass in a frame.
    app.step(0.25);
    app.step(0.25);
    // Half of the one and half of the other.
    assert!(body(&mut app, root).abs_diff_eq(Vec3::ZERO, 1e-2));
    for _ in 0..3 {
        app.step(0.25);
    }
    assert!(body(&mut app, root).abs_diff_eq(Vec3::new(-10.0, 0.0, 0.0), 1e-3));
    let animator = app.world().get::<AbcAnimator>(root).unwrap();
    assert_eq!(animator.weight(), 1.0);
    let clip = animator.clip().cloned();
    let model = model(&mut app, root);
    assert_eq!(clip.as_ref(), Some(&model.animations[2].clip));
}

#[test]
fn models_that_play_the_same_share_a_graph() {
    let (mut app, first, _) = app(PlayClip::looping("walk"));
    let second = app.spawn_ready(SCENE, PlayClip::looping(0_usize));
    app.step(0.0);
    app.step(0.0);
    let graph = |app: &mut TestApp, root| {
        let graph = app.world().get::<AnimationGraphHandle>(root);
        graph.unwrap().0.clone()
    };
    assert_eq!(graph(&mut app, first), graph(&mut app, second));
    let play = PlayClip::looping("stand");
    app.world().entity_mut(second).insert(play);
    app.step(0.0);
    app.step(0.0);
    assert_ne!(graph(&mut app, first), graph(&mut app, second));
}

#[test]
fn an_edit_goes_on_where_the_clip_was() {
    let (mut app, root, _) = app((PlayClip::looping("walk"), ModelLod(1)));
    // Without a watcher Bevy loads only what somebody holds.
    let abc: Handle<Abc> = app.load(FILE);
    // That is another load of the file, which is to end before the file is edited.
    app.wait_loaded(&abc);
    app.step(0.0);
    app.step(0.05);
    app.step(0.05);
    let (before, then) = (model(&mut app, root), time(&mut app, root));
    let mut edited = figure();
    edited.animations[0] = walk("Walk", 30.0);
    app.files.insert_asset(FILE.as_ref(), bytes(&edited));
    app.world().resource::<AssetServer>().reload(FILE);
    let is_another = |world: &mut World| {
        let instance = world.get::<AbcInstance>(root);
        instance.is_some_and(|instance| !Arc::ptr_eq(&before, instance.model()))
    };
    assert!(gpuless::wait_until(&mut app.app, is_another));
    app.step(0.0);
    app.step(0.0);
    assert!((time(&mut app, root) - then).abs() < 1e-6);
    assert!(body(&mut app, root).abs_diff_eq(Vec3::new(30.0 * then / 0.1, 0.0, 0.0), 1e-2));
    let after = model(&mut app, root);
    let instance = app.world().get::<AbcInstance>(root).unwrap();
    let mesh = instance.meshes()[0];
    let shown = app.world().get::<Mesh3d>(mesh).unwrap();
    assert_eq!(shown.0, after.levels[1].meshes[0].mesh);
}

#[test]
fn a_root_without_a_scene_keeps_nothing() {
    let (mut app, root, _) = app(PlayClip::looping("walk"));
    app.step(0.0);
    app.step(0.0);
    app.world().entity_mut(root).remove::<WorldAssetRoot>();
    app.step(0.0);
    let root = app.world().entity(root);
    assert!(!root.contains::<AbcInstance>());
    assert!(!root.contains::<AbcAnimator>());
    assert!(!root.contains::<AnimationGraphHandle>());
    let player = root.get::<AnimationPlayer>().unwrap();
    assert_eq!(player.playing_animations().count(), 0);
}
