//! Animations and models that change on disk while they play, seen by the real watcher.

use crate::ala::play::{FPS, HULL, TURRET, ala, document, model_at, moves};
use crate::support::log;
use crate::support::stage::Stage;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::ala::write::{BoneTracks, Vectors};
use bevy_classic_models::alamo::{AloAnimator, AloModel};
use bevy_classic_models::prelude::*;
use std::sync::Arc;

const MODEL: &str = "watched.alo";
const CLIP: &str = "watched_MOVE_00.ala";
const OTHER: &str = "watched_HOLD_00.ala";

/// The hull stands at a place.
fn holds(x: f32) -> Vec<u8> {
    let mut hull = BoneTracks::new("Hull", 1, [x, 0.0, 1.0]);
    hull.translation = Vectors::constant([x, 0.0, 1.0]);
    ala(&document(5, vec![hull]))
}

fn stage() -> Stage {
    Stage::watching(&[
        (MODEL, model_at(5.0)),
        (CLIP, ala(&moves(1.0))),
        (OTHER, holds(20.0)),
    ])
}

fn place(world: &World, root: Entity, bone: usize) -> Vec3 {
    let bone = world.get::<AloInstance>(root).unwrap().bones()[bone];
    world.get::<Transform>(bone).unwrap().translation
}

fn time(world: &World, root: Entity) -> f32 {
    world.get::<Playback>(root).unwrap().time
}

fn model(stage: &mut Stage, root: Entity) -> Arc<AloModel> {
    let instance = stage.world().get::<AloInstance>(root).unwrap();
    instance.model().clone()
}

fn is_close(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-3
}

/// Waits until the hull is elsewhere. Until then it is where it was, and the clip's time stands.
#[track_caller]
fn wait_for_hull(stage: &mut Stage, root: Entity, x: f32) {
    let (before, then) = (
        place(stage.world(), root, HULL).x,
        time(stage.world(), root),
    );
    assert!(!is_close(before, x), "it is there already");
    stage.headless.wait_until("the edit is seen", |world| {
        let now = place(world, root, HULL).x;
        assert!(is_close(now, x) || is_close(now, before), "{now}");
        assert!((time(world, root) - then).abs() < 1e-6, "time jumps");
        is_close(now, x)
    });
}

/// What was logged about a clip that could not be loaded.
fn errors() -> Vec<String> {
    let mut errors = log::errors_of(&["bevy_asset"]);
    errors.retain(|text| text.contains(CLIP));
    errors
}

#[track_caller]
fn assert_hull(stage: &mut Stage, root: Entity, x: f32) {
    let found = place(stage.world(), root, HULL).x;
    assert!(is_close(found, x), "{found} instead of {x}");
}

#[test]
fn an_edited_animation_shows_without_a_jump_and_a_broken_one_does_not() {
    let mut stage = stage();
    let path = stage.folder().join(CLIP);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("MOVE_00"));
    stage.headless.step(0.0);
    stage.headless.step(0.15);
    assert_hull(&mut stage, root, 1.5);

    std::fs::write(&path, ala(&moves(10.0))).unwrap();
    wait_for_hull(&mut stage, root, 15.0);
    stage.headless.step(0.1);
    assert_hull(&mut stage, root, 25.0);

    // A broken animation: what plays plays on.
    assert_eq!(errors(), Vec::<String>::new());
    let broken = &ala(&moves(3.0))[..200];
    std::fs::write(&path, broken).unwrap();
    stage
        .headless
        .wait_until("the error is logged", |_| !errors().is_empty());
    stage.wait_until_idle();
    // Bevy tries twice what somebody has a handle to: by the handle, then without.
    let errors = errors();
    assert!(errors.len() <= 2, "{errors:#?}");
    for error in errors {
        assert!(
            error.contains("watched_MOVE_00.ala: ALA: chunk 0x1000 at offset 8 "),
            "{error}"
        );
    }
    assert_hull(&mut stage, root, 25.0);
    stage.headless.step(0.05);
    assert_hull(&mut stage, root, 30.0);

    // One that is chosen now is of the last good file too.
    let late = PlayClip::looping("MOVE_00").starting_at(0.1);
    let late = stage.spawn("watched.alo#Scene", late);
    stage.headless.step(0.0);
    assert_hull(&mut stage, late, 10.0);

    // And whole again, of more frames.
    let mut longer = moves(2.0);
    longer.frames = 9;
    let way: Vec<_> = (0..9).map(|frame| [frame as f32 * 2.0, 0.0, 1.0]).collect();
    longer.bones[0].translation = Vectors::from_frames(&way);
    std::fs::write(&path, ala(&longer)).unwrap();
    wait_for_hull(&mut stage, root, 6.0);
    stage.headless.step(0.25);
    assert_hull(&mut stage, root, 11.0);
}

