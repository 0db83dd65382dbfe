//! `ClipLayers` on Alamo models. The poses are compared with poses that the parser samples and that are mixed here.

use crate::ala::play::{
    self as ala_play, FLASH, FPS, HULL, SCENE, TURRET, ala, bone, document, files, model_at, moves,
};
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::alo::Bone;
use bevy_classic_models::alamo::alo::write::write;

/// The seconds of a clip of five frames.
const LENGTH: f32 = 4.0 / FPS;

/// A clip of five frames that moves and turns the turret and moves the hull.
fn aim(step: f32) -> Vec<u8> {
    let frames = || (0..5).map(|frame| frame as f32);
    let translations = |z: f32| -> Vec<_> { frames().map(|f| [0.0, f * step, z]).collect() };
    let mut hull = BoneTracks::new("Hull", 1, [0.0, 0.0, 1.0]);
    hull.translation = Vectors::from_frames(&translations(2.0));
    let mut turret = BoneTracks::new("Turret", 2, [0.0, 0.0, 5.0]);
    turret.translation = Vectors::from_frames(&translations(7.0));
    let turns: Vec<_> = frames()
        .map(|frame| Quat::from_rotation_z(0.2 + frame * 0.3).to_array())
        .collect();
    turret.rotation = Rotations::from_frames(&turns);
    ala(&document(5, vec![hull, turret]))
}

/// A clip that scales the turret alone.
fn grow() -> Vec<u8> {
    let mut turret = BoneTracks::new("Turret", 2, [0.0, 0.0, 6.0]);
    turret.scale = Vectors::constant([3.0; 3]);
    ala(&document(5, vec![turret]))
}

/// A clip that hides hull and turret, and shows the flash.
fn vanish() -> Vec<u8> {
    let mut clip = moves(0.0);
    clip.bones[0].visibility = Some([false; 5].into());
    clip.bones[1].visibility = Some([false; 5].into());
    clip.bones[2].visibility = Some([true; 5].into());
    ala(&clip)
}

fn app(bundle: impl Bundle) -> (TestApp, Entity) {
    let mut files = files();
    files.push(("art/Unit_AIM_00.ala", aim(1.0)));
    files.push(("art/Unit_GROW_00.ala", grow()));
    files.push(("art/Unit_VANISH_00.ala", vanish()));
    ala_play::app(&files, bundle)
}

/// The pose of a bone in a clip at a time in seconds, as the parser samples it.
fn sampled(clip: &[u8], bone: usize, seconds: f32) -> Transform {
    let file = parse(clip).unwrap();
    let tracks = file
        .bones
        .iter()
        .find(|tracks| tracks.index as usize == bone);
    let pose = file.sample(tracks.unwrap(), seconds * FPS);
    Transform {
        translation: pose.translation.into(),
        rotation: pose.rotation.map_or(Quat::IDENTITY, Quat::from_array),
        scale: pose.scale.into(),
    }
}

/// The rest pose of the hull and the turret.
fn rest(bone: usize) -> Transform {
    Transform::from_xyz(0.0, 0.0, if bone == HULL { 1.0 } else { 5.0 })
}

/// The pose below a layer, with the layer blended over it.
fn blended(below: Transform, layer: Transform, weight: f32) -> Transform {
    Transform {
        translation: below.translation.lerp(layer.translation, weight),
        rotation: below.rotation.slerp(layer.rotation, weight),
        scale: below.scale.lerp(layer.scale, weight),
    }
}

/// The pose below a layer, with the layer's difference from its first frame added.
fn added(below: Transform, first: Transform, layer: Transform, weight: f32) -> Transform {
    let turn = layer.rotation * first.rotation.inverse();
    Transform {
        translation: below.translation + (layer.translation - first.translation) * weight,
        rotation: Quat::IDENTITY.slerp(turn, weight) * below.rotation,
        scale: below.scale + (layer.scale - first.scale) * weight,
    }
}

/// Layers of models.
impl TestApp {
    #[track_caller]
    fn assert_pose(&self, root: Entity, index: usize, expected: Transform) {
        let found = self.bone_transform(root, index);
        assert!(
            found.translation.distance(expected.translation) < 2e-3
                && found.rotation.angle_between(expected.rotation) < 1e-2
                && found.scale.distance(expected.scale) < 2e-3,
            "bone {index}: {found:?}, expected {expected:?}"
        );
    }

