//! Ray casts compared with testing all triangles.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tests::meshes::{all, ball, cube, random_mesh};
use crate::formats::alamo::collision::tests::reference::{RayQuery, Reference};
use crate::formats::alamo::collision::tests::{Random, Sample, ray};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::tree_ray::Winding;
use crate::geometry::ray_settings::Backfaces;
use bevy::math::DVec3;
use bevy::prelude::*;

pub(crate) const ALL: [Backfaces; 3] = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];

/// The count of rays per mesh: the environment variable `COLLISION_RAYS`, or 600.
pub(crate) fn rays() -> usize {
    let count = std::env::var("COLLISION_RAYS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(600)
}

/// A ray to, from or along a face, edge or corner, along an axis, from far away, or random.
pub(crate) fn some_ray(sample: &Sample, random: &mut Random) -> Ray3d {
    core::iter::repeat_with(|| try_ray(sample, random))
        .flatten()
        .next()
        .unwrap()
}

fn try_ray(sample: &Sample, random: &mut Random) -> Option<Ray3d> {
    let count = sample.triangle_count();
    let [a, b, c] = sample.triangle(random.below(count));
    let [d, e, f] = sample.triangle(random.below(count));
    let size = (a - d).abs().max((b - a).abs()).max_element();
    let on_edge = a + (b - a) * random.number().abs();
    let inside = a + (b - a) * 0.4 + (c - a) * 0.3;
    let other = d + (e - d) * 0.3 + (f - d) * 0.6;
    let outside = inside + random.point() * 2.0 * size;
    let to = match random.below(4) {
        0 => a,
        1 => on_edge,
        _ => inside,
    };
    match random.below(10) {
        0..3 => ray(outside, to),
        3 => ray(other, to),
        4 => ray(d, to),
        5 => ray(a + (a - b) * random.number(), b),
        6 => ray(inside + random.point() * 1e5 * size, to),
        7 => {
            let axis = Vec3::AXES[random.below(3)] * random.number().signum();
            Some(Ray3d::new(to - axis * size, Dir3::new(axis).ok()?))
        }
        8 => {
            let plane = random.direction().with_z(random.number() * 1e-30);
            Some(Ray3d::new(to - plane * size, Dir3::new(plane).ok()?))
        }
        _ => Some(Ray3d::new(outside, random.direction())),
    }
}

fn some_query(sample: &Sample, random: &mut Random) -> RayQuery {
    let ray = some_ray(sample, random);
    let corner = sample.triangle(random.below(sample.triangle_count()))[0];
    let far = DVec3::from(corner).distance(ray.origin.into()) as f32;
    let max = match random.below(4) {
        0 => f32::INFINITY,
        1 => f32::MAX,
        2 => far,
        _ => far * 2.0 * random.number().abs(),
    };
    RayQuery {
        ray,
        max,
        backfaces: ALL[random.below(3)],
        winding: match random.below(4) {
            0 => Winding::Clockwise,
            _ => Winding::CounterClockwise,
        },
    }
}

/// Checks ray casts against the reference. Returns whether there was a hit.
pub(crate) fn check_ray(
    (name, tree, reference): (&str, &CollisionTree, &mut Reference),
    ray: Ray3d,
    max: f32,
) -> bool {
    let mut has_hit = false;
    for backfaces in ALL {
        let winding = Winding::CounterClockwise;
        let query = RayQuery {
            ray,
            max,
            backfaces,
            winding,
        };
        let (hit, _) = check_query((name, tree, reference), &query);
        assert_eq!(hit, tree.cast_ray(ray, max, backfaces), "{name}: {query:?}");
        assert_eq!(
            hit.is_some(),
            tree.any_hit(ray, max, backfaces),
            "{name}: {query:?}"
        );
        has_hit |= hit.is_some();
    }
    has_hit
}

/// Checks a ray cast against the reference. Returns the hit, and whether there is a certain one.
fn check_query(
    (name, tree, reference): (&str, &CollisionTree, &mut Reference),
    query: &RayQuery,
) -> (Option<TreeHit>, bool) {
    let RayQuery {
        ray,
        max,
        backfaces,
        winding,
    } = *query;
    let hit = tree.cast_ray_with_winding(ray, max, backfaces, winding);
    let any = tree.any_hit_with_winding(ray, max, backfaces, winding);
    assert_eq!(any, hit.is_some(), "{name}: {query:?} {hit:?}");
    match reference.check(query, hit.as_ref()) {
        Ok(is_certain) => (hit, is_certain),
        Err(error) => panic!("{name}: {error}: {query:?} {hit:?}"),
    }
}

#[test]
fn ray_casts_match_the_reference() {
    for (name, sample) in all() {
        let tree = sample.tree();
        let mut reference = Reference::new(&sample);
        let mut random = Random(11);
        let mut hits = 0;
        for _ in 0..rays() {
            let ray = some_ray(&sample, &mut random);
            let max = match random.below(3) {
                0 => f32::INFINITY,
                1 => f32::MAX,
                _ => random.number().abs() * 4.0,
            };
            hits += usize::from(check_ray((name, &tree, &mut reference), ray, max));
        }
        assert!(hits > 50 || name == "no area at all", "{name}: {hits} hits");
    }
}

#[test]
fn ray_casts_on_random_meshes_match_the_reference() {
    let mut random = Random(1);
    let (mut cast, mut certain, mut hits) = (0_u64, 0_u64, 0_u64);
    for _ in 0..20 * rays() {
        let sample = random_mesh(&mut random);
        let tree = sample.tree();
        let mut reference = Reference::new(&sample);
        let name = format!("{:?}", sample.positions);
        for _ in 0..180 {
            let query = some_query(&sample, &mut random);
            let (hit, is_certain) = check_query((&name, &tree, &mut reference), &query);
            cast += 1;
            hits += u64::from(hit.is_some());
            certain += u64::from(is_certain);
        }
    }
    println!("{cast} rays, {hits} hits, {certain} certain hits");
    assert!(certain > cast / 5, "{certain} of {cast}");
}

#[test]
fn rays_do_not_pass_through_a_closed_mesh() {
    for sample in [cube(), ball(14, 8), ball(50, 30)] {
        check_closed(&sample, 30, |at| at);
        check_closed(&sample, 10, |at| at * 3e-20);
        check_closed(&sample, 10, |at| at * 7e20);
        check_closed(&sample, 10, |at| at * Vec3::new(5.0, 0.7, 0.03));
        check_closed(&sample, 10, |at| at + Vec3::new(70.0, 0.3, -50.0));
    }
}

/// Casts rays between the inside and the outside of a transformed closed mesh: `times` · `rays()` of them.
fn check_closed(sample: &Sample, times: usize, transform: impl Fn(Vec3) -> Vec3) {
    let tree = sample.moved(&transform).tree();
    let mut random = Random(5);
    let count = sample.triangle_count();
    for turn in 0..times * rays() {
        let [a, b, _] = sample.triangle(random.below(count));
        // To corners, to edges, and along an axis through the mesh.
        let (inside, to) = match turn % 3 {
            0 => (random.point() * 0.1, a),
            1 => (random.point() * 0.1, a + (b - a) * random.number().abs()),
            _ => (
                a.with_z(0.0) * 0.25,
                a.with_z(1.0) * Vec3::new(0.25, 0.25, 1.0),
            ),
        };
        let far = [1.5, 8.0, 300.0][turn / 3 % 3];
        let outside = transform(inside + (to - inside).normalize() * far);
        let (inside, to) = (transform(inside), transform(to));
        for ray in [ray(inside, to), ray(outside, inside)]
            .into_iter()
            .flatten()
        {
            let hit = tree.cast_ray(ray, f32::INFINITY, Backfaces::Keep);
            assert!(hit.is_some(), "{ray:?}");
            assert!(tree.any_hit(ray, f32::INFINITY, Backfaces::Flip), "{ray:?}");
        }
    }
}

#[test]
fn ray_hits_on_a_cube_are_exact() {
    let tree = cube().tree();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let direction = Dir3::new(-axis).unwrap();
        // On the diagonal of the face, at its corners, and inside a triangle.
        for beside in [
            Vec3::ZERO,
            Vec3::splat(1.0),
            Vec3::splat(-1.0),
            Vec3::splat(0.25),
        ] {
            let beside = beside * (Vec3::ONE - axis.abs());
            let ray = Ray3d::new(axis * 3.0 + beside, direction);
            let hit = tree.cast_ray(ray, 10.0, Backfaces::Cull).unwrap();
            assert_eq!(hit.distance, 2.0);
            assert_eq!(hit.point, axis + beside);
            assert_eq!(hit.normal, axis);
            assert!(tree.cast_ray(ray, 2.0, Backfaces::Cull).is_some());
            assert!(tree.cast_ray(ray, 1.999, Backfaces::Cull).is_none());
        }
        let inside = Ray3d::new(Vec3::splat(0.25), direction);
        assert!(tree.cast_ray(inside, 10.0, Backfaces::Cull).is_none());
        assert_eq!(
            tree.cast_ray(inside, 10.0, Backfaces::Keep).unwrap().normal,
            -axis
        );
        assert_eq!(
            tree.cast_ray(inside, 10.0, Backfaces::Flip).unwrap().normal,
            axis
        );
        // From the surface itself.
        let on = Ray3d::new(axis + 0.25 * (Vec3::ONE - axis.abs()), direction);
        assert_eq!(
            tree.cast_ray(on, 10.0, Backfaces::Cull).unwrap().distance,
            0.0
        );
    }
}

