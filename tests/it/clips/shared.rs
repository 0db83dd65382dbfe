//! Clips of other models: they animate the bones with the same names.

use crate::ala::play::{self as ala_play, HULL, SCENE, TURRET, ala, document, moves};
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The clip of a model whose hull and turret have other indices, and that has a bone that the model of [`SCENE`] lacks.
fn of_other_order() -> AlaDocument {
    let mut bones = moves(1.0).bones;
    bones[0].name = "HULL".to_owned();
    bones[0].index = TURRET as u32;
    bones[1].index = HULL as u32;
    bones[1].translation = Vectors::constant([0.0, 0.0, 7.0]);
    bones[2].name = "Antenna".to_owned();
    document(5, bones)
}

fn clip(app: &mut TestApp, path: &'static str) -> Handle<AnimationClip> {
    let clip = app.load::<AnimationClip>(path);
    app.wait_loaded(&clip);
    clip
}

#[test]
fn alo_clips_of_other_models_animate_bones_by_name() {
    log::listen();
    let mut files = ala_play::files();
    files.push(("shared/Walker_MOVE_00.ala", ala(&of_other_order())));
    files.push((
        "art/a.model.ron",
        br#"(model: "Unit.alo", clips: [(name: "walk", file: "/shared/Walker_MOVE_00.ala")], play: "walk")"#.to_vec(),
    ));
    let mut app = TestApp::new(&files);
    let clip = clip(&mut app, "shared/Walker_MOVE_00.ala#Clip");
    let play = PlayClip::looping(clip.clone()).starting_at(0.2);
    let scene = app.spawn_shown(SCENE, play.clone());
    let crowd = app.spawn_shown(SCENE, (play, Crowd));
    let named = app.spawn_model_ready("art/a.model.ron", ());
    app.wait_for_clip(named);
    app.get_mut::<Playback>(named).time = 0.2;
    app.step(0.0);
    for root in [scene, named] {
        app.assert_hull_x(root, 2.0);
        let turret = app.bone_transform(root, TURRET).translation;
        assert!(turret.distance(Vec3::Z * 7.0) < 1e-3, "{turret}");
    }
    let [scene, crowd] = [scene, crowd].map(|root| {
        let bone = app.ask(|models| models.bone_transform(root, "Turret"));
        bone.unwrap().translation()
    });
    assert!(scene.distance(crowd) < 1e-3, "{scene}, in a crowd {crowd}");
    let ignored = "bone 3, \"Antenna\", is missing from the model";
    log::expect_warnings(ignored, 1);
    // The same for a graph of the user's own.
    let ala = app.load::<Ala>("shared/Walker_MOVE_00.ala");
    app.wait_loaded(&ala);
    let model = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&model);
    let world = app.world();
    let model = world.resource::<Assets<Alo>>().get(&model).unwrap();
    let ala = world.resource::<Assets<Ala>>().get(&ala).unwrap();
    let clips = world.resource::<Assets<AnimationClip>>();
    let bound = ala.bound(clips.get(&clip).unwrap(), &model.model);
    let targets = [HULL, TURRET, 3].map(|bone| {
        let curves = bound.curves_for_target(bone_target(bone));
        curves.map_or(0, Vec::len)
    });
    assert!(targets[0] > 0 && targets[1] > 0, "{targets:?}");
    assert_eq!(targets[2], 0);
}

#[test]
fn manifests_map_names_of_bones() {
    log::listen();
    let mut clip = of_other_order();
    clip.bones[2].translation = Vectors::constant([6.0, 0.0, 0.0]);
    let mut files = ala_play::files();
    files.push(("mapped/Walker_MOVE_00.ala", ala(&clip)));
    let manifest = r#"(
        model: "Unit.alo",
        clip_bones: {"flash": "ANTENNA"},
        clips: [(name: "walk", file: "/mapped/Walker_MOVE_00.ala")],
        play: "walk",
    )"#;
    files.push(("art/a.model.ron", manifest.as_bytes().to_vec()));
    let mut app = TestApp::new(&files);
    let root = app.spawn_model_ready("art/a.model.ron", ());
    app.wait_for_clip(root);
    app.get_mut::<Playback>(root).time = 0.2;
    app.step(0.0);
    app.assert_hull_x(root, 2.0);
    let flash = app.bone_transform(root, ala_play::FLASH).translation;
    assert!(flash.distance(Vec3::X * 6.0) < 1e-3, "{flash}");
    log::expect_warnings("mapped/Walker_MOVE_00.ala", 0);
}

#[test]
fn abc_clips_of_other_models_animate_nodes_by_name() {
    log::listen();
    let mut other = figure();
    // The same nodes, but the tail is called otherwise and comes first.
    let tail = other.nodes.remove(3);
    other.nodes.insert(1, tail);
    other.nodes[1].name = "Flag".to_owned();
    for animation in &mut other.animations {
        let tail = animation.tracks.remove(3);
        animation.tracks.insert(1, tail);
    }
    let files = [
        ("model.abc", bytes(&figure())),
        ("other.abc", bytes(&other)),
    ];
    let mut app = TestApp::new(&files);
    let abc = app.load::<Abc>("other.abc");
    app.wait_loaded(&abc);
    let abcs = app.world().resource::<Assets<Abc>>();
    let walk = abcs.get(&abc).unwrap().model.animations[0].clip.clone();
    let own = app.spawn_shown(
        "model.abc#Scene",
        PlayClip::looping("Walk").starting_at(0.15),
    );
    let shared = PlayClip::looping(walk).starting_at(0.15);
    let shared = app.spawn_shown("model.abc#Scene", shared);
    for node in 0..3 {
        let [found, expected] = [shared, own].map(|root| app.bone_transform(root, node));
        assert_eq!(found, expected, "node {node}");
    }
    log::expect_warnings(
        "animates nodes that the model does not have, which are ignored: Flag",
        1,
    );
}
