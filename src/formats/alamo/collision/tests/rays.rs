//! Ray casts compared with testing all triangles.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tests::meshes::{all, ball, cube, exported};
use crate::formats::alamo::collision::tests::{Random, Sample, ray};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;

pub(crate) const ALL: [Backfaces; 3] = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];

/// The count of rays per mesh: the environment variable `COLLISION_RAYS`, or 600.
pub(crate) fn rays() -> usize {
    let count = std::env::var("COLLISION_RAYS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(600)
}

/// A ray near a mesh: random, along an axis, from a triangle, or to a corner or an edge.
pub(crate) fn some_ray(sample: &Sample, random: &mut Random) -> Ray3d {
    let count = sample.triangle_count();
    let [a, b, c] = sample.triangle(random.below(count));
    let [d, e, f] = sample.triangle(random.below(count));
    let size = (a - d).length().max((b - a).length()).max(1e-3);
    let inside = (a + b + c) / 3.0;
    let outside = inside + random.point() * 2.0 * size;
    loop {
        let axis = Vec3::AXES[random.below(3)] * random.number().signum();
        let axis = Dir3::new(axis).unwrap();
        let some = match random.below(9) {
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
        if let Some(ray) = some {
            return ray;
        }
    }
}

/// Checks ray casts against the reference. Returns whether there was a hit.
pub(crate) fn check_ray(
    (name, sample, tree): (&str, &Sample, &CollisionTree),
    ray: Ray3d,
    max: f32,
) -> bool {
    let mut has_hit = false;
    for backfaces in ALL {
        let reference = sample.nearest(ray, max, backfaces);
        let hit = tree.cast_ray(ray, max, backfaces);
        let any = tree.any_hit(ray, max, backfaces);
        assert_eq!(hit.is_some(), any, "{name}: {ray:?} {backfaces:?} {hit:?}");
        if let Some(hit) = hit {
            has_hit = true;
            check_hit(name, sample, ray, backfaces, &hit);
            // The distance must be one of the reference's.
            let distance = f64::from(hit.distance);
            let tolerance = 1e-4 * (1.0 + distance.abs());
            let is_found = reference
                .distances
                .iter()
                .any(|at| (at - distance).abs() <= tolerance);
            assert!(
                is_found || reference.is_uncertain,
                "{name}: {ray:?} {hit:?} {:?}",
                reference.distances
            );
            if let Some(least) = reference.distance {
                assert!(
                    distance <= least + tolerance,
                    "{name}: {ray:?} {hit:?}, but {least}"
                );
            }
        } else {
            assert_eq!(
                reference.distance, None,
                "{name}: {ray:?} {backfaces:?} missed"
            );
        }
    }
    has_hit
}

fn check_hit(name: &str, sample: &Sample, ray: Ray3d, backfaces: Backfaces, hit: &TreeHit) {
    let context = || format!("{name}: {ray:?} {backfaces:?} {hit:?}");
    let [a, b, c] = sample.triangle(hit.triangle as usize);
    let weights = hit.barycentrics;
    assert!(weights.cmpge(Vec3::ZERO).all(), "{}", context());
    assert!((weights.element_sum() - 1.0).abs() < 1e-5, "{}", context());
    let point = a * weights.x + b * weights.y + c * weights.z;
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    assert!(point.distance(hit.point) <= 1e-5 * size, "{}", context());
    let along = ray.get_point(hit.distance);
    let reach = size.max(hit.distance).max(ray.origin.abs().max_element());
    assert!(hit.normal.is_normalized(), "{}", context());
    let facing = hit.normal.dot(*ray.direction);
    let front = (b - a).as_dvec3().cross((c - a).as_dvec3());
    // The narrower a triangle is, in itself or seen from the ray, the greater is the error of the point.
    let longest = [b - a, c - b, a - c]
        .map(Vec3::length_squared)
        .into_iter()
        .fold(0.0, f32::max);
    let narrow = front.length() as f32 / longest * facing.abs();
    if narrow > 1e-4 {
        let apart = along.distance(hit.point) * narrow;
        assert!(apart <= 3e-6 * reach, "{} {along}", context());
    }
    if backfaces == Backfaces::Flip || (backfaces == Backfaces::Cull && narrow > 1e-4) {
        assert!(facing <= 1e-6, "{}", context());
    }
    let front = front.normalize_or_zero().as_vec3();
    let along = front.dot(hit.normal).abs() > 0.99;
    assert!(along || front == Vec3::ZERO, "{}", context());
}

#[test]
fn ray_casts_match_the_reference() {
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
            hits += usize::from(check_ray((name, &sample, &tree), ray, max));
        }
        assert!(hits > 50 || name == "no area at all", "{name}: {hits} hits");
    }
}

#[test]
fn ray_casts_on_trees_of_model_files_match_the_reference() {
    for (name, sample) in exported() {
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
            hits += usize::from(check_ray((&name, &sample, &tree), ray, f32::INFINITY));
        }
        assert!(hits > rays() / 10, "{name}: {hits} hits");
    }
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
    let transformed = |at: &[f32; 3]| transform(Vec3::from(*at)).to_array();
    let moved = Sample {
        positions: sample.positions.iter().map(transformed).collect(),
        ..sample.clone()
    };
    let tree = moved.tree();
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
