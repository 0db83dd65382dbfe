//! `ModelColliders` on all formats: the triangles that rays hit.

use crate::alo::raycast::statue;
use crate::support::abc::{bytes as abc_bytes, figure};
use crate::support::crowd::{is_baking, member};
use crate::support::prelude::*;
use crate::support::rays::{Random, Triangle, expected};
use bevy_classic_models::query::{Backfaces, ColliderMesh};

const SAMPLES: [(&str, Option<&str>); 5] = [
    ("models/sentry.mdl#Scene", Some("walk")),
    ("models/walker.alo#Scene", Some("MOVE_00")),
    ("models/crate.alo#Scene", None),
    ("models/warden.abc#Scene", Some("walk")),
    ("models/courier.lgw#Scene", None),
];

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

fn collider_mesh(app: &mut TestApp, entity: Entity, parts: ColliderParts) -> Option<ColliderMesh> {
    let mut state = SystemState::<ModelColliders>::new(app.world());
    let mut colliders = state.get_mut(app.world()).unwrap();
    colliders.collider_mesh(entity, parts)
}

/// The triangles in the world of a mesh in the space of an entity.
fn triangles(world: &World, entity: Entity, mesh: &ColliderMesh) -> Vec<Triangle> {
    let transform = by_transforms(world, entity);
    let corner = |index: u32| {
        let position: DVec3 = mesh.positions[index as usize].as_dvec3();
        transform.transform_point3(position)
    };
    let triangles = mesh.indices.iter().enumerate();
    triangles
        .map(|(index, corners)| Triangle {
            entity,
            mesh: 0,
            submesh: 0,
            bone: 0,
            index,
            corners: corners.map(corner),
        })
        .collect()
}

/// Asserts that rays at a collider mesh hit it where they hit the model.
#[track_caller]
fn assert_same_hits(
    app: &mut TestApp,
    caster: &RayCaster,
    triangles: &[Triangle],
    visibility: ModelRayCastVisibility,
    what: &str,
) {
    let (center, radius) = bounding_sphere(triangles);
    let tolerance = 2e-5 * (center.length() + 4.0 * radius);
    let rays = Random(9).rays(triangles, 250);
    for backfaces in [Backfaces::Cull, Backfaces::Keep] {
        let queries = rays.iter().map(|ray| RayQuery {
            backfaces,
            ..RayQuery::new(*ray).with_visibility(visibility)
        });
        let queries: Vec<RayQuery> = queries.collect();
        let results = caster.cast(app.world(), queries.clone());
        let (mut hits, mut undecided) = (0, 0);
        for (query, result) in queries.iter().zip(results) {
            let Some(expected) = expected(triangles, query, 4.0 * tolerance) else {
                undecided += 1;
                continue;
            };
            let expected = expected.first();
            assert_eq!(result.any, expected.is_some(), "{what}: {query:?}");
            if let (Some(expected), Some(hit)) = (expected, result.hits.first()) {
                let error = (f64::from(hit.distance) - expected.distance).abs();
                assert!(error <= tolerance * expected.stretch, "{what}: {query:?}");
                hits += 1;
            }
        }
        assert!(hits > 20 && undecided < 125, "{what}: {hits}, {undecided}");
    }
}

#[test]
fn collider_meshes_are_what_rays_hit() {
    let mut app = TestApp::in_folder(&assets());
    let caster = RayCaster::new(app.world());
    for (scene, clip) in SAMPLES {
        for scale in [Vec3::splat(0.5), Vec3::new(1.0, -2.0, 0.7)] {
            let transform = Transform::from_xyz(4.0, -1.0, 2.0)
                .with_rotation(Quat::from_rotation_x(0.6))
                .with_scale(scale);
            let root = app.spawn_ready(scene, transform);
            if let Some(clip) = clip {
                app.insert(root, PlayClip::once(clip).starting_at(0.213).paused());
            }
            app.settle();
            let what = format!("{scene}, {scale}");
            let mesh = collider_mesh(&mut app, root, ColliderParts::Solid).unwrap();
            let all = triangles(app.world(), root, &mesh);
            let solid = ModelRayCastVisibility::Solid;
            assert_same_hits(&mut app, &caster, &all, solid, &what);
            app.despawn(root);
            app.settle();
            let gone = collider_mesh(&mut app, root, ColliderParts::Solid);
            assert_eq!(gone, None);
        }
    }
}

