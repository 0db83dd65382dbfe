//! The measures of manifests: `facing`, `meters` and `height`.

use super::spawn::{mdl, text};
use crate::ala::play::model_at;
use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy::math::Vec3Swizzles;
use core::f32::consts::FRAC_PI_2;

/// An app with a model of each format, and the manifest `unit.model.ron`.
fn app(manifest: &str) -> TestApp {
    log::listen();
    TestApp::new(&[
        ("a.mdl", mdl()),
        ("unit.alo", model_at(5.0)),
        ("hero.abc", abc::bytes(&abc::figure())),
        ("bike.lgw", BICYCLE.as_bytes().to_vec()),
        ("unit.model.ron", text(manifest)),
    ])
}

/// Spawns the manifest, and waits until its model is spawned.
fn spawned(app: &mut TestApp, bundle: impl Bundle) -> Entity {
    let root = app.spawn_model("unit.model.ron", bundle);
    app.wait("the scene", |world| {
        world.get::<ModelInstance>(root).is_some()
    });
    app.step(0.0);
    root
}

#[track_caller]
fn assert_scale(app: &mut TestApp, root: Entity, expected: f32) {
    let scale = app.scene(root).scale;
    assert!(
        scale.abs_diff_eq(Vec3::splat(expected), expected * 1e-4),
        "{scale}, expected {expected}"
    );
}

