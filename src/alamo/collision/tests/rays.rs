//! Rays against looking at all triangles.

use super::super::{CollisionTree, TreeHit};
use super::shapes::{all, ball, cube, of_files};
use super::{Backfaces, Random, Sample, ray};
use bevy::math::{Dir3, Ray3d, Vec3, Vec3A};
use bevy::reflect::GetPath;

pub(super) const ALL: [Backfaces; 3] = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];

/// Rays per mesh; `COLLISION_RAYS` asks for more.
pub(super) fn rays() -> usize {
    let asked = std::env::var("COLLISION_RAYS").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(600)
}

/// A ray that has to do with a mesh: random, along an axis, from inside, at corners and edges.
pub(super) fn some_ray(sample: &Sample, random: &mut Random) -> Ray3d {
    let count = sample.triangle_count();
    let [a, b, c] = sample.triangle(random.below(count));
    let [d, e, f] = sample.triangle(random.below(count));
    let size = (a - d).length().max((b - a).length()).max(1e-3);
    let inside = (a + b + c) / 3.0;
    let outside = inside + random.point() * 2.0 * size;
    loop {
        let axis = Vec3::AXES[random.below(3)] * random.number().signum();
        let axis = Dir3::new(axis).unwrap();
        let made = match random.below(9) {
            0 => ray(outside, inside),
            1 => ray(outside, a),
            2 => ray(outside, a + (b - a) * random.number().abs()),
            3 => Some(Ray3d::new(outside, random.direction())),
            4 => Some(Ray3d::new(inside - *axis * size, axis)),
            5 => Some(Ray3d::new(a - *axis * size, axis)),
            6 => ray((d + e + f) / 3.0, inside),
            7 => ray(d, a),
            _ => ray(inside + random.point() * 3e4 * size, inside),
        };
        if let Some(made) = made {
            return made;
        }
    }
}

pub(super) fn same_as_slow(
    (name, sample, tree): (&str, &Sample, &CollisionTree),
    ray: Ray3d,
    max: f32,
) -> bool {
    let mut told = false;
    for backfaces in ALL {
        let slow = sample.nearest(ray, max, backfaces);
        let hit = tree.cast_ray(ray, max, backfaces);
        let any = tree.any_hit(ray, max, backfaces);
        assert_eq!(hit.is_some(), any, "{name}: {ray:?} {backfaces:?} {hit:?}");
        if let Some(hit) = hit {
            told = true;
            check_hit(name, sample, ray, backfaces, &hit);
            // It must be one of those that the slow way finds, or nearly finds.
            let distance = f64::from(hit.distance);
            let room = 1e-4 * (1.0 + distance.abs());
            let known = slow
                .distances
                .iter()
                .any(|at| (at - distance).abs() <= room);
            assert!(
                known || slow.doubtful,
                "{name}: {ray:?} {hit:?} {:?}",
                slow.distances
            );
            if let Some(least) = slow.distance {
                assert!(
                    distance <= least + room,
                    "{name}: {ray:?} {hit:?}, but {least}"
                );
            }
        } else {
            assert_eq!(slow.distance, None, "{name}: {ray:?} {backfaces:?} missed");
        }
    }
    told
}

fn check_hit(name: &str, sample: &Sample, ray: Ray3d, backfaces: Backfaces, hit: &TreeHit) {
    let said = || format!("{name}: {ray:?} {backfaces:?} {hit:?}");
    let [a, b, c] = sample.triangle(hit.triangle as usize);
    let weights = hit.barycentrics;
    assert!(weights.cmpge(Vec3::ZERO).all(), "{}", said());
    assert!((weights.element_sum() - 1.0).abs() < 1e-5, "{}", said());
    let point = a * weights.x + b * weights.y + c * weights.z;
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    assert!(point.distance(hit.point) <= 1e-5 * size, "{}", said());
    let along = ray.get_point(hit.distance);
    let reach = size.max(hit.distance).max(ray.origin.abs().max_element());
    assert!(hit.normal.is_normalized(), "{}", said());
    let facing = hit.normal.dot(*ray.direction);
    let front = (b - a).as_dvec3().cross((c - a).as_dvec3());
    // The narrower a triangle is, or looks, the less it is known where.
    let longest = [b - a, c - b, a - c]
        .map(Vec3::length_squared)
        .into_iter()
        .fold(0.0, f32::max);
    let narrow = front.length() as f32 / longest * facing.abs();
    if narrow > 1e-4 {
        let apart = along.distance(hit.point) * narrow;
        assert!(apart <= 3e-6 * reach, "{} {along}", said());
    }
    if backfaces == Backfaces::Flip || (backfaces == Backfaces::Cull && narrow > 1e-4) {
        assert!(facing <= 1e-6, "{}", said());
    }
    let front = front.normalize_or_zero().as_vec3();
    let along = front.dot(hit.normal).abs() > 0.99;
    assert!(along || front == Vec3::ZERO, "{}", said());
}

