//! Rendered LithTech models in crowds, compared with the same models as scenes.

use crate::crowd::stage_pair::{StagePair, sample_files};
use crate::crowd::subjects::moving_banner;
use crate::support::abc::bytes;
use crate::support::prelude::*;

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
    let attack = model.animation("attack").unwrap().keyframes[2];
    let clips = [("attack", attack), ("attack", 0.4567), ("walk", 0.3)];
    let pictures = warden.compare_clips(&mut stage, &clips);
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

    warden.compare_fade(&mut stage, "attack", [0.4, 0.42], 50);
    warden.compare_shadows(&mut stage, 500);
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
