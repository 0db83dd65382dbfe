//! `RootMotion`: a clip moves the root of its model.

use crate::ala::play::{self as ala_play, FPS, HULL, SCENE, TURRET, ala, app, files, moves};
use crate::clips::named::{KINDS, app as app_of_clips, named};
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;
use bevy::math::Affine3A;

/// How far the hull moves in one pass of `MOVE_00`, along X.
const PASS: f32 = 4.0;

/// Steps that add up to more than two passes of 0.4 s, the last of which starts and ends within a pass.
const STEPS: [f32; 8] = [0.05, 0.13, 0.25, 0.01, 0.2, 0.25, 0.07, 0.002];

fn position(app: &TestApp, root: Entity) -> Vec3 {
    app.get::<Transform>(root).translation
}

#[track_caller]
fn assert_at(app: &TestApp, root: Entity, expected: Vec3) {
    let found = position(app, root);
    assert!(
        found.distance(expected) < 2e-3,
        "{found}, expected {expected}"
    );
}

/// The hull moves along a curve, rises, turns by 140° in a pass, and nods.
fn strolls() -> AlaDocument {
    let mut document = moves(0.0);
    let frames = (0..5).map(|frame| frame as f32);
    let translations: Vec<[f32; 3]> = frames
        .clone()
        .map(|frame| [1.0 + frame, 0.3 * frame * frame, 1.0 + 0.2 * frame])
        .collect();
    let rotations: Vec<[f32; 4]> = frames
        .map(|frame| {
            let turn = Quat::from_rotation_z(0.3 + 0.61 * frame);
            (turn * Quat::from_rotation_x(0.2 * frame)).to_array()
        })
        .collect();
    document.bones[0].translation = Vectors::from_frames(&translations);
    document.bones[0].rotation = Rotations::from_frames(&rotations);
    document
}

#[test]
fn root_moves_by_what_the_bone_no_longer_does() {
    for (speed, start) in [(1.0, 0.0), (-1.0, 0.4), (2.5, 0.1), (-0.5, 0.0)] {
        let play = PlayClip::looping("MOVE_00")
            .with_speed(speed)
            .starting_at(start);
        let (mut app, root) = app(&files(), (play, RootMotion::of_bone("HULL")));
        assert_at(&app, root, Vec3::ZERO);
        let mut seconds = 0.0;
        for step in STEPS {
            app.step(step);
            seconds += step;
            assert_at(&app, root, Vec3::X * seconds * speed * FPS);
            app.assert_hull_x(root, 0.0);
        }
        // A pause, and a jump.
        let before = position(&app, root);
        app.get_mut::<PlayClip>(root).paused = true;
        app.step(0.1);
        app.get_mut::<Playback>(root).time = 0.3;
        app.step(0.1);
        assert_at(&app, root, before);
        app.assert_hull_x(root, 0.0);
    }
}

/// Where a root is.
const PLACE: Transform = Transform {
    translation: Vec3::new(3.0, 1.0, -2.0),
    rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
    scale: Vec3::splat(1.5),
};

