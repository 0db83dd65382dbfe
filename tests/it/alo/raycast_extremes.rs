//! Ray casts with invalid and extreme transforms and rays, and without models.

use crate::alo::raycast::{RayTest, SCENE, down, tolerance};
use crate::support::prelude::*;
use crate::support::rays::Random;
use bevy_classic_models::alamo::Backfaces;

const ANY: ModelRayCastVisibility = ModelRayCastVisibility::Any;

#[test]
fn non_finite_transforms_do_not_affect_other_models() {
    let (mut test, hit_model) = RayTest::statue();
    let mut random = Random(7);
    let good = |index: usize| Transform::from_xyz(12.0 * index as f32, 0.0, 0.0);
    let mut invalid = [1, 2, 3, 4, 5, 6, 7].map(good);
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
    let (rays, tolerance) = ((&mut random, 900), tolerance(&triangles));
    test.check(&triangles, rays, tolerance, "among invalid transforms");
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
            test.insert(*root, transform);
        }
        test.app.step(0.0);
        let query = |_| {
            let head = test.bone(roots[random.below(roots.len())], 2);
            let transform = test.app.get::<GlobalTransform>(head);
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
        for result in test.cast(queries) {
            for hit in result.hits.iter().filter(|_| round % 2 == 0) {
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
        let results = test.cast(vec![query]);
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
