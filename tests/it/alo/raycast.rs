//! Rays into the world, beside what every triangle says by itself.

use crate::ala::play::{FPS, ala, document, moves};
use crate::ala::render::{FRAMES, PALETTE, bend, chain, limb, resting, swing};
use crate::support::alo::{patched, span};
use crate::support::alo_stage::{Matrix, cuboid, stored, turned};
use crate::support::app::TestApp;
use crate::support::log;
use crate::support::rays::{
    Answer, Ask, Caster, Random, Shape, Tally, Triangle, as_drawn, ball, ball_around,
    by_transforms, compare, submeshes,
};
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::BoneTracks;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{Alo, AloBone, AloInstance};
use bevy_classic_models::alamo::{AloCollider, AloRayCastVisibility, AloRayHit, Backfaces};
use bevy_classic_models::prelude::*;

const SCENE: &str = "statue.alo#Scene";

/// A body with two sub-meshes, a head that hangs on it, and a hull around the body.
fn statue() -> Vec<u8> {
    let bone = |name: &'static str, parent, matrix: Matrix| Bone {
        matrix: stored(&matrix),
        ..Bone::new(name, parent, [0.0; 3])
    };
    let made = |(vertices, triangles): (Vec<_>, Vec<_>)| {
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let block = made(cuboid([2.0, 1.5, 3.0], [0.0, 0.0, 0.5]));
    let belly = made(ball(1.5, [0.0, -1.5, 0.0]));
    let head = made(ball(1.2, [0.0, 0.0, 0.5]));
    let hull = made(cuboid([2.6, 3.4, 3.5], [0.0, 0.0, 0.5]));
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

/// An app with files, and a system that casts.
struct Range {
    app: TestApp,
    caster: Caster,
}

impl Range {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        log::listen();
        let mut app = TestApp::new(files);
        let caster = Caster::new(app.world());
        Self { app, caster }
    }

    fn statue() -> (Self, Shape) {
        let bytes = statue();
        let shape = Shape::new(&bytes);
        (Self::new(&[("statue.alo", bytes)]), shape)
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

    fn hit(&mut self, ask: Ask) -> Option<(Entity, AloRayHit)> {
        self.caster.first(self.app.app.world_mut(), ask)
    }

    fn ask(&mut self, ask: Ask) -> Option<Entity> {
        self.hit(ask).map(|(entity, _)| entity)
    }

    /// Compares rays at all triangles, of all ways with back faces.
    #[track_caller]
    fn compare(
        &mut self,
        triangles: &[Triangle],
        rays: Vec<Ray3d>,
        slack: f64,
        what: &str,
    ) -> Tally {
        let ways = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];
        let asks = rays.iter().zip(ways.iter().cycle());
        let asks = asks.map(|(ray, backfaces)| Ask {
            backfaces: *backfaces,
            ..Ask::new(*ray)
        });
        let world = self.app.app.world_mut();
        compare(world, &self.caster, triangles, asks.collect(), slack, what)
    }
}

/// How far off places in the world may be, of triangles whose places are rounded but for the last
/// digits.
fn slack(triangles: &[Triangle]) -> f64 {
    let (center, radius) = ball_around(triangles);
    3e-6 * (center.length() + 4.0 * radius)
}

fn scaled(scale: [f32; 3]) -> Transform {
    Transform::from_scale(Vec3::from_array(scale))
}

