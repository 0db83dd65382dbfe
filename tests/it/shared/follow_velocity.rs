//! `FollowVelocity`: the speed of a clip follows the velocity of its model.

use crate::ala::play::{SCENE, files};
use crate::manifest::spawn::{edit, mdl, spawn_ready, text, wait};
use crate::support::app::TestApp;
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::{NamedClip, Repeat};

/// The seconds of the clips of five frames at 10 frames per second.
const LENGTH: f32 = 0.4;
const STRIDE: f32 = 2.0;

fn app(bundle: impl Bundle) -> (TestApp, Entity) {
    let mut app = TestApp::new(&files());
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let clips = ModelClips::new([
        NamedClip {
            name: "march".into(),
            clip: "MOVE_00".into(),
            speed: 0.5,
            repeat: Repeat::Loop,
            stride: Some(STRIDE),
        },
        NamedClip {
            name: "patrol".into(),
            clip: "march".into(),
            speed: 3.0,
            repeat: Repeat::Loop,
            stride: None,
        },
    ]);
    let root = app.spawn_ready(SCENE, (clips, bundle));
    // The speed is known once the clip plays.
    app.step(0.0);
    app.step(0.1);
    (app, root)
}

fn speed(app: &mut TestApp, root: Entity) -> f32 {
    app.world().get::<PlayClip>(root).unwrap().speed
}

fn time(app: &mut TestApp, root: Entity) -> f32 {
    app.world().get::<Playback>(root).unwrap().time
}

/// Moves a root for a frame of 0.1 s.
fn walk(app: &mut TestApp, root: Entity, step: Vec3) {
    app.world().get_mut::<Transform>(root).unwrap().translation += step;
    app.step(0.1);
}

#[track_caller]
fn assert_speed(app: &mut TestApp, root: Entity, expected: f32) {
    let found = speed(app, root);
    assert!(
        (found - expected).abs() < 1e-3,
        "{found}, expected {expected}"
    );
}

#[test]
fn one_stride_is_one_pass_through_the_clip() {
    for clip in ["march", "patrol"] {
        let follow = FollowVelocity::default();
        let (mut app, root) = app((PlayClip::from_manifest(clip), follow));
        assert_speed(&mut app, root, 0.0);
        let before = time(&mut app, root);
        // A quarter of the stride.
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        let passed = time(&mut app, root) - before;
        assert!(
            (passed.rem_euclid(LENGTH) - LENGTH / 4.0).abs() < 1e-3,
            "{passed}"
        );
        // Ten strides, slowly and fast, backward and sideways, uphill. A fall does not count.
        let before = time(&mut app, root);
        for step in [0.05_f32, 0.15, 0.3, 0.5] {
            for _ in 0..10 {
                walk(&mut app, root, Vec3::new(0.0, 1.0, -step * STRIDE));
            }
        }
        let passed = (time(&mut app, root) - before).rem_euclid(LENGTH);
        assert!(!(1e-2..=LENGTH - 1e-2).contains(&passed), "{passed}");
        walk(&mut app, root, Vec3::Z * STRIDE / 10.0);
        assert!(speed(&mut app, root) < 0.0, "backward");
        walk(&mut app, root, Vec3::ZERO);
        assert_speed(&mut app, root, 0.0);
    }
}

#[test]
fn scale_and_parents_of_the_root_count() {
    let (mut app, root) = app((PlayClip::from_manifest("march"), FollowVelocity::default()));
    app.world().get_mut::<Transform>(root).unwrap().scale = Vec3::splat(4.0);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE);
    // A quarter of a stride in 0.1 s: one pass in 0.4 s, at half the speed of the name.
    assert_speed(&mut app, root, 2.0);
    let ship = app.world().spawn(Transform::default()).id();
    app.world().entity_mut(root).insert(ChildOf(ship));
    app.step(0.1);
    app.world().get_mut::<Transform>(ship).unwrap().translation -= Vec3::Z * STRIDE;
    app.step(0.1);
    assert_speed(&mut app, root, 2.0);
}

#[test]
fn own_stride_and_velocity_override_measured_ones() {
    let follow = FollowVelocity {
        stride: Some(1.0),
        velocity: Some(Vec3::NEG_Z * 5.0),
    };
    let (mut app, root) = app((PlayClip::looping("MOVE_00"), follow));
    // Five passes per second.
    assert_speed(&mut app, root, 5.0 * LENGTH);
    for stride in [f32::NAN, 0.0, -1.0, f32::INFINITY] {
        let mut follow = app.world().get_mut::<FollowVelocity>(root).unwrap();
        follow.stride = Some(stride);
        follow.velocity = Some(Vec3::X);
        app.step(0.1);
        assert_speed(&mut app, root, 5.0 * LENGTH);
    }
    let mut follow = app.world().get_mut::<FollowVelocity>(root).unwrap();
    follow.stride = Some(1.0);
    follow.velocity = Some(Vec3::splat(f32::NAN));
    app.step(0.1);
    assert_speed(&mut app, root, 5.0 * LENGTH);
}

