//! Worlds that users save: the components of a root can be serialized, and scenes can have them.

use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::fixtures::tetrahedron;
use bevy::prelude::*;
use bevy::world_serialization::{DynamicWorldBuilder, WorldAsset};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

#[test]
fn a_root_can_be_saved() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let mut skins = ModelSkins::default();
    skins.insert("other", ModelSkin::Index(1));
    let chosen = (
        PlayClip::looping("run").with_fade(0.2),
        ModelSkin::from("other"),
        skins,
        ModelLod(1),
        LodDistances(vec![10.0]),
        DamageStage(1),
        TeamColor::default(),
        PlayerColors::default(),
        PartVisibility::new(["gun"]),
    );
    let root = app.spawn_ready("tetra.mdl#Scene", chosen);
    app.step(0.1);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let saved = DynamicWorldBuilder::from_world(app.world(), &registry)
        // Handles of assets cannot be saved, nor what belongs to a hierarchy that is not.
        .deny_component::<WorldAssetRoot>()
        .deny_component::<Children>()
        .extract_entity(root)
        .build();
    let [entity] = &saved.entities[..] else {
        panic!("{} entities", saved.entities.len());
    };
    let paths = entity.components.iter().map(|component| {
        let component = component.get_represented_type_info().unwrap();
        component.type_path_table()
    });
    let own = paths.filter(|path| path.crate_name() == Some("bevy_classic_models"));
    let mut own: Vec<_> = own.map(|path| path.short_path()).collect();
    own.sort_unstable();
    // What was inserted, and `Playback`, which is where the clip is. Nothing that the systems keep.
    assert_eq!(
        own,
        [
            "PartVisibility",
            "LodDistances",
            "DamageStage",
            "ModelLod",
            "ModelSkin",
            "ModelSkins",
            "PlayClip",
            "Playback",
            "PlayerColors",
            "TeamColor",
        ]
    );
    let text = saved.serialize(&registry).unwrap();
    for component in own {
        assert!(text.contains(&format!("::{component}\"")), "{text}");
    }
}

#[test]
fn a_scene_can_have_a_model_that_plays() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let model: Handle<WorldAsset> = app.load("tetra.mdl#Scene");
    let mut world = World::new();
    world.spawn((WorldAssetRoot(model), PlayClip::looping("run")));
    let level = app
        .world()
        .resource_mut::<Assets<WorldAsset>>()
        .add(WorldAsset::new(world));
    app.world().spawn(WorldAssetRoot(level));
    let moves = |world: &mut World| {
        let mut models = world.query::<(&MdlAnimator, &PlayClip)>();
        let mut models = models.iter(world);
        models.any(|(animator, _)| animator.sequence().pose_count == 3)
    };
    assert!(gpuless::wait_until(&mut app.app, moves));
}