#[test]
fn rays_meet_rigid_parts_however_their_root_is_put() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(1);
    let turn = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
    let at = |x, y, z| Transform::from_xyz(x, y, z).with_rotation(turn);
    let none = Transform::IDENTITY;
    // What is above the root, and the root.
    let places = [
        ("at rest", none, none),
        ("moved and turned", none, at(20.0, -7.0, 3.0)),
        (
            "uneven",
            none,
            at(1.0, 2.0, 3.0).with_scale(Vec3::new(0.5, 3.0, 1.2)),
        ),
        ("sheared", scaled([1.0, 3.0, 0.4]), at(2.0, 0.0, 1.0)),
        (
            "sheared and uneven",
            scaled([4.0, 0.3, 1.0]).with_rotation(turn),
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
    for (what, outer, inner) in places {
        let outer = range.world().spawn((outer, Visibility::default())).id();
        let root = range.spawn(SCENE, (inner, ChildOf(outer)));
        let triangles = shape.triangles(range.world(), root, by_transforms);
        let rays = random.rays(&triangles, 600);
        // What is stretched far more along one axis than another is rounded accordingly.
        let slack = 5.0 * slack(&triangles);
        let tally = range.compare(&triangles, rays, slack, what);
        tally.assert_telling(what);
        range.world().entity_mut(outer).despawn();
    }
}

/// A triangle that looks along −Y, which is +Z in the world.
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

/// The side that is drawn is the one from which corners go counterclockwise in the world.
#[test]
fn the_front_of_what_is_mirrored_is_what_is_drawn() {
    let mut range = Range::new(&[("flat.alo", flat())]);
    let root = range.spawn("flat.alo#Scene", Transform::IDENTITY);
    for (scale, front) in [
        (Vec3::ONE, 5.0),
        (Vec3::new(-1.0, 1.0, 1.0), -5.0),
        (Vec3::new(1.0, 1.0, -1.0), 5.0),
        (Vec3::new(-1.0, 1.0, -1.0), -5.0),
    ] {
        let transform = Transform::from_scale(scale);
        range.world().entity_mut(root).insert(transform);
        range.app.step(0.0);
        for (from, seen) in [(front, true), (-front, false)] {
            let what = format!("{scale} from {from}");
            let origin = Vec3::new(0.5 * scale.x, 0.5, from);
            let direction = if from > 0.0 { Dir3::NEG_Z } else { Dir3::Z };
            let cull = Ask::new(Ray3d { origin, direction });
            assert_eq!(range.ask(cull.clone()).is_some(), seen, "{what}");
            for backfaces in [Backfaces::Keep, Backfaces::Flip] {
                let ask = Ask {
                    backfaces,
                    ..cull.clone()
                };
                let (_, hit) = range.hit(ask).unwrap();
                let towards = hit.normal.z * from > 0.0;
                let expected = seen || backfaces == Backfaces::Flip;
                assert_eq!(towards, expected, "{what}: {hit:?}");
            }
        }
    }
}

/// Places are coarse there, but rays from nearby meet what is drawn as exactly as anywhere.
#[test]
fn rays_are_exact_far_from_the_origin() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(2);
    let turn = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
    for (what, place, scale) in [
        ("far", Vec3::new(70_000.0, -3.0, 90_000.0), 1.0),
        ("far and small", Vec3::new(900.0, 0.0, -700.0), 0.002),
        ("far and large", Vec3::new(1e6, 1e6, 0.0), 300.0),
    ] {
        let transform = Transform::from_translation(place)
            .with_rotation(turn)
            .with_scale(Vec3::splat(scale));
        let root = range.spawn(SCENE, transform);
        let triangles = shape.triangles(range.world(), root, as_drawn);
        let rays = random.rays(&triangles, 600);
        // Of the size of the model, and of the last digit of the point.
        let (_, radius) = ball_around(&triangles);
        let slack = 1e-5 * radius + 1e-7 * f64::from(place.length());
        let tally = range.compare(&triangles, rays, slack, what);
        tally.assert_telling(what);
        range.world().entity_mut(root).despawn();
    }
}

/// Many statues, put anywhere and anyhow.
fn crowd(range: &mut Range, shape: &Shape, random: &mut Random, count: usize) -> Vec<Triangle> {
    let mut roots = Vec::new();
    for _ in 0..count {
        let transform = anywhere(random);
        roots.push(range.app.spawn(SCENE, transform));
    }
    range.app.wait_for(&roots);
    let all = roots.iter();
    all.flat_map(|root| shape.triangles(range.world(), *root, by_transforms))
        .collect()
}

fn anywhere(random: &mut Random) -> Transform {
    Transform {
        translation: random.point(60.0).as_vec3(),
        rotation: random.rotation(),
        scale: Vec3::splat(random.between(0.3, 2.0) as f32),
    }
}

/// What is asked besides where a ray goes.
type Kind<'a> = Box<dyn Fn(Ask) -> Ask + 'a>;