#[test]
fn height_scales_any_format() {
    let mut app = app(r#"(model: "a.mdl", height: 1.8)"#);
    let root = spawned(&mut app, ());
    assert_eq!(app.cloned(root), Some(BevySpace::default()));
    let mdl: Handle<Mdl> = app.load("a.mdl");
    app.wait_loaded(&mdl);
    let heights = app.asset(&mdl).poses.pose(0).map(|(at, _)| at.z);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), z| {
        (low.min(z), high.max(z))
    });
    assert_scale(&mut app, root, 1.8 / (high - low));

    // From the foot of the hull to the top of the turret of the finest level. Other parts are not drawn.
    let mut app = self::app(r#"(model: "unit.alo", height: 1.8, scale: 2)"#);
    let root = spawned(&mut app, ());
    assert_scale(&mut app, root, 2.0 * 1.8 / 6.0);

    let mut app = self::app(r#"(model: "hero.abc", height: 1.8)"#);
    let root = spawned(&mut app, ());
    let abc: Handle<Abc> = app.load("hero.abc");
    app.wait_loaded(&abc);
    let bounds = app.assets::<Abc>();
    let bounds = bounds.get(&abc).unwrap().bounds;
    assert_scale(&mut app, root, 1.8 / (bounds.max.y - bounds.min.y));

    let mut app = self::app(r#"(model: "bike.lgw", height: 1.8)"#);
    let root = spawned(&mut app, ());
    assert!(app.cloned::<BevySpace>(root).is_some());
    app.step(0.0);
    let world = app.world();
    let mut all = world.query::<(&Aabb, &GlobalTransform)>();
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for (bounds, transform) in all.iter(world) {
        let center = transform.transform_point(bounds.center.into()).y;
        let axes = transform.affine().matrix3;
        let half = Vec3::new(axes.x_axis.y, axes.y_axis.y, axes.z_axis.y);
        let half = half.abs().dot(bounds.half_extents.into());
        (low, high) = (low.min(center - half), high.max(center + half));
    }
    assert!((high - low - 1.8).abs() < 1e-3, "{low} to {high}");
}

#[test]
fn height_is_that_of_the_turned_model() {
    // The body of the figure is not a cube, so another up axis is another height.
    let mut app = app(r#"(model: "hero.abc", height: 1.8, axes: (up: X, forward: Z))"#);
    let root = spawned(&mut app, ());
    let abc: Handle<Abc> = app.load("hero.abc");
    app.wait_loaded(&abc);
    let bounds = app.assets::<Abc>();
    let bounds = bounds.get(&abc).unwrap().bounds;
    assert_scale(&mut app, root, 1.8 / (bounds.max.x - bounds.min.x));
}

#[test]
fn meters_and_facing_follow_edits() {
    let mut app = app(r#"(model: "a.mdl")"#);
    let root = spawned(&mut app, ());
    let own = app.scene(root);
    let is = |app: &mut TestApp, manifest: &str, scale: f32, turn: f32| {
        app.edit("unit.model.ron", manifest);
        app.wait(manifest, |world| {
            let scene = world.get::<Children>(root).unwrap()[0];
            let scene = world.get::<Transform>(scene).unwrap();
            let rotation = Quat::from_rotation_y(turn) * own.rotation;
            scene.scale.abs_diff_eq(Vec3::splat(scale), 1e-5)
                && scene.rotation.angle_between(rotation) < 1e-3
        });
    };
    is(&mut app, r#"(model: "a.mdl", meters: 0.25)"#, 0.25, 0.0);
    assert_eq!(app.cloned(root), Some(BevySpace::default()));
    // A front at +X is turned to −Z.
    let manifest = r#"(model: "a.mdl", meters: 0.5, facing: X)"#;
    is(&mut app, manifest, 0.5, FRAC_PI_2);
    let front = Quat::from_rotation_y(FRAC_PI_2) * Vec3::X;
    assert!(front.abs_diff_eq(Vec3::NEG_Z, 1e-6));
    is(
        &mut app,
        r#"(model: "a.mdl", facing: NegX)"#,
        1.0,
        -FRAC_PI_2,
    );
    assert_eq!(app.cloned::<BevySpace>(root), None);
    is(
        &mut app,
        r#"(model: "a.mdl", facing: Z)"#,
        1.0,
        2.0 * FRAC_PI_2,
    );
    is(&mut app, r#"(model: "a.mdl", facing: NegZ)"#, 1.0, 0.0);
    // The reload of the model keeps them.
    is(&mut app, manifest, 0.5, FRAC_PI_2);
    let before = app.children(root)[0];
    app.reload("a.mdl");
    app.wait("the scene is respawned", |world| {
        let children = world.get::<Children>(root);
        children.is_some_and(|children| children[0] != before)
    });
    app.step(0.0);
    assert_scale(&mut app, root, 0.5);
}

#[test]
fn bevy_space_of_the_game_overrides_meters() {
    let mut app = app(r#"(model: "a.mdl", height: 1.8)"#);
    let space = BevySpace::with_meters_per_unit(0.125);
    let root = spawned(&mut app, space);
    assert_eq!(app.cloned(root), Some(space));
    assert_scale(&mut app, root, 0.125);
    // Without a size of its own, the one of the manifest counts.
    app.apply(root, BevySpace::default());
    let scale = app.scene(root).scale.x;
    assert!(scale != 0.125 && scale != 1.0 / 32.0, "{scale}");
}

/// A model of each format, and the same file after an edit of its size.
fn models() -> [(&'static str, Vec<u8>); 4] {
    let mut quake = figure(Precision::Bits8);
    quake.header.scale[2] *= 2.0;
    let larger_bike = BICYCLE.replace("83.603424 8.602158", "283.603424 208.602158");
    let mut hero = abc::figure();
    for vertex in &mut hero.geometry.vertices {
        for axis in &mut vertex.position {
            *axis = (axis.get() * 3.0).into();
        }
    }
    [
        ("a.mdl", quake.to_bytes()),
        ("unit.alo", model_at(11.0)),
        ("hero.abc", abc::bytes(&hero)),
        ("bike.lgw", text(&larger_bike)),
    ]
}

/// The box around a model at rest, in the root's space.
fn bounds(app: &mut TestApp, root: Entity) -> Aabb3d {
    let bounds = move |models: ModelQuery| models.bounds(root).unwrap();
    app.world().run_system_once(bounds).unwrap()
}

#[test]
fn facing_turns_every_format() {
    for (model, _) in models() {
        let mut app = app(&format!("(model: {model:?})"));
        let root = spawned(&mut app, ());
        let own = app.scene(root);
        let size = bounds(&mut app, root).half_size() / own.scale.x;
        for (facing, turn, is_exchanged) in [
            ("X", FRAC_PI_2, true),
            ("Z", 2.0 * FRAC_PI_2, false),
            ("NegX", -FRAC_PI_2, true),
            ("NegZ", 0.0, false),
        ] {
            let manifest = format!("(model: {model:?}, meters: 0.5, facing: {facing})");
            app.edit("unit.model.ron", &manifest);
            app.wait_until_idle();
            app.step(0.0);
            let context = format!("{model} that faces {facing}");
            let found = app.scene(root).rotation;
            let expected = Quat::from_rotation_y(turn) * own.rotation;
            assert!(found.angle_between(expected) < 1e-3, "{context}");
            // Quarter turns exchange X and Z.
            let turned = bounds(&mut app, root).half_size();
            let expected = 0.5 * if is_exchanged { size.zyx() } else { size };
            let tolerance = 1e-3 * size.max_element();
            assert!(
                turned.abs_diff_eq(expected, tolerance),
                "{context}: {turned}, expected {expected}"
            );
        }
    }
}

#[test]
fn measures_apply_to_replaced_files_and_models_may_be_despawned() {
    for (model, replaced) in models() {
        let manifest = format!("(model: {model:?}, height: 1.8, facing: X)");
        let mut app = app(&manifest);
        // One root is despawned before its model is loaded, and so before its height is known.
        let early = app.spawn_model("unit.model.ron", ());
        app.step(0.0);
        app.despawn(early);
        let [root, other] = [(); 2].map(|()| spawned(&mut app, ()));
        let height = |app: &mut TestApp| {
            let bounds = bounds(app, root);
            bounds.max.y - bounds.min.y
        };
        let first = height(&mut app);
        assert!((first - 1.8).abs() < 1e-3, "{model}: {first}");
        let before = app.scene(root);
        app.keep_loaded(model);
        app.begin_replace(model, replaced);
        app.despawn(other);
        app.wait_until_idle();
        app.step(0.0);
        let second = height(&mut app);
        assert!((second - 1.8).abs() < 1e-3, "{model}: {second}");
        let after = app.scene(root);
        assert!(after.scale.x < 0.9 * before.scale.x, "{model}: {after:?}");
        assert_eq!(after.rotation, before.rotation, "{model}");
        app.despawn(root);
        app.step(0.0);
    }
}
