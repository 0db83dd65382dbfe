//! Custom animation graphs on Alamo models, and which graphs and animated bones models have.

use super::play::{HULL, SCENE, TURRET, ala, app, blinks, bone, files, moves};
use crate::alo::raycast::set_visible;
use crate::clips::named::{KINDS, app as app_of_clips};
use crate::support::prelude::*;
use bevy_classic_models::alamo::DefaultVisibilityCurve;

/// A custom graph applies in the frame in which `PlayClip` is removed.
#[test]
fn custom_graph_applies_immediately() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    let clip: Handle<AnimationClip> = app.load("art/UNIT_move_01.ala#Clip");
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = app.add_asset(graph);
    let mut entity = app.world().entity_mut(root);
    entity.remove::<PlayClip>();
    entity.insert(AnimationGraphHandle(graph.clone()));
    let mut player = entity.get_mut::<AnimationPlayer>().unwrap();
    player.stop_all();
    player.play(node).set_seek_time(0.3).pause();
    app.step(0.05);
    app.step(0.05);
    app.assert_hull_x(root, -3.0);
    let current = app.get::<AnimationGraphHandle>(root);
    assert_eq!(current.0, graph);
}

/// A root without a model keeps no active clips.
#[test]
fn removing_the_scene_stops_playback() {
    let mut app = app_of_clips();
    for kind in &KINDS[1..] {
        let root = app.spawn_shown(kind.scene, PlayClip::looping(kind.clip));
        app.remove::<WorldAssetRoot>(root);
        app.steps(2, 0.1);
        assert!(!is_spawned(app.world(), root) && !app.plays_clip(root));
        assert!(app.find::<AloAnimator>(root).is_none());
        assert!(app.find::<AbcAnimator>(root).is_none());
    }
}

/// The count of bones with `AnimatedBy`, which Bevy visits every frame.
fn animated_bones(app: &mut TestApp, root: Entity) -> usize {
    let bones = app.get::<AloInstance>(root).bones();
    let bones = bones.to_vec();
    let world = app.app.world();
    let is_animated = |bone: &&Entity| {
        world
            .get::<AnimatedBy>(**bone)
            .is_some_and(|animated| animated.0 == root)
    };
    bones.iter().filter(is_animated).count()
}

#[test]
fn bones_are_linked_only_to_graphs_of_users() {
    let (mut app, idle) = app(&files(), ());
    let playing = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00"));
    app.step(0.1);
    // After a clip that hides the turret is removed, the model's flag applies again.
    app.apply(playing, still("ATTACK_00", 0.15));
    app.step(0.0);
    assert!(!app.is_shown(playing, TURRET));
    app.remove::<PlayClip>(playing);
    app.step(0.1);
    assert!(app.is_shown(playing, TURRET));
    let mut animated = app.world().query_filtered::<(), With<AnimatedBy>>();
    assert_eq!(animated.iter(app.app.world()).count(), 0);
    // A custom graph.
    let graph = app.add_asset(AnimationGraph::new());
    app.insert(idle, AnimationGraphHandle(graph.clone()));
    app.step(0.1);
    assert_eq!(animated_bones(&mut app, idle), 4);
    let ready = app.spawn_ready(SCENE, AnimationGraphHandle(graph));
    app.step(0.0);
    assert_eq!(animated_bones(&mut app, ready), 4);
    // A bone that another player animates keeps that player.
    let turret = bone(&mut app, ready, TURRET);
    app.insert(turret, AnimatedBy(idle));
    app.remove::<AnimationGraphHandle>(ready);
    app.step(0.0);
    assert_eq!(animated_bones(&mut app, ready), 0);
    let animated_by = app.find::<AnimatedBy>(turret);
    assert_eq!(animated_by.map(|player| player.0), Some(idle));
}

#[test]
fn models_with_the_same_clip_have_their_own_times() {
    let (mut app, first) = app(&files(), PlayClip::looping("MOVE_00").starting_at(0.1));
    let second = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00").starting_at(0.3));
    app.step(0.0);
    app.assert_hull_x(first, 1.0);
    app.assert_hull_x(second, 3.0);
    app.apply(second, PlayClip::looping("MOVE_01").starting_at(0.3));
    app.assert_hull_x(first, 1.0);
    app.assert_hull_x(second, -3.0);
}

