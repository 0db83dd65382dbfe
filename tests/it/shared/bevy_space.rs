//! `BevySpace`: models face −Z and are scaled to meters.

use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The sample models, and their heights in meters as documented in the manual.
const SAMPLES: [(&str, f32); 4] = [
    ("models/sentry.mdl", 54.0 / 32.0),
    ("models/walker.alo", 13.6 * 0.4),
    ("models/warden.abc", 72.0 / 40.0),
    ("models/courier.lgw", 2.29),
];

fn samples() -> TestApp {
    TestApp::in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"))
}

fn spawn(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let root = app.spawn_model(path, bundle);
    let is_spawned = |world: &mut World| {
        let mut state = SystemState::<ModelQuery>::new(world);
        state.get(world).unwrap().format(root).is_some()
    };
    app.wait(path, is_spawned);
    app.step(0.0);
    root
}

/// The scene entity below a root, and its transform.
fn scene(app: &mut TestApp, root: Entity) -> (Entity, Transform) {
    let children = app.get::<Children>(root);
    let [child] = children[..] else {
        panic!("{} children", children.len());
    };
    (child, *app.get::<Transform>(child))
}

/// The global scale of the scene below a root.
fn world_scale(app: &mut TestApp, root: Entity) -> Vec3 {
    let (scene, _) = scene(app, root);
    app.get::<GlobalTransform>(scene).scale()
}

