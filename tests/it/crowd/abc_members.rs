//! Components of the root and events of LithTech models in crowds.

use crate::crowd::poses::assets;
use crate::support::abc::{bytes, figure};
use crate::support::crowd::member;
use crate::support::lods::move_to;
use crate::support::prelude::*;

/// The materials of the meshes of a member.
fn crowd_materials(app: &mut TestApp, root: Entity) -> Vec<StandardMaterial> {
    let world = app.world();
    let meshes = member(world, root).unwrap().meshes;
    let materials = world.resource::<Assets<AbcCrowdMaterial>>();
    let material = |mesh: &Entity| {
        let material = world.get::<MeshMaterial3d<AbcCrowdMaterial>>(*mesh);
        materials.get(&material.unwrap().0).unwrap().base.clone()
    };
    meshes.iter().map(material).collect()
}

/// The distinct textures and offsets of materials.
fn surfaces(materials: &[StandardMaterial]) -> Vec<(Option<Handle<Image>>, Vec2, bool)> {
    let mut surfaces = Vec::new();
    for material in materials {
        let surface = (
            material.base_color_texture.clone(),
            material.uv_transform.translation,
            material.metallic == 0.0,
        );
        if !surfaces.contains(&surface) {
            surfaces.push(surface);
        }
    }
    surfaces
}

/// The materials of the meshes of a scene.
fn scene_materials(app: &mut TestApp, root: Entity) -> Vec<StandardMaterial> {
    let world = app.world();
    let meshes = world.get::<AbcInstance>(root).unwrap().meshes();
    let material = |mesh: &Entity| {
        let deform = world.get::<MeshMaterial3d<AbcDeformMaterial>>(*mesh);
        if let Some(deform) = deform {
            let materials = world.resource::<Assets<AbcDeformMaterial>>();
            return materials.get(&deform.0).unwrap().base.clone();
        }
        let material = world.get::<MeshMaterial3d<StandardMaterial>>(*mesh);
        let materials = world.resource::<Assets<StandardMaterial>>();
        materials.get(&material.unwrap().0).unwrap().clone()
    };
    meshes.iter().map(material).collect()
}

#[track_caller]
fn assert_same_surfaces(app: &mut TestApp, pair: Pair, what: &str) -> Vec<StandardMaterial> {
    let scene = scene_materials(app, pair.scene);
    let crowd = crowd_materials(app, pair.crowd);
    assert_eq!(surfaces(&crowd), surfaces(&scene), "{what}");
    crowd
}

#[test]
fn skins_are_those_of_the_scene_and_share_materials() {
    let mut app = assets();
    let pair = Pair::spawn(&mut app, "models/warden.abc", ());
    let other = app.spawn_ready("models/warden.abc#Scene", Crowd);
    app.wait_until_idle();
    let own = assert_same_surfaces(&mut app, pair, "own skin");
    let count = |app: &mut TestApp| app.assets::<AbcCrowdMaterial>().len();
    let images = |app: &mut TestApp| app.assets::<Image>().len();
    let own_images = images(&mut app);
    let before = count(&mut app);
    assert_eq!(
        before,
        own.len(),
        "members with the same skin share materials"
    );
    let frost = ModelSkin::Path("skins/warden_frost.dtx".into());
    pair.insert(&mut app, frost.clone());
    app.wait_until_idle();
    app.step(0.0);
    let with_frost = assert_same_surfaces(&mut app, pair, "an external skin");
    assert_ne!(with_frost[0].base_color_texture, own[0].base_color_texture);
    drop(with_frost);
    assert_eq!(count(&mut app), 2 * before);
    app.insert(other, frost);
    app.wait_until_idle();
    app.steps(2, 0.0);
    assert_eq!(count(&mut app), before, "unused materials are dropped");
    assert!(images(&mut app) > own_images);
    pair.remove::<ModelSkin>(&mut app);
    app.remove::<ModelSkin>(other);
    app.steps(4, 0.0);
    assert_same_surfaces(&mut app, pair, "without a skin");
    assert_eq!(images(&mut app), own_images, "unused images are dropped");
}

#[test]
fn textures_scroll_and_reflect_as_on_a_scene() {
    let mut document = banner();
    document.nodes[FLAG_NODE].flags |= node_flags::SCROLL_U;
    let mut reflecting = figure();
    reflecting.nodes[1].flags |= node_flags::ENVIRONMENT_MAP | node_flags::SCROLL_V;
    let files = [
        ("scrolling.abc", bytes(&document)),
        ("reflecting.abc", bytes(&reflecting)),
    ];
    let mut app = TestApp::new(&files);
    for (path, _) in files {
        let pair = Pair::spawn(&mut app, path, ());
        for _ in 0..3 {
            app.step(0.3);
            let materials = assert_same_surfaces(&mut app, pair, path);
            assert!(
                surfaces(&materials)
                    .iter()
                    .any(|(_, offset, _)| *offset != Vec2::ZERO),
                "{path} scrolls"
            );
        }
        pair.despawn(&mut app);
    }
}

