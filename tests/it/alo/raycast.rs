//! Ray casts in the world, compared with brute force over all triangles.

use crate::ala::play::{FPS, ala, document, moves};
use crate::ala::render::{FRAMES, PALETTE, bend_clip, chain, limb, model_at_rest, swing_clip};
use crate::support::alo::{patched, span};
use crate::support::alo_stage::{Matrix, cuboid, stored, turned};
use crate::support::app::TestApp;
use crate::support::log;
use crate::support::rays::{
    HitModel, Random, RayCaster, RayCounts, RayQuery, RayResult, Triangle, ball, bounding_sphere,
    by_global_transform, by_transforms, compare, submeshes,
};
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::BoneTracks;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{Alo, AloBone, AloInstance};
use bevy_classic_models::alamo::{AloCollider, AloRayHit, Backfaces};
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::ModelRayCastVisibility;

const SCENE: &str = "statue.alo#Scene";

/// A body with two sub-meshes, a head as a child of the body's bone, and a hull around the body.
pub fn statue() -> Vec<u8> {
    let bone = |name: &'static str, parent, matrix: Matrix| Bone {
        matrix: stored(&matrix),
        ..Bone::new(name, parent, [0.0; 3])
    };
    let with_tree = |(vertices, triangles): (Vec<_>, Vec<_>)| {
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let block = with_tree(cuboid([2.0, 1.5, 3.0], [0.0, 0.0, 0.5]));
    let belly = with_tree(ball(1.5, [0.0, -1.5, 0.0]));
    let head = with_tree(ball(1.2, [0.0, 0.0, 0.5]));
    let hull = with_tree(cuboid([2.6, 3.4, 3.5], [0.0, 0.0, 0.5]));
    let drawn = |buffers| SubmeshBuffers::submesh(buffers, "MeshGloss.fx", "alD3dVertNU2", vec![]);
    let mut file = AloFile::new(vec![
        bone("Root", None, turned(2, 0.0, [0.0; 3])),
        bone("Body", Some(0), turned(2, 30.0, [1.0, -2.0, 3.0])),
        bone("Head", Some(1), turned(0, -40.0, [0.0, 1.0, 5.0])),
    ]);
    file.meshes = vec![
        FileMesh::new("Body", 1, vec![drawn(&block), drawn(&belly)]),
        FileMesh::new("Head", 2, vec![drawn(&head)]),
        FileMesh {
            hidden: true,
            ..FileMesh::new(
                "Hull",
                1,
                vec![hull.submesh("Collision.fx", "alD3dVertN", vec![])],
            )
        },
    ];
    write(&file).unwrap()
}

/// An app with files and a system that casts rays.
struct RayTest {
    app: TestApp,
    caster: RayCaster,
}

impl RayTest {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        log::listen();
        let mut app = TestApp::new(files);
        let caster = RayCaster::new(app.world());
        Self { app, caster }
    }

    fn statue() -> (Self, HitModel) {
        let bytes = statue();
        let hit_model = HitModel::new(&bytes);
        (Self::new(&[("statue.alo", bytes)]), hit_model)
    }

    fn world(&mut self) -> &mut World {
        self.app.world()
    }

    fn spawn(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.app.spawn_ready(scene, bundle);
        self.app.step(0.0);
        root
    }

    fn bone(&mut self, root: Entity, index: usize) -> Entity {
        self.world().get::<AloInstance>(root).unwrap().bones()[index]
    }

    fn edit<C: Component<Mutability = bevy::ecs::component::Mutable>>(
        &mut self,
        entity: Entity,
        edit: impl FnOnce(&mut C),
    ) {
        edit(&mut self.world().get_mut::<C>(entity).unwrap());
    }

    fn hit(&mut self, query: RayQuery) -> Option<(Entity, AloRayHit)> {
        self.caster.first(self.app.app.world_mut(), query)
    }

    fn first_entity(&mut self, query: RayQuery) -> Option<Entity> {
        self.hit(query).map(|(entity, _)| entity)
    }

    /// Compares rays at all triangles, and cycles through the backface modes.
    #[track_caller]
    fn compare(
        &mut self,
        triangles: &[Triangle],
        rays: Vec<Ray3d>,
        tolerance: f64,
        context: &str,
    ) -> RayCounts {
        let modes = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];
        let queries = rays.iter().zip(modes.iter().cycle());
        let queries = queries.map(|(ray, backfaces)| RayQuery {
            backfaces: *backfaces,
            ..RayQuery::new(*ray)
        });
        let world = self.app.app.world_mut();
        compare(
            world,
            &self.caster,
            triangles,
            queries.collect(),
            tolerance,
            context,
        )
    }
}

/// The accepted error of world positions, for triangles whose positions are rounded to `f32`.
fn tolerance(triangles: &[Triangle]) -> f64 {
    let (center, radius) = bounding_sphere(triangles);
    3e-6 * (center.length() + 4.0 * radius)
}

fn scaled(scale: [f32; 3]) -> Transform {
    Transform::from_scale(Vec3::from_array(scale))
}

