//! Reloading Alamo animations and models that change on disk during playback, with Bevy's real file watcher.

use crate::ala::play::{FPS, HULL, TURRET, ala, document, model_at, moves};
use crate::support::prelude::*;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::alamo::ala::write::{BoneTracks, Vectors};

const MODEL: &str = "watched.alo";
const CLIP: &str = "watched_MOVE_00.ala";
const OTHER: &str = "watched_HOLD_00.ala";

/// A clip that holds the hull at `x`.
fn hold_clip(x: f32) -> Vec<u8> {
    let mut hull = BoneTracks::new("Hull", 1, [x, 0.0, 1.0]);
    hull.translation = Vectors::constant([x, 0.0, 1.0]);
    ala(&document(5, vec![hull]))
}

fn stage() -> Stage {
    Stage::watching(&[
        (MODEL, model_at(5.0)),
        (CLIP, ala(&moves(1.0))),
        (OTHER, hold_clip(20.0)),
    ])
}

fn bone_position(world: &World, root: Entity, bone: usize) -> Vec3 {
    let bone = world.get::<AloInstance>(root).unwrap().bones()[bone];
    world.get::<Transform>(bone).unwrap().translation
}

fn time(world: &World, root: Entity) -> f32 {
    world.get::<Playback>(root).unwrap().time
}

fn model(stage: &mut Stage, root: Entity) -> Arc<AloModel> {
    let instance = stage.get::<AloInstance>(root);
    instance.model().clone()
}

fn is_close(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-3
}

/// Waits until the hull moves to `x`. Asserts that its position and the clip's time stay the same until then.
#[track_caller]
fn wait_for_hull(stage: &mut Stage, root: Entity, x: f32) {
    let (before, time_before) = (
        bone_position(stage.world(), root, HULL).x,
        time(stage.world(), root),
    );
    assert!(!is_close(before, x), "the hull is already at {x}");
    stage.headless.wait_until("the edit is loaded", |world| {
        let found = bone_position(world, root, HULL).x;
        assert!(is_close(found, x) || is_close(found, before), "{found}");
        assert!(
            (time(world, root) - time_before).abs() < 1e-6,
            "the clip's time changed"
        );
        is_close(found, x)
    });
}

/// The logged errors about the clip.
fn errors() -> Vec<String> {
    let mut errors = log::errors_of(&["bevy_asset"]);
    errors.retain(|text| text.contains(CLIP));
    errors
}

#[track_caller]
fn assert_hull(stage: &mut Stage, root: Entity, x: f32) {
    let found = bone_position(stage.world(), root, HULL).x;
    assert!(is_close(found, x), "{found}, expected {x}");
}

#[test]
fn edited_clip_shows_without_a_jump_and_broken_clip_does_not() {
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

    // A broken animation: the previous clip keeps playing.
    assert_eq!(errors(), Vec::<String>::new());
    let broken = &ala(&moves(3.0))[..200];
    std::fs::write(&path, broken).unwrap();
    stage
        .headless
        .wait_until("the error is logged", |_| !errors().is_empty());
    stage.wait_until_idle();
    // Bevy may load an asset with a live handle twice: by the handle, then by the path.
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

    // A model spawned now also uses the last valid clip.
    let second = PlayClip::looping("MOVE_00").starting_at(0.1);
    let second = stage.spawn("watched.alo#Scene", second);
    stage.headless.step(0.0);
    assert_hull(&mut stage, second, 10.0);

    // A valid clip with more frames.
    let mut longer = moves(2.0);
    longer.frames = 9;
    let translations: Vec<_> = (0..9).map(|frame| [frame as f32 * 2.0, 0.0, 1.0]).collect();
    longer.bones[0].translation = Vectors::from_frames(&translations);
    std::fs::write(&path, ala(&longer)).unwrap();
    wait_for_hull(&mut stage, root, 6.0);
    stage.headless.step(0.25);
    assert_hull(&mut stage, root, 11.0);
}

#[test]
fn edit_to_a_shorter_clip_keeps_a_valid_time() {
    let mut stage = stage();
    let path = stage.folder().join(CLIP);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("MOVE_00"));
    stage.headless.step(0.0);
    stage.headless.step(0.35);
    assert_hull(&mut stage, root, 3.5);
    let mut shorter = moves(7.0);
    shorter.frames = 3;
    let translations: Vec<_> = (0..3).map(|frame| [frame as f32 * 7.0, 0.0, 1.0]).collect();
    shorter.bones[0].translation = Vectors::from_frames(&translations);
    std::fs::write(&path, ala(&shorter)).unwrap();
    stage.headless.wait_until("the edit is loaded", |world| {
        time(world, root) <= 2.0 / FPS + 1e-6
    });
    let x = bone_position(stage.world(), root, HULL).x;
    assert!((0.0..=14.001).contains(&x), "{x}");
    for _ in 0..7 {
        stage.headless.step(0.05);
        let (x, time) = (
            bone_position(stage.world(), root, HULL).x,
            time(stage.world(), root),
        );
        assert!(is_close(x, 7.0 * FPS * time), "{x} at {time}");
    }
}

#[test]
fn edit_during_a_fade_shows_in_the_fade() {
    let mut stage = stage();
    let other = stage.folder().join(OTHER);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("HOLD_00"));
    stage.headless.step(0.0);
    assert_hull(&mut stage, root, 20.0);
    let fading = PlayClip::looping("MOVE_00")
        .starting_at(0.2)
        .with_speed(0.0)
        .with_fade(1.0);
    stage.insert(root, fading);
    stage.headless.step(0.0);
    stage.headless.step(0.25);
    assert_hull(&mut stage, root, 0.75 * 20.0 + 0.25 * 2.0);
    // The clip that fades out.
    std::fs::write(&other, hold_clip(40.0)).unwrap();
    wait_for_hull(&mut stage, root, 0.75 * 40.0 + 0.25 * 2.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 0.25 * 40.0 + 0.75 * 2.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 2.0);
}

#[test]
fn edited_model_keeps_clip_and_time() {
    let mut stage = stage();
    let path = stage.folder().join(MODEL);
    let root = stage.spawn_alo(MODEL, PlayClip::looping("MOVE_00").with_speed(0.5));
    stage.headless.step(0.0);
    stage.headless.step(0.5);
    assert_hull(&mut stage, root, 2.5);
    for turret in [6.0, 7.0] {
        let old = model(&mut stage, root);
        let time_before = time(stage.world(), root);
        std::fs::write(&path, model_at(turret)).unwrap();
        stage.headless.wait_until("the edit is loaded", |world| {
            assert!(
                (time(world, root) - time_before).abs() < 1e-6,
                "the clip's time changed"
            );
            !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
        });
        stage.headless.step(0.0);
        assert_hull(&mut stage, root, time_before * FPS);
        let rest = model(&mut stage, root).bones[TURRET].transform;
        assert_eq!(rest.translation.z, turret, "the rest pose of the turret");
        assert_eq!(bone_position(stage.world(), root, TURRET).z, 5.0);
        let animator = stage.get::<AloAnimator>(root);
        let clip = animator.clip().unwrap().path().unwrap().to_string();
        assert_eq!(clip, format!("{CLIP}#Clip"));
        stage.headless.step(0.1);
        assert_hull(&mut stage, root, time_before * FPS + 0.5);
    }
    // Without a clip the bones are in the new model's rest pose.
    stage.remove::<PlayClip>(root);
    stage.headless.step(0.0);
    assert_eq!(bone_position(stage.world(), root, TURRET).z, 7.0);
}
