//! Meshes whose front is the other side.

use super::super::Winding;
use super::rays::{ALL, some_ray};
use super::shapes::{all, cube};
use super::{Backfaces, Random, Sample};
use bevy::math::{Dir3, Ray3d, Vec3};

const MIRROR: Vec3 = Vec3::new(1.0, -1.0, 1.0);

#[test]
fn mirrored_meshes_are_met_as_those_that_they_mirror() {
    for (name, sample) in all() {
        let mirrored = |position: &[f32; 3]| (Vec3::from(*position) * MIRROR).to_array();
        let other = Sample {
            positions: sample.positions.iter().map(mirrored).collect(),
            ..sample.clone()
        };
        let (tree, other) = (sample.tree(), other.tree());
        let mut random = Random(21);
        for turn in 0..900 {
            let ray = some_ray(&sample, &mut random);
            let backfaces = ALL[turn % 3];
            let max = if turn % 2 == 0 { f32::INFINITY } else { 2.0 };
            let direction = Dir3::new_unchecked(*ray.direction * MIRROR);
            let image = Ray3d::new(ray.origin * MIRROR, direction);
            let hit = tree.cast_ray(ray, max, backfaces);
            let seen = other.cast_ray_wound(image, max, backfaces, Winding::Clockwise);
            let any = other.any_hit_wound(image, max, backfaces, Winding::Clockwise);
            let said = || format!("{name}: {ray:?} {backfaces:?} {hit:?} {seen:?}");
            assert_eq!(any, hit.is_some(), "{}", said());
            assert_eq!(seen.is_some(), hit.is_some(), "{}", said());
            let (Some(hit), Some(seen)) = (hit, seen) else {
                continue;
            };
            assert_eq!(hit.distance, seen.distance, "{}", said());
            // Of triangles that are equally near, another may be told.
            if hit.triangle == seen.triangle {
                assert_eq!(hit.barycentrics, seen.barycentrics, "{}", said());
                assert_eq!(hit.point, seen.point * MIRROR, "{}", said());
                assert_eq!(hit.normal, seen.normal * MIRROR, "{}", said());
            }
        }
    }
}

#[test]
fn the_front_of_a_clockwise_cube_is_inside() {
    let tree = cube().tree();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let beside = 0.25 * (Vec3::ONE - axis.abs());
        let into = Ray3d::new(axis * 3.0 + beside, Dir3::new(-axis).unwrap());
        let out = Ray3d::new(beside, Dir3::new(axis).unwrap());
        let ask = |ray, backfaces| tree.cast_ray_wound(ray, 10.0, backfaces, Winding::Clockwise);
        // Through the near side to the inside of the far one.
        let far = ask(into, Backfaces::Cull).unwrap();
        assert_eq!((far.distance, far.normal), (4.0, axis));
        let near = ask(into, Backfaces::Keep).unwrap();
        assert_eq!((near.distance, near.normal), (2.0, -axis));
        let near = ask(into, Backfaces::Flip).unwrap();
        assert_eq!((near.distance, near.normal), (2.0, axis));
        for backfaces in ALL {
            let side = ask(out, backfaces).unwrap();
            assert_eq!((side.distance, side.normal), (1.0, -axis));
        }
    }
}