#[test]
fn rays_hit_rigid_parts_under_any_transform() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(1);
    let rotation = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
    let at = |x, y, z| Transform::from_xyz(x, y, z).with_rotation(rotation);
    let none = Transform::IDENTITY;
    // The transforms of the root's parent and of the root.
    let transforms = [
        ("at rest", none, none),
        ("moved and rotated", none, at(20.0, -7.0, 3.0)),
        (
            "uneven",
            none,
            at(1.0, 2.0, 3.0).with_scale(Vec3::new(0.5, 3.0, 1.2)),
        ),
        ("sheared", scaled([1.0, 3.0, 0.4]), at(2.0, 0.0, 1.0)),
        (
            "sheared and uneven",
            scaled([4.0, 0.3, 1.0]).with_rotation(rotation),
            at(0.0, 1.0, 0.0).with_scale(Vec3::new(0.5, 1.0, 6.0)),
        ),
        (
            "mirrored",
            none,
            at(5.0, 1.0, 0.0).with_scale(Vec3::new(-1.0, 1.0, 1.0)),
        ),
        ("mirrored along Z", none, scaled([1.0, 2.0, -0.5])),
        (
            "mirrored and sheared",
            scaled([1.0, -3.0, 0.4]),
            at(2.0, 0.0, 1.0),
        ),
        ("mirrored twice", none, scaled([-1.0, 1.0, -2.0])),
        (
            "mirrored thrice",
            none,
            at(0.0, 0.0, 9.0).with_scale(Vec3::NEG_ONE),
        ),
        (
            "tiny",
            none,
            at(0.01, 0.0, 0.0).with_scale(Vec3::splat(1e-4)),
        ),
        ("tiny and mirrored", none, scaled([1e-4, -1e-4, 2e-4])),
        ("huge", none, at(1e4, 0.0, 0.0).with_scale(Vec3::splat(1e4))),
    ];
    for (context, outer, inner) in transforms {
        let outer = test.world().spawn((outer, Visibility::default())).id();
        let root = test.spawn(SCENE, (inner, ChildOf(outer)));
        let triangles = hit_model.triangles(test.world(), root, by_transforms);
        let rays = random.rays(&triangles, 600);
        // Uneven scales increase the rounding errors.
        let tolerance = 5.0 * tolerance(&triangles);
        let counts = test.compare(&triangles, rays, tolerance, context);
        counts.assert_representative(context);
        test.world().entity_mut(outer).despawn();
    }
}

/// A triangle that faces −Y, which is +Z in the world.
fn flat() -> Vec<u8> {
    let vertices = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]].map(|position| Vertex {
        position,
        normal: [0.0, -1.0, 0.0],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
        ..default()
    });
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]).with_tree();
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.meshes = vec![FileMesh::new("Flat", 0, vec![submesh])];
    write(&file).unwrap()
}

/// The drawn side is the one with counterclockwise corners in world space.
#[test]
fn front_of_mirrored_triangles_is_the_drawn_side() {
    let mut test = RayTest::new(&[("flat.alo", flat())]);
    let root = test.spawn("flat.alo#Scene", Transform::IDENTITY);
    for (scale, front) in [
        (Vec3::ONE, 5.0),
        (Vec3::new(-1.0, 1.0, 1.0), -5.0),
        (Vec3::new(1.0, 1.0, -1.0), 5.0),
        (Vec3::new(-1.0, 1.0, -1.0), -5.0),
    ] {
        let transform = Transform::from_scale(scale);
        test.world().entity_mut(root).insert(transform);
        test.app.step(0.0);
        for (from, is_front) in [(front, true), (-front, false)] {
            let context = format!("{scale} from {from}");
            let origin = Vec3::new(0.5 * scale.x, 0.5, from);
            let direction = if from > 0.0 { Dir3::NEG_Z } else { Dir3::Z };
            let cull = RayQuery::new(Ray3d { origin, direction });
            assert_eq!(
                test.first_entity(cull.clone()).is_some(),
                is_front,
                "{context}"
            );
            for backfaces in [Backfaces::Keep, Backfaces::Flip] {
                let query = RayQuery {
                    backfaces,
                    ..cull.clone()
                };
                let (_, hit) = test.hit(query).unwrap();
                let faces_ray = hit.normal.z * from > 0.0;
                let expected = is_front || backfaces == Backfaces::Flip;
                assert_eq!(faces_ray, expected, "{context}: {hit:?}");
            }
        }
    }
}

/// Positions are imprecise there, but rays from nearby hit the drawn triangles precisely.
#[test]
fn rays_are_precise_far_from_the_origin() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(2);
    let rotation = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
    for (context, position, scale) in [
        ("far", Vec3::new(70_000.0, -3.0, 90_000.0), 1.0),
        ("far and small", Vec3::new(900.0, 0.0, -700.0), 0.002),
        ("far and large", Vec3::new(1e6, 1e6, 0.0), 300.0),
    ] {
        let transform = Transform::from_translation(position)
            .with_rotation(rotation)
            .with_scale(Vec3::splat(scale));
        let root = test.spawn(SCENE, transform);
        let triangles = hit_model.triangles(test.world(), root, by_global_transform);
        let rays = random.rays(&triangles, 600);
        // An error relative to the model's size, and the rounding of the hit point.
        let (_, radius) = bounding_sphere(&triangles);
        let tolerance = 1e-5 * radius + 1e-7 * f64::from(position.length());
        let counts = test.compare(&triangles, rays, tolerance, context);
        counts.assert_representative(context);
        test.world().entity_mut(root).despawn();
    }
}

