//! Tests of malformed trees.

use crate::formats::alamo::collision::tests::meshes::{ball, cube};
use crate::formats::alamo::collision::tests::poses::check_same_as_built;
use crate::formats::alamo::collision::tests::rays::check_ray;
use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;

fn error(change: impl FnOnce(&mut Sample)) -> TreeError {
    let mut sample = cube();
    change(&mut sample);
    sample.try_tree().unwrap_err()
}

#[test]
fn malformed_trees_are_rejected() {
    assert_eq!(
        error(|sample| sample.links[0].link = 0),
        TreeError::BackwardLink { node: 0, child: 0 }
    );
    let count = cube().links.len();
    let inner = |sample: &Sample| {
        sample
            .links
            .iter()
            .rposition(|at| at.triangle_count == 0)
            .unwrap()
    };
    let last = inner(&cube());
    assert_eq!(
        error(|sample| sample.links[last].link = 1),
        TreeError::BackwardLink {
            node: last,
            child: 1
        }
    );
    assert_eq!(
        error(|sample| sample.links[last].link = count as u16 - 1),
        if cube().links[last].link as usize == count - 2 {
            TreeError::ChildOutOfRange {
                node: last,
                child: count,
                count,
            }
        } else {
            TreeError::SharedChild {
                node: last,
                child: count - 1,
            }
        }
    );
    assert_eq!(
        error(|sample| sample.links[0].link = u16::MAX),
        TreeError::ChildOutOfRange {
            node: 0,
            child: 65535,
            count
        }
    );
    let leaf = cube()
        .links
        .iter()
        .position(|at| at.triangle_count > 0)
        .unwrap();
    assert_eq!(
        error(|sample| sample.links[leaf].link = 12),
        TreeError::LeafOutOfRange {
            node: leaf,
            end: 12 + usize::from(cube().links[leaf].triangle_count),
            count: 12
        }
    );
    assert_eq!(
        error(|sample| sample.links[leaf] = TreeLink {
            triangle_count: u16::MAX,
            link: u16::MAX
        }),
        TreeError::LeafOutOfRange {
            node: leaf,
            end: 2 * 65535,
            count: 12
        }
    );
    assert_eq!(
        error(|sample| sample.map[3] = 12),
        TreeError::TriangleOutOfRange {
            entry: 3,
            triangle: 12,
            count: 12
        }
    );
    assert_eq!(
        error(|sample| sample.map[3] = sample.map[1]),
        TreeError::SharedTriangle {
            entry: 3,
            triangle: cube().map[1].into()
        }
    );
    assert_eq!(
        error(|sample| sample.indices[7] = 8),
        TreeError::VertexOutOfRange {
            triangle: 2,
            vertex: 8,
            count: 8
        }
    );
    assert_eq!(
        error(|sample| sample.positions[5][1] = f32::NAN),
        TreeError::NotFinite { vertex: 5 }
    );
    assert_eq!(
        error(|sample| sample.positions[6][2] = f32::NEG_INFINITY),
        TreeError::NotFinite { vertex: 6 }
    );
    assert_eq!(
        error(|sample| sample.positions.resize(65_537, [0.0; 3])),
        TreeError::TooManyVertices { count: 65_537 }
    );
}

#[test]
fn node_with_two_parents_is_rejected() {
    let mut sample = ball(14, 8);
    let inner: Vec<usize> = (0..sample.links.len())
        .filter(|at| sample.links[*at].triangle_count == 0)
        .collect();
    // One node gets the children of the node whose children come last.
    let to = *inner
        .iter()
        .max_by_key(|at| sample.links[**at].link)
        .unwrap();
    let from = inner.iter().copied().find(|at| *at != to).unwrap();
    sample.links[from].link = sample.links[to].link;
    let child = usize::from(sample.links[to].link);
    let node = from.max(to);
    assert_eq!(
        sample.try_tree().unwrap_err(),
        TreeError::SharedChild { node, child }
    );
}

#[test]
fn leaves_that_share_triangles_are_rejected() {
    let mut sample = cube();
    let leaves: Vec<usize> = (0..sample.links.len())
        .filter(|at| sample.links[*at].triangle_count > 0)
        .collect();
    let one = sample.links[leaves[0]];
    sample.links[leaves[1]] = one;
    assert!(matches!(
        sample.try_tree(),
        Err(TreeError::SharedEntry { .. })
    ));
}

