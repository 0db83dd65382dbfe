//! Rendered LithTech models in crowds, compared with the same models as scenes.

use crate::crowd::stage_pair::{StagePair, add_shadows, sample_files, set_shadows};
use crate::crowd::subjects::moving_banner;
use crate::support::abc::bytes;
use crate::support::abc_stage::tower;
use crate::support::prelude::*;
use crate::support::stage::VIEWS;
use bevy::camera::{RenderTarget, Viewport};
use bevy::core_pipeline::prepass::{DepthPrepass, MotionVectorPrepass, NormalPrepass};
use bevy::core_pipeline::tonemapping::Tonemapping;

/// The transform of a warden that fills the view.
pub const WARDEN: Transform = Transform {
    translation: Vec3::new(0.0, -16.0, 0.0),
    rotation: Quat::IDENTITY,
    scale: Vec3::splat(0.72),
};

#[test]
fn crowd_is_drawn_as_its_scene() {
    let mut stage = Stage::new(&sample_files());
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    let skin = ModelSkin::Path("warden.dtx".into());
    warden.insert(&mut stage, skin);
    stage.wait_until_idle();
    let instance = stage.get::<AbcInstance>(warden.scene);
    let model = instance.model().clone();
    assert!(!model.deforms.is_empty() && model.levels.len() > 1);
    let rest = warden.compare(&mut stage, "warden at rest");
    let mut pictures = Vec::new();
    let attack = model.animation("attack").unwrap();
    for (clip, seconds) in [
        ("attack", attack.keyframes[2]),
        ("attack", 0.4567),
        ("walk", 0.3),
    ] {
        warden.show(&mut stage, clip, seconds);
        let what = format!("warden {clip} at {seconds}");
        pictures.push(warden.compare(&mut stage, &what));
    }
    rest.assert_differs(&pictures[0], "the clip moves it");
    stage.move_camera(VIEWS[1]);
    warden.compare(&mut stage, "from another side");
    stage.move_camera(VIEWS[0]);

    // Components of the root.
    warden.insert(&mut stage, ModelSkin::Path("warden_frost.dtx".into()));
    stage.wait_until_idle();
    let frost = warden.compare(&mut stage, "in another skin");
    frost.assert_differs(&pictures[2], "the skin is shown");
    for lod in 0..model.levels.len() as u32 {
        warden.insert(&mut stage, ModelLod(lod));
        warden.compare(&mut stage, &format!("lod {lod}"));
    }
    warden.insert(&mut stage, ModelLod(0));

    // A cross-fade between poses that are near each other: blends of matrices and of rotations then agree.
    warden.show(&mut stage, "attack", 0.4);
    let before = warden.compare(&mut stage, "before a cross-fade");
    let fade = PlayClip::once("attack").starting_at(0.42).with_speed(0.0);
    warden.insert(&mut stage, fade.with_fade(1.0));
    stage.headless.step(0.0);
    stage.headless.step(0.5);
    let during = warden.compare(&mut stage, "in a cross-fade");
    stage.headless.step(0.6);
    let after = warden.compare(&mut stage, "after a cross-fade");
    assert!(during.different(&before) > 50 && during.different(&after) > 50);

    // Shadows and prepasses.
    let light = add_shadows(&mut stage);
    let shadow = warden.compare(&mut stage, "with shadows");
    set_shadows(&mut stage, light, false);
    let flat = warden.compare(&mut stage, "without shadows");
    assert!(shadow.different(&flat) > 500, "it casts a shadow");
    set_shadows(&mut stage, light, true);
    let prepasses = (DepthPrepass, NormalPrepass, MotionVectorPrepass);
    stage.camera().insert(prepasses);
    warden.compare(&mut stage, "with prepasses");
}

#[test]
fn deforming_skinned_and_separate_meshes_are_drawn_as_their_scenes() {
    let files = [
        ("banner.abc", moving_banner(8.0)),
        ("skinned.abc", bytes(&tower(None))),
        ("separate.abc", bytes(&tower(None))),
    ];
    let mut stage = Stage::new(&files);
    let server = stage.server();
    for (path, scale, clips) in [
        ("banner.abc", 1.2, &["Wave", "Furl"][..]),
        ("skinned.abc", 1.5, &["turn"]),
        ("separate.abc", 1.5, &["turn"]),
    ] {
        // Settings apply to the first load of a file.
        let separate = path == "separate.abc";
        let loader = server.load_builder();
        let set = move |to: &mut AbcLoaderSettings| to.separate_node_meshes = separate;
        let abc: Handle<Abc> = loader.with_settings(set).load(path);
        stage.wait_for("the model is loaded", |_| {
            server.is_loaded_with_dependencies(&abc)
        });
        let pair = StagePair::spawn(&mut stage, path, Transform::from_scale(Vec3::splat(scale)));
        let world = stage.world();
        let meshes = world.get::<AbcInstance>(pair.scene).unwrap().meshes();
        assert_eq!(meshes.len() == 1, path == "skinned.abc");
        for view in VIEWS {
            stage.move_camera(view);
            for clip in clips {
                for seconds in [0.0, 0.06, 0.1, 0.27] {
                    pair.show(&mut stage, clip, seconds);
                    let what = format!("{path} {clip} at {seconds} from {view}");
                    pair.compare(&mut stage, &what);
                }
            }
        }
    }
}

#[test]
fn reloaded_skins_and_models_are_drawn_as_on_a_scene() {
    let mut files = sample_files();
    files.push(("banner.abc", moving_banner(8.0)));
    let mut stage = Stage::new(&files);
    let server = stage.server();
    let _abc: Handle<Abc> = server.load("warden.abc");
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    stage.wait_until_idle();
    warden.show(&mut stage, "attack", 0.4);
    let before = warden.compare(&mut stage, "before reloads");
    let folder = stage.folder().to_owned();
    std::fs::copy(folder.join("warden_frost.dtx"), folder.join("warden.dtx")).unwrap();
    server.reload("warden.dtx");
    stage.wait_until_idle();
    let skin = warden.compare(&mut stage, "after a reload of the skin");
    skin.assert_differs(&before, "the other skin is drawn");
    std::fs::copy(folder.join("banner.abc"), folder.join("warden.abc")).unwrap();
    server.reload("warden.abc");
    stage.wait_until_idle();
    warden.insert(&mut stage, Transform::from_scale(Vec3::splat(1.2)));
    warden.show(&mut stage, "Wave", 0.06);
    let model = warden.compare(&mut stage, "after a reload of the model");
    model.assert_differs(&skin, "the other model is drawn");
}

#[test]
fn several_cameras_draw_a_member() {
    let mut stage = Stage::new(&sample_files());
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    stage.wait_until_idle();
    warden.show(&mut stage, "attack", 0.4567);
    let one = warden.compare(&mut stage, "one camera");
    // Another view of the same model, in a corner of the image.
    let target = stage.camera().get::<RenderTarget>().unwrap().clone();
    let from = Transform::from_translation(VIEWS[1]).looking_at(Vec3::Y * 4.0, Vec3::Y);
    let viewport = Viewport {
        physical_position: UVec2::ZERO,
        physical_size: UVec2::new(120, 90),
        ..default()
    };
    let camera = Camera {
        order: 1,
        viewport: Some(viewport),
        ..default()
    };
    let second = (
        Camera3d::default(),
        camera,
        Tonemapping::None,
        Msaa::Off,
        target,
        from,
    );
    stage.world().spawn(second);
    let two = warden.compare(&mut stage, "two cameras");
    assert!(two.different(&one) > 1000, "the second camera draws it");
}