/// Spawns statues with random transforms. Returns their triangles.
fn spawn_statues(
    test: &mut RayTest,
    hit_model: &HitModel,
    random: &mut Random,
    count: usize,
) -> Vec<Triangle> {
    let mut roots = Vec::new();
    for _ in 0..count {
        let transform = random_transform(random);
        roots.push(test.app.spawn(SCENE, transform));
    }
    test.app.wait_for(&roots);
    let all = roots.iter();
    all.flat_map(|root| hit_model.triangles(test.world(), *root, by_transforms))
        .collect()
}

fn random_transform(random: &mut Random) -> Transform {
    Transform {
        translation: random.point(60.0).as_vec3(),
        rotation: random.rotation(),
        scale: Vec3::splat(random.between(0.3, 2.0) as f32),
    }
}

/// Changes the settings of a query.
type Configure<'a> = Box<dyn Fn(RayQuery) -> RayQuery + 'a>;

#[test]
fn nearest_of_many_models_is_hit_first() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(3);
    let triangles = spawn_statues(&mut test, &hit_model, &mut random, 200);
    let mut entities: Vec<Entity> = triangles.iter().map(|triangle| triangle.entity).collect();
    entities.dedup();
    let third: Vec<Entity> = entities.iter().copied().step_by(3).collect();
    let fourth: Vec<Entity> = entities.iter().copied().step_by(4).collect();
    let rays = random.rays(&triangles, 300);
    let tolerance = tolerance(&triangles);
    let cases: [(&str, Configure<'_>); 6] = [
        ("the nearest", Box::new(|query| query)),
        (
            "all along the ray",
            Box::new(|query| RayQuery {
                transparent: entities.clone(),
                ..query
            }),
        ),
        (
            "filtered",
            Box::new(|query| RayQuery {
                excluded: third.clone(),
                ..query
            }),
        ),
        (
            "some transparent",
            Box::new(|query| RayQuery {
                transparent: third.clone(),
                ..query
            }),
        ),
        (
            "with a maximum distance",
            Box::new(|query| RayQuery {
                max: 70.0,
                transparent: entities.clone(),
                ..query
            }),
        ),
        (
            "all settings",
            Box::new(|query| RayQuery {
                max: 90.0,
                transparent: third.clone(),
                excluded: fourth.clone(),
                backfaces: Backfaces::Flip,
                ..query
            }),
        ),
    ];
    for (context, configure) in cases {
        let queries = rays
            .iter()
            .map(|ray| configure(RayQuery::new(*ray)))
            .collect();
        let world = test.app.app.world_mut();
        let counts = compare(world, &test.caster, &triangles, queries, tolerance, context);
        counts.assert_representative(context);
    }
}

/// Otherwise a pointer would leave one part and enter another without moving.
#[test]
fn order_of_coincident_parts_is_stable() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(12);
    let mut roots = Vec::new();
    for _ in 0..20 {
        let transform = random_transform(&mut random);
        roots.extend([0; 3].map(|_| test.app.spawn(SCENE, transform)));
    }
    let other = test.spawn(SCENE, Transform::from_xyz(500.0, 0.0, 0.0));
    test.app.wait_for(&roots);
    let triangles: Vec<Triangle> = roots
        .iter()
        .flat_map(|root| hit_model.triangles(test.world(), *root, by_transforms))
        .collect();
    let queries: Vec<RayQuery> = random
        .rays(&triangles, 100)
        .into_iter()
        .map(RayQuery::new)
        .collect();
    let mut first_hits: Vec<Vec<Option<Entity>>> = Vec::new();
    for round in 0..6 {
        if round % 2 == 0 {
            test.edit::<Transform>(other, |transform| transform.translation.y += 1.0);
        }
        test.app.step(0.0);
        // The first query takes another code path, so rotate the queries.
        let mut queries = queries.clone();
        queries.rotate_left(round);
        let results = test.caster.cast(test.app.app.world_mut(), queries);
        let first = |result: &RayResult| result.hits.first().map(|(entity, _)| *entity);
        let mut first: Vec<_> = results.iter().map(first).collect();
        first.rotate_right(round);
        first_hits.push(first);
    }
    assert!(first_hits[0].iter().flatten().count() > 30);
    assert!(first_hits.iter().all(|round| *round == first_hits[0]));
}