    fn play_time(&self, root: Entity) -> f32 {
        self.get::<Playback>(root).time
    }

    fn layers(&mut self, root: Entity) -> Mut<'_, ClipLayers> {
        self.get_mut(root)
    }

    fn layer(&mut self, root: Entity, id: LayerId) -> &mut ClipLayer {
        let layers = self.layers(root).into_inner();
        layers.get_mut(id).unwrap()
    }

    fn push_layer(&mut self, root: Entity, layer: impl Into<ClipLayer>) -> LayerId {
        self.layers(root).push(layer)
    }

    fn layer_time(&self, root: Entity, id: LayerId) -> f32 {
        self.get::<ClipLayers>(root).playback(id).unwrap().time
    }

    #[track_caller]
    fn assert_layer_time(&self, root: Entity, id: LayerId, expected: f32) {
        let time = self.layer_time(root, id);
        assert!((time - expected).abs() < 1e-4, "{time}");
    }

    /// Steps several times. Returns the events.
    fn finished_in(&mut self, count: usize, seconds: f32) -> Vec<LayerFinished> {
        for _ in 0..count {
            self.step(seconds);
        }
        self.finished_layers()
    }
}

/// The pose of a bone in the clip `MOVE_00`, as the parser samples it.
fn moving(bone: usize, seconds: f32) -> Transform {
    sampled(&ala(&moves(1.0)), bone, seconds)
}

/// The pose of a bone in the clip `AIM_00`, as the parser samples it.
fn aiming(bone: usize, seconds: f32) -> Transform {
    sampled(&aim(1.0), bone, seconds)
}

#[test]
fn layers_are_blended_by_weight_on_the_bones_of_their_mask() {
    let base = PlayClip::looping("MOVE_00").starting_at(0.05);
    for mask_weight in [0.0, 0.25, 0.6, 1.0] {
        let (mut app, root) = app((base.clone(), ClipLayers::default()));
        let layer = ClipLayer::looping("AIM_00").with_mask(BoneMask::subtrees(["TURRET"]));
        let id = app.push_layer(root, layer.with_weight(mask_weight));
        for step in [0.0, 0.13, 0.2, 0.07, 0.24] {
            app.step(step);
            let below = app.play_time(root);
            let above = app.layer_time(root, id);
            let hull = moving(HULL, below);
            app.assert_pose(root, HULL, hull);
            let turret = blended(moving(TURRET, below), aiming(TURRET, above), mask_weight);
            app.assert_pose(root, TURRET, turret);
        }
        app.assert_layer_time(root, id, 0.24);
        assert_eq!(app.layer_weight(root, id), Some(mask_weight));
    }
}

#[test]
fn upper_layers_are_blended_over_lower_ones() {
    let (mut app, root) = app((still("MOVE_00", 0.3), ClipLayers::default()));
    app.push_layer(root, ClipLayer::new(still("AIM_00", 0.2)).with_weight(0.5));
    let upper = ClipLayer::new(still("MOVE_01", 0.1)).with_mask(BoneMask::bones(["hull"]));
    app.push_layer(root, upper.with_weight(0.25));
    app.step(0.0);
    let expected = |bone, upper_weight| {
        let base = moving(bone, 0.3);
        let lower = blended(base, aiming(bone, 0.2), 0.5);
        blended(lower, sampled(&ala(&moves(-1.0)), bone, 0.1), upper_weight)
    };
    app.assert_pose(root, HULL, expected(HULL, 0.25));
    // The mask has the hull without the turret, which is below it.
    app.assert_pose(root, TURRET, expected(TURRET, 0.0));
}

#[test]
fn layer_without_a_clip_below_is_blended_over_the_rest_pose() {
    let (mut app, root) = app(ClipLayers::default());
    let id = app.push_layer(root, ClipLayer::new(still("AIM_00", 0.2)).with_weight(0.75));
    app.step(0.0);
    for bone in [HULL, TURRET] {
        let expected = blended(rest(bone), aiming(bone, 0.2), 0.75);
        app.assert_pose(root, bone, expected);
    }
    app.layers(root).remove(id);
    app.step(0.0);
    for bone in [HULL, TURRET] {
        app.assert_pose(root, bone, rest(bone));
    }
    assert!(!app.world().entity(root).contains::<AnimationGraphHandle>());
}