#[test]
fn offsets_of_textures_that_do_not_scroll_stay() {
    let mut scrolling = figure();
    scrolling.nodes[1].flags |= node_flags::SCROLL_V;
    let mut app = TestApp::new(&[("half.abc", bytes(&scrolling))]);
    let root = app.spawn_ready("half.abc#Scene", Crowd);
    app.step(0.3);
    let own = Vec2::new(0.25, 0.5);
    let mut materials = app.world().resource_mut::<Assets<AbcCrowdMaterial>>();
    let mut changed = 0;
    for (_, material) in materials.iter_mut() {
        let offset = &mut material.base.uv_transform.translation;
        if *offset == Vec2::ZERO {
            *offset = own;
            changed += 1;
        }
    }
    assert_eq!(changed, 1);
    app.step(0.3);
    let found = surfaces(&crowd_materials(&mut app, root));
    let offsets: Vec<Vec2> = found.iter().map(|(_, offset, _)| *offset).collect();
    assert_eq!(offsets.len(), 2);
    assert!(offsets.contains(&own), "{offsets:?}");
    assert!(!offsets.contains(&Vec2::ZERO), "{offsets:?}");
}

#[test]
fn levels_and_parts_are_selected_as_on_a_scene() {
    let files = [("banner.abc", bytes(&banner()))];
    let mut app = TestApp::new(&files);
    let pair = Pair::spawn(&mut app, "banner.abc", ());
    app.step(0.0);
    let all = pair.assert_equal(&mut app, 1e-5, "all parts");
    pair.insert(&mut app, PartVisibility::hidden(["flag"]));
    app.steps(2, 0.0);
    let without = pair.assert_equal(&mut app, 1e-5, "without the flag");
    assert!(without > 0 && without < all);
    pair.remove::<PartVisibility>(&mut app);
    app.steps(2, 0.0);
    assert_eq!(pair.assert_equal(&mut app, 1e-5, "all parts again"), all);
    pair.despawn(&mut app);

    let mut app = assets();
    let pair = Pair::spawn(&mut app, "models/warden.abc", ());
    pair.insert(&mut app, LodDistances(vec![100.0, 200.0]));
    let camera = app.spawn_entity(Camera3d::default());
    let mut counts = Vec::new();
    for distance in [10.0, 150.0, 500.0] {
        move_to(&mut app, camera, distance);
        app.step(0.0);
        counts.push(pair.assert_equal(&mut app, 1e-5, &format!("at {distance}")));
    }
    assert!(counts[0] > counts[1] && counts[1] > counts[2], "{counts:?}");
}

#[test]
fn members_are_placed_as_scenes() {
    let mut app = assets();
    let placed = Transform::from_xyz(3.0, 1.0, -2.0).with_scale(Vec3::splat(0.5));
    let bundle = (BevySpace::default(), placed, PlayClip::looping("walk"));
    let pair = Pair::spawn(&mut app, "models/warden.abc", bundle);
    pair.wait(&mut app);
    app.step(0.1);
    assert!(pair.assert_equal(&mut app, 1e-3, "in Bevy's space") > 1000);
    // Steps follow the distance that a root moves.
    let follow = FollowVelocity {
        stride: Some(1.0),
        ..FollowVelocity::default()
    };
    pair.insert(&mut app, follow);
    for step in 0..4_u8 {
        let moved = placed.with_translation(Vec3::new(0.0, 0.0, 0.1 * f32::from(step)));
        pair.insert(&mut app, moved);
        app.step(0.05);
    }
    let [scene, crowd] = [pair.scene, pair.crowd].map(|root| {
        let playback = app.get::<Playback>(root);
        playback.time
    });
    assert_eq!(crowd, scene);
    pair.assert_equal(&mut app, 1e-3, "while moving");
}

#[test]
fn keyframe_strings_are_sent_in_the_same_frames() {
    let mut app = TestApp::new(&[("figure.abc", bytes(&figure()))]);
    let received = app.record::<ModelEvent>();
    let pair = Pair::spawn(&mut app, "figure.abc", ());
    pair.insert(&mut app, PlayClip::looping("Walk"));
    let mut sent = 0;
    for _ in 0..20 {
        app.step(0.04);
        let events = received.take();
        let of = |root| {
            let own = events.iter().filter(|event| event.entity == root);
            own.map(|event| event.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(pair.crowd), of(pair.scene));
        sent += of(pair.crowd).len();
    }
    assert!(sent >= 6, "{sent}");
}
