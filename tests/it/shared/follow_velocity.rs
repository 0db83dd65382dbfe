//! `FollowVelocity`: the speed of a clip follows the velocity of its model.

use crate::ala::play::{SCENE, ala, files, moves};
use crate::clips::named::{KINDS, Kind, app as app_of_clips, named};
use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

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
    app.get::<PlayClip>(root).speed
}

fn time(app: &mut TestApp, root: Entity) -> f32 {
    app.get::<Playback>(root).time
}

/// Moves a root for a frame of 0.1 s.
fn walk(app: &mut TestApp, root: Entity, step: Vec3) {
    app.get_mut::<Transform>(root).translation += step;
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
    app.get_mut::<Transform>(root).scale = Vec3::splat(4.0);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE);
    // A quarter of a stride in 0.1 s: one pass in 0.4 s, at half the speed of the name.
    assert_speed(&mut app, root, 2.0);
    let ship = app.spawn_entity(Transform::default());
    app.insert(root, ChildOf(ship));
    app.step(0.1);
    app.get_mut::<Transform>(ship).translation -= Vec3::Z * STRIDE;
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
        let mut follow = app.get_mut::<FollowVelocity>(root);
        follow.stride = Some(stride);
        follow.velocity = Some(Vec3::X);
        app.step(0.1);
        assert_speed(&mut app, root, 5.0 * LENGTH);
    }
    let mut follow = app.get_mut::<FollowVelocity>(root);
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
    app.insert(root, PlayClip::from_manifest("march"));
    app.step(0.1);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
    assert_speed(&mut app, root, 2.0);
    app.remove::<FollowVelocity>(root);
    walk(&mut app, root, Vec3::NEG_Z * STRIDE);
    assert_speed(&mut app, root, 2.0);
    // The position before the removal does not count.
    app.insert(root, FollowVelocity::default());
    app.step(0.1);
    assert_speed(&mut app, root, 2.0);
    app.step(0.1);
    assert_speed(&mut app, root, 0.0);
    app.despawn(root);
    app.step(0.1);
}

#[test]
fn strides_that_are_not_given_are_measured() {
    log::listen();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = TestApp::in_folder(&assets);
    let bundle = (
        BevySpace::default(),
        FollowVelocity::default(),
        PlayClip::looping("MOVE_00"),
    );
    let root = app.spawn_model_ready("models/walker.alo", bundle);
    app.settle();
    // 2.56 m take 1.6 s.
    walk(&mut app, root, Vec3::NEG_Z * 0.16);
    walk(&mut app, root, Vec3::NEG_Z * 0.16);
    let found = speed(&mut app, root);
    assert!((found - 1.0).abs() < 0.01, "{found}");
    // A clip in which it does not walk keeps its speed, which is a warning if it moves.
    app.insert(root, PlayClip::looping("ATTACK_00"));
    app.settle();
    let warnings = || log::warnings_with("walker.alo does not walk in clip \"ATTACK_00\"").len();
    walk(&mut app, root, Vec3::ZERO);
    assert_eq!(warnings(), 0);
    for _ in 0..3 {
        walk(&mut app, root, Vec3::NEG_Z * 0.16);
    }
    assert_eq!(warnings(), 1);
    assert_speed(&mut app, root, 1.0);
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
    let root = app.spawn_model_ready("a.model.ron", FollowVelocity::default());
    app.step(0.1);
    walk(&mut app, root, Vec3::NEG_Z);
    let followed = speed(&mut app, root);
    assert!(followed > 0.0 && followed != 1.0, "{followed}");
    let other = manifest(", play: \"run\"");
    app.edit("a.model.ron", &other);
    app.wait("the other clip", |world| {
        world
            .get::<PlayClip>(root)
            .is_some_and(|play| play.clip == "run")
    });
    assert_speed(&mut app, root, followed);
    walk(&mut app, root, Vec3::NEG_Z);
    assert_speed(&mut app, root, followed / 2.0);
    // A clip that the user has set stays.
    app.get_mut::<PlayClip>(root).clip = "walk".into();
    app.edit("a.model.ron", first.replace("stride: 3", "stride: 1"));
    app.wait("the other stride", |world| {
        let clips = world.get::<ModelClips>(root);
        clips.is_some_and(|clips| clips.0.iter().any(|clip| clip.stride == Some(1.0)))
    });
    app.edit("a.model.ron", manifest(""));
    app.wait("the stride of before", |world| {
        let clips = world.get::<ModelClips>(root);
        clips.is_some_and(|clips| clips.0.iter().any(|clip| clip.stride == Some(3.0)))
    });
    let play = app.get::<PlayClip>(root);
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
    let root = app.spawn_model_ready("a.model.ron", FollowVelocity::default());
    app.step(0.1);
    let duration = app.get::<Playback>(root).duration;
    assert!(duration > 0.0);
    walk(&mut app, root, Vec3::NEG_Z * 1.5);
    // Half of the clip in 0.1 s.
    assert_speed(&mut app, root, duration * 5.0);
}

/// The clip `walk` with a stride, and `still` with a stride but a speed of 0.
fn clips(kind: &Kind) -> ModelClips {
    let clip = |name, speed| NamedClip {
        stride: Some(STRIDE),
        ..named(name, kind.clip, speed, Repeat::Loop)
    };
    ModelClips::new([clip("walk", 0.5), clip("still", 0.0)])
}