#[test]
fn the_nearest_of_many_models_comes_first() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(3);
    let triangles = crowd(&mut range, &shape, &mut random, 200);
    let mut entities: Vec<Entity> = triangles.iter().map(|triangle| triangle.entity).collect();
    entities.dedup();
    let third: Vec<Entity> = entities.iter().copied().step_by(3).collect();
    let fourth: Vec<Entity> = entities.iter().copied().step_by(4).collect();
    let rays = random.rays(&triangles, 300);
    let slack = slack(&triangles);
    let kinds: [(&str, Kind<'_>); 6] = [
        ("the nearest", Box::new(|ask| ask)),
        (
            "all along the ray",
            Box::new(|ask| Ask {
                clear: entities.clone(),
                ..ask
            }),
        ),
        (
            "filtered",
            Box::new(|ask| Ask {
                without: third.clone(),
                ..ask
            }),
        ),
        (
            "some hide nothing",
            Box::new(|ask| Ask {
                clear: third.clone(),
                ..ask
            }),
        ),
        (
            "so far and no farther",
            Box::new(|ask| Ask {
                max: 70.0,
                clear: entities.clone(),
                ..ask
            }),
        ),
        (
            "all of that",
            Box::new(|ask| Ask {
                max: 90.0,
                clear: third.clone(),
                without: fourth.clone(),
                backfaces: Backfaces::Flip,
                ..ask
            }),
        ),
    ];
    for (what, kind) in kinds {
        let asks = rays.iter().map(|ray| kind(Ask::new(*ray))).collect();
        let world = range.app.app.world_mut();
        let tally = compare(world, &range.caster, &triangles, asks, slack, what);
        tally.assert_telling(what);
    }
}

/// Otherwise pointers would leave one and enter the other without having moved.
#[test]
fn of_parts_in_one_place_the_same_is_met_in_every_frame() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(12);
    let mut roots = Vec::new();
    for _ in 0..20 {
        let transform = anywhere(&mut random);
        roots.extend([0; 3].map(|_| range.app.spawn(SCENE, transform)));
    }
    let other = range.spawn(SCENE, Transform::from_xyz(500.0, 0.0, 0.0));
    range.app.wait_for(&roots);
    let triangles: Vec<Triangle> = roots
        .iter()
        .flat_map(|root| shape.triangles(range.world(), *root, by_transforms))
        .collect();
    let asks: Vec<Ask> = random
        .rays(&triangles, 100)
        .into_iter()
        .map(Ask::new)
        .collect();
    let mut told: Vec<Vec<Option<Entity>>> = Vec::new();
    for round in 0..6 {
        if round % 2 == 0 {
            range.edit::<Transform>(other, |place| place.translation.y += 1.0);
        }
        range.app.step(0.0);
        // Another ray is the first in each round, which is asked in another way.
        let mut asks = asks.clone();
        asks.rotate_left(round);
        let answers = range.caster.ask(range.app.app.world_mut(), asks);
        let first = |answer: &Answer| answer.hits.first().map(|(entity, _)| *entity);
        let mut first: Vec<_> = answers.iter().map(first).collect();
        first.rotate_right(round);
        told.push(first);
    }
    assert!(told[0].iter().flatten().count() > 30);
    assert!(told.iter().all(|round| *round == told[0]));
}

/// A system that casts now and then meets what is there then, whatever happened meanwhile.
#[test]
fn the_index_follows_what_moves_comes_and_goes() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(4);
    let mut roots: Vec<Entity> = Vec::new();
    for round in 0..25 {
        // Frames without any ray.
        for _ in 0..1 + random.below(4) {
            for _ in 0..random.below(3) {
                let transform = anywhere(&mut random);
                roots.push(range.app.spawn(SCENE, transform));
            }
            range.app.wait_for(&roots);
            if random.below(3) == 0 && roots.len() > 2 {
                let root = roots.swap_remove(random.below(roots.len()));
                range.world().entity_mut(root).despawn();
            }
            if random.below(3) == 0 && !roots.is_empty() {
                let root = roots[random.below(roots.len())];
                let transform = anywhere(&mut random);
                range.world().entity_mut(root).insert(transform);
            }
            if random.below(3) == 0 && !roots.is_empty() {
                let root = roots[random.below(roots.len())];
                let head = range.bone(root, 2);
                range.edit::<Transform>(head, |head| head.translation.z += 4.0);
            }
            range.app.step(0.0);
        }
        let mut triangles = Vec::new();
        for root in &roots {
            triangles.extend(shape.triangles(range.world(), *root, by_transforms));
        }
        let what = format!("round {round}");
        let there: Vec<Entity> = triangles.iter().map(|triangle| triangle.entity).collect();
        if triangles.is_empty() {
            continue;
        }
        let rays = random.rays(&triangles, 60);
        // Nothing that is gone is met, however doubtful the place.
        let asks = rays.iter().map(|ray| Ask::new(*ray)).collect();
        for answer in range.caster.ask(range.app.app.world_mut(), asks) {
            assert!(answer.hits.iter().all(|(entity, _)| there.contains(entity)));
        }
        let tally = range.compare(&triangles, rays, slack(&triangles), &what);
        assert!(tally.hits > 10, "{what}: {tally:?}");
    }
    for root in roots {
        range.world().entity_mut(root).despawn();
    }
    range.app.step(0.0);
    let rays =
        (0..50).map(|_| Ray3d::new(Vec3::ZERO, Dir3::new(random.direction().as_vec3()).unwrap()));
    let asks: Vec<Ask> = rays.map(Ask::new).collect();
    for answer in range.caster.ask(range.app.app.world_mut(), asks) {
        assert!(answer.hits.is_empty() && !answer.any);
    }
}

