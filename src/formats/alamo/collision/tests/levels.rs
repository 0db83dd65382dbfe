//! Tests of the boxes by level.

use crate::formats::alamo::collision::node::count_and_link;
use crate::formats::alamo::collision::tests::malformed::chain;
use crate::formats::alamo::collision::tests::meshes::{all, ball, exported};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::triangle;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::prelude::*;

#[test]
fn boxes_are_within_their_parents_and_contain_their_triangles() {
    let generated = all()
        .into_iter()
        .map(|(name, sample)| (name.to_owned(), sample));
    let chains = [2, 60, 1000].map(|leaves| (format!("chain of {leaves}"), chain(leaves)));
    for (name, sample) in generated.chain(chains).chain(exported()) {
        for scale in [1.0, 1e-30, 1e30] {
            check(&name, &sample.scaled(scale).tree());
        }
    }
}

fn check(name: &str, tree: &CollisionTree) {
    let step = tree.unscale / tree.grid.steps_per_unit;
    let mut above: Vec<Aabb3d> = tree.boxes(0).collect();
    assert_eq!(above.first().copied(), tree.bounds(), "{name}");
    for level in 1..tree.levels() {
        let boxes: Vec<Aabb3d> = tree.boxes(level).collect();
        assert!(!boxes.is_empty(), "{name}: level {level}");
        for one in &boxes {
            let contains = |other: &Aabb3d| other.grow(Vec3A::splat(step)).contains(one);
            assert!(above.iter().any(contains), "{name}: level {level}: {one:?}");
        }
        let parts = tree.partition(level).filter(|(own, _)| *own == level);
        let parts: Vec<Aabb3d> = parts.map(|(_, bounds)| bounds).collect();
        assert_eq!(parts, boxes, "{name}: level {level}");
        above = boxes;
    }
    let nodes = tree.nodes_by_level().flatten();
    let leaves =
        nodes.flat_map(|node| (0..4).filter(|child| count_and_link(node.child(*child)).0 > 0));
    assert_eq!(tree.partition(usize::MAX).count(), leaves.count(), "{name}");
    assert_eq!(tree.boxes(tree.levels()).count(), 0, "{name}");
    assert_eq!(tree.boxes(usize::MAX).count(), 0, "{name}");
    assert_eq!(check_leaves(name, tree), tree.triangle_count());
}

/// Checks that leaves contain their triangles. Returns the count of triangles in all leaves.
fn check_leaves(name: &str, tree: &CollisionTree) -> usize {
    let mut seen = 0;
    for nodes in tree.nodes_by_level() {
        for node in nodes {
            let used = (0..4).filter(|child| node.bounds(*child).is_some());
            for (child, bounds) in used.zip(tree.boxes_of(node)) {
                let (count, link) = count_and_link(node.child(child));
                seen += count;
                for slot in link..link + count {
                    for corner in triangle::points(tree.corners(slot).unwrap()) {
                        let corner = Vec3A::from(corner) * tree.unscale;
                        let is_inside = bounds.closest_point(corner) == corner;
                        assert!(is_inside, "{name}: {corner} in {bounds:?}");
                    }
                }
            }
        }
    }
    seen
}

#[test]
fn boxes_of_deeper_levels_are_smaller() {
    let tree = ball(50, 30).tree();
    let size = |bounds: Aabb3d| Vec3::from(bounds.max - bounds.min).length();
    let largest = |level| tree.boxes(level).map(size).fold(0.0, f32::max);
    assert!(tree.levels() > 4);
    assert!(largest(3) < 0.7 * largest(0));
    assert_eq!(tree.boxes(1).count(), 4);
}
