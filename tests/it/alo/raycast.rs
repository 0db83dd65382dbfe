//! Ray casts in the world, compared with brute force over all triangles.

use crate::ala::play::{FPS, ala, moves};
use crate::ala::render::{FRAMES, PALETTE, bend_clip, chain, limb, model_at_rest, swing_clip};
use crate::support::alo::span;
use crate::support::prelude::*;
use crate::support::rays::{Random, RayResult, Triangle, ball, by_global_transform, compare};
use bevy_classic_models::alamo::Backfaces;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh};

pub const SCENE: &str = "statue.alo#Scene";

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
pub struct RayTest {
    pub app: TestApp,
    pub caster: RayCaster,
}

impl RayTest {
    pub fn new(files: &[(&str, Vec<u8>)]) -> Self {
        log::listen();
        let mut app = TestApp::new(files);
        let caster = RayCaster::new(app.world());
        Self { app, caster }
    }

    pub fn statue() -> (Self, HitModel) {
        let bytes = statue();
        let hit_model = HitModel::new(&bytes);
        (Self::new(&[("statue.alo", bytes)]), hit_model)
    }

    pub fn world(&mut self) -> &mut World {
        self.app.world()
    }

    pub fn spawn(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.app.spawn_ready(scene, bundle);
        self.app.step(0.0);
        root
    }

    pub fn bone(&mut self, root: Entity, index: usize) -> Entity {
        self.world().get::<AloInstance>(root).unwrap().bones()[index]
    }

    pub fn edit<C: Component<Mutability = bevy::ecs::component::Mutable>>(
        &mut self,
        entity: Entity,
        edit: impl FnOnce(&mut C),
    ) {
        edit(&mut self.world().get_mut::<C>(entity).unwrap());
    }

    pub fn hit(&mut self, query: RayQuery) -> Option<ModelRayHit> {
        self.caster.first(self.app.app.world_mut(), query)
    }

    pub fn first_entity(&mut self, query: RayQuery) -> Option<Entity> {
        self.hit(query).map(|hit| hit.part)
    }