#[test]
fn missing_tracks_are_blended_as_the_format_defines() {
    // The clip of the layer has the turret alone. The clip below has no scale track, so its scale is 1.
    let (mut app, root) = app((still("MOVE_00", 0.3), ClipLayers::default()));
    let id = app.push_layer(root, ClipLayer::new(still("GROW_00", 0.0)).with_weight(0.5));
    app.step(0.0);
    app.assert_pose(root, HULL, moving(HULL, 0.3));
    let turret = moving(TURRET, 0.3);
    let expected = blended(turret, sampled(&grow(), TURRET, 0.0), 0.5);
    assert_eq!(expected.scale, Vec3::splat(2.0));
    app.assert_pose(root, TURRET, expected);
    // The other way around.
    app.insert(root, still("GROW_00", 0.0));
    app.layer(root, id).play = still("MOVE_00", 0.3);
    app.step(0.0);
    let expected = blended(sampled(&grow(), TURRET, 0.0), turret, 0.5);
    app.assert_pose(root, TURRET, expected);
    // The clip below does not animate the hull.
    let expected = blended(rest(HULL), moving(HULL, 0.3), 0.5);
    app.assert_pose(root, HULL, expected);
}

#[test]
fn missing_tracks_fade_to_and_from_rest() {
    // `GROW_00` has no hull, and `AIM_00` has no scale tracks.
    for bone in [HULL, TURRET] {
        let [mut grown, aimed] = [sampled(&grow(), TURRET, 0.0), aiming(bone, 0.2)];
        if bone == HULL {
            grown = rest(HULL);
        }
        for (from, to, poses) in [
            (still("GROW_00", 0.0), still("AIM_00", 0.2), [grown, aimed]),
            (still("AIM_00", 0.2), still("GROW_00", 0.0), [aimed, grown]),
        ] {
            let (mut app, root) = app(from);
            app.apply(root, to.with_fade(1.0));
            for quarter in 0..5_u8 {
                let weight = f32::from(quarter) / 4.0;
                app.assert_pose(root, bone, blended(poses[0], poses[1], weight));
                app.step(0.25);
            }
        }
    }
}

#[test]
fn additive_layers_add_the_difference_from_the_first_frame() {
    let (mut app, root) = app((still("MOVE_00", 0.3), ClipLayers::default()));
    let layer = ClipLayer::new(still("AIM_00", 0.25)).added();
    let id = app.push_layer(root, layer.with_mask(BoneMask::bones(["Turret"])));
    for weight in [1.0, 0.5] {
        app.layer(root, id).weight = weight;
        app.step(0.0);
        app.assert_pose(root, HULL, moving(HULL, 0.3));
        let [first, now] = [0.0, 0.25].map(|time| aiming(TURRET, time));
        let below = moving(TURRET, 0.3);
        app.assert_pose(root, TURRET, added(below, first, now, weight));
    }
    // Another layer is blended over the sum. At its first frame, a clip adds nothing.
    app.push_layer(root, ClipLayer::new(still("GROW_00", 0.0)).with_weight(0.5));
    app.layer(root, id).play = still("AIM_00", 0.0);
    app.step(0.0);
    let below = moving(TURRET, 0.3);
    let expected = blended(below, sampled(&grow(), TURRET, 0.0), 0.5);
    app.assert_pose(root, TURRET, expected);
}

#[test]
fn layers_that_precede_the_model_play_once_it_is_loaded() {
    let mut files = files();
    files.push(("art/Unit_AIM_00.ala", aim(1.0)));
    let mut app = TestApp::new(&files);
    let mut layers = ClipLayers::default();
    let id = layers.push(PlayClip::looping("AIM_00").with_speed(0.0));
    let root = app.spawn_entity(layers);
    // The component is not new any more when the model is spawned.
    app.step(0.0);
    let scene = app.load(SCENE);
    app.insert(root, WorldAssetRoot(scene));
    app.wait_for(&[root]);
    app.settle();
    assert_eq!(app.layer_weight(root, id), Some(1.0));
    app.assert_pose(root, HULL, aiming(HULL, 0.0));
}

