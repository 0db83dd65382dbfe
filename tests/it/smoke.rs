use crate::headless::{Headless, plugins};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

#[test]
fn smoke() {
    let mut app = App::new();
    app.add_plugins(bevy::log::LogPlugin::default());
    let root = std::env::var("CLASSIC_MODELS_CORPUS").unwrap_or("/work/shared/corpus".into());
    app.add_plugins((
        plugins(root.as_ref(), false),
        ClassicModelsPlugin::default(),
    ));
    let mut h = Headless::start(app, UVec2::new(640, 480));
    let target = h.render_target();
    let w = h.app.world_mut();
    let handle = w.resource::<AssetServer>().load("quake/ogre.mdl#Scene");
    w.spawn((
        WorldAssetRoot(handle),
        PlayClip::looping("run").paused().starting_at(0.25),
        PlayerColors {
            shirt: 4,
            pants: 13,
        },
    ));
    w.spawn((
        Camera3d::default(),
        bevy::core_pipeline::tonemapping::Tonemapping::None,
        target,
        Transform::from_xyz(60.0, 40.0, -100.0).looking_at(Vec3::Y * 10.0, Vec3::Y),
    ));
    w.spawn((
        DirectionalLight {
            illuminance: 10000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::from_xyz(60.0, 80.0, -60.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    h.wait_until("model", |w| w.query::<&MdlAnimator>().iter(w).count() == 1);
    for _ in 0..5 {
        h.step(0.0);
    }
    let img = h.capture();
    img.try_into_dynamic()
        .unwrap()
        .save("/tmp/smoke.png")
        .unwrap();
}
