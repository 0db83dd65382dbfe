//! `RenderLayers` of a root apply to its meshes and lights.

use crate::manifest::spawn::mdl;
use crate::support::alo::clean;
use crate::support::prelude::*;

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
        *app.get_mut::<RenderLayers>(root) = RenderLayers::layer(4);
        app.step(0.0);
        assert_all(&mut app, root, Some(4));
        app.remove::<RenderLayers>(root);
        app.step(0.0);
        assert_all(&mut app, root, None);
        app.apply(root, RenderLayers::layer(5));
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
    app.insert(part, RenderLayers::layer(7));
    app.apply(root, RenderLayers::layer(4));
    let layers = |app: &mut TestApp| app.find::<RenderLayers>(part).cloned();
    assert_eq!(layers(&mut app), Some(RenderLayers::layer(7)));
    app.remove::<RenderLayers>(part);
    app.step(0.0);
    assert_eq!(layers(&mut app), Some(RenderLayers::layer(4)));
}

#[test]
fn layers_are_kept_on_reload_and_propagate_to_attached_models() {
    let mut app = TestApp::new(&[("model.alo", clean()), ("a.mdl", mdl())]);
    let root = app.spawn_ready("model.alo#Scene", RenderLayers::layer(3));
    let inner = app.spawn_ready("a.mdl#Scene", on(root, ""));
    app.steps(2, 0.0);
    assert_all(&mut app, inner, Some(3));
    let kept: Handle<Alo> = app.load("model.alo");
    app.wait_loaded(&kept);
    let before = rendered(&mut app, root);
    app.edit("model.alo", clean());
    app.wait("the reload", |world| {
        let gone = |(entity, _): &(Entity, _)| world.get_entity(*entity).is_err();
        before.iter().any(gone)
    });
    app.step(0.0);
    assert_all(&mut app, root, Some(3));
    app.apply(root, RenderLayers::layer(4));
    assert_all(&mut app, root, Some(4));
    drop(kept);
    app.apply(inner, RenderLayers::layer(5));
    assert_all(&mut app, inner, Some(5));
}

#[test]
fn detached_models_lose_the_layers_of_the_outer_model() {
    let mut app = TestApp::new(&[("model.alo", clean()), ("a.mdl", mdl())]);
    let root = app.spawn_ready("model.alo#Scene", RenderLayers::layer(3));
    let inner = app.spawn_ready("a.mdl#Scene", on(root, ""));
    // An attached entity that is not a model, with a model below it.
    let holder = app.spawn_entity(on(root, ""));
    let held = app.spawn_ready("a.mdl#Scene", ChildOf(holder));
    app.steps(2, 0.0);
    for (detached, model) in [(inner, inner), (holder, held)] {
        assert_all(&mut app, model, Some(3));
        app.remove::<AttachedToBone>(detached);
        app.step(0.0);
        assert_all(&mut app, model, None);
    }
}