/// A box on each of the bones that the clips of `ala_play` are for.
pub fn unit() -> Vec<u8> {
    let (vertices, triangles) = cuboid([1.0, 1.0, 0.5], [0.0; 3]);
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

/// A ray down from far above.
fn down(x: f32, z: f32) -> Ask {
    Ask::new(Ray3d::new(Vec3::new(x, 50.0, z), Dir3::NEG_Y)).seeing(default())
}

#[test]
fn rays_meet_rigid_parts_where_a_clip_has_them() {
    let files = [
        ("unit.alo", unit()),
        ("unit_MOVE_00.ala", ala(&moves(10.0))),
    ];
    let mut range = Range::new(&files);
    let root = range.spawn("unit.alo#Scene", PlayClip::looping("MOVE_00"));
    let entities = submeshes(range.world(), root);
    let [hull, turret] = [(0, 0), (1, 0)].map(|part| Some(entities[&part]));
    range.app.step(0.0);
    assert_eq!(range.ask(down(0.0, 0.0)), turret);
    assert_eq!(range.ask(down(20.0, 0.0)), None);
    range.app.step(2.0 / FPS);
    assert_eq!(range.ask(down(0.0, 0.0)), None);
    assert_eq!(range.ask(down(20.0, 0.0)), turret);
    let (_, hit) = range.hit(down(20.5, 0.25)).unwrap();
    assert!(
        hit.point.abs_diff_eq(Vec3::new(20.5, 6.5, 0.25), 1e-4),
        "{hit:?}"
    );
    assert!((hit.distance - 43.5).abs() < 1e-4, "{hit:?}");
    range.app.step(1.0 / FPS);
    assert_eq!(range.ask(down(20.0, 0.0)), None);
    assert_eq!(range.ask(down(30.0, 0.0)), turret);
    // And by hand: a quarter turn of the hull's bone about its Y lays the turret to the side.
    range.world().entity_mut(root).remove::<PlayClip>();
    // What a clip moved goes back to rest.
    range.app.step(0.0);
    let bone = range.bone(root, 1);
    range.edit::<Transform>(bone, |bone| {
        *bone = Transform::from_xyz(0.0, 0.0, 1.0)
            .with_rotation(Quat::from_rotation_y(core::f32::consts::FRAC_PI_2));
    });
    range.app.step(0.0);
    assert_eq!(range.ask(down(30.0, 0.0)), None);
    assert_eq!(range.ask(down(0.0, 0.0)), hull);
    assert_eq!(range.ask(down(5.0, 0.0)), turret);
}

fn bundled(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/assets/models/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn rays_meet_the_bundled_walker_as_it_walks() {
    let bytes = bundled("walker.alo");
    let shape = Shape::new(&bytes);
    let files = [
        ("walker.alo", bytes),
        ("walker_MOVE_00.ala", bundled("walker_MOVE_00.ala")),
    ];
    let mut range = Range::new(&files);
    let transform = Transform::from_xyz(3.0, 1.0, 0.0).with_rotation(Quat::from_rotation_y(0.7));
    let play = PlayClip::looping("MOVE_00");
    let root = range.spawn("walker.alo#Scene", (transform, play));
    let mut random = Random(5);
    let mut places: Vec<DVec3> = Vec::new();
    for step in [0.0, 0.13, 0.21, 0.2, 0.17] {
        range.app.step(step);
        let triangles = shape.triangles(range.world(), root, by_transforms);
        places.push(triangles.iter().map(|triangle| triangle.corners[0]).sum());
        let what = format!("the walker, {step} s later");
        let rays = random.rays(&triangles, 400);
        let tally = range.compare(&triangles, rays, slack(&triangles), &what);
        tally.assert_telling(&what);
    }
    for pair in places.windows(2) {
        assert!(pair[0].distance(pair[1]) > 0.1, "it walks");
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
    let mut file = resting(&chain());
    let submesh = buffers.submesh("RSkinGloss.fx", format, vec![]);
    // Skinned vertices are in the model's space: the bone that the mesh hangs on is no matter.
    file.meshes = vec![FileMesh::new("Limb", 2, vec![submesh])];
    write(&file).unwrap()
}

#[test]
fn rays_meet_skinned_parts_where_their_bones_have_the_vertices() {
    for weighted in [false, true] {
        let bytes = skinned(weighted);
        let shape = Shape::new(&bytes);
        let files = [
            ("limb.alo", bytes),
            ("limb_SWING_00.ala", swing(2)),
            ("limb_BEND_00.ala", bend(1)),
        ];
        let mut range = Range::new(&files);
        let mut random = Random(6);
        let turn = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
        let at = Transform::from_xyz(30.0, -7.0, 3.0).with_rotation(turn);
        for (place, transform) in [
            ("upright", Transform::IDENTITY),
            ("uneven", at.with_scale(Vec3::new(0.5, 2.0, 1.2))),
            ("mirrored", at.with_scale(Vec3::new(-1.0, 1.0, 1.0))),
        ] {
            let root = range.spawn("limb.alo#Scene", transform);
            let check = |range: &mut Range, random: &mut Random, what: &str| {
                let triangles = shape.triangles(range.world(), root, by_transforms);
                let rays = random.rays(&triangles, 250);
                let what = format!("{what}, {place}, weighted {weighted}");
                let tally = range.compare(&triangles, rays, slack(&triangles), &what);
                tally.assert_telling(&what);
            };
            check(&mut range, &mut random, "at rest");
            for (clip, frame) in [("SWING_00", 1.75), ("SWING_00", 3.5), ("BEND_00", 2.5)] {
                assert!(frame < FRAMES as f32);
                let play = PlayClip::once(clip)
                    .starting_at(frame / FPS)
                    .with_speed(0.0);
                range.world().entity_mut(root).insert(play);
                range.app.step(0.0);
                check(&mut range, &mut random, clip);
            }
            range.world().entity_mut(root).remove::<PlayClip>();
            range.app.step(0.0);
            let bone = range.bone(root, 2);
            range.edit::<Transform>(bone, |bone| bone.rotate_local_x(0.8));
            range.app.step(0.0);
            check(&mut range, &mut random, "bent by hand");
            range.world().entity_mut(root).despawn();
        }
    }
}

/// What the parts of [`cast_of_parts`] are called. Each is a box 10 farther along X.
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

/// Shield, GunShield and Screen are hidden hulls, Dark is hidden and could be drawn, Box is a hull
/// that is not hidden; Gun and GunShield hang on an arm, Spectre on a bone that the file hides.
fn cast_of_parts() -> Vec<u8> {
    let made = |number: usize| {
        let (vertices, triangles) = cuboid([1.0; 3], [10.0 * number as f32, 0.0, 0.0]);
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let buffers: Vec<_> = (0..PARTS.len()).map(made).collect();
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

const ANY: AloRayCastVisibility = AloRayCastVisibility::Any;
const SOLID: AloRayCastVisibility = AloRayCastVisibility::Solid;
const SOLID_NOW: AloRayCastVisibility = AloRayCastVisibility::SolidAtCurrentLod;
const VISIBLE: AloRayCastVisibility = AloRayCastVisibility::Visible;
const IN_VIEW: AloRayCastVisibility = AloRayCastVisibility::VisibleInView;

/// Names of the parts that rays down on each of them meet.
fn met(range: &mut Range, visibility: AloRayCastVisibility) -> Vec<&'static str> {
    let ask = |number: usize| down(10.0 * number as f32 + 0.3, 0.2).seeing(visibility);
    let asks = (0..PARTS.len()).map(ask).collect();
    let answers = range.caster.ask(range.app.app.world_mut(), asks);
    let world = range.app.world();
    let mut roots = world.query_filtered::<Entity, With<AloInstance>>();
    let root = roots.single(world).unwrap();
    let mut names = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.any, !answer.hits.is_empty());
        for (_, hit) in &answer.hits {
            assert_eq!((hit.root, hit.mesh), (root, number));
            names.push(PARTS[number]);
        }
    }
    names
}

#[track_caller]
fn assert_met(range: &mut Range, what: &str, solid: &[&str], visible: &[&str]) {
    range.app.step(0.0);
    range.app.step(0.0);
    assert_eq!(met(range, SOLID_NOW), solid, "{what}");
    // Only the level of detail makes a difference.
    let at_finest = solid.iter().map(|name| match *name {
        "Hull_LOD0" => "Hull_LOD1",
        name => name,
    });
    assert_eq!(met(range, SOLID), at_finest.collect::<Vec<_>>(), "{what}");
    assert_eq!(met(range, VISIBLE), visible, "{what}");
    assert_eq!(met(range, ANY), PARTS, "{what}");
    // There is no camera.
    assert!(met(range, IN_VIEW).is_empty(), "{what}");
}

/// Shows or hides a bone.
pub fn set_visible(world: &mut World, bone: Entity, visible: bool) {
    let flag = *world.get::<AloBone>(bone).unwrap();
    let flag = AloBone { visible, ..flag };
    world.entity_mut(bone).insert(flag);
}

#[test]
fn what_is_chosen_and_hidden_decides_what_rays_meet() {
    let mut arm = BoneTracks::new("Arm", 1, [0.0; 3]);
    arm.visibility = Some(vec![true, false, true]);
    let clip = ala(&document(3, vec![arm]));
    let files = [("parts.alo", cast_of_parts()), ("parts_HIDE_00.ala", clip)];
    let mut range = Range::new(&files);
    let root = range.spawn("parts.alo#Scene", ());
    let all = ["Hull_LOD1", "Shield", "Gun", "GunShield", "Dark", "Box"];
    let seen = ["Hull_LOD1", "Gun", "Box"];
    let without = |names: &[&'static str], gone: &[&str]| {
        let left = names.iter().copied().filter(|name| !gone.contains(name));
        left.collect::<Vec<_>>()
    };
    let range = &mut range;
    assert_met(range, "at first", &all, &seen);

    range.world().entity_mut(root).insert(ModelLod(1));
    let coarse = ["Hull_LOD0", "Shield", "Gun", "GunShield", "Dark", "Box"];
    assert_met(range, "coarser", &coarse, &["Hull_LOD0", "Gun", "Box"]);
    // What hides parts of the finest level hides them while a coarser one is drawn.
    let hidden = PartVisibility::new(["hull_lod1"]);
    range.world().entity_mut(root).insert(hidden);
    range.app.step(0.0);
    assert_eq!(
        met(range, SOLID),
        ["Shield", "Gun", "GunShield", "Dark", "Box"]
    );
    range.world().entity_mut(root).remove::<PartVisibility>();
    let root_bone = range.bone(root, 0);
    set_visible(range.world(), root_bone, false);
    range.app.step(0.0);
    assert_eq!(met(range, SOLID), Vec::<&str>::new());
    set_visible(range.world(), root_bone, true);
    range.world().entity_mut(root).remove::<ModelLod>();

    range.world().entity_mut(root).insert(DamageStage(1));
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
    let seen_damaged = ["Hull_LOD1", "Wreck_ALT1", "Gun", "Box"];
    assert_met(range, "damaged", &damaged, &seen_damaged);
    range.world().entity_mut(root).remove::<DamageStage>();
    assert_met(range, "as at first", &all, &seen);

    let hidden = PartVisibility::new(["SHIELD", "gun", "dark"]);
    range.world().entity_mut(root).insert(hidden);
    let left = without(&all, &["Shield", "Gun", "Dark"]);
    assert_met(range, "turned off", &left, &without(&seen, &["Gun"]));
    let mut shown = PartVisibility::default();
    shown.show("Shield").show("Screen_ALT1");
    range.world().entity_mut(root).insert(shown);
    let with_shield = ["Hull_LOD1", "Shield", "Gun", "Box"];
    assert_met(range, "shown", &all, &with_shield);
    range.world().entity_mut(root).remove::<PartVisibility>();

    let (arm, ghost) = (range.bone(root, 1), range.bone(root, 2));
    set_visible(range.world(), arm, false);
    set_visible(range.world(), ghost, true);
    let swapped = ["Hull_LOD1", "Shield", "Spectre", "Dark", "Box"];
    let seen_swapped = ["Hull_LOD1", "Spectre", "Box"];
    assert_met(range, "bones", &swapped, &seen_swapped);
    set_visible(range.world(), arm, true);
    set_visible(range.world(), ghost, false);
    assert_met(range, "bones again", &all, &seen);

    let armless = without(&all, &["Gun", "GunShield"]);
    let seen_armless = without(&seen, &["Gun"]);
    for (frame, shows) in [(0.5, true), (1.5, false), (2.0, true)] {
        let play = PlayClip::once("HIDE_00")
            .starting_at(frame / FPS)
            .with_speed(0.0);
        range.world().entity_mut(root).insert(play);
        let what = format!("frame {frame}");
        match shows {
            true => assert_met(range, &what, &all, &seen),
            false => assert_met(range, &what, &armless, &seen_armless),
        }
    }

    range.world().entity_mut(root).insert(Visibility::Hidden);
    assert_met(range, "all hidden", &[], &[]);
}

#[test]
fn an_edited_file_is_met_as_it_is_now() {
    let wide = |half: f32| {
        let (vertices, triangles) = cuboid([half, 1.0, 1.0], [half, 0.0, 0.0]);
        let buffers = SubmeshBuffers::new(&vertices, &triangles).with_tree();
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
        let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
        file.meshes = vec![FileMesh::new("Wide", 0, vec![submesh])];
        write(&file).unwrap()
    };
    // A tree whose map names a triangle that is not there.
    let good = wide(1.0);
    let map = span(&good, "400/10000/1200/1203").body;
    let bad = patched(&good, map, &[0xff, 0xff]);
    let mut range = Range::new(&[("wide.alo", wide(1.0))]);
    let kept = range.app.load::<Alo>("wide.alo");
    range.app.wait_loaded(&kept);
    let root = range.spawn("wide.alo#Scene", ());
    // Where x is 1, 3 and 5.
    let met = |range: &mut Range| [1.0, 3.0, 5.0].map(|x| range.ask(down(x, 0.0)).is_some());
    assert_eq!(met(&mut range), [true, false, false]);
    range.app.replace("wide.alo", wide(2.0));
    assert_eq!(met(&mut range), [true, true, false]);
    let warnings =
        || log::warnings_with("triangle 65535 must be less than the triangle count 12").len();
    assert_eq!(warnings(), 0);
    range.app.replace("wide.alo", bad);
    assert_eq!(warnings(), 1);
    assert_eq!(met(&mut range), [false; 3]);
    let part = submeshes(range.world(), root)[&(0, 0)];
    let part = range.world().entity(part);
    assert!(part.contains::<Mesh3d>() && !part.contains::<AloCollider>());
    range.app.replace("wide.alo", wide(3.0));
    assert_eq!(met(&mut range), [true; 3]);
}

#[test]
fn a_part_without_a_collider_is_not_met() {
    let mut range = Range::new(&[("unit.alo", unit())]);
    let root = range.spawn("unit.alo#Scene", ());
    let entities = submeshes(range.world(), root);
    let [hull, turret] = [(0, 0), (1, 0)].map(|part| entities[&part]);
    assert_eq!(range.ask(down(0.0, 0.0)), Some(turret));
    let collider = range.world().entity_mut(turret).take::<AloCollider>();
    assert_eq!(range.ask(down(0.0, 0.0)), Some(hull));
    range.world().entity_mut(turret).insert(collider.unwrap());
    assert_eq!(range.ask(down(0.0, 0.0)), Some(turret));
}

#[test]
fn places_that_are_no_numbers_disturb_nothing_else() {
    let (mut range, shape) = Range::statue();
    let mut random = Random(7);
    let good = |number: usize| Transform::from_xyz(12.0 * number as f32, 0.0, 0.0);
    let mut wrong = [
        good(1),
        good(2),
        good(3),
        good(4),
        good(5),
        good(6),
        good(7),
    ];
    wrong[0].translation.x = f32::NAN;
    wrong[1].translation.y = f32::NAN;
    wrong[2].translation.z = f32::NAN;
    wrong[3].rotation = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
    wrong[4].translation.z = f32::INFINITY;
    wrong[5].scale = Vec3::ZERO;
    wrong[6].scale.x = f32::INFINITY;
    // As many that are right, among them and in a row.
    let mut roots = Vec::new();
    for (number, wrong) in wrong.into_iter().enumerate() {
        roots.push(range.app.spawn(SCENE, good(number)));
        range.app.spawn(SCENE, wrong);
    }
    range.app.wait_for(&roots);
    range.app.step(0.0);
    let mut triangles = Vec::new();
    for root in &roots {
        triangles.extend(shape.triangles(range.world(), *root, by_transforms));
    }
    // The last are one model with a head that is nowhere.
    let head = range.bone(roots[6], 2);
    let nowhere = submeshes(range.world(), roots[6])[&(1, 0)];
    range.edit::<Transform>(head, |head| head.translation.y = f32::NAN);
    range.app.step(0.0);
    triangles.retain(|triangle| triangle.entity != nowhere);
    let rays = random.rays(&triangles, 900);
    let what = "among what is nowhere";
    let tally = range.compare(&triangles, rays, slack(&triangles), what);
    tally.assert_telling(what);
}

/// Whatever the numbers are, nothing panics; as long as they are not beyond measure, so are the
/// answers.
#[test]
fn wild_numbers_are_borne() {
    let (mut range, _) = Range::statue();
    let mut random = Random(8);
    let roots: Vec<Entity> = (0..6).map(|_| range.app.spawn(SCENE, ())).collect();
    range.app.wait_for(&roots);
    let mut hits = 0;
    for round in 0..80 {
        let reach = if round % 2 == 0 { 9.0 } else { 40.0 };
        let wild = |random: &mut Random| {
            let number = 10_f64.powf(random.between(-reach, reach)) as f32;
            if random.unit() < 0.5 { number } else { -number }
        };
        let vector = |random: &mut Random| Vec3::from_array([(); 3].map(|()| wild(random)));
        for root in &roots {
            let transform = Transform {
                translation: vector(&mut random),
                rotation: random.rotation(),
                scale: vector(&mut random),
            };
            range.world().entity_mut(*root).insert(transform);
        }
        range.app.step(0.0);
        let ask = |_| {
            let head = range.bone(roots[random.below(roots.len())], 2);
            let place = range.app.app.world().get::<GlobalTransform>(head).unwrap();
            let origin = vector(&mut random);
            let direction = Dir3::new(place.translation() - origin);
            let origin = if random.unit() < 0.5 {
                Vec3::ZERO
            } else {
                origin
            };
            let direction = direction.unwrap_or(Dir3::X);
            Ask {
                backfaces: Backfaces::Flip,
                ..Ask::new(Ray3d { origin, direction })
            }
        };
        let asks: Vec<Ask> = (0..30).map(ask).collect();
        for answer in range.caster.ask(range.app.app.world_mut(), asks) {
            for (_, hit) in answer.hits.iter().filter(|_| round % 2 == 0) {
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
fn rays_that_are_none_meet_nothing() {
    let (mut range, _) = Range::statue();
    range.spawn(SCENE, ());
    let nothing = |range: &mut Range, ask: Ask| {
        let answers = range.caster.ask(range.app.app.world_mut(), vec![ask]);
        assert!(answers[0].hits.is_empty() && !answers[0].any);
    };
    let through = down(1.0, 2.0).seeing(ANY);
    assert!(range.ask(through.clone()).is_some());
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut ask = through.clone();
            ask.ray.origin[axis] = wrong;
            nothing(&mut range, ask);
        }
    }
    for max in [f32::NAN, -1.0, f32::NEG_INFINITY, 0.0, 10.0] {
        let ask = Ask {
            max,
            ..through.clone()
        };
        nothing(&mut range, ask);
    }
}

#[test]
fn without_models_there_is_nothing_to_meet() {
    let mut range = Range::new(&[]);
    for _ in 0..3 {
        assert_eq!(range.ask(down(0.0, 0.0).seeing(ANY)), None);
        range.app.step(0.0);
    }
}