/// A custom graph on the root can blend and mask clips.
#[test]
fn custom_graphs_blend_and_mask() {
    let mut turned = moves(0.0);
    turned.bones[0].translation = Vectors::constant([8.0, 0.0, 1.0]);
    turned.bones[1].translation = Vectors::constant([0.0, 6.0, 5.0]);
    let mut files = files();
    files.push(("art/Unit_TURN_00.ala", ala(&turned)));
    let (mut app, root) = app(&files, ());
    let clips = ["art/unit_MOVE_00.ALA#Clip", "art/Unit_TURN_00.ala#Clip"];
    let [moving, turning]: [Handle<AnimationClip>; 2] = clips.map(|path| app.load(path));
    let mut graph = AnimationGraph::new();
    const UPPER: u32 = 0;
    const LOWER: u32 = 1;
    graph.add_target_to_mask_group(bone_target(TURRET), UPPER);
    graph.add_target_to_mask_group(bone_target(HULL), LOWER);
    let legs = graph.add_clip_with_mask(moving.clone(), 1 << UPPER, 1.0, graph.root);
    let upper = graph.add_clip_with_mask(turning.clone(), 1 << LOWER, 1.0, graph.root);
    let handle = app.add_asset(graph);
    app.insert(root, AnimationGraphHandle(handle));
    let mut player = app.get_mut::<AnimationPlayer>(root);
    player.play(legs).set_seek_time(0.3).pause();
    player.play(upper).pause();
    app.steps(2, 0.0);
    app.assert_hull_x(root, 3.0);
    assert_eq!(app.bone_transform(root, TURRET).translation.y, 6.0);
    // Blend by weights.
    let (graph, nodes) = AnimationGraph::from_clips([moving, turning]);
    let handle = app.add_asset(graph);
    app.insert(root, AnimationGraphHandle(handle));
    let mut player = app.get_mut::<AnimationPlayer>(root);
    player.stop_all();
    player
        .play(nodes[0])
        .set_seek_time(0.3)
        .set_weight(0.25)
        .pause();
    player.play(nodes[1]).set_weight(0.75).pause();
    app.steps(2, 0.0);
    app.assert_hull_x(root, 0.25 * 3.0 + 0.75 * 8.0);
}

/// Blends two clips with visibility tracks and a clip of the default flags, in every order and with several weights.
#[test]
fn visibility_in_custom_graphs_is_the_weighted_majority() {
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&blinks([true; 5]))));
    files.push(("art/Unit_SHOW_00.ala", ala(&blinks([false; 5]))));
    let (mut app, root) = app(&files, ());
    let [hides, reveals]: [Handle<AnimationClip>; 2] =
        ["art/Unit_HIDE_00.ala#Clip", "art/Unit_SHOW_00.ala#Clip"].map(|path| app.load(path));
    let mut flags = AnimationClip::default();
    flags.add_curve_to_target(bone_target(TURRET), DefaultVisibilityCurve);
    let flags = app.add_asset(flags);
    let turret = bone(&mut app, root, TURRET);
    let mut check = |clips: &[(&Handle<AnimationClip>, f32)], flag: bool, expected: bool| {
        let mut graph = AnimationGraph::new();
        // A nested blend node, as in graphs with several blend steps.
        let inner = graph.add_blend(1.0, graph.root);
        let nodes: Vec<_> = clips
            .iter()
            .map(|(clip, _)| graph.add_clip((*clip).clone(), 1.0, inner))
            .collect();
        let handle = app.add_asset(graph);
        set_visible(app.world(), turret, flag);
        app.insert(root, AnimationGraphHandle(handle));
        let mut player = app.get_mut::<AnimationPlayer>(root);
        player.stop_all();
        for (node, (_, weight)) in nodes.iter().zip(clips) {
            player.play(*node).set_weight(*weight);
        }
        app.steps(2, 0.0);
        let weights: Vec<_> = clips.iter().map(|(_, weight)| *weight).collect();
        assert_eq!(app.is_shown(root, TURRET), expected, "{weights:?}, {flag}");
    };
    for flag in [true, false] {
        for (hiding, showing, expected) in [
            (0.9, 0.1, false),
            (0.6, 0.4, false),
            (0.5, 0.5, true),
            (0.4, 0.6, true),
            (0.1, 0.05, false),
            (1.0, 3.0, true),
            (1.0, 0.0, false),
        ] {
            check(&[(&hides, hiding), (&reveals, showing)], flag, expected);
            check(&[(&reveals, showing), (&hides, hiding)], flag, expected);
        }
        check(&[(&hides, 0.6), (&flags, 1.0)], flag, false);
        check(&[(&flags, 1.0), (&hides, 0.4)], flag, flag);
        check(&[(&reveals, 0.4), (&flags, 1.0)], flag, flag);
        check(&[(&reveals, 0.6), (&flags, 1.0)], flag, true);
    }
}