/// Ray casts hit the current models, even after frames without ray casts.
#[test]
fn index_follows_moved_spawned_and_despawned_models() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(4);
    let mut roots: Vec<Entity> = Vec::new();
    for round in 0..25 {
        // Frames without a ray cast.
        for _ in 0..1 + random.below(4) {
            for _ in 0..random.below(3) {
                let transform = random_transform(&mut random);
                roots.push(test.app.spawn(SCENE, transform));
            }
            test.app.wait_for(&roots);
            if random.below(3) == 0 && roots.len() > 2 {
                let root = roots.swap_remove(random.below(roots.len()));
                test.world().entity_mut(root).despawn();
            }
            if random.below(3) == 0 && !roots.is_empty() {
                let root = roots[random.below(roots.len())];
                let transform = random_transform(&mut random);
                test.world().entity_mut(root).insert(transform);
            }
            if random.below(3) == 0 && !roots.is_empty() {
                let root = roots[random.below(roots.len())];
                let head = test.bone(root, 2);
                test.edit::<Transform>(head, |head| head.translation.z += 4.0);
            }
            test.app.step(0.0);
        }
        let mut triangles = Vec::new();
        for root in &roots {
            triangles.extend(hit_model.triangles(test.world(), *root, by_transforms));
        }
        let context = format!("round {round}");
        let entities: Vec<Entity> = triangles.iter().map(|triangle| triangle.entity).collect();
        if triangles.is_empty() {
            continue;
        }
        let rays = random.rays(&triangles, 60);
        // No ray hits a despawned model.
        let queries = rays.iter().map(|ray| RayQuery::new(*ray)).collect();
        for result in test.caster.cast(test.app.app.world_mut(), queries) {
            assert!(
                result
                    .hits
                    .iter()
                    .all(|(entity, _)| entities.contains(entity))
            );
        }
        let counts = test.compare(&triangles, rays, tolerance(&triangles), &context);
        assert!(counts.hits > 10, "{context}: {counts:?}");
    }
    for root in roots {
        test.world().entity_mut(root).despawn();
    }
    test.app.step(0.0);
    let rays =
        (0..50).map(|_| Ray3d::new(Vec3::ZERO, Dir3::new(random.direction().as_vec3()).unwrap()));
    let queries: Vec<RayQuery> = rays.map(RayQuery::new).collect();
    for result in test.caster.cast(test.app.app.world_mut(), queries) {
        assert!(result.hits.is_empty() && !result.any);
    }
}

/// A model with boxes on the bones that the clips of `ala::play` animate.
pub fn unit_model() -> Vec<u8> {
    unit_model_with([1.0, 1.0, 0.5])
}

/// The same model with boxes of other half extents.
pub fn unit_model_with(half: [f32; 3]) -> Vec<u8> {
    let (vertices, triangles) = cuboid(half, [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles).with_tree();
    let mesh = |name: &'static str, bone| {
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        FileMesh::new(name, bone, vec![submesh])
    };
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Hull", Some(0), [0.0, 0.0, 1.0]),
        Bone::new("Turret", Some(1), [0.0, 0.0, 5.0]),
    ]);
    file.meshes = vec![mesh("Hull", 1), mesh("Turret", 2)];
    write(&file).unwrap()
}

/// A ray downward from Y 50.
fn down(x: f32, z: f32) -> RayQuery {
    RayQuery::new(Ray3d::new(Vec3::new(x, 50.0, z), Dir3::NEG_Y)).with_visibility(default())
}

#[test]
fn rays_hit_animated_rigid_parts() {
    let files = [
        ("unit.alo", unit_model()),
        ("unit_MOVE_00.ala", ala(&moves(10.0))),
    ];
    let mut test = RayTest::new(&files);
    let root = test.spawn("unit.alo#Scene", PlayClip::looping("MOVE_00"));
    let entities = submeshes(test.world(), root);
    let [hull, turret] = [(0, 0), (1, 0)].map(|part| Some(entities[&part]));
    test.app.step(0.0);
    assert_eq!(test.first_entity(down(0.0, 0.0)), turret);
    assert_eq!(test.first_entity(down(20.0, 0.0)), None);
    test.app.step(2.0 / FPS);
    assert_eq!(test.first_entity(down(0.0, 0.0)), None);
    assert_eq!(test.first_entity(down(20.0, 0.0)), turret);
    let (_, hit) = test.hit(down(20.5, 0.25)).unwrap();
    assert!(
        hit.point.abs_diff_eq(Vec3::new(20.5, 6.5, 0.25), 1e-4),
        "{hit:?}"
    );
    assert!((hit.distance - 43.5).abs() < 1e-4, "{hit:?}");
    test.app.step(1.0 / FPS);
    assert_eq!(test.first_entity(down(20.0, 0.0)), None);
    assert_eq!(test.first_entity(down(30.0, 0.0)), turret);
    // Rotate a bone without a clip: a quarter turn of the hull about its Y moves the turret to the side.
    test.world().entity_mut(root).remove::<PlayClip>();
    // Animated bones return to the rest pose.
    test.app.step(0.0);
    let bone = test.bone(root, 1);
    test.edit::<Transform>(bone, |bone| {
        *bone = Transform::from_xyz(0.0, 0.0, 1.0)
            .with_rotation(Quat::from_rotation_y(core::f32::consts::FRAC_PI_2));
    });
    test.app.step(0.0);
    assert_eq!(test.first_entity(down(30.0, 0.0)), None);
    assert_eq!(test.first_entity(down(0.0, 0.0)), hull);
    assert_eq!(test.first_entity(down(5.0, 0.0)), turret);
}