#[test]
fn unreachable_leaves_are_left_out() {
    let mut sample = cube();
    let count = sample.triangle_count();
    let leaf = sample.links.iter().find(|at| at.triangle_count > 0);
    let leaf = *leaf.unwrap();
    // The root becomes a leaf; the other leaves follow it.
    sample.links[0] = leaf;
    for link in &mut sample.links[1..] {
        if *link == leaf {
            *link = TreeLink::default();
        }
    }
    sample.links.retain(|link| link.triangle_count > 0);
    let tree = sample.tree();
    assert!(tree.triangle_count() < count);
    assert_eq!(tree.triangle_count(), usize::from(leaf.triangle_count));
    assert_eq!(tree.levels(), 2);
}

#[test]
fn tree_without_nodes_is_empty() {
    let tree = CollisionTree::new(Vec::<TreeLink>::new(), &[], &[], &[]).unwrap();
    let ray = Ray3d::new(Vec3::Z, Dir3::NEG_Z);
    assert_eq!(tree.triangle_count(), 0);
    assert!(tree.bounds().is_none());
    assert!(tree.cast_ray(ray, f32::INFINITY, Backfaces::Keep).is_none());
    assert!(!tree.any_hit(ray, f32::INFINITY, Backfaces::Keep));
    assert!(tree.closest_point(Vec3::ZERO, f32::INFINITY).is_none());
}

/// A tree as deep as its count of leaves: each node has a leaf and the next node.
pub(crate) fn chain(leaves: usize) -> Sample {
    let mut random = Random(1);
    let triangles: Vec<[Vec3; 3]> = (0..leaves)
        .map(|_| [(); 3].map(|()| random.point()))
        .collect();
    let mut sample = Sample::new(&triangles, leaves);
    sample.links.clear();
    for at in 0..leaves - 1 {
        let link = TreeLink {
            triangle_count: 0,
            link: 2 * at as u16 + 1,
        };
        let leaf = TreeLink {
            triangle_count: 1,
            link: at as u16,
        };
        match at {
            0 => sample.links.push(link),
            _ => *sample.links.last_mut().unwrap() = link,
        }
        sample.links.extend([leaf, leaf]);
    }
    sample.links.last_mut().unwrap().link = leaves as u16 - 1;
    sample
}

#[test]
fn deep_trees_are_traversed_and_too_deep_ones_are_rejected() {
    for leaves in [2, 20, 60, 1000] {
        let sample = chain(leaves);
        let tree = sample.tree();
        let mut random = Random(2);
        for _ in 0..20 {
            let ray = Ray3d::new(random.point() * 2.0, random.direction());
            check_ray(("chain", &sample, &tree), ray, f32::INFINITY);
        }
    }
    assert!(matches!(
        chain(5000).try_tree(),
        Err(TreeError::TooDeep { .. })
    ));
}

#[test]
fn randomly_corrupted_trees_are_rejected_or_queried() {
    let mut random = Random(8);
    let mut accepted = 0;
    for turn in 0..3000 {
        let mut sample = if turn % 2 == 0 { cube() } else { ball(6, 4) };
        for _ in 0..1 + random.below(3) {
            let bits = random.bits() as u16 % if turn % 3 == 0 { u16::MAX } else { 40 };
            let at = random.below(1000);
            let link = at % sample.links.len();
            match random.below(5) {
                0 => sample.links[link].link = bits,
                1 => sample.links[link].triangle_count = bits,
                2 => sample.links.truncate(link),
                3 => sample.map.truncate(at % 12),
                _ => sample.map[at % 12] = bits,
            }
            if sample.links.is_empty() || sample.map.len() < 12 {
                break;
            }
        }
        let Ok(tree) = sample.try_tree() else {
            continue;
        };
        accepted += 1;
        assert!(tree.levels() > 1 || tree.triangle_count() == 0);
        let posed = tree.with_positions(&sample.positions).unwrap();
        check_same_as_built("any tree", &sample, &posed);
        for _ in 0..10 {
            let ray = Ray3d::new(random.point() * 2.0, random.direction());
            let hit = tree.cast_ray(ray, f32::INFINITY, Backfaces::Keep);
            assert_eq!(
                hit.is_some(),
                tree.any_hit(ray, f32::INFINITY, Backfaces::Keep)
            );
        }
    }
    assert!(accepted > 50);
}