#[test]
fn rays_meet_what_looking_at_all_triangles_finds() {
    for (name, sample) in all() {
        let tree = sample.tree();
        let mut random = Random(11);
        let mut hits = 0;
        for _ in 0..rays() {
            let ray = some_ray(&sample, &mut random);
            let max = match random.below(3) {
                0 => f32::INFINITY,
                1 => f32::MAX,
                _ => random.number().abs() * 4.0,
            };
            hits += usize::from(same_as_slow((name, &sample, &tree), ray, max));
        }
        assert!(hits > 50 || name == "no area at all", "{name}: {hits} hits");
    }
}

#[test]
fn rays_meet_the_triangles_of_trees_of_files() {
    for (name, sample) in of_files() {
        let tree = sample.tree();
        let bounds = tree.bounds().unwrap();
        let mut random = Random(13);
        let mut hits = 0;
        for triangle in 0..sample.triangle_count() {
            for corner in sample.triangle(triangle) {
                let corner = Vec3A::from(corner);
                assert!(corner.cmpge(bounds.min).all() && corner.cmple(bounds.max).all());
            }
        }
        for _ in 0..rays() {
            let ray = some_ray(&sample, &mut random);
            hits += usize::from(same_as_slow((&name, &sample, &tree), ray, f32::INFINITY));
        }
        assert!(hits > rays() / 10, "{name}: {hits} hits");
    }
}

#[test]
fn nothing_gets_into_a_closed_mesh_or_out_of_it() {
    for sample in [cube(), ball(14, 8), ball(50, 30)] {
        closed(&sample, 30, |at| at);
        closed(&sample, 10, |at| at * 3e-20);
        closed(&sample, 10, |at| at * 7e20);
        closed(&sample, 10, |at| at * Vec3::new(5.0, 0.7, 0.03));
        closed(&sample, 10, |at| at + Vec3::new(70.0, 0.3, -50.0));
    }
}

/// Rays between the inside of a closed mesh and the outside, as many times `rays()` as asked.
fn closed(sample: &Sample, times: usize, place: impl Fn(Vec3) -> Vec3) {
    let placed = |at: &[f32; 3]| place(Vec3::from(*at)).to_array();
    let moved = Sample {
        positions: sample.positions.iter().map(placed).collect(),
        ..sample.clone()
    };
    let tree = moved.tree();
    let mut random = Random(5);
    let count = sample.triangle_count();
    for turn in 0..times * rays() {
        let [a, b, _] = sample.triangle(random.below(count));
        // At corners, at edges, and along axes through corners.
        let (inside, to) = match turn % 3 {
            0 => (random.point() * 0.1, a),
            1 => (random.point() * 0.1, a + (b - a) * random.number().abs()),
            _ => (
                a.with_z(0.0) * 0.25,
                a.with_z(1.0) * Vec3::new(0.25, 0.25, 1.0),
            ),
        };
        let far = [1.5, 8.0, 300.0][turn / 3 % 3];
        let outside = place(inside + (to - inside).normalize() * far);
        let (inside, to) = (place(inside), place(to));
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
fn a_cube_is_met_where_it_is() {
    let tree = cube().tree();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let direction = Dir3::new(-axis).unwrap();
        // Through the middle, which the diagonal of the face passes, along an edge's plane, and at a corner.
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
fn what_is_not_a_ray_meets_nothing() {
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

/// A direction that is none. All ways to it that are meant to be gone look at it in debug builds.
fn unchecked(direction: Vec3) -> Dir3 {
    let mut made = Dir3::Z;
    *made.path_mut::<Vec3>(".0").unwrap() = direction;
    made
}
