//! Queries give the same results at all scales.

use crate::formats::alamo::collision::tests::meshes::{all, cube};
use crate::formats::alamo::collision::tests::{Random, Sample, ray};
use crate::geometry::ray_settings::Backfaces;
use bevy::math::bounding::{Aabb3d, BoundingSphere};
use bevy::prelude::*;
use core::ops::ControlFlow;

#[test]
fn query_results_are_independent_of_scale() {
    // Powers of two near 1e20, 1e-20, 1e30 and 1e-30, so that rounding is the same.
    for exponent in [66, -66, 100, -100] {
        let scale = 2_f32.powi(exponent);
        for (name, sample) in all() {
            let (tree, scaled) = (sample.tree(), sample.scaled(scale).tree());
            let mut random = Random(9);
            for _ in 0..200 {
                let to = sample.triangle(random.below(sample.triangle_count()))[0];
                let Some(one) = ray(to + random.point() * 3.0, to + random.point() * 0.2) else {
                    continue;
                };
                let other = Ray3d::new(one.origin * scale, one.direction);
                let hit = tree.cast_ray(one, 2.5, Backfaces::Flip);
                let mut same = scaled.cast_ray(other, 2.5 * scale, Backfaces::Flip);
                if let Some(hit) = &mut same {
                    hit.distance /= scale;
                    hit.point /= scale;
                }
                assert_eq!(hit, same, "{name} at {scale:e}: {one:?}");
                let near = tree.closest_point(one.origin, 2.0);
                let same = scaled.closest_point(other.origin, 2.0 * scale);
                assert_eq!(near.map(|at| at.point * scale), same.map(|at| at.point));
                let mut counts = [0; 4];
                let mut count = |at: usize| {
                    counts[at] += 1;
                    ControlFlow::<()>::Continue(())
                };
                let _ = tree.query_aabb(&Aabb3d::new(to, Vec3::splat(0.2)), |_| count(0));
                let bounds = Aabb3d::new(to * scale, Vec3::splat(0.2) * scale);
                let _ = scaled.query_aabb(&bounds, |_| count(1));
                let _ = tree.query_sphere(&BoundingSphere::new(to, 0.2), |_| count(2));
                let sphere = BoundingSphere::new(to * scale, 0.2 * scale);
                let _ = scaled.query_sphere(&sphere, |_| count(3));
                assert_eq!(
                    [counts[0], counts[2]],
                    [counts[1], counts[3]],
                    "{name} at {scale:e}"
                );
            }
        }
    }
}

#[test]
fn rays_from_distant_origins_hit_their_target() {
    for scale in [1e-20, 1e-3, 1.0, 1e10] {
        let tree = cube().scaled(scale).tree();
        for far in [1.0, 1e3, 1e8, 1e17] {
            let ray = Ray3d::new(Vec3::new(0.25, 0.25, 2.0 * far) * scale, Dir3::NEG_Z);
            let hit = tree.cast_ray(ray, f32::INFINITY, Backfaces::Cull).unwrap();
            assert!(
                (hit.distance / scale / (2.0 * far - 1.0) - 1.0).abs() < 1e-6,
                "{hit:?}"
            );
            assert!(hit.point.distance(Vec3::new(0.25, 0.25, 1.0) * scale) <= 1e-6 * scale);
            let beside = Ray3d::new(Vec3::new(1.1, 0.25, 2.0 * far) * scale, Dir3::NEG_Z);
            assert!(!tree.any_hit(beside, f32::INFINITY, Backfaces::Keep));
            let away = Ray3d::new(ray.origin, Dir3::Z);
            assert!(!tree.any_hit(away, f32::INFINITY, Backfaces::Keep));
            assert!(!tree.any_hit(ray, far * scale * 0.9, Backfaces::Keep));
        }
    }
}

#[test]
fn hit_point_on_a_needle_is_on_the_ray() {
    let mut random = Random(21);
    let mut hits = 0;
    for _ in 0..3000 {
        let [a, along] = [random.point(), random.point()];
        let b = a + along;
        // Much thinner than it is long.
        let aside = random.point().cross(along).normalize_or(Vec3::X);
        let width = 10_f32.powf(-3.0 + 2.0 * random.number());
        let c = a + along * random.number().abs() + aside * width;
        let tree = Sample::new(&[[a, b, c]], 1).tree();
        let (u, v) = (random.number().abs() * 0.9, random.number().abs());
        let inside = a + ((b - a) * (1.0 - v) + (c - a) * v) * u;
        let Some(ray) = ray(inside + random.point() * 3.0, inside) else {
            continue;
        };
        let Some(hit) = tree.cast_ray(ray, f32::INFINITY, Backfaces::Keep) else {
            continue;
        };
        hits += 1;
        let facing = hit.normal.dot(*ray.direction).abs();
        let apart = ray.get_point(hit.distance).distance(hit.point) * facing;
        assert!(apart < 1e-5, "{a} {b} {c} {ray:?} {hit:?}: {apart}");
        let weights = hit.barycentrics;
        let point = a * weights.x + b * weights.y + c * weights.z;
        assert!(point.distance(hit.point) < 1e-6, "{hit:?}");
    }
    assert!(hits > 1000, "{hits}");
}
