//! Cross-fades between Alamo clips with different tracks. A property without a track is at rest, so fades start or
//! end at the rest pose.

use crate::ala::play::{self as ala_play, HULL, TURRET, ala, files, moves};
use crate::support::prelude::*;

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

/// An app with a model that shows the start of a clip.
fn app(from: &str) -> (TestApp, Entity) {
    let mut files = files();
    files.push(("art/Unit_ALL_00.ala", all_tracks()));
    files.push(("art/Unit_HULL_00.ala", hull_alone()));
    ala_play::app(&files, still(from, 0.0))
}

/// The transform of a bone at each quarter of a fade, from start to end.
fn fade_steps(from: &str, to: &str, bone: usize) -> Vec<Transform> {
    let (mut app, root) = app(from);
    app.apply(root, still(to, 0.0).with_fade(1.0));
    let shown = |_| {
        let shown = app.bone_transform(root, bone);
        app.step(0.25);
        shown
    };
    (0..5).map(shown).collect()
}

#[track_caller]
fn assert_fades(found: &[Transform], from: Transform, to: Transform) {
    for (step, found) in found.iter().enumerate() {
        let weight = step as f32 / 4.0;
        let translation = from.translation.lerp(to.translation, weight);
        let rotation = from.rotation.slerp(to.rotation, weight);
        let scale = from.scale.lerp(to.scale, weight);
        let is_expected = found.translation.distance(translation) < 1e-3
            && found.rotation.angle_between(rotation) < 1e-2
            && found.scale.distance(scale) < 1e-3;
        assert!(is_expected, "at weight {weight}: {found:?}");
    }
}

/// The transform of both bones in [`all_tracks`].
fn moved() -> Transform {
    Transform::from_xyz(8.0, 0.0, 5.0)
        .with_rotation(Quat::from_xyzw(0.0, 0.0, 0.6, 0.8))
        .with_scale(Vec3::splat(3.0))
}

#[test]
fn missing_scale_tracks_and_bones_fade_to_rest() {
    for (bone, height) in [(HULL, 1.0), (TURRET, 5.0)] {
        let rest = Transform::from_xyz(0.0, 0.0, height);
        assert_fades(&fade_steps("ALL_00", "HULL_00", bone), moved(), rest);
        assert_fades(&fade_steps("HULL_00", "ALL_00", bone), rest, moved());
    }
}