#[test]
fn collider_meshes_of_members_of_crowds_are_what_rays_hit() {
    let mut app = TestApp::in_folder(&assets());
    let caster = RayCaster::new(app.world());
    for (scene, clip) in [
        ("models/walker.alo#Scene", "MOVE_00"),
        ("models/warden.abc#Scene", "walk"),
    ] {
        let transform = Transform::from_xyz(4.0, -1.0, 2.0).with_scale(Vec3::new(1.0, -2.0, 0.7));
        let play = PlayClip::once(clip).starting_at(0.213).paused();
        let root = app.spawn_ready(scene, (Crowd, transform, play));
        app.wait_until(|world| !is_baking(world, root));
        app.settle();
        let solid = collider_mesh(&mut app, root, ColliderParts::Solid).unwrap();
        let all = triangles(app.world(), root, &solid);
        let visibility = ModelRayCastVisibility::Solid;
        assert_same_hits(&mut app, &caster, &all, visibility, scene);
        let drawn = collider_mesh(&mut app, root, ColliderParts::Drawn);
        assert_eq!(drawn.as_ref(), Some(&solid), "{scene}");
        assert_eq!(collider_mesh(&mut app, root, ColliderParts::Hulls), None);
        let mesh = member(app.world(), root).unwrap().meshes[0];
        let part = collider_mesh(&mut app, mesh, ColliderParts::Solid).unwrap();
        assert!(!part.indices.is_empty() && part.indices.len() <= solid.indices.len());
        app.despawn(root);
        app.settle();
    }
}

#[test]
fn parts_have_their_own_space() {
    let files = [
        ("figure.abc", abc_bytes(&figure())),
        ("statue.alo", statue()),
    ];
    let mut app = TestApp::new(&files);
    let caster = RayCaster::new(app.world());
    for scene in ["figure.abc#Scene", "statue.alo#Scene"] {
        let transform = Transform::from_xyz(0.0, 3.0, 0.0).with_scale(Vec3::new(2.0, 1.0, -1.0));
        let root = app.spawn_ready(scene, transform);
        app.settle();
        let mut state = SystemState::<ModelQuery>::new(app.world());
        let parts = state.get(app.world()).unwrap().parts(root);
        let mut all = Vec::new();
        for part in &parts {
            let mesh = collider_mesh(&mut app, part.entity, ColliderParts::Solid).unwrap();
            all.extend(triangles(app.world(), part.entity, &mesh));
        }
        for triangle in &mut all {
            triangle.entity = root;
        }
        let whole = collider_mesh(&mut app, root, ColliderParts::Solid).unwrap();
        assert_eq!(all.len(), whole.indices.len(), "{scene}");
        let solid = ModelRayCastVisibility::Solid;
        assert_same_hits(&mut app, &caster, &all, solid, scene);
        app.despawn(root);
        app.settle();
    }
}

#[test]
fn hulls_and_drawn_parts_are_selected() {
    let mut app = TestApp::new(&[("statue.alo", statue())]);
    let caster = RayCaster::new(app.world());
    let root = app.spawn_ready("statue.alo#Scene", ());
    app.settle();
    let mut count = |parts| collider_mesh(&mut app, root, parts).map(|mesh| mesh.indices.len());
    // The hull is a box.
    assert_eq!(count(ColliderParts::Hulls), Some(12));
    let drawn = count(ColliderParts::Drawn).unwrap();
    let solid = count(ColliderParts::Solid).unwrap();
    // Triangles without area at the poles of balls are drawn, but not in the trees.
    assert!(solid > 12 && drawn >= solid - 12, "{drawn} {solid}");
    let mesh = collider_mesh(&mut app, root, ColliderParts::Drawn).unwrap();
    let all = triangles(app.world(), root, &mesh);
    let visible = ModelRayCastVisibility::Visible;
    assert_same_hits(&mut app, &caster, &all, visible, "drawn parts");

    app.insert(root, PartVisibility::hidden(["hull", "head"]));
    app.settle();
    assert_eq!(collider_mesh(&mut app, root, ColliderParts::Hulls), None);
    let mut count = |parts| collider_mesh(&mut app, root, parts).map(|mesh| mesh.indices.len());
    assert!(count(ColliderParts::Drawn).unwrap() < drawn);
    assert!(count(ColliderParts::Solid).unwrap() < solid - 12);
    let other = app.spawn_entity(Transform::default());
    assert_eq!(collider_mesh(&mut app, other, ColliderParts::Solid), None);
}

#[test]
fn collider_meshes_follow_reloads() {
    let mut app = TestApp::new(&[("model.abc", abc_bytes(&figure()))]);
    app.keep_loaded("model.abc");
    let root = app.spawn_ready("model.abc#Scene", ());
    app.settle();
    assert_eq!(collider_mesh(&mut app, root, ColliderParts::Hulls), None);
    let before = collider_mesh(&mut app, root, ColliderParts::Solid).unwrap();
    app.replace("model.abc", abc_bytes(&banner()));
    app.settle();
    let after = collider_mesh(&mut app, root, ColliderParts::Solid).unwrap();
    let level = |app: &mut TestApp| {
        let instance = app.get::<AbcInstance>(root);
        instance.model().levels[0].triangles
    };
    assert_eq!(after.indices.len(), level(&mut app));
    assert_ne!(before.indices.len(), after.indices.len());
}