#[test]
fn an_edit_to_a_shorter_clip_goes_on_within_it() {
    let mut stage = stage();
    let path = stage.folder().join(CLIP);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("MOVE_00"));
    stage.headless.step(0.0);
    stage.headless.step(0.35);
    assert_hull(&mut stage, root, 3.5);
    let mut shorter = moves(7.0);
    shorter.frames = 3;
    let way: Vec<_> = (0..3).map(|frame| [frame as f32 * 7.0, 0.0, 1.0]).collect();
    shorter.bones[0].translation = Vectors::from_frames(&way);
    std::fs::write(&path, ala(&shorter)).unwrap();
    stage.headless.wait_until("the edit is seen", |world| {
        time(world, root) <= 2.0 / FPS + 1e-6
    });
    let x = place(stage.world(), root, HULL).x;
    assert!((0.0..=14.001).contains(&x), "{x}");
    for _ in 0..7 {
        stage.headless.step(0.05);
        let (x, time) = (
            place(stage.world(), root, HULL).x,
            time(stage.world(), root),
        );
        assert!(is_close(x, 7.0 * FPS * time), "{x} at {time}");
    }
}

#[test]
fn an_edit_in_the_middle_of_a_fade_shows_in_it() {
    let mut stage = stage();
    let other = stage.folder().join(OTHER);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("HOLD_00"));
    stage.headless.step(0.0);
    assert_hull(&mut stage, root, 20.0);
    let fading = PlayClip::looping("MOVE_00")
        .starting_at(0.2)
        .with_speed(0.0)
        .with_fade(1.0);
    stage.world().entity_mut(root).insert(fading);
    stage.headless.step(0.0);
    stage.headless.step(0.25);
    assert_hull(&mut stage, root, 0.75 * 20.0 + 0.25 * 2.0);
    // The clip that fades out.
    std::fs::write(&other, holds(40.0)).unwrap();
    wait_for_hull(&mut stage, root, 0.75 * 40.0 + 0.25 * 2.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 0.25 * 40.0 + 0.75 * 2.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 2.0);
}

#[test]
fn an_edited_model_keeps_clip_and_time() {
    let mut stage = stage();
    let path = stage.folder().join(MODEL);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("MOVE_00").with_speed(0.5));
    stage.headless.step(0.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 2.5);
    for turret in [6.0, 7.0] {
        let old = model(&mut stage, root);
        let then = time(stage.world(), root);
        std::fs::write(&path, model_at(turret)).unwrap();
        stage.headless.wait_until("the edit is seen", |world| {
            assert!((time(world, root) - then).abs() < 1e-6, "time jumps");
            !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
        });
        stage.headless.step(0.0);
        assert_hull(&mut stage, root, then * FPS);
        let rest = model(&mut stage, root).bones[TURRET].transform;
        assert_eq!(rest.translation.z, turret, "the clip holds the turret");
        assert_eq!(place(stage.world(), root, TURRET).z, 5.0);
        let animator = stage.world().get::<AloAnimator>(root).unwrap();
        let clip = animator.clip().unwrap().path().unwrap().to_string();
        assert_eq!(clip, format!("{CLIP}#Clip"));
        stage.headless.step(0.1);
        assert_hull(&mut stage, root, then * FPS + 0.5);
    }
    // Without a clip the bones are where the new model has them.
    stage.world().entity_mut(root).remove::<PlayClip>();
    stage.headless.step(0.0);
    assert_eq!(place(stage.world(), root, TURRET).z, 7.0);
}