#[test]
fn visibility_tracks_apply_to_the_bones_of_the_mask() {
    let (mut app, root) = app((PlayClip::looping("MOVE_00"), ClipLayers::default()));
    let visible = |app: &mut TestApp| [HULL, TURRET, FLASH].map(|bone| app.is_shown(root, bone));
    app.step(0.0);
    assert_eq!(visible(&mut app), [true; 3], "without tracks");
    let mask = BoneMask::bones(["Turret", "Flash"]);
    let id = app.push_layer(root, ClipLayer::looping("VANISH_00").with_mask(mask));
    app.step(0.0);
    assert_eq!(visible(&mut app), [true, false, true]);
    // The majority decides between the layer and the clip, or the model's flags if the clip has no record of the bone.
    let cases = [
        ("MOVE_00", 0.45, [true; 3]),
        ("MOVE_00", 0.55, [true, false, true]),
        ("GROW_00", 0.45, [true, true, false]),
        ("GROW_00", 0.55, [true, false, true]),
    ];
    for (clip, weight, expected) in cases {
        let play = PlayClip::looping(clip);
        app.insert(root, play);
        app.layer(root, id).weight = weight;
        app.steps(2, 0.0);
        assert_eq!(visible(&mut app), expected, "{clip}, {weight}");
    }
    app.layers(root).remove(id);
    app.steps(2, 0.0);
    assert_eq!(visible(&mut app), [true, true, false]);
    app.push_layer(root, ClipLayer::looping("VANISH_00").added());
    app.step(0.0);
    assert_eq!(visible(&mut app), [true, true, false], "an additive layer");
    // A layer without a clip below it.
    app.layers(root).clear();
    app.remove::<PlayClip>(root);
    let show = ClipLayer::looping("MOVE_00");
    let id = app.push_layer(root, show.with_weight(0.45));
    app.steps(2, 0.0);
    assert_eq!(visible(&mut app), [true, true, false]);
    app.layer(root, id).weight = 0.55;
    app.step(0.0);
    assert_eq!(visible(&mut app), [true; 3]);
}

#[test]
fn one_shot_without_a_clip_removes_itself() {
    let (mut app, root) = app(ClipLayers::default());
    // The second clip has five frames.
    let empty = ClipRef::part("AIM_00", 90..99);
    let shots = [
        ClipLayer::one_shot("no one-shot"),
        ClipLayer::one_shot(empty),
    ];
    let shots = shots.map(|shot| app.push_layer(root, shot));
    let held = app.push_layer(root, PlayClip::once("no held clip"));
    assert_eq!(app.finished_in(3, 0.1), []);
    let layers = app.layers(root);
    assert_eq!(shots.map(|id| layers.get(id).is_some()), [false; 2]);
    assert!(layers.get(held).is_some());
}

#[test]
fn a_jump_of_a_layer_that_has_not_started_sets_its_start() {
    let (mut app, root) = app(ClipLayers::default());
    let mut layers = app.layers(root);
    let id = layers.push(PlayClip::once("AIM_00"));
    layers.seek(id, 0.3);
    app.step(0.0);
    app.assert_pose(root, HULL, aiming(HULL, 0.3));
    app.step(0.05);
    app.assert_layer_time(root, id, 0.35);
}

#[test]
fn clip_played_once_holds_its_last_pose_and_finishes_once() {
    let (mut app, root) = app(ClipLayers::new([PlayClip::once("AIM_00").with_speed(2.0)]));
    let ends = app.finished_in(10, 0.05);
    app.assert_pose(root, HULL, aiming(HULL, LENGTH));
    assert_eq!(ends.len(), 1, "{ends:?}");
    let id = ends[0].layer;
    assert!(app.layers(root).playback(id).unwrap().finished);
    // Seeking plays it again.
    app.layers(root).seek(id, 0.1);
    app.step(0.0);
    app.assert_pose(root, HULL, aiming(HULL, 0.1));
    assert_eq!(app.finished_in(10, 0.05).len(), 1);
}

