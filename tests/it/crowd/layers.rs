//! Layers on members of crowds, compared with those of the same models as scenes.

use crate::crowd::poses::{AT_FRAMES, BETWEEN, assets};
use crate::crowd::subjects::SUBJECTS;
use crate::support::crowd::{member, pose, previous_pose};
use crate::support::prelude::*;

/// Inserts the same layers on both of a pair.
fn insert(app: &mut TestApp, pair: Pair, layers: &[ClipLayer]) {
    pair.insert(app, ClipLayers::new(layers.to_vec()));
    pair.wait(app);
}

/// A clip at a time, which stays there.
fn still(clip: &str, seconds: f32) -> PlayClip {
    PlayClip::once(clip.to_owned())
        .starting_at(seconds)
        .with_speed(0.0)
}

#[test]
fn layers_are_posed_as_in_a_scene() {
    let mut app = assets();
    // Vertices of the cloth follow the clip below the layers, so the layers of the warden only move other nodes.
    for (path, base, layer, mask) in [
        ("models/walker.alo", "MOVE_00", "ATTACK_00", "Turret"),
        ("models/warden.abc", "walk", "attack", "R_UpperArm"),
    ] {
        let pair = Pair::spawn(&mut app, path, ());
        let bones = app.ask(|models| models.bones(pair.scene));
        let names: Vec<&str> = bones.iter().map(|bone| &*bone.name).collect();
        assert!(names.contains(&mask), "{path}: {names:?}");
        let mask = BoneMask::subtrees([mask]);
        pair.show(&mut app, base, 0.213);
        let below = pair.vertices(&mut app)[1].clone();
        let masked = ClipLayer::new(still(layer, 0.3)).with_mask(mask.clone());
        for layers in [
            vec![masked.clone()],
            vec![masked.clone().with_weight(0.4)],
            vec![masked.clone().added(), masked.with_weight(0.5)],
        ] {
            insert(&mut app, pair, &layers);
            let what = format!("{path}, {} layers", layers.len());
            assert!(pair.assert_equal(&mut app, 10.0 * AT_FRAMES, &what) > 20);
            let [_, crowd] = pair.vertices(&mut app);
            let moved = crowd.iter().zip(&below);
            let moved = moved.filter(|(a, b)| a.0.distance(b.0) > 1e-3).count();
            assert!(moved > 0 && moved < crowd.len(), "{what}: {moved}");
            let name = names[names.len() - 1];
            let [scene, crowd] = [pair.scene, pair.crowd]
                .map(|root| app.ask(|models| models.bone_transform(root, name).unwrap()));
            assert!(crowd.affine().abs_diff_eq(scene.affine(), 1e-3), "{what}");
        }
        pair.remove::<ClipLayers>(&mut app);
        pair.wait(&mut app);
        pair.assert_equal(&mut app, BETWEEN, "after the layers");
        pair.despawn(&mut app);
    }
}

#[test]
fn layers_fade_loop_and_play_without_a_clip_below() {
    let subject = &SUBJECTS[0];
    let mut app = TestApp::new(&(subject.files)());
    let pair = Pair::spawn(&mut app, subject.path, ());
    let layer = ClipLayer::looping(subject.clips[1]).with_fades(0.3, 0.3);
    insert(&mut app, pair, &[layer]);
    for step in 0..5 {
        app.step(0.1);
        pair.assert_equal(&mut app, 10.0 * AT_FRAMES, &format!("step {step}"));
    }
    pair.insert(&mut app, PlayClip::looping(subject.clips[0]).with_fade(0.2));
    for step in 0..5 {
        app.step(0.07);
        pair.assert_equal(&mut app, 10.0 * AT_FRAMES, &format!("fade, step {step}"));
    }
}

#[test]
fn members_with_layers_have_poses_of_their_own() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let bundle = (Crowd, PlayClip::looping(subject.clips[0]));
        let [with, without] = [(); 2].map(|()| app.spawn_ready(subject.scene, bundle.clone()));
        app.wait_until(|world| pose(world, with).to.a != 0 && pose(world, without).to.a != 0);
        let layer = ClipLayer::looping(subject.clips[1]).with_mask(BoneMask::bones([subject.bone]));
        app.apply(with, ClipLayers::new([layer.clone()]));
        let shown = |app: &mut TestApp, root| pose(app.world(), root).to.a;
        // Motion vectors need the pose of the frame before, so frames alternate between two.
        app.step(0.02);
        let first = shown(&mut app, with);
        app.step(0.02);
        let second = shown(&mut app, with);
        assert_ne!(first, second);
        assert_eq!(previous_pose(app.world(), with).to.a, first);
        app.step(0.02);
        assert_eq!(shown(&mut app, with), first);
        assert!(![first, second].contains(&shown(&mut app, without)));
        // The texels are free again once the member has left.
        app.despawn(with);
        let next = app.spawn_ready(subject.scene, (bundle.clone(), ClipLayers::new([layer])));
        app.wait_until(|world| member(world, next).is_some());
        app.steps(3, 0.02);
        assert!(
            [first, second].contains(&shown(&mut app, next)),
            "{}",
            subject.path
        );
    }
}

#[test]
fn layers_of_members_survive_a_reload() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        app.keep_loaded(subject.path);
        let pair = Pair::spawn(&mut app, subject.path, ());
        pair.show(&mut app, subject.clips[0], 0.1);
        let layer = ClipLayer::new(still(subject.clips[1], 0.2));
        let layer = layer.with_mask(BoneMask::bones(["no deforming node"]));
        insert(&mut app, pair, &[layer.with_weight(0.5)]);
        app.replace(subject.path, (subject.edited)());
        pair.wait(&mut app);
        let what = format!("{} after a reload", subject.path);
        assert!(pair.assert_equal(&mut app, BETWEEN, &what) > 0);
    }
}