/// Spawns a model whose speed follows its velocity, and moves it once.
fn follower(app: &mut TestApp, kind: &Kind) -> Entity {
    let follow = FollowVelocity::default();
    let bundle = (clips(kind), PlayClip::from_manifest("walk"), follow);
    let root = app.spawn_ready(kind.scene, bundle);
    app.step(0.0);
    app.step(0.1);
    walk(app, root, Vec3::NEG_Z * STRIDE / 4.0);
    root
}

/// The speed for a quarter of a stride in 0.1 s.
fn quarter(app: &mut TestApp, root: Entity) -> f32 {
    let duration = app.get::<Playback>(root).duration;
    2.5 * duration / 0.5
}

#[test]
fn speed_follows_on_every_format() {
    let mut app = app_of_clips();
    for kind in &KINDS {
        let root = follower(&mut app, kind);
        assert_speed(&mut app, root, 5.0 * kind.seconds);
        // A quarter of a stride is a quarter of the clip.
        let before = time(&mut app, root);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        let passed = (time(&mut app, root) - before).rem_euclid(kind.seconds);
        assert!((passed - kind.seconds / 4.0).abs() < 1e-3, "{passed}");
        // A speed of 0, and a clip whose own speed is 0, which no speed can move.
        walk(&mut app, root, Vec3::ZERO);
        assert_speed(&mut app, root, 0.0);
        let before = time(&mut app, root);
        walk(&mut app, root, Vec3::ZERO);
        assert_eq!(time(&mut app, root), before, "{}", kind.scene);
        app.insert(root, PlayClip::from_manifest("still").with_speed(0.75));
        app.step(0.1);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        assert_speed(&mut app, root, 0.75);
        // After the removal, the speed stays, and the component can be inserted again.
        app.insert(root, PlayClip::from_manifest("walk"));
        app.step(0.1);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        let followed = quarter(&mut app, root);
        assert_speed(&mut app, root, followed);
        app.remove::<FollowVelocity>(root);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 2.0);
        assert_speed(&mut app, root, followed);
        app.insert(root, FollowVelocity::default());
        app.step(0.1);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 8.0);
        assert_speed(&mut app, root, followed / 2.0);
        app.despawn(root);
        app.step(0.1);
    }
}

#[test]
fn parents_may_be_removed_and_despawned() {
    let mut app = app_of_clips();
    for kind in &KINDS {
        let [first, second] = [(); 2].map(|()| follower(&mut app, kind));
        let ship = app.spawn_entity(Transform::default());
        for root in [first, second] {
            app.insert(root, ChildOf(ship));
        }
        app.step(0.1);
        let step = Vec3::NEG_Z * STRIDE / 4.0;
        app.get_mut::<Transform>(ship).translation += step;
        app.step(0.1);
        let followed = quarter(&mut app, first);
        assert_speed(&mut app, first, followed);
        app.remove::<ChildOf>(first);
        app.despawn(ship);
        app.step(0.1);
        assert!(!app.exists(second), "{}", kind.scene);
        // It has moved back by the distance of the ship.
        assert_speed(&mut app, first, -followed);
        walk(&mut app, first, step);
        assert_speed(&mut app, first, followed);
        app.despawn(first);
        app.step(0.1);
    }
}

/// Files of each kind whose clip takes longer.
fn longer_clips() -> [(&'static str, Vec<u8>); 3] {
    let mut quake = tetrahedron();
    quake.frames.insert(0, quake.frames[0].clone());
    let mut clip = moves(1.0);
    clip.fps /= 2.0;
    let mut figure = abc::figure();
    for keyframe in &mut figure.animations[0].keyframes {
        keyframe.time *= 2;
    }
    figure.animations[0].length *= 2;
    [
        ("tetra.mdl", quake.to_bytes()),
        ("art/unit_MOVE_00.ALA", ala(&clip)),
        ("model.abc", abc::bytes(&figure)),
    ]
}

#[test]
fn replaced_files_keep_one_stride_per_pass() {
    let mut app = app_of_clips();
    for (kind, (path, bytes)) in KINDS.iter().zip(longer_clips()) {
        let root = follower(&mut app, kind);
        let before = speed(&mut app, root);
        if !path.ends_with("ALA") {
            app.keep_loaded(path);
        }
        app.replace(path, bytes);
        assert_speed(&mut app, root, before);
        app.step(0.0);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        let duration = app.get::<Playback>(root).duration;
        assert!(duration > 1.2 * kind.seconds, "{path}: {duration}");
        let followed = quarter(&mut app, root);
        assert_speed(&mut app, root, followed);
        // Another model on the same root.
        let other = KINDS
            .iter()
            .find(|other| other.scene != kind.scene)
            .unwrap();
        let scene = app.load(other.scene);
        app.insert(root, (WorldAssetRoot(scene), clips(other)));
        app.wait_until_idle();
        app.step(0.1);
        walk(&mut app, root, Vec3::NEG_Z * STRIDE / 4.0);
        let followed = quarter(&mut app, root);
        assert_speed(&mut app, root, followed);
        assert!(followed > 0.0, "{path}");
        app.despawn(root);
        app.step(0.1);
    }
}
