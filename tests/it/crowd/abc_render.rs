//! Rendered LithTech models in crowds, compared with the same models as scenes.

use crate::crowd::stage_pair::{StagePair, add_shadows, sample_files, set_shadows};
use crate::crowd::subjects::moving_banner;
use crate::support::abc::{bytes, figure};
use crate::support::stage::{Stage, VIEWS};
use bevy::core_pipeline::prepass::{
    DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass,
};
use bevy::pbr::DefaultOpaqueRendererMethod;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;

/// The transform of a warden that fills the view.
const WARDEN: Transform = Transform {
    translation: Vec3::new(0.0, 3.0, 0.0),
    rotation: Quat::IDENTITY,
    scale: Vec3::splat(0.7),
};

#[test]
fn crowd_is_drawn_as_its_scene() {
    let mut stage = Stage::new(&sample_files());
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    let skin = ModelSkin::Path("warden.dtx".into());
    warden.insert(&mut stage, skin);
    stage.wait_until_idle();
    let instance = stage.world().get::<AbcInstance>(warden.scene).unwrap();
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
    let fade = PlayClip::once("attack").starting_at(0.45).with_speed(0.0);
    warden.insert(&mut stage, fade.with_fade(1.0));
    stage.headless.step(0.0);
    stage.headless.step(0.5);
    let during = warden.compare(&mut stage, "in a cross-fade");
    stage.headless.step(0.6);
    let after = warden.compare(&mut stage, "after a cross-fade");
    assert!(during.different(&before) > 100 && during.different(&after) > 100);

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
fn deforming_and_skinned_fixtures_are_drawn_as_their_scenes() {
    let files = [
        ("banner.abc", moving_banner(8.0)),
        ("figure.abc", bytes(&figure())),
    ];
    let mut stage = Stage::new(&files);
    for (path, scale, clips) in [
        ("banner.abc", 1.2, ["Wave", "Furl"]),
        ("figure.abc", 4.0, ["Walk", "Stand"]),
    ] {
        let pair = StagePair::spawn(&mut stage, path, Transform::from_scale(Vec3::splat(scale)));
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
fn crowd_is_drawn_as_its_scene_by_the_deferred_renderer() {
    let mut stage = Stage::new(&sample_files());
    stage
        .world()
        .insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert((DepthPrepass, DeferredPrepass));
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    warden.show(&mut stage, "attack", 0.6);
    warden.compare(&mut stage, "deferred");
}
