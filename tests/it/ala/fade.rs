//! Fades between Alamo clips that do not speak of the same: what one of them leaves unsaid is at rest
//! while it plays, and so the fade goes there and comes from there.

use crate::ala::play::{HULL, SCENE, TURRET, ala, files, moves};
use crate::support::app::TestApp;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{Rotations, Vectors};
use bevy_classic_models::alamo::{Alo, AloInstance};
use bevy_classic_models::prelude::*;

/// Hull and turret are elsewhere, turned and large.
fn all() -> Vec<u8> {
    let mut clip = moves(0.0);
    for bone in &mut clip.bones[..2] {
        bone.translation = Vectors::constant([8.0, 0.0, 5.0]);
        bone.rotation = Rotations::constant([0.0, 0.0, 0.6, 0.8]);
        bone.scale = Vectors::constant([3.0; 3]);
    }
    ala(&clip)
}

/// The hull is at rest, and so large as the model says; nothing is said of the turret.
fn hull_alone() -> Vec<u8> {
    let mut clip = moves(0.0);
    clip.bones.truncate(1);
    ala(&clip)
}

fn standing(clip: &str) -> PlayClip {
    PlayClip::looping(clip).with_speed(0.0)
}

/// The app with a model that fades from one clip to another, a quarter of the way at each step.
fn app(from: &str) -> (TestApp, Entity) {
    let mut files = files();
    files.push(("art/Unit_ALL_00.ala", all()));
    files.push(("art/Unit_HULL_00.ala", hull_alone()));
    let mut app = TestApp::new(&files);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, standing(from));
    app.step(0.0);
    (app, root)
}

/// Bones at each quarter of a fade, from its beginning to its end.
fn faded(from: &str, to: &str, bone: usize) -> Vec<Transform> {
    let (mut app, root) = app(from);
    let play = standing(to).with_fade(1.0);
    app.world().entity_mut(root).insert(play);
    app.step(0.0);
    let mut found = Vec::new();
    for _ in 0..5 {
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[bone];
        found.push(*app.world().get::<Transform>(bone).unwrap());
        app.step(0.25);
    }
    found
}

#[track_caller]
fn assert_fades(found: &[Transform], from: Transform, to: Transform) {
    for (step, found) in found.iter().enumerate() {
        let way = step as f32 / 4.0;
        let place = from.translation.lerp(to.translation, way);
        assert!(
            found.translation.distance(place) < 1e-3,
            "at {way}: {found:?}"
        );
        let turn = from.rotation.slerp(to.rotation, way);
        assert!(
            found.rotation.angle_between(turn) < 1e-2,
            "at {way}: {found:?}"
        );
        let scale = from.scale.lerp(to.scale, way);
        assert!(found.scale.distance(scale) < 1e-3, "at {way}: {found:?}");
    }
}

/// Where [`all`] has both bones.
fn elsewhere() -> Transform {
    Transform::from_xyz(8.0, 0.0, 5.0)
        .with_rotation(Quat::from_xyzw(0.0, 0.0, 0.6, 0.8))
        .with_scale(Vec3::splat(3.0))
}

#[test]
fn a_scale_that_is_not_spoken_of_fades() {
    let hull = Transform::from_xyz(0.0, 0.0, 1.0);
    assert_fades(&faded("ALL_00", "HULL_00", HULL), elsewhere(), hull);
    assert_fades(&faded("HULL_00", "ALL_00", HULL), hull, elsewhere());
}

#[test]
fn a_bone_that_is_not_spoken_of_fades() {
    let turret = Transform::from_xyz(0.0, 0.0, 5.0);
    assert_fades(&faded("ALL_00", "HULL_00", TURRET), elsewhere(), turret);
    assert_fades(&faded("HULL_00", "ALL_00", TURRET), turret, elsewhere());
}