#[test]
fn invalid_rays_hit_nothing() {
    let tree = cube().tree();
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        0.0,
        1e-45,
    ];
    for x in odd {
        for y in odd {
            for z in odd {
                for max in odd {
                    let at = Vec3::new(x, y, z);
                    let along = Dir3::new_unchecked(Vec3::NEG_Z);
                    tree.cast_ray(Ray3d::new(at, along), max, Backfaces::Keep);
                    let unit = at.length() > 0.9 && at.length() < 1.1;
                    if !unit && !at.is_finite() {
                        let ray = Ray3d {
                            origin: Vec3::Z,
                            direction: Dir3::Z,
                        };
                        let bent = Ray3d {
                            direction: unchecked(at),
                            ..ray
                        };
                        assert!(tree.cast_ray(bent, max, Backfaces::Keep).is_none());
                        assert!(!tree.any_hit(bent, max, Backfaces::Keep));
                    }
                }
            }
        }
    }
    let ray = Ray3d::new(Vec3::Z * 3.0, Dir3::NEG_Z);
    for max in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert!(tree.cast_ray(ray, max, Backfaces::Keep).is_none());
    }
}

/// An invalid direction. By reflection, because constructors check it in debug builds.
fn unchecked(direction: Vec3) -> Dir3 {
    let mut invalid = Dir3::Z;
    *invalid.path_mut::<Vec3>(".0").unwrap() = direction;
    invalid
}