/// A scene, a clip, a bone that moves, and the indices of this and a bone below it.
type Turning = (&'static str, &'static str, &'static str, [usize; 2]);

/// The models and clips of [`app_of_clips`], and [`strolls`]: each with a bone that moves, and the indices of this and a bone
/// below it.
fn turning() -> (TestApp, [Turning; 2]) {
    let mut files = files();
    files.push(("art/Unit_Stroll_00.ala", ala(&strolls())));
    files.push(("model.abc", bytes(&figure())));
    let mut app = TestApp::new(&files);
    app.keep_loaded("art/Unit.alo");
    let kinds = [
        (SCENE, "STROLL_00", "Hull", [HULL, TURRET]),
        ("model.abc#Scene", "Walk", "Body", [1, 2]),
    ];
    (app, kinds)
}

/// Starts the clip of a root again.
fn restart(app: &mut TestApp, root: Entity, place: Transform, repeat: Repeat) {
    app.get_mut::<PlayClip>(root).repeat = repeat;
    app.step(0.0);
    app.get_mut::<Playback>(root).time = 0.0;
    *app.get_mut::<Transform>(root) = place;
    app.step(0.0);
}

#[test]
fn turning_bones_are_where_the_clip_shows_them() {
    let (mut app, kinds) = turning();
    for (scene, clip, bone, bones) in kinds {
        let mirrored = PLACE.with_scale(Vec3::new(-1.5, 1.5, 1.5));
        let space = Some(BevySpace::default());
        for (place, space) in [(PLACE, None), (PLACE, space), (mirrored, space)] {
            let play = PlayClip::looping(clip);
            let motion = RootMotion::of_bone(bone).with_turns();
            let moving = app.spawn_ready(scene, (play.clone(), motion));
            let still = app.spawn_ready(scene, play);
            for root in [moving, still] {
                if let Some(space) = space {
                    app.insert(root, space);
                }
                restart(&mut app, root, place, Repeat::Loop);
            }
            app.get_mut::<Playback>(moving).time = 0.0;
            app.step(0.0);
            let entity = |app: &TestApp, root: Entity, index: usize| {
                let bones = app.find(root).map(AloInstance::bones);
                let nodes = app.find(root).map(AbcInstance::nodes);
                bones.or(nodes).unwrap()[index]
            };
            let of_root = |app: &TestApp| {
                let bone = entity(app, moving, bones[0]);
                let root = app.get::<GlobalTransform>(moving).affine();
                root.inverse() * app.get::<GlobalTransform>(bone).affine()
            };
            let start = of_root(&app);
            for _ in 0..5 {
                for index in bones {
                    let [found, expected] = [moving, still].map(|root| {
                        let bone = entity(&app, root, index);
                        app.get::<GlobalTransform>(bone).affine()
                    });
                    assert!(
                        found.abs_diff_eq(expected, 2e-3),
                        "{found}, expected {expected}"
                    );
                }
                // It does not move along the ground.
                let moved = of_root(&app).translation - start.translation;
                assert!(moved.with_y(0.0).length() < 2e-3, "{moved}");
                app.step(0.059);
            }
            app.despawn(moving);
            app.despawn(still);
        }
    }
}

#[test]
fn each_pass_continues_where_the_last_one_has_ended() {
    let (mut app, kinds) = turning();
    for (scene, clip, bone, _) in kinds {
        let motion = RootMotion::of_bone(bone).with_turns();
        let root = app.spawn_ready(scene, (PlayClip::looping(clip), motion));
        app.step(0.0);
        let length = app.get::<Playback>(root).duration;
        let from_place = |app: &TestApp| {
            PLACE.compute_affine().inverse() * app.get::<Transform>(root).compute_affine()
        };
        restart(&mut app, root, PLACE, Repeat::Once);
        app.steps(4, 0.2);
        let pass = from_place(&app);
        restart(&mut app, root, PLACE, Repeat::Loop);
        app.step(0.1);
        let part = from_place(&app);
        restart(&mut app, root, PLACE, Repeat::Loop);
        let steps = ((4.0 * length + 0.1) / 0.05).round() as usize;
        app.steps(steps, 0.05);
        let expected = pass * pass * pass * pass * part;
        let found = from_place(&app);
        assert!(
            found.abs_diff_eq(expected, 0.02),
            "{found}, expected {expected}"
        );
        // And back.
        app.get_mut::<PlayClip>(root).speed = -1.0;
        app.steps(steps, 0.05);
        let found = from_place(&app);
        assert!(found.abs_diff_eq(Affine3A::IDENTITY, 0.02), "{found}");
        app.despawn(root);
    }
}

#[test]
fn clips_that_end_and_parts_of_clips_move_the_root_by_their_frames() {
    let motion = RootMotion::of_bone("Hull");
    let (mut app, root) = app(&files(), (PlayClip::once("MOVE_00"), motion.clone()));
    app.steps(5, 0.15);
    assert_at(&app, root, Vec3::X * PASS);
    app.assert_hull_x(root, 0.0);
    app.get_mut::<PlayClip>(root).speed = -1.0;
    app.steps(5, 0.15);
    assert_at(&app, root, Vec3::ZERO);
    // Two of the four steps. The bone stays where it is in frame 1.
    let part = ClipRef::part("MOVE_00", 1..4);
    app.apply(root, PlayClip::looping(part));
    app.assert_hull_x(root, 1.0);
    for _ in 0..7 {
        app.step(0.15);
        app.assert_hull_x(root, 1.0);
    }
    assert_at(&app, root, Vec3::X * 1.05 * FPS);
}

#[test]
fn movements_are_blended_as_poses_are() {
    let (mut app, root) = app(
        &files(),
        (PlayClip::looping("MOVE_00"), RootMotion::of_bone("Hull")),
    );
    app.step(0.1);
    app.apply(root, PlayClip::looping("MOVE_01").with_fade(0.4));
    let before = position(&app, root).x;
    let mut expected = before;
    for step in 1..=8 {
        app.step(0.05);
        // Half a unit per step: forward in the one clip, backward in the other.
        let share = (step as f32 / 8.0).min(1.0);
        expected += 0.5 * (1.0 - share) - 0.5 * share;
        assert_at(&app, root, Vec3::X * expected);
        app.assert_hull_x(root, 0.0);
    }
}

#[test]
fn strides_move_models_of_all_formats_forward() {
    const STRIDE: f32 = 2.0;
    let mut app = app_of_clips();
    let place = Transform {
        translation: Vec3::Y,
        rotation: Quat::from_rotation_y(0.5),
        scale: Vec3::splat(3.0),
    };
    for kind in &KINDS {
        for is_crowd in [false, true] {
            let clips = ModelClips::new([NamedClip {
                stride: Some(STRIDE),
                ..named("go", kind.clip, 1.0, Repeat::Loop)
            }]);
            let play = PlayClip::looping("go").starting_at(0.0);
            let root = app.spawn_ready(kind.scene, (clips, play, place));
            if is_crowd {
                app.insert(root, Crowd);
            }
            app.insert(root, RootMotion::default());
            app.steps(2, 0.0);
            let before = position(&app, root);
            app.steps(10, kind.seconds * 0.37);
            let moved = position(&app, root) - before;
            let expected = place.rotation * Vec3::NEG_Z * 3.0 * STRIDE * 3.7;
            assert!(
                moved.distance(expected) < 1e-2,
                "{} {is_crowd}: {moved}, expected {expected}",
                kind.scene
            );
            // Another clip, without a stride, moves nothing.
            app.apply(root, PlayClip::looping(kind.other));
            app.step(0.0);
            let before = position(&app, root);
            app.steps(3, 0.05);
            assert_at(&app, root, before);
            app.despawn(root);
        }
    }
}

#[test]
fn strides_fade_out_with_their_clips() {
    let mut app = app_of_clips();
    let clips = ModelClips::new([NamedClip {
        stride: Some(2.0),
        ..named("go", "MOVE_00", 1.0, Repeat::Loop)
    }]);
    let bundle = (clips, PlayClip::looping("go"), RootMotion::default());
    let root = app.spawn_ready(SCENE, bundle);
    app.steps(4, 0.1);
    app.apply(root, PlayClip::looping("Attack_00").with_fade(0.4));
    let before = position(&app, root);
    let mut expected = before.z;
    for step in 1..=10 {
        app.step(0.05);
        // 5 units per second.
        expected -= 0.25 * (1.0 - step as f32 / 8.0).max(0.0);
        assert_at(&app, root, before.with_z(expected));
    }
}

#[test]
fn bones_of_scale_0_stay_finite() {
    let mut document = moves(1.0);
    let scales = [[1.0; 3], [0.0; 3], [0.0; 3], [1.0; 3], [1.0; 3]];
    document.bones[0].scale = Vectors::from_frames(&scales);
    let mut files = files();
    files.push(("art/Unit_Vanish_00.ala", ala(&document)));
    for (bone, turns) in [("Hull", false), ("Hull", true), ("Turret", true)] {
        let motion = RootMotion {
            turns,
            ..RootMotion::of_bone(bone)
        };
        let (mut app, root) = app(&files, (PlayClip::looping("VANISH_00"), motion));
        for _ in 0..9 {
            app.step(0.05);
            for bone in [HULL, TURRET] {
                let bone = app.bone_transform(root, bone);
                assert!(bone.is_finite(), "{bone:?}");
            }
            assert!(app.get::<Transform>(root).is_finite());
        }
        if bone == "Hull" {
            assert_at(&app, root, Vec3::X * 0.45 * FPS);
        }
    }
}

#[test]
fn measured_strides_move_the_walker() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = TestApp::in_folder(&assets);
    let bundle = (
        BevySpace::default(),
        RootMotion::default(),
        PlayClip::looping("MOVE_00"),
    );
    let root = app.spawn_model_ready("models/walker.alo", bundle);
    app.settle();
    let before = position(&app, root);
    app.steps(16, 0.1);
    // 2.56 m take 1.6 s.
    let moved = position(&app, root) - before;
    assert!(moved.distance(Vec3::NEG_Z * 2.56) < 0.03, "{moved}");
}