fn bundled(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/assets/models/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn rays_hit_the_walking_bundled_walker() {
    let bytes = bundled("walker.alo");
    let hit_model = HitModel::new(&bytes);
    let files = [
        ("walker.alo", bytes),
        ("walker_MOVE_00.ala", bundled("walker_MOVE_00.ala")),
    ];
    let mut test = RayTest::new(&files);
    let transform = Transform::from_xyz(3.0, 1.0, 0.0).with_rotation(Quat::from_rotation_y(0.7));
    let play = PlayClip::looping("MOVE_00");
    let root = test.spawn("walker.alo#Scene", (transform, play));
    let mut random = Random(5);
    let mut corner_sums: Vec<DVec3> = Vec::new();
    for step in [0.0, 0.13, 0.21, 0.2, 0.17] {
        test.app.step(step);
        let triangles = hit_model.triangles(test.world(), root, by_transforms);
        corner_sums.push(triangles.iter().map(|triangle| triangle.corners[0]).sum());
        let context = format!("walker, {step} s later");
        let rays = random.rays(&triangles, 400);
        let counts = test.compare(&triangles, rays, tolerance(&triangles), &context);
        counts.assert_representative(&context);
    }
    for pair in corner_sums.windows(2) {
        assert!(pair[0].distance(pair[1]) > 0.1, "the walker does not move");
    }
}

/// A limb whose vertices follow four bones, with a tree.
fn skinned(weighted: bool) -> Vec<u8> {
    let (vertices, triangles) = limb(weighted);
    let buffers = SubmeshBuffers::new(&vertices, &triangles)
        .with_palette(&PALETTE)
        .with_tree();
    let format = match weighted {
        true => "alD3dVertB4I4NU2",
        false => "alD3dVertRSkinNU2",
    };
    let mut file = model_at_rest(&chain());
    let submesh = buffers.submesh("RSkinGloss.fx", format, vec![]);
    // Skinned vertices are in model space, so the mesh's own bone has no effect.
    file.meshes = vec![FileMesh::new("Limb", 2, vec![submesh])];
    write(&file).unwrap()
}

#[test]
fn rays_hit_posed_skinned_parts() {
    for weighted in [false, true] {
        let bytes = skinned(weighted);
        let hit_model = HitModel::new(&bytes);
        let files = [
            ("limb.alo", bytes),
            ("limb_SWING_00.ala", swing_clip(2)),
            ("limb_BEND_00.ala", bend_clip(1)),
        ];
        let mut test = RayTest::new(&files);
        let mut random = Random(6);
        let rotation = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
        let at = Transform::from_xyz(30.0, -7.0, 3.0).with_rotation(rotation);
        for (case, transform) in [
            ("upright", Transform::IDENTITY),
            ("uneven", at.with_scale(Vec3::new(0.5, 2.0, 1.2))),
            ("mirrored", at.with_scale(Vec3::new(-1.0, 1.0, 1.0))),
        ] {
            let root = test.spawn("limb.alo#Scene", transform);
            let check = |test: &mut RayTest, random: &mut Random, context: &str| {
                let triangles = hit_model.triangles(test.world(), root, by_transforms);
                let rays = random.rays(&triangles, 250);
                let context = format!("{context}, {case}, weighted {weighted}");
                let counts = test.compare(&triangles, rays, tolerance(&triangles), &context);
                counts.assert_representative(&context);
            };
            check(&mut test, &mut random, "at rest");
            for (clip, frame) in [("SWING_00", 1.75), ("SWING_00", 3.5), ("BEND_00", 2.5)] {
                assert!(frame < FRAMES as f32);
                let play = PlayClip::once(clip)
                    .starting_at(frame / FPS)
                    .with_speed(0.0);
                test.world().entity_mut(root).insert(play);
                test.app.step(0.0);
                check(&mut test, &mut random, clip);
            }
            test.world().entity_mut(root).remove::<PlayClip>();
            test.app.step(0.0);
            let bone = test.bone(root, 2);
            test.edit::<Transform>(bone, |bone| bone.rotate_local_x(0.8));
            test.app.step(0.0);
            check(&mut test, &mut random, "with a rotated bone");
            test.world().entity_mut(root).despawn();
        }
    }
}

/// The names of the parts of [`model_of_parts`]. Each is a box, 10 units along X from the previous one.
const PARTS: [&str; 10] = [
    "Hull_LOD1",
    "Hull_LOD0",
    "Wreck_ALT1",
    "Shield",
    "Gun",
    "GunShield",
    "Spectre",
    "Screen_ALT1",
    "Dark",
    "Box",
];

/// Shield, GunShield and Screen are hidden hulls. Dark is a hidden drawable mesh, and Box a hull that is not hidden.
/// Gun and GunShield are attached to an arm, and Spectre to a bone that the file hides.
fn model_of_parts() -> Vec<u8> {
    let with_tree = |index: usize| {
        let (vertices, triangles) = cuboid([1.0; 3], [10.0 * index as f32, 0.0, 0.0]);
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let buffers: Vec<_> = (0..PARTS.len()).map(with_tree).collect();
    let mut bones = vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Arm", Some(0), [0.0; 3]),
        Bone::new("Ghost", Some(0), [0.0; 3]),
    ];
    bones[2].visible = false;
    let mut file = AloFile::new(bones);
    let meshes = PARTS.iter().zip(&buffers).map(|(name, buffers)| {
        let is_hull = ["Shield", "GunShield", "Screen_ALT1", "Box"].contains(name);
        let submesh = match is_hull {
            true => buffers.submesh("Collision.fx", "alD3dVertN", vec![]),
            false => buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]),
        };
        let bone = match *name {
            "Gun" | "GunShield" => 1,
            "Spectre" => 2,
            _ => 0,
        };
        FileMesh {
            hidden: *name == "Dark" || is_hull && *name != "Box",
            ..FileMesh::new(*name, bone, vec![submesh])
        }
    });
    file.meshes = meshes.collect();
    write(&file).unwrap()
}

