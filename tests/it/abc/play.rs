//! Playback of clips on spawned LithTech models.

use crate::support::abc::{BODY, bytes, figure};
use crate::support::prelude::*;

const SCENE: &str = "model.abc#Scene";

fn app(play: impl Bundle) -> (TestApp, Entity) {
    let mut app = TestApp::new(&[("model.abc", bytes(&figure()))]);
    let root = app.spawn_ready(SCENE, play);
    (app, root)
}

#[track_caller]
fn assert_body(app: &TestApp, root: Entity, expected: Vec3) {
    let found = app.bone_transform(root, BODY).translation;
    assert!(found.abs_diff_eq(expected, 1e-2), "{found}");
}

#[test]
fn clips_play_by_name_or_index_and_cross_fade() {
    let (mut app, root) = app(still("WALK", 0.1));
    app.steps(2, 0.0);
    assert_body(&app, root, Vec3::new(10.0, 0.0, 0.0));
    app.apply(root, still(2_usize, 0.1).with_fade(1.0));
    // Bevy limits a frame to a quarter of a second.
    app.step(0.25);
    app.step(0.25);
    // Both clips have a weight of one half.
    assert_body(&app, root, Vec3::ZERO);
    app.steps(3, 0.25);
    assert_body(&app, root, Vec3::new(-10.0, 0.0, 0.0));
    let animator = app.get::<AbcAnimator>(root);
    assert_eq!(animator.weight(), 1.0);
    let clip = animator.clip().cloned();
    let model = app.get::<AbcInstance>(root).model();
    assert_eq!(clip.as_ref(), Some(&model.animations[2].clip));
}
