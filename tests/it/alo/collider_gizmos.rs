//! Gizmos of collision trees.

use crate::support::prelude::*;
use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy_classic_models::alamo::{AloColliderGizmos, ShowAloColliderGizmo};
use std::any::TypeId;

/// The count of strip positions per box, including the break after the strip.
const STRIP: usize = 11;

fn app() -> App {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let mut app = App::new();
    app.add_plugins((
        gpuless::plugins(Path::new(assets), false),
        GizmoPlugin,
        ClassicModelsPlugins,
    ));
    gpuless::finish(&mut app);
    app
}

fn spawn_walker(app: &mut App, bundle: impl Bundle) -> Entity {
    let scene = app.server();
    let scene = scene.load("models/walker.alo#Scene");
    let root = app.spawn_entity((WorldAssetRoot(scene), bundle));
    let is_spawned = gpuless::wait_until(app, |world| world.get::<AloInstance>(root).is_some());
    assert!(is_spawned, "the walker was not spawned");
    gpuless::step(app, 0.0);
    root
}

fn configure(app: &mut App, change: impl FnOnce(&mut AloColliderGizmos)) {
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    change(store.config_mut::<AloColliderGizmos>().1);
}

/// The corners of the boxes drawn in the next frame, and the alpha of each.
fn drawn(app: &mut App) -> Vec<(Vec<Vec3>, f32)> {
    gpuless::step(app, 0.0);
    let world = app.world();
    let handles = world.resource::<GizmoHandles>().handles();
    let handle = handles[&TypeId::of::<AloColliderGizmos>()].as_ref();
    let lines = handle.and_then(|handle| world.resource::<Assets<GizmoAsset>>().get(handle));
    let Some(lines) = lines.map(|lines| lines.buffer()) else {
        return Vec::new();
    };
    let strips = lines.strip_positions.chunks(STRIP);
    let colors = lines.strip_colors.chunks(STRIP);
    let boxes = strips.zip(colors);
    boxes
        .map(|(strip, colors)| (strip[..STRIP - 1].to_vec(), colors[0].alpha))
        .collect()
}

/// All colliders, and whether each is visible.
fn colliders(app: &mut App) -> Vec<(Entity, AloCollider, bool)> {
    let world = app.world_mut();
    let mut all = world.query::<(Entity, &AloCollider, &InheritedVisibility)>();
    let all = all.iter(world);
    all.map(|(entity, collider, visible)| (entity, collider.clone(), visible.get()))
        .collect()
}

#[test]
fn configuration_selects_drawn_colliders() {
    let mut app = app();
    spawn_walker(&mut app, ());
    let all = colliders(&mut app);
    assert!(all.len() >= 3);
    assert_eq!(drawn(&mut app).len(), 0);

    configure(&mut app, |config| {
        config.draw_all = true;
        config.level = Some(0);
        config.visibility = ModelRayCastVisibility::Any;
    });
    assert_eq!(drawn(&mut app).len(), all.len());
    configure(&mut app, |config| {
        config.visibility = ModelRayCastVisibility::Visible
    });
    let visible_count = all.iter().filter(|(.., visible)| *visible).count();
    assert_eq!(drawn(&mut app).len(), visible_count);

    // The file hides the hull, which is solid.
    configure(&mut app, |config| {
        config.visibility = ModelRayCastVisibility::Solid
    });
    assert!(drawn(&mut app).len() > visible_count);

    configure(&mut app, |config| config.draw_all = false);
    let (hidden, tree, _) = all.iter().find(|(.., visible)| !visible).unwrap();
    let show = ShowAloColliderGizmo {
        level: Some(1),
        color: None,
    };
    app.insert(*hidden, show);
    assert_eq!(drawn(&mut app).len(), tree.tree().boxes(1).count());
    app.remove::<ShowAloColliderGizmo>(*hidden);
    assert_eq!(drawn(&mut app).len(), 0);
}

#[test]
fn boxes_follow_the_transforms_of_parts() {
    let mut app = app();
    let transform = Transform::from_xyz(30.0, -4.0, 7.0)
        .with_rotation(Quat::from_euler(EulerRot::YXZ, 0.7, 0.4, -1.1))
        .with_scale(Vec3::new(-1.0, 2.0, 0.5));
    spawn_walker(&mut app, transform);
    for (entity, collider, _) in colliders(&mut app) {
        if collider.is_skinned() {
            continue;
        }
        let show = ShowAloColliderGizmo {
            level: Some(0),
            color: None,
        };
        app.insert(entity, show);
        let boxes = drawn(&mut app);
        let transform = *app.get::<GlobalTransform>(entity);
        let bounds = collider.tree().bounds().unwrap();
        assert_eq!(boxes.len(), 1);
        for corner in &boxes[0].0 {
            let local = transform
                .affine()
                .inverse()
                .transform_point3a((*corner).into());
            let distances = (local - bounds.min).abs().min((local - bounds.max).abs());
            let size = (bounds.max - bounds.min).max_element();
            assert!(
                distances.max_element() < 1e-3 * size,
                "{local} is not a corner of {bounds:?}"
            );
        }
        app.remove::<ShowAloColliderGizmo>(entity);
    }
}

#[test]
fn levels_reach_the_leaves() {
    let mut app = app();
    spawn_walker(&mut app, ());
    let mut all = colliders(&mut app);
    all.sort_by_key(|(_, collider, _)| collider.tree().levels());
    let (entity, collider, _) = all.pop().unwrap();
    let tree = collider.tree();
    assert!(tree.levels() > 2);
    let mut count = |level| {
        let show = ShowAloColliderGizmo { level, color: None };
        app.insert(entity, show);
        let boxes = drawn(&mut app);
        let opaque = boxes.iter().filter(|(_, alpha)| *alpha == 1.0).count();
        (boxes.len(), opaque)
    };
    let mut all_levels = 0;
    for level in 0..tree.levels() {
        let (boxes, opaque) = count(Some(level));
        assert_eq!(boxes, tree.partition(level).count());
        assert_eq!(opaque, tree.boxes(level).count());
        all_levels += opaque;
    }
    let leaves = tree.partition(usize::MAX).count();
    assert_eq!(count(Some(usize::MAX)), (leaves, leaves));
    assert_eq!(count(None), (all_levels, all_levels));
}

#[test]
fn app_without_gizmos_works() {
    let mut app = App::new();
    app.add_plugins((
        gpuless::plugins(Path::new("unused"), false),
        ClassicModelsPlugins,
    ));
    gpuless::finish(&mut app);
    app.world_mut().spawn(ShowAloColliderGizmo::default());
    gpuless::step(&mut app, 0.0);
    assert!(!app.world().contains_resource::<GizmoConfigStore>());
}
