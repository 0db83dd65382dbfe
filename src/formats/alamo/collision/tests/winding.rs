//! Ray casts with clockwise front faces.

use crate::formats::alamo::collision::tests::meshes::{all, cube};
use crate::formats::alamo::collision::tests::rays::{ALL, some_ray};
use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::winding::Winding;
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;

const MIRROR: Vec3 = Vec3::new(1.0, -1.0, 1.0);

#[test]
fn mirrored_ray_on_mirrored_mesh_has_the_same_hit() {
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