#[test]
fn replaced_clip_cross_fades() {
    let (mut app, root) = app((still("MOVE_00", 0.1), ClipLayers::default()));
    let layer = ClipLayer::new(still("AIM_00", 0.3)).with_fades(0.0, 0.4);
    let id = app.push_layer(root, layer);
    app.step(0.0);
    let [below, above] = [moving(HULL, 0.1), aiming(HULL, 0.3)];
    app.layer(root, id).play = still("MOVE_01", 0.2).with_fade(0.2);
    app.step(0.0);
    let other = sampled(&ala(&moves(-1.0)), HULL, 0.2);
    app.assert_pose(root, HULL, above);
    app.step(0.1);
    let old = blended(below, above, 0.75);
    app.assert_pose(root, HULL, blended(old, other, 0.5));
    app.step(0.1);
    app.assert_pose(root, HULL, other);
    assert_eq!(app.layer_weight(root, id), Some(1.0));
}

#[test]
fn layers_that_are_replaced_in_each_frame_do_not_accumulate() {
    let (mut app, root) = app((PlayClip::looping("MOVE_00"), ClipLayers::default()));
    for frame in 0..40 {
        let mut all = app.layers(root);
        all.clear();
        all.push(ClipLayer::looping("AIM_00").with_fades(0.0, 100.0 + frame as f32));
        app.step(0.01);
    }
    let animator = format!("{:?}", app.get::<AloAnimator>(root));
    let layers = animator.matches("ActiveLayer {").count();
    assert!((2..=9).contains(&layers), "{layers} layers");
}

#[test]
fn paused_layer_keeps_its_time_and_its_fade() {
    let (mut app, root) = app((still("MOVE_00", 0.1), ClipLayers::default()));
    let layer = ClipLayer::looping("AIM_00").with_fades(0.2, 0.0);
    let id = app.push_layer(root, layer);
    app.step(0.0);
    app.step(0.1);
    app.layer(root, id).play.paused = true;
    for _ in 0..3 {
        app.step(0.1);
        app.assert_layer_time(root, id, 0.1);
        assert!((app.layer_weight(root, id).unwrap() - 0.5).abs() < 1e-4);
    }
    app.layer(root, id).play.paused = false;
    app.step(0.1);
    app.assert_layer_time(root, id, 0.2);
    assert_eq!(app.layer_weight(root, id), Some(1.0));
}

#[test]
fn named_masks_follow_changes_and_unknown_ones_warn() {
    let (mut app, root) = app((still("MOVE_00", 0.1), ClipLayers::default()));
    let layer = ClipLayer::new(still("AIM_00", 0.3)).with_mask("Upper");
    app.push_layer(root, layer);
    app.step(0.0);
    // Without and with the layer.
    let [hull, turret] = [HULL, TURRET].map(|bone| {
        let below = moving(bone, 0.1);
        (below, aiming(bone, 0.3))
    });
    log::expect_warnings("has no mask \"Upper\": named masks need `ModelMasks`", 1);
    app.assert_pose(root, HULL, hull.0);
    app.assert_pose(root, TURRET, turret.0);
    let masks = |mask| ModelMasks::new([("upper", mask)]);
    let mask = masks(BoneMask::subtrees(["Turret"]));
    app.apply(root, mask);
    app.assert_pose(root, HULL, hull.0);
    app.assert_pose(root, TURRET, turret.1);
    let mask = masks(BoneMask::bones(["Hull", "Antenna of layers"]));
    app.apply(root, mask);
    app.assert_pose(root, HULL, hull.1);
    app.assert_pose(root, TURRET, turret.0);
    log::expect_warnings("has no bone \"Antenna of layers\"", 1);
}

#[test]
fn any_count_of_masks_has_an_effect() {
    // Distinct masks of a model with four bones are at most 16, so this model has more.
    let mut bones = vec![Bone::new("Root", None, [0.0; 3])];
    let names: Vec<String> = (1..=70).map(|bone| format!("B{bone}")).collect();
    for name in &names {
        let bone = Bone::new(name.as_str(), Some(0), [0.0; 3]);
        bones.push(bone);
    }
    let file = AloFile::new(bones);
    let model = write(&file).unwrap();
    let tracks = names.iter().zip(1..).map(|(name, bone)| {
        let mut tracks = BoneTracks::new(name.as_str(), bone, [0.0; 3]);
        tracks.translation = Vectors::constant([1.0, 0.0, 0.0]);
        tracks
    });
    let clip = ala(&document(5, tracks.collect()));
    let mut app = TestApp::new(&[("Many.alo", model), ("Many_GO_00.ala", clip)]);
    let alo = app.load::<Alo>("Many.alo");
    app.wait_loaded(&alo);
    let layers = names
        .iter()
        .map(|name| ClipLayer::looping("GO_00").with_mask(BoneMask::bones([name.as_str()])));
    let root = app.spawn_ready("Many.alo#Scene", ClipLayers::new(layers));
    app.step(0.0);
    for index in 1..=70 {
        let bone = bone(&mut app, root, index);
        let x = app.get::<Transform>(bone).translation.x;
        assert_eq!(x, 1.0, "bone {index}");
    }
}