#[test]
fn games_can_move_the_root_themselves() {
    let motion = RootMotion::of_bone("Hull").without_moving_root();
    let (mut app, root) = app(&files(), (PlayClip::looping("MOVE_00"), motion));
    let moved = |app: &mut TestApp| app.ask(|models| models.root_motion(root));
    for step in STEPS {
        app.step(step);
        let moved = moved(&mut app).unwrap();
        let expected = Vec3A::X * step * FPS;
        assert!(moved.translation.distance(expected) < 2e-3, "{moved:?}");
        assert_eq!(moved.rotation, Quat::IDENTITY);
    }
    assert_eq!(position(&app, root), Vec3::ZERO);
    // Nothing plays any more, and the bone is at rest.
    app.remove::<PlayClip>(root);
    app.step(0.1);
    assert_eq!(moved(&mut app), Some(Isometry3d::IDENTITY));
    app.remove::<RootMotion>(root);
    app.step(0.1);
    assert_eq!(moved(&mut app), None);
}

#[test]
fn reload_and_removal_leave_the_root_where_it_is() {
    let (mut app, root) = app(
        &files(),
        (PlayClip::looping("MOVE_00"), RootMotion::of_bone("Hull")),
    );
    app.step(0.25);
    app.replace("art/Unit.alo", ala_play::model_at(9.0));
    let before = position(&app, root);
    app.step(0.1);
    assert_at(&app, root, before + Vec3::X * 0.1 * FPS);
    app.assert_hull_x(root, 0.0);
    app.remove::<RootMotion>(root);
    app.step(0.0);
    assert_at(&app, root, before + Vec3::X * 0.1 * FPS);
    let time = app.get::<Playback>(root).time;
    app.assert_hull_x(root, time * FPS);
    app.despawn(root);
    app.step(0.1);
}

#[test]
fn bones_that_cannot_move_a_root_are_warnings() {
    let mut app = app_of_clips();
    let expected = [
        "tetra.mdl has no bones that `RootMotion` could follow",
        "Unit.alo has no bone \"hul\" that `RootMotion` could follow",
        "model.abc has no bone \"hul\" that `RootMotion` could follow",
    ];
    for (kind, expected) in KINDS.iter().zip(expected) {
        let play = PlayClip::looping(kind.clip);
        let root = app.spawn_shown(kind.scene, (play, RootMotion::of_bone("hul")));
        app.steps(3, 0.1);
        assert_eq!(position(&app, root), Vec3::ZERO);
        log::expect_warnings(expected, 1);
        app.despawn(root);
    }
    let bundle = (
        PlayClip::looping("MOVE_00"),
        RootMotion::of_bone("Hull"),
        Crowd,
    );
    let root = app.spawn_shown(SCENE, bundle);
    app.steps(3, 0.1);
    assert_eq!(position(&app, root), Vec3::ZERO);
    log::expect_warnings("is a member of a crowd, whose poses are baked", 1);
}
