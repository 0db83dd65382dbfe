//! `ClipLayers` on LithTech models: nodes, deforming vertices, keyframe events and reloads.

use crate::support::abc::{ARM, BODY, bytes, figure};
use crate::support::abc_app::{drawn, show, shown, spawned};
use crate::support::prelude::*;
use bevy_classic_models::gpu::PoseBlend;

#[track_caller]
fn assert_position(app: &mut TestApp, root: Entity, node: usize, expected: Vec3) {
    let found = app.bone_transform(root, node).translation;
    assert!(
        found.abs_diff_eq(expected, 1e-3),
        "{found}, expected {expected}"
    );
}

/// The clip `Walk` at 0.1 s: the body at X 10, the arm at (0, 3, −2), as Z is mirrored.
const WALK: (Vec3, Vec3) = (Vec3::new(10.0, 0.0, 0.0), Vec3::new(0.0, 3.0, -2.0));
/// The clip `Stand` has all nodes here.
const STAND: Vec3 = Vec3::new(5.0, 0.0, 0.0);

#[test]
fn layers_are_blended_by_weight_on_the_nodes_of_their_mask() {
    let (mut app, root) = spawned(bytes(&figure()), AbcLoaderSettings::default());
    let layer = ClipLayer::new(still(1_usize, 0.0)).with_mask(BoneMask::bones(["arm"]));
    let all = ClipLayers::new([layer.with_weight(0.25)]);
    app.apply(root, (still(0_usize, 0.1), all));
    assert_position(&mut app, root, BODY, WALK.0);
    assert_position(&mut app, root, ARM, WALK.1.lerp(STAND, 0.25));
    // A second layer, for the body and the arm below it.
    let mask = BoneMask::subtrees(["Body"]);
    let layer = ClipLayer::new(still(2_usize, 0.1)).with_mask(mask);
    let mut layers = app.get_mut::<ClipLayers>(root);
    let id = layers.push(layer.with_weight(0.5));
    app.step(0.0);
    assert_position(&mut app, root, BODY, Vec3::ZERO);
    let arm = WALK.1.lerp(STAND, 0.25).lerp(WALK.1, 0.5);
    assert_position(&mut app, root, ARM, arm);
    let animator = app.get::<AbcAnimator>(root);
    assert_eq!(
        (animator.weight(), animator.layer_weight(id)),
        (1.0, Some(0.5))
    );
}

#[test]
fn layer_without_a_clip_below_is_blended_over_the_rest_pose() {
    let (mut app, root) = spawned(bytes(&figure()), AbcLoaderSettings::default());
    let rest = app.bone_transform(root, ARM).translation;
    let all = ClipLayers::new([ClipLayer::new(still(1_usize, 0.0)).with_weight(0.5)]);
    app.apply(root, all);
    assert_position(&mut app, root, ARM, rest.lerp(STAND, 0.5));
    app.remove::<ClipLayers>(root);
    app.step(0.0);
    assert_position(&mut app, root, ARM, rest);
}

#[test]
fn additive_layers_add_the_difference_from_the_first_keyframe() {
    let (mut app, root) = spawned(bytes(&figure()), AbcLoaderSettings::default());
    let layer = ClipLayer::new(still(0_usize, 0.1)).added().with_weight(0.5);
    let all = ClipLayers::new([layer]);
    app.apply(root, (still(1_usize, 0.0), all));
    // The body moves by 10 along X, the arm by −1 along Z.
    assert_position(&mut app, root, BODY, STAND + Vec3::X * 5.0);
    assert_position(&mut app, root, ARM, STAND - Vec3::Z * 0.5);
}

/// The pose blend of the flag.
fn flag(app: &mut TestApp, root: Entity) -> PoseBlend {
    let meshes = app.get::<AbcInstance>(root).meshes();
    let meshes = meshes.to_vec();
    let is_flag = |mesh: &Entity| {
        let mesh = app.get::<AbcMesh>(*mesh);
        mesh.node == Some(FLAG_NODE)
    };
    let flag = meshes.into_iter().find(is_flag).unwrap();
    shown(app.world(), flag).unwrap()
}

#[test]
fn deforming_vertices_follow_layers_over_their_node() {
    let (mut app, root) = spawned(bytes(&banner()), AbcLoaderSettings::default());
    show(&mut app, root, 1, 0.25);
    let (layer_alone, layer_drawn) = (flag(&mut app, root), drawn(&mut app, root));
    show(&mut app, root, 0, 0.05);
    let base = flag(&mut app, root);
    assert_ne!(base, layer_alone);
    let play = || PlayClip::once(1_usize).starting_at(0.25).paused();
    let with = |app: &mut TestApp, layer: ClipLayer| {
        app.apply(root, ClipLayers::new([layer]));
        app.step(0.0);
        flag(app, root)
    };
    assert_eq!(with(&mut app, ClipLayer::new(play())), layer_alone);
    let found = drawn(&mut app, root);
    for (found, expected) in found.as_flattened().iter().zip(layer_drawn.as_flattened()) {
        assert!(
            found.abs_diff_eq(*expected, 1e-3),
            "{found}, expected {expected}"
        );
    }
    let half = with(&mut app, ClipLayer::new(play()).with_weight(0.25));
    assert_eq!((half.to, half.from), (base.to, layer_alone.to));
    assert!((half.from_weight - 0.25).abs() < 1e-4, "{half:?}");
    let other = ClipLayer::new(play()).with_mask(BoneMask::bones(["Body"]));
    assert_eq!(with(&mut app, other), base);
    assert_eq!(with(&mut app, ClipLayer::new(play()).added()), base);
}

#[test]
fn reload_keeps_layers_and_their_times() {
    let mut app = TestApp::new(&[("model.abc", bytes(&figure()))]);
    app.keep_loaded("model.abc");
    let layer = ClipLayer::looping(0_usize).with_mask(BoneMask::bones(["Body"]));
    let all = ClipLayers::new([layer]);
    let root = app.spawn_ready("model.abc#Scene", (still(1_usize, 0.0), all));
    app.step(0.0);
    app.step(0.05);
    assert_position(&mut app, root, BODY, Vec3::X * 5.0);
    let mut edited = figure();
    edited.animations[0] = walk("Walk", 30.0);
    app.replace("model.abc", bytes(&edited));
    app.step(0.0);
    assert_position(&mut app, root, BODY, Vec3::X * 15.0);
    assert_position(&mut app, root, ARM, STAND);
    app.step(0.05);
    assert_position(&mut app, root, BODY, Vec3::X * 30.0);
    app.despawn(root);
    app.step(0.1);
}