const ANY: ModelRayCastVisibility = ModelRayCastVisibility::Any;
const SOLID: ModelRayCastVisibility = ModelRayCastVisibility::Solid;
const SOLID_AT_LOD: ModelRayCastVisibility = ModelRayCastVisibility::SolidAtCurrentLod;
const VISIBLE: ModelRayCastVisibility = ModelRayCastVisibility::Visible;
const IN_VIEW: ModelRayCastVisibility = ModelRayCastVisibility::VisibleInView;

/// The names of the parts that downward rays at each part hit.
fn hit_parts(test: &mut RayTest, visibility: ModelRayCastVisibility) -> Vec<&'static str> {
    let query = |index: usize| down(10.0 * index as f32 + 0.3, 0.2).with_visibility(visibility);
    let queries = (0..PARTS.len()).map(query).collect();
    let results = test.caster.cast(test.app.app.world_mut(), queries);
    let world = test.app.world();
    let mut roots = world.query_filtered::<Entity, With<AloInstance>>();
    let root = roots.single(world).unwrap();
    let mut names = Vec::new();
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result.any, !result.hits.is_empty());
        for (_, hit) in &result.hits {
            assert_eq!((hit.root, hit.mesh), (root, index));
            names.push(PARTS[index]);
        }
    }
    names
}

#[track_caller]
fn assert_hit_parts(test: &mut RayTest, context: &str, solid: &[&str], visible: &[&str]) {
    test.app.step(0.0);
    test.app.step(0.0);
    assert_eq!(hit_parts(test, SOLID_AT_LOD), solid, "{context}");
    // Only the level of detail differs.
    let finest = solid.iter().map(|name| match *name {
        "Hull_LOD0" => "Hull_LOD1",
        name => name,
    });
    assert_eq!(
        hit_parts(test, SOLID),
        finest.collect::<Vec<_>>(),
        "{context}"
    );
    assert_eq!(hit_parts(test, VISIBLE), visible, "{context}");
    assert_eq!(hit_parts(test, ANY), PARTS, "{context}");
    // Without a camera nothing is in view.
    assert!(hit_parts(test, IN_VIEW).is_empty(), "{context}");
}

/// Sets the default visibility flag of a bone.
pub fn set_visible(world: &mut World, bone: Entity, visible: bool) {
    let flag = *world.get::<AloBone>(bone).unwrap();
    let flag = AloBone { visible, ..flag };
    world.entity_mut(bone).insert(flag);
}

