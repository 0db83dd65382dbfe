//! `RenderLayers` of a root apply to its meshes and lights.

use crate::manifest::spawn::{mdl, wait};
use crate::support::alo::clean;
use crate::support::app::TestApp;
use crate::support::log;
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::prelude::*;
use std::path::Path;

/// The mesh and light entities below a root, with their layers.
fn rendered(app: &mut TestApp, root: Entity) -> Vec<(Entity, Option<RenderLayers>)> {
    let world = app.world();
    let mut children = world.query::<&Children>();
    let descendants: Vec<Entity> = children.query(world).iter_descendants(root).collect();
    let is_rendered = |entity: &Entity| {
        let entity = world.entity(*entity);
        entity.contains::<Mesh3d>()
            || entity.contains::<PointLight>()
            || entity.contains::<SpotLight>()
            || entity.contains::<DirectionalLight>()
    };
    let found = descendants.into_iter().filter(is_rendered);
    let layers = |entity: Entity| world.get::<RenderLayers>(entity).cloned();
    found.map(|entity| (entity, layers(entity))).collect()
}

#[track_caller]
fn assert_all(app: &mut TestApp, root: Entity, expected: Option<usize>) {
    let found = rendered(app, root);
    assert!(!found.is_empty());
    let expected = expected.map(RenderLayers::layer);
    assert!(
        found.iter().all(|(_, layers)| *layers == expected),
        "{found:?}"
    );
}

#[test]
fn layers_of_the_root_apply_to_meshes_and_lights() {
    log::listen();
    let mut app = TestApp::new(&[("model.alo", clean()), ("a.mdl", mdl())]);
    for scene in ["model.alo#Scene", "a.mdl#Scene"] {
        let root = app.spawn_ready(scene, RenderLayers::layer(3));
        app.step(0.0);
        assert_all(&mut app, root, Some(3));
        *app.world().get_mut::<RenderLayers>(root).unwrap() = RenderLayers::layer(4);
        app.step(0.0);
        assert_all(&mut app, root, Some(4));
        app.world().entity_mut(root).remove::<RenderLayers>();
        app.step(0.0);
        assert_all(&mut app, root, None);
        app.world().entity_mut(root).insert(RenderLayers::layer(5));
        app.step(0.0);
        assert_all(&mut app, root, Some(5));
    }
    let lights = |world: &mut World| {
        let mut lights = world.query_filtered::<(), (With<PointLight>, With<RenderLayers>)>();
        lights.iter(world).count()
    };
    assert!(lights(app.world()) > 0, "the model has lights");
}

#[test]
fn layers_of_a_part_override_those_of_the_root() {
    let mut app = TestApp::new(&[("model.alo", clean())]);
    let root = app.spawn_ready("model.alo#Scene", RenderLayers::layer(3));
    app.step(0.0);
    let part = rendered(&mut app, root)[0].0;
    app.world().entity_mut(part).insert(RenderLayers::layer(7));
    app.world().entity_mut(root).insert(RenderLayers::layer(4));
    app.step(0.0);
    let layers = |app: &mut TestApp| app.world().get::<RenderLayers>(part).cloned();
    assert_eq!(layers(&mut app), Some(RenderLayers::layer(7)));
    app.world().entity_mut(part).remove::<RenderLayers>();
    app.step(0.0);
    assert_eq!(layers(&mut app), Some(RenderLayers::layer(4)));
}

fn on_root(to: Entity) -> AttachedToBone {
    let bone = String::new();
    AttachedToBone { to, bone }
}

#[test]
fn layers_are_kept_on_reload_and_propagate_to_attached_models() {
    let mut app = TestApp::new(&[("model.alo", clean()), ("a.mdl", mdl())]);
    let root = app.spawn_ready("model.alo#Scene", RenderLayers::layer(3));
    let inner = app.spawn_ready("a.mdl#Scene", on_root(root));
    app.step(0.0);
    app.step(0.0);
    assert_all(&mut app, inner, Some(3));
    let kept: Handle<Alo> = app.load("model.alo");
    app.wait_loaded(&kept);
    let before = rendered(&mut app, root);
    app.files.insert_asset(Path::new("model.alo"), clean());
    app.world().resource::<AssetServer>().reload("model.alo");
    wait(&mut app, "the reload", |world| {
        let gone = |(entity, _): &(Entity, _)| world.get_entity(*entity).is_err();
        before.iter().any(gone)
    });
    app.step(0.0);
    assert_all(&mut app, root, Some(3));
    app.world().entity_mut(root).insert(RenderLayers::layer(4));
    app.step(0.0);
    assert_all(&mut app, root, Some(4));
    drop(kept);
    app.world().entity_mut(inner).insert(RenderLayers::layer(5));
    app.step(0.0);
    assert_all(&mut app, inner, Some(5));
}

#[test]
fn detached_models_lose_the_layers_of_the_outer_model() {
    let mut app = TestApp::new(&[("model.alo", clean()), ("a.mdl", mdl())]);
    let root = app.spawn_ready("model.alo#Scene", RenderLayers::layer(3));
    let inner = app.spawn_ready("a.mdl#Scene", on_root(root));
    // An attached entity that is not a model, with a model below it.
    let holder = app.world().spawn(on_root(root)).id();
    let held = app.spawn_ready("a.mdl#Scene", ChildOf(holder));
    app.step(0.0);
    app.step(0.0);
    for (detached, model) in [(inner, inner), (holder, held)] {
        assert_all(&mut app, model, Some(3));
        app.world().entity_mut(detached).remove::<AttachedToBone>();
        app.step(0.0);
        assert_all(&mut app, model, None);
    }
}