#[test]
fn clips_are_named_as_for_play_clip() {
    let clips = ModelClips::new([NamedClip {
        name: "slow aim".into(),
        clip: ClipRef::part("AIM_00", 1..4),
        speed: 0.5,
        repeat: Repeat::Once,
        stride: None,
    }]);
    let all = ClipLayers::new([
        PlayClip::from_manifest("Slow Aim"),
        PlayClip::looping("no clip of layers"),
    ]);
    let (mut app, root) = app((clips, all));
    let warnings = log::expect_warnings("has no clip \"no clip of layers\"", 1);
    assert!(
        warnings[0].contains("slow aim") && warnings[0].contains("AIM_00"),
        "{warnings:?}"
    );
    app.step(0.1);
    app.assert_pose(root, HULL, aiming(HULL, 0.15));
    let ends = app.finished_in(4, 0.1);
    app.assert_pose(root, HULL, aiming(HULL, 0.3));
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert_eq!(ends[0].clip, "slow aim");
}

#[test]
fn reloads_keep_layers_and_their_times() {
    let mask = BoneMask::subtrees(["Turret"]);
    let layer = ClipLayer::looping("AIM_00")
        .with_mask(mask)
        .with_weight(0.5);
    let (mut app, root) = app((PlayClip::looping("MOVE_00"), ClipLayers::new([layer])));
    app.step(0.1);
    let id = app.layers(root).iter().next().unwrap().0;
    // A new clip file.
    app.replace("art/Unit_AIM_00.ala", aim(3.0));
    app.step(0.0);
    let check = |app: &mut TestApp, layer: &[u8]| {
        let below = app.play_time(root);
        let above = app.layer_time(root, id);
        let turret = blended(moving(TURRET, below), sampled(layer, TURRET, above), 0.5);
        app.assert_pose(root, TURRET, turret);
        app.assert_pose(root, HULL, moving(HULL, below));
    };
    app.assert_layer_time(root, id, 0.1);
    check(&mut app, &aim(3.0));
    // A new model.
    app.replace("art/Unit.alo", model_at(9.0));
    app.step(0.0);
    app.assert_layer_time(root, id, 0.1);
    check(&mut app, &aim(3.0));
    app.step(0.1);
    app.assert_layer_time(root, id, 0.2);
    check(&mut app, &aim(3.0));
    // Without clips, the new rest pose.
    app.remove::<(PlayClip, ClipLayers)>(root);
    app.step(0.0);
    let expected = Transform::from_xyz(0.0, 0.0, 9.0);
    app.assert_pose(root, TURRET, expected);
}

#[test]
fn removed_component_and_despawned_models_end_their_layers() {
    let all = || ClipLayers::new([ClipLayer::looping("AIM_00").with_fades(0.0, 5.0)]);
    let (mut app, first) = app((still("MOVE_00", 0.1), all()));
    let second = app.spawn_ready(SCENE, (still("MOVE_00", 0.1), all()));
    app.step(0.0);
    app.remove::<ClipLayers>(first);
    app.step(0.0);
    app.assert_pose(first, HULL, moving(HULL, 0.1));
    app.despawn(first);
    app.despawn(second);
    assert!(app.finished_in(3, 0.1).is_empty());
}

#[test]
fn a_layer_may_be_removed_while_its_clip_loads() {
    let (mut app, root) = app((still("MOVE_00", 0.1), ClipLayers::default()));
    let missing = app.load::<AnimationClip>("art/absent.ala#Clip");
    let id = app.push_layer(root, PlayClip::once(missing));
    app.wait_until_idle();
    app.step(0.1);
    assert_eq!(app.layer_weight(root, id), None);
    assert!(app.layers(root).remove(id).is_some());
    app.step(0.1);
    app.assert_pose(root, HULL, moving(HULL, 0.1));
    assert!(app.finished_layers().is_empty());
}