const MIRROR: Vec3 = Vec3::new(1.0, -1.0, 1.0);

#[test]
fn mirrored_ray_on_mirrored_mesh_has_the_same_hit() {
    for (name, sample) in all() {
        let (tree, other) = (sample.tree(), sample.moved(|at| at * MIRROR).tree());
        let mut random = Random(21);
        for turn in 0..900 {
            let ray = some_ray(&sample, &mut random);
            let backfaces = ALL[turn % 3];
            let max = if turn % 2 == 0 { f32::INFINITY } else { 2.0 };
            let direction = Dir3::new_unchecked(*ray.direction * MIRROR);
            let image = Ray3d::new(ray.origin * MIRROR, direction);
            let hit = tree.cast_ray(ray, max, backfaces);
            let mirrored_hit =
                other.cast_ray_with_winding(image, max, backfaces, Winding::Clockwise);
            let any = other.any_hit_with_winding(image, max, backfaces, Winding::Clockwise);
            let context = || format!("{name}: {ray:?} {backfaces:?} {hit:?} {mirrored_hit:?}");
            assert_eq!(any, hit.is_some(), "{}", context());
            assert_eq!(mirrored_hit.is_some(), hit.is_some(), "{}", context());
            let (Some(hit), Some(mirrored_hit)) = (hit, mirrored_hit) else {
                continue;
            };
            assert_eq!(hit.distance, mirrored_hit.distance, "{}", context());
            // If several triangles are equally near, the hits may be on different ones.
            if hit.triangle == mirrored_hit.triangle {
                assert_eq!(hit.barycentrics, mirrored_hit.barycentrics, "{}", context());
                assert_eq!(hit.point, mirrored_hit.point * MIRROR, "{}", context());
                assert_eq!(hit.normal, mirrored_hit.normal * MIRROR, "{}", context());
            }
        }
    }
}

#[test]
fn front_faces_of_a_clockwise_cube_are_inside() {
    let tree = cube().tree();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let beside = 0.25 * (Vec3::ONE - axis.abs());
        let into = Ray3d::new(axis * 3.0 + beside, Dir3::new(-axis).unwrap());
        let out = Ray3d::new(beside, Dir3::new(axis).unwrap());
        let cast =
            |ray, backfaces| tree.cast_ray_with_winding(ray, 10.0, backfaces, Winding::Clockwise);
        // Through the near side to the inside of the far side.
        let far = cast(into, Backfaces::Cull).unwrap();
        assert_eq!((far.distance, far.normal), (4.0, axis));
        let near = cast(into, Backfaces::Keep).unwrap();
        assert_eq!((near.distance, near.normal), (2.0, -axis));
        let near = cast(into, Backfaces::Flip).unwrap();
        assert_eq!((near.distance, near.normal), (2.0, axis));
        for backfaces in ALL {
            let side = cast(out, backfaces).unwrap();
            assert_eq!((side.distance, side.normal), (1.0, -axis));
        }
    }
}
