//! Cross-fades between Alamo clips with different tracks. A property without a track is at rest, so fades start or
//! end at the rest pose.

use crate::ala::play::{HULL, SCENE, TURRET, ala, files, moves};
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::write::{Rotations, Vectors};

/// Moves, rotates and scales hull and turret.
fn all_tracks() -> Vec<u8> {
    let mut clip = moves(0.0);
    for bone in &mut clip.bones[..2] {
        bone.translation = Vectors::constant([8.0, 0.0, 5.0]);
        bone.rotation = Rotations::constant([0.0, 0.0, 0.6, 0.8]);
        bone.scale = Vectors::constant([3.0; 3]);
    }
    ala(&clip)
}

/// The hull is at rest and has no scale track. The turret has no tracks.
fn hull_alone() -> Vec<u8> {
    let mut clip = moves(0.0);
    clip.bones.truncate(1);
    ala(&clip)
}

fn stopped(clip: &str) -> PlayClip {
    PlayClip::looping(clip).with_speed(0.0)
}

/// An app with a model that shows the start of a clip.
fn app(from: &str) -> (TestApp, Entity) {
    let mut files = files();
    files.push(("art/Unit_ALL_00.ala", all_tracks()));
    files.push(("art/Unit_HULL_00.ala", hull_alone()));
    let mut app = TestApp::new(&files);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, stopped(from));
    app.step(0.0);
    (app, root)
}

/// The transform of a bone at each quarter of a fade, from start to end.
fn fade_steps(from: &str, to: &str, bone: usize) -> Vec<Transform> {
    let (mut app, root) = app(from);
    let play = stopped(to).with_fade(1.0);
    app.apply(root, play);
    let mut found = Vec::new();
    for _ in 0..5 {
        let bone = app.get::<AloInstance>(root).bones()[bone];
        found.push(*app.get::<Transform>(bone));
        app.step(0.25);
    }
    found
}

#[track_caller]
fn assert_fades(found: &[Transform], from: Transform, to: Transform) {
    for (step, found) in found.iter().enumerate() {
        let weight = step as f32 / 4.0;
        let translation = from.translation.lerp(to.translation, weight);
        assert!(
            found.translation.distance(translation) < 1e-3,
            "at weight {weight}: {found:?}"
        );
        let rotation = from.rotation.slerp(to.rotation, weight);
        assert!(
            found.rotation.angle_between(rotation) < 1e-2,
            "at weight {weight}: {found:?}"
        );
        let scale = from.scale.lerp(to.scale, weight);
        assert!(
            found.scale.distance(scale) < 1e-3,
            "at weight {weight}: {found:?}"
        );
    }
}

/// The transform of both bones in [`all_tracks`].
fn moved() -> Transform {
    Transform::from_xyz(8.0, 0.0, 5.0)
        .with_rotation(Quat::from_xyzw(0.0, 0.0, 0.6, 0.8))
        .with_scale(Vec3::splat(3.0))
}

#[test]
fn missing_scale_track_fades_to_rest() {
    let hull = Transform::from_xyz(0.0, 0.0, 1.0);
    assert_fades(&fade_steps("ALL_00", "HULL_00", HULL), moved(), hull);
    assert_fades(&fade_steps("HULL_00", "ALL_00", HULL), hull, moved());
}

#[test]
fn missing_bone_fades_to_rest() {
    let turret = Transform::from_xyz(0.0, 0.0, 5.0);
    assert_fades(&fade_steps("ALL_00", "HULL_00", TURRET), moved(), turret);
    assert_fades(&fade_steps("HULL_00", "ALL_00", TURRET), turret, moved());
}
