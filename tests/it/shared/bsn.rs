//! Components of the root in Bevy's macro `bsn!`.

use crate::ala::play::files;
use crate::attach::scene::{ALO, assert_attached, wait_for_model};
use crate::support::prelude::*;
use bevy::ecs::template::FromTemplate;
use bevy::scene::ScenePlugin;

#[derive(Component, Clone, Default)]
struct Marker(u32);

#[test]
fn models_skins_clips_and_attachments_are_spawned_by_path_and_name() {
    log::listen();
    let mut app = TestApp::with_plugin(&files(), (ScenePlugin, ClassicModelsPlugins));
    app.world().commands().spawn_scene_list(bsn_list![
        (
            #Unit
            ClassicModel("art/Unit.alo")
            BevySpace
            PlayClip { clip: "MOVE_00", speed: 2.0 }
            ModelSkin::Path("skins/red.dtx")
            DamageStage(1)
            Marker(1)
        ),
        (AttachedToBone { to: #Unit, bone: "turret" } Marker(2)),
    ]);
    app.world().flush();
    let mut found = app.world().query::<(Entity, &Marker)>();
    let mut entities: Vec<_> = found.iter(app.world()).map(|of| (of.1.0, of.0)).collect();
    entities.sort_unstable();
    let [(1, root), (2, attachment)] = entities[..] else {
        panic!("{entities:?}");
    };
    let path = app.get::<ClassicModel>(root).0.path().cloned();
    assert_eq!(path, Some(ALO.into()));
    let play = PlayClip::looping("MOVE_00").with_speed(2.0);
    assert_eq!(app.get::<PlayClip>(root), &play);
    let skin = ModelSkin::Path("skins/red.dtx".into());
    assert_eq!(app.get::<ModelSkin>(root), &skin);
    assert_eq!(app.get::<DamageStage>(root), &DamageStage(1));
    assert_eq!(app.get::<BevySpace>(root), &BevySpace::default());
    assert_eq!(app.get::<AttachedToBone>(attachment), &on(root, "turret"));
    wait_for_model(&mut app, root);
    assert_attached(app.world(), attachment, Transform::IDENTITY);
}

/// Compiles only if `bsn!` can create a component.
fn assert_in_bsn<C: Component + FromTemplate>() {}

#[test]
fn all_components_of_the_root_can_be_in_bsn() {
    assert_in_bsn::<AttachedToBone>();
    assert_in_bsn::<BevySpace>();
    assert_in_bsn::<ClassicModel>();
    assert_in_bsn::<ClipLayers>();
    assert_in_bsn::<Crowd>();
    assert_in_bsn::<DamageStage>();
    assert_in_bsn::<FollowVelocity>();
    assert_in_bsn::<LodDistances>();
    assert_in_bsn::<ModelClips>();
    assert_in_bsn::<ModelEvents>();
    assert_in_bsn::<ModelLod>();
    assert_in_bsn::<ModelMasks>();
    assert_in_bsn::<ModelSkin>();
    assert_in_bsn::<ModelSkins>();
    assert_in_bsn::<PartVisibility>();
    assert_in_bsn::<PlayClip>();
    assert_in_bsn::<PlayerColors>();
    assert_in_bsn::<RootMotion>();
    assert_in_bsn::<TeamColor>();
    assert_in_bsn::<bevy_classic_models::alamo::ParticleEmission>();
    assert_in_bsn::<bevy_classic_models::alamo::ParticleSeed>();
    assert_in_bsn::<bevy_classic_models::alamo::ParticleSpeed>();
    assert_in_bsn::<bevy_classic_models::alamo::ParticleTint>();
}