    /// Compares rays at all triangles, and cycles through the backface modes.
    #[track_caller]
    pub fn compare(
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

impl RayTest {
    /// Casts random rays at the triangles, and asserts that they hit what brute force finds.
    #[track_caller]
    pub fn check(
        &mut self,
        triangles: &[Triangle],
        (random, count): (&mut Random, usize),
        tolerance: f64,
        context: &str,
    ) {
        let rays = random.rays(triangles, count);
        let counts = self.compare(triangles, rays, tolerance, context);
        counts.assert_representative(context);
    }

    /// Casts rays in one frame.
    pub fn cast(&mut self, queries: Vec<RayQuery>) -> Vec<RayResult> {
        self.caster.cast(self.app.app.world_mut(), queries)
    }
}

impl TestWorld for RayTest {
    fn app(&self) -> &App {
        &self.app.app
    }

    fn app_mut(&mut self) -> &mut App {
        &mut self.app.app
    }
}

/// The accepted error of world positions, for triangles whose positions are rounded to `f32`.
pub fn tolerance(triangles: &[Triangle]) -> f64 {
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
    let at = |position, scale: [f32; 3]| Transform {
        translation: Vec3::from_array(position),
        rotation,
        scale: Vec3::from_array(scale),
    };
    let none = Transform::IDENTITY;
    let turned = scaled([4.0, 0.3, 1.0]).with_rotation(rotation);
    let (mirrored, sheared) = ([-1.0, 1.0, 1.0], scaled([1.0, 3.0, 0.4]));
    let beside = at([2.0, 0.0, 1.0], [1.0; 3]);
    // The transforms of the root's parent and of the root.
    let transforms = [
        ("at rest", none, none),
        ("moved", none, at([20.0, -7.0, 3.0], [1.0; 3])),
        ("uneven", none, at([1.0, 2.0, 3.0], [0.5, 3.0, 1.2])),
        ("sheared", sheared, beside),
        ("uneven twice", turned, at([0.0, 1.0, 0.0], [0.5, 1.0, 6.0])),
        ("mirrored", none, at([5.0, 1.0, 0.0], mirrored)),
        ("mirrored along Z", none, scaled([1.0, 2.0, -0.5])),
        ("mirrored, sheared", scaled([1.0, -3.0, 0.4]), beside),
        ("mirrored twice", none, scaled([-1.0, 1.0, -2.0])),
        ("mirrored thrice", none, at([0.0, 0.0, 9.0], [-1.0; 3])),
        ("tiny", none, at([0.01, 0.0, 0.0], [1e-4; 3])),
        ("tiny and mirrored", none, scaled([1e-4, -1e-4, 2e-4])),
        ("huge", none, at([1e4, 0.0, 0.0], [1e4; 3])),
    ];
    for (context, outer, inner) in transforms {
        let outer = test.spawn_entity((outer, Visibility::default()));
        let root = test.spawn(SCENE, (inner, ChildOf(outer)));
        let triangles = hit_model.triangles(test.world(), root, by_transforms);
        // Uneven scales increase the rounding errors.
        let tolerance = 5.0 * tolerance(&triangles);
        test.check(&triangles, (&mut random, 600), tolerance, context);
        test.despawn(outer);
    }
}

/// A model with meshes on its only bone.
fn of_root(meshes: Vec<FileMesh<'_>>) -> Vec<u8> {
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.meshes = meshes;
    write(&file).unwrap()
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
    of_root(vec![FileMesh::new("Flat", 0, vec![submesh])])
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
        test.insert(root, transform);
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
                let hit = test.hit(query).unwrap();
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
        // An error relative to the model's size, and the rounding of the hit point.
        let (_, radius) = bounding_sphere(&triangles);
        let tolerance = 1e-5 * radius + 1e-7 * f64::from(position.length());
        test.check(&triangles, (&mut random, 600), tolerance, context);
        test.despawn(root);
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

#[test]
fn nearest_of_many_models_is_hit_first() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(3);
    let triangles = spawn_statues(&mut test, &hit_model, &mut random, 100);
    let mut entities: Vec<Entity> = triangles.iter().map(|triangle| triangle.entity).collect();
    entities.dedup();
    let third: Vec<Entity> = entities.iter().copied().step_by(3).collect();
    let fourth: Vec<Entity> = entities.iter().copied().step_by(4).collect();
    let rays = random.rays(&triangles, 150);
    let tolerance = tolerance(&triangles);
    let near = RayQuery::new(Ray3d::new(Vec3::ZERO, Dir3::X));
    let with = |max: f32, transparent: &[Entity], excluded: &[Entity]| RayQuery {
        max,
        transparent: transparent.to_vec(),
        excluded: excluded.to_vec(),
        ..near.clone()
    };
    let flipped = RayQuery {
        backfaces: Backfaces::Flip,
        ..with(90.0, &third, &fourth)
    };
    for (context, settings) in [
        ("the nearest", near.clone()),
        ("all along the ray", with(near.max, &entities, &[])),
        ("filtered", with(near.max, &[], &third)),
        ("some transparent", with(near.max, &third, &[])),
        ("with a maximum distance", with(70.0, &entities, &[])),
        ("all settings", flipped),
    ] {
        let query = |ray: &Ray3d| RayQuery {
            ray: *ray,
            ..settings.clone()
        };
        let queries = rays.iter().map(query).collect();
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
        let results = test.cast(queries);
        let first = |result: &RayResult| result.hits.first().map(|hit| hit.part);
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
                test.despawn(root);
            }
            if random.below(3) == 0 && !roots.is_empty() {
                let root = roots[random.below(roots.len())];
                let transform = random_transform(&mut random);
                test.insert(root, transform);
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
        for result in test.cast(queries) {
            let mut hits = result.hits.iter();
            assert!(hits.all(|hit| entities.contains(&hit.part)));
        }
        let counts = test.compare(&triangles, rays, tolerance(&triangles), &context);
        assert!(counts.hits > 10, "{context}: {counts:?}");
    }
    for root in roots {
        test.despawn(root);
    }
    test.app.step(0.0);
    let rays =
        (0..50).map(|_| Ray3d::new(Vec3::ZERO, Dir3::new(random.direction().as_vec3()).unwrap()));
    let queries: Vec<RayQuery> = rays.map(RayQuery::new).collect();
    for result in test.cast(queries) {
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
pub fn down(x: f32, z: f32) -> RayQuery {
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
    let hit = test.hit(down(20.5, 0.25)).unwrap();
    assert!(
        hit.point.abs_diff_eq(Vec3::new(20.5, 6.5, 0.25), 1e-4),
        "{hit:?}"
    );
    assert!((hit.distance - 43.5).abs() < 1e-4, "{hit:?}");
    test.app.step(1.0 / FPS);
    assert_eq!(test.first_entity(down(20.0, 0.0)), None);
    assert_eq!(test.first_entity(down(30.0, 0.0)), turret);
    // Rotate a bone without a clip: a quarter turn of the hull about its Y moves the turret to the side.
    test.remove::<PlayClip>(root);
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

/// A limb whose vertices follow four bones, with a tree.
fn skinned(weighted: bool, shader: &str) -> Vec<u8> {
    let (vertices, triangles) = limb(weighted);
    let buffers = SubmeshBuffers::new(&vertices, &triangles)
        .with_palette(&PALETTE)
        .with_tree();
    let format = match weighted {
        true => "alD3dVertB4I4NU2",
        false => "alD3dVertRSkinNU2",
    };
    let mut file = model_at_rest(&chain());
    let submesh = buffers.submesh(shader, format, vec![]);
    // Skinned vertices are in model space, so the mesh's own bone has no effect.
    file.meshes = vec![FileMesh::new("Limb", 2, vec![submesh])];
    write(&file).unwrap()
}

#[test]
fn rays_hit_posed_skinned_parts() {
    // Bevy updates the boxes of drawn parts only, and hulls are not drawn.
    for (weighted, shader) in [
        (false, "RSkinGloss.fx"),
        (true, "RSkinGloss.fx"),
        (true, "Collision.fx"),
    ] {
        let bytes = skinned(weighted, shader);
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
                let context = format!("{context}, {case}, {shader}, weighted {weighted}");
                let tolerance = tolerance(&triangles);
                test.check(&triangles, (random, 250), tolerance, &context);
            };
            check(&mut test, &mut random, "at rest");
            for (clip, frame) in [("SWING_00", 1.75), ("SWING_00", 3.5), ("BEND_00", 2.5)] {
                assert!(frame < FRAMES as f32);
                let play = PlayClip::once(clip)
                    .starting_at(frame / FPS)
                    .with_speed(0.0);
                test.insert(root, play);
                test.app.step(0.0);
                check(&mut test, &mut random, clip);
            }
            test.remove::<PlayClip>(root);
            test.app.step(0.0);
            let bone = test.bone(root, 2);
            test.edit::<Transform>(bone, |bone| bone.rotate_local_x(0.8));
            test.app.step(0.0);
            check(&mut test, &mut random, "with a rotated bone");
            test.despawn(root);
        }
    }
}

/// Sets the default visibility flag of a bone.
pub fn set_visible(world: &mut World, bone: Entity, visible: bool) {
    let flag = *world.get::<AloBone>(bone).unwrap();
    let flag = AloBone { visible, ..flag };
    world.entity_mut(bone).insert(flag);
}

#[test]
fn rays_hit_the_reloaded_file() {
    let wide = |half: f32| {
        let (vertices, triangles) = cuboid([half, 1.0, 1.0], [half, 0.0, 0.0]);
        let buffers = SubmeshBuffers::new(&vertices, &triangles).with_tree();
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        of_root(vec![FileMesh::new("Wide", 0, vec![submesh])])
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
    test.insert(turret, collider.unwrap());
    assert_eq!(test.first_entity(down(0.0, 0.0)), Some(turret));
}
