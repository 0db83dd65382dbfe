//! Trees whose vertices were moved.

use super::super::{CollisionTree, TreeError};
use super::points::{balls_as_slow, box_as_slow};
use super::rays::{same_as_slow, some_ray};
use super::shapes::{all, ball, cube};
use super::{Backfaces, Random, Sample};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Quat, Ray3d, Vec3};

type Pose = fn(Vec3, &mut Random) -> Vec3;

/// Ways to move vertices; those that are named last leave nothing with area.
const POSES: [(&str, Pose); 9] = [
    ("as it was", |at, _| at),
    ("bent", |at, _| Quat::from_rotation_z(0.4 * at.z) * at),
    ("shaken", |at, random| at + random.point() * 0.1),
    ("anywhere", |_, random| random.point()),
    ("far off", |at, _| at + Vec3::new(3000.0, 2000.0, 0.0)),
    ("some in one point", |at, random| {
        if random.below(3) == 0 { Vec3::X } else { at }
    }),
    ("on a line", |at, _| Vec3::new(at.x, 0.5, 0.25)),
    ("in one point", |_, _| Vec3::new(0.1, 0.2, 0.3)),
    ("in the origin", |_, _| Vec3::ZERO),
];

fn posed(sample: &Sample, pose: Pose) -> Sample {
    let mut random = Random(31);
    let positions = sample.positions.iter();
    Sample {
        positions: positions
            .map(|at| pose(Vec3::from(*at), &mut random).to_array())
            .collect(),
        ..sample.clone()
    }
}

#[test]
fn poses_are_asked_as_trees_made_for_them() {
    for (name, sample) in all() {
        let tree = sample.tree();
        for (pose, motion) in POSES {
            let name = &format!("{name}, {pose}");
            let mut moved = posed(&sample, motion);
            let tree = tree.with_positions(&moved.positions).unwrap();
            same_as_fresh(name, &moved, &tree);
            // What was left out stays so, even if it has area now.
            for triangle in 0..moved.triangle_count() {
                if !tree.triangles.contains(&(triangle as u16)) {
                    let corner = moved.indices[3 * triangle];
                    moved.indices[3 * triangle..][..3].fill(corner);
                }
            }
            as_slow(name, &moved, &tree);
        }
    }
}

/// Where a tree that is made for a pose has the same triangles it is the same one.
pub(super) fn same_as_fresh(name: &str, moved: &Sample, tree: &CollisionTree) {
    let fresh = moved.tree();
    if fresh.triangles != tree.triangles {
        return;
    }
    assert_eq!(fresh.bounds(), tree.bounds(), "{name}");
    for (one, other) in fresh.nodes.iter().zip(&tree.nodes) {
        assert_eq!(one.planes, other.planes, "{name}");
        assert_eq!(one.links, other.links, "{name}");
        assert_eq!(one.counts, other.counts, "{name}");
    }
    assert_eq!(fresh.grid.center, tree.grid.center, "{name}");
    assert_eq!(fresh.scale, tree.scale, "{name}");
}

fn as_slow(name: &str, sample: &Sample, tree: &CollisionTree) {
    let asked = (name, sample, tree);
    let mut random = Random(32);
    for turn in 0..60 {
        same_as_slow(asked, some_ray(sample, &mut random), f32::INFINITY);
        let at = sample.triangle(random.below(sample.triangle_count()))[0];
        let point = at + random.point() * [0.01, 0.3, 5.0][turn % 3];
        balls_as_slow(asked, point, [0.05, 0.5, 2.0][turn % 3]);
        let half = random.point().abs() * [0.01, 0.2, 1.0][turn % 3];
        box_as_slow(asked, Aabb3d::new(point, half));
    }
}

#[test]
fn poses_of_all_sizes_are_asked_alike() {
    let sample = ball(14, 8);
    let tree = sample.tree();
    for scale in [f32::MAX / 2.0, 1e30, 1e-30, 1e-44, -1.0] {
        let moved = sample.scaled(scale);
        let posed = tree.with_positions(&moved.positions).unwrap();
        same_as_fresh("ball", &moved, &posed);
        let again = posed.with_positions(&sample.positions).unwrap();
        same_as_fresh("ball", &sample, &again);
    }
}

#[test]
fn what_is_in_one_point_is_found_there() {
    let tree = cube().tree();
    let at = Vec3::new(0.1, 0.2, 0.3);
    let point = tree.with_positions(&[at.to_array(); 8]).unwrap();
    let near = point.closest_point(at + Vec3::X, 2.0).unwrap();
    assert_eq!((near.point, near.distance), (at, 1.0));
    let ray = Ray3d::new(at - Vec3::Z, bevy::math::Dir3::Z);
    assert!(!point.any_hit(ray, f32::INFINITY, Backfaces::Keep));
    assert_eq!(point.bounds(), Some(Aabb3d::new(at, Vec3::ZERO)));
    let back = point.with_positions(&cube().positions).unwrap();
    same_as_fresh("cube", &cube(), &back);
}

#[test]
fn flaws_of_poses_are_told() {
    let tree = cube().tree();
    for count in [0, 7, 9] {
        let moved = tree.with_positions(&vec![[0.0; 3]; count]);
        let expected = 8;
        assert_eq!(
            moved.unwrap_err(),
            TreeError::VertexCount { count, expected }
        );
    }
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut positions = cube().positions;
        positions[3][1] = wrong;
        assert_eq!(
            tree.with_positions(&positions).unwrap_err(),
            TreeError::NotFinite { vertex: 3 }
        );
    }
    let none = CollisionTree::new(Vec::<super::TreeLink>::new(), &[], &[], &[]).unwrap();
    assert!(none.with_positions(&[]).unwrap().bounds().is_none());
    assert_eq!(none.levels(), 0);
    assert_eq!(none.boxes(0).count(), 0);
}