#[test]
fn clips_without_stride_and_models_without_the_component_keep_their_speed() {
    let play = PlayClip::looping("MOVE_00").with_speed(1.5);
    let (mut app, root) = app((play, FollowVelocity::default()));
    walk(&mut app, root, Vec3::NEG_Z);
    assert_speed(&mut app, root, 1.5);
    // A clip with a stride, then none again.
    app.world()
        .entity_mut(root)
        .insert(PlayClip::from_manifest("march"));
    app.step(0.1);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
    assert_speed(&mut app, root, 2.0);
    app.world().entity_mut(root).remove::<FollowVelocity>();
    walk(&mut app, root, Vec3::NEG_Z * STRIDE);
    assert_speed(&mut app, root, 2.0);
    // The position before the removal does not count.
    app.world()
        .entity_mut(root)
        .insert(FollowVelocity::default());
    app.step(0.1);
    assert_speed(&mut app, root, 2.0);
    app.step(0.1);
    assert_speed(&mut app, root, 0.0);
    app.world().entity_mut(root).despawn();
    app.step(0.1);
}

#[test]
fn jumps_do_not_change_the_speed() {
    let (mut app, root) = app((PlayClip::from_manifest("march"), FollowVelocity::default()));
    walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
    assert_speed(&mut app, root, 2.0);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE * 1.1);
    assert_speed(&mut app, root, 2.0);
    walk(&mut app, root, Vec3::ZERO);
    assert_speed(&mut app, root, 0.0);
}

#[test]
fn manifests_can_replace_a_clip_whose_speed_follows() {
    let manifest = |play: &str| {
        format!(
            "(model: \"a.mdl\", clips: [(name: \"walk\", clip: 0, stride: 3), (name: \"run\", clip: 0, stride: 6)]{play})"
        )
    };
    let first = manifest(", play: \"walk\"");
    let mut app = TestApp::new(&[("a.mdl", mdl()), ("a.model.ron", text(&first))]);
    let root = spawn_ready(&mut app, "a.model.ron", FollowVelocity::default());
    app.step(0.1);
    walk(&mut app, root, Vec3::NEG_Z);
    let followed = speed(&mut app, root);
    assert!(followed > 0.0 && followed != 1.0, "{followed}");
    let other = manifest(", play: \"run\"");
    edit(&mut app, "a.model.ron", &other);
    wait(&mut app, "the other clip", |world| {
        world
            .get::<PlayClip>(root)
            .is_some_and(|play| play.clip == "run")
    });
    assert_speed(&mut app, root, followed);
    walk(&mut app, root, Vec3::NEG_Z);
    assert_speed(&mut app, root, followed / 2.0);
    // A clip that the user has set stays.
    app.world().get_mut::<PlayClip>(root).unwrap().clip = "walk".into();
    edit(
        &mut app,
        "a.model.ron",
        &first.replace("stride: 3", "stride: 1"),
    );
    wait(&mut app, "the other stride", |world| {
        let clips = world.get::<ModelClips>(root);
        clips.is_some_and(|clips| clips.0.iter().any(|clip| clip.stride == Some(1.0)))
    });
    edit(&mut app, "a.model.ron", &manifest(""));
    wait(&mut app, "the stride of before", |world| {
        let clips = world.get::<ModelClips>(root);
        clips.is_some_and(|clips| clips.0.iter().any(|clip| clip.stride == Some(3.0)))
    });
    let play = app.world().get::<PlayClip>(root).unwrap();
    assert!(play.clip == "walk", "{play:?}");
}

#[test]
fn reload_keeps_the_speed() {
    let (mut app, root) = app((PlayClip::from_manifest("march"), FollowVelocity::default()));
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
    assert_speed(&mut app, root, 2.0);
    app.replace("art/Unit.alo", crate::ala::play::model_at(9.0));
    assert_speed(&mut app, root, 2.0);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE / 8.0);
    assert_speed(&mut app, root, 1.0);
}

#[test]
fn manifests_have_strides_for_quake_models() {
    let manifest = r#"(
        model: "a.mdl",
        clips: [(name: "walk", clip: 0, stride: 3)],
        play: "walk",
    )"#;
    let mut app = TestApp::new(&[("a.mdl", mdl()), ("a.model.ron", text(manifest))]);
    let root = spawn_ready(&mut app, "a.model.ron", FollowVelocity::default());
    app.step(0.1);
    let duration = app.world().get::<Playback>(root).unwrap().duration;
    assert!(duration > 0.0);
    walk(&mut app, root, Vec3::NEG_Z * 1.5);
    // Half of the clip in 0.1 s.
    assert_speed(&mut app, root, duration * 5.0);
}