#[test]
fn lod_damage_stage_and_visibility_select_hit_parts() {
    let mut arm = BoneTracks::new("Arm", 1, [0.0; 3]);
    arm.visibility = Some(vec![true, false, true]);
    let clip = ala(&document(3, vec![arm]));
    let files = [("parts.alo", model_of_parts()), ("parts_HIDE_00.ala", clip)];
    let mut test = RayTest::new(&files);
    let root = test.spawn("parts.alo#Scene", ());
    let all = ["Hull_LOD1", "Shield", "Gun", "GunShield", "Dark", "Box"];
    let visible = ["Hull_LOD1", "Gun", "Box"];
    let without = |names: &[&'static str], removed: &[&str]| {
        let rest = names.iter().copied().filter(|name| !removed.contains(name));
        rest.collect::<Vec<_>>()
    };
    let test = &mut test;
    assert_hit_parts(test, "initially", &all, &visible);

    test.world().entity_mut(root).insert(ModelLod(1));
    let coarse = ["Hull_LOD0", "Shield", "Gun", "GunShield", "Dark", "Box"];
    assert_hit_parts(test, "coarser", &coarse, &["Hull_LOD0", "Gun", "Box"]);
    // Parts of the finest level stay hidden while a coarser level is drawn.
    let hidden = PartVisibility::hidden(["hull_lod1"]);
    test.world().entity_mut(root).insert(hidden);
    test.app.step(0.0);
    assert_eq!(
        hit_parts(test, SOLID),
        ["Shield", "Gun", "GunShield", "Dark", "Box"]
    );
    test.world().entity_mut(root).remove::<PartVisibility>();
    let root_bone = test.bone(root, 0);
    set_visible(test.world(), root_bone, false);
    test.app.step(0.0);
    assert_eq!(
        hit_parts(test, SOLID),
        ["Gun", "GunShield"],
        "on another bone"
    );
    set_visible(test.world(), root_bone, true);
    test.world().entity_mut(root).remove::<ModelLod>();

    test.world().entity_mut(root).insert(DamageStage(1));
    let damaged = [
        "Hull_LOD1",
        "Wreck_ALT1",
        "Shield",
        "Gun",
        "GunShield",
        "Screen_ALT1",
        "Dark",
        "Box",
    ];
    let visible_damaged = ["Hull_LOD1", "Wreck_ALT1", "Gun", "Box"];
    assert_hit_parts(test, "damaged", &damaged, &visible_damaged);
    test.world().entity_mut(root).remove::<DamageStage>();
    assert_hit_parts(test, "as initially", &all, &visible);

    let hidden = PartVisibility::hidden(["SHIELD", "gun", "dark"]);
    test.world().entity_mut(root).insert(hidden);
    let left = without(&all, &["Shield", "Gun", "Dark"]);
    assert_hit_parts(test, "hidden parts", &left, &without(&visible, &["Gun"]));
    let mut shown = PartVisibility::default();
    shown.show("Shield").show("Screen_ALT1");
    test.world().entity_mut(root).insert(shown);
    let with_shield = ["Hull_LOD1", "Shield", "Gun", "Box"];
    assert_hit_parts(test, "shown parts", &all, &with_shield);
    test.world().entity_mut(root).remove::<PartVisibility>();

    let (arm, ghost) = (test.bone(root, 1), test.bone(root, 2));
    set_visible(test.world(), arm, false);
    set_visible(test.world(), ghost, true);
    let swapped = ["Hull_LOD1", "Shield", "Spectre", "Dark", "Box"];
    let visible_swapped = ["Hull_LOD1", "Spectre", "Box"];
    assert_hit_parts(test, "bone flags", &swapped, &visible_swapped);
    set_visible(test.world(), arm, true);
    set_visible(test.world(), ghost, false);
    assert_hit_parts(test, "bone flags reset", &all, &visible);

    let armless = without(&all, &["Gun", "GunShield"]);
    let visible_armless = without(&visible, &["Gun"]);
    for (frame, is_arm_visible) in [(0.5, true), (1.5, false), (2.0, true)] {
        let play = PlayClip::once("HIDE_00")
            .starting_at(frame / FPS)
            .with_speed(0.0);
        test.world().entity_mut(root).insert(play);
        let context = format!("frame {frame}");
        match is_arm_visible {
            true => assert_hit_parts(test, &context, &all, &visible),
            false => assert_hit_parts(test, &context, &armless, &visible_armless),
        }
    }

    test.world().entity_mut(root).insert(Visibility::Hidden);
    assert_hit_parts(test, "all hidden", &[], &[]);
}

#[test]
fn rays_hit_the_reloaded_file() {
    let wide = |half: f32| {
        let (vertices, triangles) = cuboid([half, 1.0, 1.0], [half, 0.0, 0.0]);
        let buffers = SubmeshBuffers::new(&vertices, &triangles).with_tree();
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
        file.meshes = vec![FileMesh::new("Wide", 0, vec![submesh])];
        write(&file).unwrap()
    };
    // A tree that refers to a triangle that does not exist.
    let good = wide(1.0);
    let map = span(&good, "400/10000/1200/1203").body;
    let bad = patched(&good, map, &[0xff, 0xff]);
    let mut test = RayTest::new(&[("wide.alo", wide(1.0))]);
    let handle = test.app.load::<Alo>("wide.alo");
    test.app.wait_loaded(&handle);
    let root = test.spawn("wide.alo#Scene", ());
    // Whether rays at X 1, 3 and 5 hit.
    let hits =
        |test: &mut RayTest| [1.0, 3.0, 5.0].map(|x| test.first_entity(down(x, 0.0)).is_some());
    assert_eq!(hits(&mut test), [true, false, false]);
    test.app.replace("wide.alo", wide(2.0));
    assert_eq!(hits(&mut test), [true, true, false]);
    let warnings =
        || log::warnings_with("triangle 65535 must be less than the triangle count 12").len();
    assert_eq!(warnings(), 0);
    test.app.replace("wide.alo", bad);
    assert_eq!(warnings(), 1);
    assert_eq!(hits(&mut test), [false; 3]);
    let part = submeshes(test.world(), root)[&(0, 0)];
    let part = test.world().entity(part);
    assert!(part.contains::<Mesh3d>() && !part.contains::<AloCollider>());
    test.app.replace("wide.alo", wide(3.0));
    assert_eq!(hits(&mut test), [true; 3]);
}

#[test]
fn part_without_a_collider_is_not_hit() {
    let mut test = RayTest::new(&[("unit.alo", unit_model())]);
    let root = test.spawn("unit.alo#Scene", ());
    let entities = submeshes(test.world(), root);
    let [hull, turret] = [(0, 0), (1, 0)].map(|part| entities[&part]);
    assert_eq!(test.first_entity(down(0.0, 0.0)), Some(turret));
    let collider = test.world().entity_mut(turret).take::<AloCollider>();
    assert_eq!(test.first_entity(down(0.0, 0.0)), Some(hull));
    test.world().entity_mut(turret).insert(collider.unwrap());
    assert_eq!(test.first_entity(down(0.0, 0.0)), Some(turret));
}