/// Spawns a model in meters, and another one attached to its bone.
fn spawn_attached(
    app: &mut TestApp,
    [outer, inner]: [&'static str; 2],
    bone: &str,
) -> (Entity, Entity) {
    let to = spawn(app, outer, BevySpace::default());
    let attached = on(to, bone);
    let inner = spawn(app, inner, (BevySpace::default(), attached));
    app.step(0.0);
    (to, inner)
}

/// Replaces the manifest `unit.model.ron`, and waits until the scene of a model that uses it has the expected scale.
fn edit_manifest(app: &mut TestApp, root: Entity, manifest: Vec<u8>, expected: f32) {
    let path = "unit.model.ron";
    app.edit(path, manifest);
    let is_edited = |world: &mut World| {
        let child = world.get::<Children>(root).unwrap()[0];
        let transform = world.get::<Transform>(child).unwrap();
        transform.scale.abs_diff_eq(Vec3::splat(expected), 1e-5)
    };
    app.wait("the expected scale", is_edited);
}

fn bone(app: &mut TestApp, root: Entity, name: &str) -> GlobalTransform {
    let world = app.world();
    let mut state = SystemState::<ModelQuery>::new(world);
    let bone = state.get(world).unwrap().bone(root, name).unwrap();
    *world.get::<GlobalTransform>(bone).unwrap()
}

/// The bounding box of a model's visible meshes in the root's space.
fn bounds(app: &mut TestApp, root: Entity) -> (Vec3, Vec3) {
    let world = app.world();
    let to_root = world
        .get::<GlobalTransform>(root)
        .unwrap()
        .affine()
        .inverse();
    let mut all = world.query::<(Entity, &Aabb, &GlobalTransform, &InheritedVisibility)>();
    let parents = world.query::<&ChildOf>();
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (entity, bounds, transform, visibility) in all.iter(world) {
        if !visibility.get()
            || !parents
                .query_manual(world)
                .iter_ancestors(entity)
                .any(|it| it == root)
        {
            continue;
        }
        for corner in 0..8 {
            let side = |bit: i32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = Vec3::new(side(0), side(1), side(2)) * Vec3::from(bounds.half_extents);
            let corner = transform.transform_point(Vec3::from(bounds.center) + corner);
            let corner = to_root.transform_point3(corner);
            (low, high) = (low.min(corner), high.max(corner));
        }
    }
    (low, high)
}

fn assert_near(found: Vec3, expected: Vec3, what: &str) {
    assert!(
        found.distance(expected) < 1e-4,
        "{what}: {found}, expected {expected}"
    );
}

#[test]
fn samples_face_minus_z_in_meters() {
    let mut app = samples();
    for (path, height) in SAMPLES {
        // Off the origin, and turned to a target.
        let target = Vec3::new(30.0, 1.0, -20.0);
        let transform = Transform::from_xyz(5.0, 1.0, 2.0).looking_at(target, Vec3::Y);
        let root = spawn(&mut app, path, (BevySpace::default(), transform));
        // The bounding box of a LithTech model encloses all its clips.
        if path != "models/warden.abc" {
            let (low, high) = bounds(&mut app, root);
            let found = high.y - low.y;
            assert!(
                (found / height - 1.0).abs() < 0.15,
                "{path} is {found} m high"
            );
            assert!(low.y.abs() < 0.3, "the lowest point of {path} is {}", low.y);
        }
        let (scene, _) = scene(&mut app, root);
        let of_scene = *app.get::<GlobalTransform>(scene);
        let ahead = (target - transform.translation).normalize();
        let right = ahead.cross(Vec3::Y).normalize();
        match path {
            // The file has no bones: +X is forward, +Y is left.
            "models/sentry.mdl" => {
                let front = of_scene.affine().transform_vector3(Vec3::X).normalize();
                let left = of_scene.affine().transform_vector3(Vec3::Y).normalize();
                assert_near(front, ahead, "front");
                assert_near(left, -right, "left");
            }
            "models/walker.alo" => {
                let left = bone(&mut app, root, "MuzzleA_00").translation();
                let right_one = bone(&mut app, root, "MuzzleA_01").translation();
                let origin = transform.translation;
                assert!((left - origin).dot(ahead) > 0.3, "muzzles are ahead");
                assert!(
                    (right_one - left).normalize().dot(right) > 0.99,
                    "left and right"
                );
            }
            "models/warden.abc" => {
                let hand = |app: &mut TestApp, name| bone(app, root, name).translation();
                let (left, right_one) = (hand(&mut app, "L_Hand"), hand(&mut app, "R_Hand"));
                assert!(
                    (right_one - left).dot(right) > 0.3,
                    "the right hand is on the right"
                );
            }
            _ => {
                let lamps = bone(&mut app, root, "Head lamps");
                let world = app.world();
                let mut meshes = world.query::<(&Name, &Aabb)>();
                let lamp = meshes
                    .iter(world)
                    .find(|(name, _)| name.as_str() == "Head lamps");
                let center = Vec3::from(lamp.unwrap().1.center);
                let center = lamps.transform_point(center) - transform.translation;
                assert!(center.dot(ahead) > 1.0, "head lamps are ahead");
            }
        }
        app.despawn(root);
    }
}

#[test]
fn bevy_space_follows_changes_and_removal() {
    let mut app = samples();
    for (path, _) in SAMPLES {
        let root = spawn(&mut app, path, ());
        let (_, own) = scene(&mut app, root);
        app.apply(root, BevySpace::default());
        let (_, space) = scene(&mut app, root);
        for meters in [0.5, 2.0] {
            let mut of_root = app.world().entity_mut(root);
            *of_root.get_mut::<BevySpace>().unwrap() = BevySpace::with_meters_per_unit(meters);
            app.step(0.0);
            let expected = space.with_scale(Vec3::splat(meters));
            assert_eq!(scene(&mut app, root).1, expected, "{path}");
        }
        for wrong in [f32::NAN, 0.0, -1.0, f32::INFINITY] {
            app.apply(root, BevySpace::with_meters_per_unit(wrong));
            assert_eq!(scene(&mut app, root).1, space, "{path}");
        }
        // The scene is respawned.
        let before = app.children(root)[0];
        app.reload(path);
        app.wait(path, |world| {
            let children = world.get::<Children>(root);
            children.is_some_and(|children| children[0] != before)
        });
        assert_eq!(scene(&mut app, root).1, space, "{path}, in the first frame");
        app.remove::<BevySpace>(root);
        app.step(0.0);
        assert_eq!(scene(&mut app, root).1, own, "{path}");
        app.despawn(root);
    }
}

#[test]
fn bevy_space_replaces_scale_and_axes_of_loader_settings() {
    let mut expected = samples();
    let mut app = samples();
    let mdl: Handle<WorldAsset> =
        app.load_with("models/sentry.mdl#Scene", |it: &mut MdlLoaderSettings| {
            (it.scale, it.convert_axes) = (3.0, false);
        });
    let alo: Handle<WorldAsset> =
        app.load_with("models/walker.alo#Scene", |it: &mut AloLoaderSettings| {
            (it.scale, it.convert_axes) = (3.0, false);
        });
    for (path, scene_of) in [("models/sentry.mdl", mdl), ("models/walker.alo", alo)] {
        let root = spawn(&mut expected, path, BevySpace::default());
        let (_, expected) = scene(&mut expected, root);
        let root = app.spawn_entity((WorldAssetRoot(scene_of), BevySpace::default()));
        let is_spawned = |world: &mut World| world.get::<Children>(root).is_some();
        app.wait(path, is_spawned);
        app.step(0.0);
        assert_eq!(scene(&mut app, root).1, expected, "{path}");
    }
    // A LithTech model that is not mirrored faces +Z.
    let abc: Handle<WorldAsset> =
        app.load_with("models/warden.abc#Scene", |it: &mut AbcLoaderSettings| {
            (it.scale, it.convert_axes) = (3.0, false);
        });
    let root = app.spawn_entity((WorldAssetRoot(abc), BevySpace::default()));
    let is_spawned = |world: &mut World| world.get::<Children>(root).is_some();
    app.wait_until(is_spawned);
    app.step(0.0);
    let (_, transform) = scene(&mut app, root);
    let front = transform.transform_point(Vec3::Z);
    assert_near(front, Vec3::NEG_Z / 40.0, "front");
}

#[test]
fn manifests_keep_their_axes_and_scale_under_bevy_space() {
    let manifest = |scale: f32| {
        format!("(model: \"unit.mdl\", scale: {scale}, axes: (up: Y, forward: Z))").into_bytes()
    };
    let mut app = TestApp::new(&[
        ("unit.mdl", tetrahedron().to_bytes()),
        ("unit.model.ron", manifest(2.0)),
    ]);
    let root = spawn(
        &mut app,
        "unit.model.ron",
        BevySpace::with_meters_per_unit(0.5),
    );
    let (_, transform) = scene(&mut app, root);
    assert_near(transform.transform_point(Vec3::Z), Vec3::NEG_Z, "front");
    assert_near(transform.transform_point(Vec3::Y), Vec3::Y, "up");
    // An edited manifest applies.
    edit_manifest(&mut app, root, manifest(4.0), 4.0 * 0.5);
    assert_near(
        scene(&mut app, root).1.transform_point(Vec3::Z),
        Vec3::NEG_Z * 2.0,
        "front",
    );
}

#[test]
fn attached_models_are_scaled_to_meters() {
    let mut app = samples();
    let paths = ["models/warden.abc", "models/brazier.mdl"];
    let (_, brazier) = spawn_attached(&mut app, paths, "R_Hand");
    let expected = Vec3::splat(1.0 / 32.0);
    assert_near(world_scale(&mut app, brazier), expected, "attached");
    let (scene, _) = scene(&mut app, brazier);
    let of_scene = |app: &mut TestApp| app.get::<GlobalTransform>(scene).affine();
    let before = of_scene(&mut app);
    app.remove::<AttachedToBone>(brazier);
    app.step(0.0);
    assert_near(world_scale(&mut app, brazier), expected, "detached");
    let after = of_scene(&mut app);
    assert!(
        after.abs_diff_eq(before, 1e-4),
        "{after:?}, expected {before:?}"
    );
}

#[test]
fn attached_models_follow_the_space_of_the_outer_model() {
    let mut app = samples();
    let paths = ["models/warden.abc", "models/brazier.mdl"];
    let (warden, brazier) = spawn_attached(&mut app, paths, "R_Hand");
    let spaces = [
        Some(BevySpace::with_meters_per_unit(0.5)),
        None,
        Some(BevySpace::default()),
    ];
    for space in spaces {
        let mut root = app.world().entity_mut(warden);
        match space {
            Some(space) => root.insert(space),
            None => root.remove::<BevySpace>(),
        };
        app.step(0.0);
        let found = world_scale(&mut app, brazier);
        assert_near(found, Vec3::splat(1.0 / 32.0), &format!("{space:?}"));
    }
}

#[test]
fn attached_models_follow_the_manifest_scale_of_the_outer_model() {
    let manifest = |scale: f32| format!("(model: \"unit.abc\", scale: {scale})").into_bytes();
    let mut app = TestApp::new(&[
        ("unit.abc", bytes(&figure())),
        ("unit.model.ron", manifest(2.0)),
        ("gun.mdl", tetrahedron().to_bytes()),
    ]);
    let (unit, gun) = spawn_attached(&mut app, ["unit.model.ron", "gun.mdl"], "arm");
    let expected = Vec3::splat(1.0 / 32.0);
    assert_near(world_scale(&mut app, gun), expected, "2");
    edit_manifest(&mut app, unit, manifest(4.0), 4.0 / 40.0);
    assert_near(world_scale(&mut app, gun), expected, "4");
}
