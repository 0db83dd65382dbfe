//! Serialized worlds and scenes that contain the components of a root.

use crate::support::prelude::*;
use bevy::world_serialization::DynamicWorldBuilder;

#[test]
fn the_components_of_a_root_can_be_serialized() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let mut skins = ModelSkins::default();
    skins.insert("other", ModelSkin::Index(1));
    let components = (
        PlayClip::looping("run").with_fade(0.2),
        ModelSkin::from("other"),
        skins,
        ModelLod(1),
        LodDistances(vec![10.0]),
        DamageStage(1),
        TeamColor::default(),
        PlayerColors::default(),
        PartVisibility::hidden(["gun"]),
    );
    let root = app.spawn_ready("tetra.mdl#Scene", components);
    app.step(0.1);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let saved = DynamicWorldBuilder::from_world(app.world(), &registry)
        // Asset handles are not serializable, and the children are not extracted.
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
    // The inserted components, and `Playback`, the time of the clip. No internal state.
    assert_eq!(
        own,
        [
            "DamageStage",
            "LodDistances",
            "ModelLod",
            "ModelSkin",
            "ModelSkins",
            "PartVisibility",
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
fn a_scene_can_contain_an_animated_model() {
    let mut app = TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())]);
    let model: Handle<WorldAsset> = app.load("tetra.mdl#Scene");
    let mut world = World::new();
    world.spawn((WorldAssetRoot(model), PlayClip::looping("run")));
    let level = app.add_asset(WorldAsset::new(world));
    app.world().spawn(WorldAssetRoot(level));
    let is_playing = |world: &mut World| {
        let mut models = world.query::<(&MdlInstance, &PlayClip)>();
        let mut models = models.iter(world);
        models.any(|(animator, _)| animator.sequence().pose_count == 3)
    };
    app.wait_until(is_playing);
}