#[test]
fn non_finite_transforms_do_not_affect_other_models() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(7);
    let good = |index: usize| Transform::from_xyz(12.0 * index as f32, 0.0, 0.0);
    let mut invalid = [
        good(1),
        good(2),
        good(3),
        good(4),
        good(5),
        good(6),
        good(7),
    ];
    invalid[0].translation.x = f32::NAN;
    invalid[1].translation.y = f32::NAN;
    invalid[2].translation.z = f32::NAN;
    invalid[3].rotation = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
    invalid[4].translation.z = f32::INFINITY;
    invalid[5].scale = Vec3::ZERO;
    invalid[6].scale.x = f32::INFINITY;
    // A row of valid models among the invalid ones.
    let mut roots = Vec::new();
    for (index, invalid) in invalid.into_iter().enumerate() {
        roots.push(test.app.spawn(SCENE, good(index)));
        test.app.spawn(SCENE, invalid);
    }
    test.app.wait_for(&roots);
    test.app.step(0.0);
    let mut triangles = Vec::new();
    for root in &roots {
        triangles.extend(hit_model.triangles(test.world(), *root, by_transforms));
    }
    // One more valid model whose head has an invalid position.
    let head = test.bone(roots[6], 2);
    let invalid_head = submeshes(test.world(), roots[6])[&(1, 0)];
    test.edit::<Transform>(head, |head| head.translation.y = f32::NAN);
    test.app.step(0.0);
    triangles.retain(|triangle| triangle.entity != invalid_head);
    let rays = random.rays(&triangles, 900);
    let context = "among invalid transforms";
    let counts = test.compare(&triangles, rays, tolerance(&triangles), context);
    counts.assert_representative(context);
}

/// Extreme values never panic. With moderately extreme values, the results are finite too.
#[test]
fn extreme_values_do_not_panic() {
    let (mut test, _) = RayTest::statue();
    let mut random = Random(8);
    let roots: Vec<Entity> = (0..6).map(|_| test.app.spawn(SCENE, ())).collect();
    test.app.wait_for(&roots);
    let mut hits = 0;
    for round in 0..80 {
        let reach = if round % 2 == 0 { 9.0 } else { 40.0 };
        let extreme = |random: &mut Random| {
            let value = 10_f64.powf(random.between(-reach, reach)) as f32;
            if random.unit() < 0.5 { value } else { -value }
        };
        let vector = |random: &mut Random| Vec3::from_array([(); 3].map(|()| extreme(random)));
        for root in &roots {
            let transform = Transform {
                translation: vector(&mut random),
                rotation: random.rotation(),
                scale: vector(&mut random),
            };
            test.world().entity_mut(*root).insert(transform);
        }
        test.app.step(0.0);
        let query = |_| {
            let head = test.bone(roots[random.below(roots.len())], 2);
            let transform = test.app.app.world().get::<GlobalTransform>(head).unwrap();
            let origin = vector(&mut random);
            let direction = Dir3::new(transform.translation() - origin);
            let origin = if random.unit() < 0.5 {
                Vec3::ZERO
            } else {
                origin
            };
            let direction = direction.unwrap_or(Dir3::X);
            RayQuery {
                backfaces: Backfaces::Flip,
                ..RayQuery::new(Ray3d { origin, direction })
            }
        };
        let queries: Vec<RayQuery> = (0..30).map(query).collect();
        for result in test.caster.cast(test.app.app.world_mut(), queries) {
            for (_, hit) in result.hits.iter().filter(|_| round % 2 == 0) {
                hits += 1;
                assert!(hit.distance.is_finite() && hit.distance >= 0.0, "{hit:?}");
                assert!(
                    hit.point.is_finite() && hit.normal.is_normalized(),
                    "{hit:?}"
                );
                assert!(hit.barycentrics.is_finite(), "{hit:?}");
            }
        }
    }
    assert!(hits > 20, "{hits}");
}

#[test]
fn invalid_rays_hit_nothing() {
    let (mut test, _) = RayTest::statue();
    test.spawn(SCENE, ());
    let assert_no_hit = |test: &mut RayTest, query: RayQuery| {
        let results = test.caster.cast(test.app.app.world_mut(), vec![query]);
        assert!(results[0].hits.is_empty() && !results[0].any);
    };
    let valid = down(1.0, 2.0).with_visibility(ANY);
    assert!(test.first_entity(valid.clone()).is_some());
    for invalid in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut query = valid.clone();
            query.ray.origin[axis] = invalid;
            assert_no_hit(&mut test, query);
        }
    }
    for max in [f32::NAN, -1.0, f32::NEG_INFINITY, 0.0, 10.0] {
        let query = RayQuery {
            max,
            ..valid.clone()
        };
        assert_no_hit(&mut test, query);
    }
}

#[test]
fn rays_without_models_hit_nothing() {
    let mut test = RayTest::new(&[]);
    for _ in 0..3 {
        assert_eq!(test.first_entity(down(0.0, 0.0).with_visibility(ANY)), None);
        test.app.step(0.0);
    }
}
