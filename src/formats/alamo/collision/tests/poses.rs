//! Tests of trees with moved vertices.

use crate::formats::alamo::collision::tests::meshes::{all, ball, cube};
use crate::formats::alamo::collision::tests::points::{check_box, check_sphere};
use crate::formats::alamo::collision::tests::rays::{check_ray, some_ray};
use crate::formats::alamo::collision::tests::reference::Reference;
use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
use crate::geometry::ray_settings::Backfaces;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

type Pose = fn(Vec3, &mut Random) -> Vec3;

/// Functions that move vertices. The last three leave no triangle with area.
const POSES: [(&str, Pose); 9] = [
    ("unchanged", |at, _| at),
    ("twisted", |at, _| Quat::from_rotation_z(0.4 * at.z) * at),
    ("jittered", |at, random| at + random.point() * 0.1),
    ("random", |_, random| random.point()),
    ("translated", |at, _| at + Vec3::new(3000.0, 2000.0, 0.0)),
    ("some at one point", |at, random| {
        if random.below(3) == 0 { Vec3::X } else { at }
    }),
    ("on a line", |at, _| Vec3::new(at.x, 0.5, 0.25)),
    ("at one point", |_, _| Vec3::new(0.1, 0.2, 0.3)),
    ("at the origin", |_, _| Vec3::ZERO),
];

fn posed(sample: &Sample, pose: Pose) -> Sample {
    let mut random = Random(31);
    sample.moved(|at| pose(at, &mut random))
}

#[test]
fn posed_tree_equals_a_tree_built_from_the_pose() {
    for (name, sample) in all() {
        let tree = sample.tree();
        for (pose, motion) in POSES {
            let name = &format!("{name}, {pose}");
            let mut moved = posed(&sample, motion);
            let tree = tree.with_positions(&moved.positions).unwrap();
            check_same_as_built(name, &moved, &tree);
            // Triangles that were left out stay left out, even if they have area in the pose.
            for triangle in 0..moved.triangle_count() {
                if !tree.triangles.contains(&(triangle as u16)) {
                    let corner = moved.indices[3 * triangle];
                    moved.indices[3 * triangle..][..3].fill(corner);
                }
            }
            check_queries(name, &moved, &tree);
        }
    }
}

/// If a tree built from the pose has the same triangles, both trees must be equal.
pub(crate) fn check_same_as_built(name: &str, moved: &Sample, tree: &CollisionTree) {
    let built = moved.tree();
    if built.triangles != tree.triangles {
        return;
    }
    assert_eq!(built.bounds(), tree.bounds(), "{name}");
    for (one, other) in built.nodes.iter().zip(&tree.nodes) {
        assert_eq!(one.planes, other.planes, "{name}");
        assert_eq!(one.links, other.links, "{name}");
        assert_eq!(one.counts, other.counts, "{name}");
    }
    assert_eq!(built.grid.center, tree.grid.center, "{name}");
    assert_eq!(built.scale, tree.scale, "{name}");
}

fn check_queries(name: &str, sample: &Sample, tree: &CollisionTree) {
    let subject = (name, sample, tree);
    let mut reference = Reference::new(sample);
    let mut random = Random(32);
    for turn in 0..60 {
        check_ray(
            (name, tree, &mut reference),
            some_ray(sample, &mut random),
            f32::INFINITY,
        );
        let at = sample.triangle(random.below(sample.triangle_count()))[0];
        let point = at + random.point() * [0.01, 0.3, 5.0][turn % 3];
        check_sphere(subject, point, [0.05, 0.5, 2.0][turn % 3]);
        let half = random.point().abs() * [0.01, 0.2, 1.0][turn % 3];
        check_box(subject, Aabb3d::new(point, half));
    }
}

#[test]
fn poses_of_all_scales_equal_built_trees() {
    let sample = ball(14, 8);
    let tree = sample.tree();
    for scale in [f32::MAX / 2.0, 1e30, 1e-30, 1e-44, -1.0] {
        let moved = sample.scaled(scale);
        let posed = tree.with_positions(&moved.positions).unwrap();
        check_same_as_built("ball", &moved, &posed);
        let again = posed.with_positions(&sample.positions).unwrap();
        check_same_as_built("ball", &sample, &again);
    }
}

#[test]
fn mesh_collapsed_to_a_point_is_found_by_closest_point() {
    let tree = cube().tree();
    let at = Vec3::new(0.1, 0.2, 0.3);
    let point = tree.with_positions(&[at.to_array(); 8]).unwrap();
    let near = point.closest_point(at + Vec3::X, 2.0).unwrap();
    assert_eq!((near.point, near.distance), (at, 1.0));
    let ray = Ray3d::new(at - Vec3::Z, bevy::math::Dir3::Z);
    assert!(!point.any_hit(ray, f32::INFINITY, Backfaces::Keep));
    assert_eq!(point.bounds(), Some(Aabb3d::new(at, Vec3::ZERO)));
    let back = point.with_positions(&cube().positions).unwrap();
    check_same_as_built("cube", &cube(), &back);
}

#[test]
fn invalid_positions_are_rejected() {
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
    let empty = CollisionTree::new(Vec::<TreeLink>::new(), &[], &[], &[]).unwrap();
    assert!(empty.with_positions(&[]).unwrap().bounds().is_none());
    assert_eq!(empty.levels(), 0);
    assert_eq!(empty.boxes(0).count(), 0);
}
