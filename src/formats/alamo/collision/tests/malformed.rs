//! Tests of malformed trees.

use crate::formats::alamo::collision::tests::meshes::{ball, cube};
use crate::formats::alamo::collision::tests::poses::check_same_as_built;
use crate::formats::alamo::collision::tests::rays::check_ray;
use crate::formats::alamo::collision::tests::reference::Reference;
use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
use crate::geometry::ray_settings::Backfaces;
use bevy::prelude::*;

#[track_caller]
fn assert_rejected(change: impl FnOnce(&mut Sample), expected: TreeError) {
    let mut sample = cube();
    change(&mut sample);
    assert_eq!(sample.try_tree().unwrap_err(), expected);
}

#[test]
fn malformed_trees_are_rejected() {
    use TreeError::*;
    let Sample { links, map, .. } = cube();
    let count = links.len();
    let (node, child) = (0, 0);
    assert_rejected(|it| it.links[0].link = 0, BackwardLink { node, child });
    let node = links.iter().rposition(|at| at.triangle_count == 0).unwrap();
    let child = 1;
    assert_rejected(|it| it.links[node].link = 1, BackwardLink { node, child });
    let expected = if links[node].link as usize == count - 2 {
        let child = count;
        ChildOutOfRange { node, child, count }
    } else {
        let child = count - 1;
        SharedChild { node, child }
    };
    assert_rejected(|it| it.links[node].link = count as u16 - 1, expected);
    let (node, child) = (0, 65535);
    let expected = ChildOutOfRange { node, child, count };
    assert_rejected(|it| it.links[0].link = u16::MAX, expected);
    let (node, count) = (
        links.iter().position(|at| at.triangle_count > 0).unwrap(),
        12,
    );
    let end = 12 + usize::from(links[node].triangle_count);
    assert_rejected(
        |it| it.links[node].link = 12,
        LeafOutOfRange { node, end, count },
    );
    let (triangle_count, link, end) = (u16::MAX, u16::MAX, 2 * 65535);
    let expected = LeafOutOfRange { node, end, count };
    assert_rejected(
        |it| {
            it.links[node] = TreeLink {
                triangle_count,
                link,
            }
        },
        expected,
    );
    let (entry, triangle) = (3, 12);
    let expected = TriangleOutOfRange {
        entry,
        triangle,
        count,
    };
    assert_rejected(|it| it.map[3] = 12, expected);
    let triangle = map[1].into();
    assert_rejected(
        |it| it.map[3] = it.map[1],
        SharedTriangle { entry, triangle },
    );
    let (triangle, vertex, count) = (2, 8, 8);
    let expected = VertexOutOfRange {
        triangle,
        vertex,
        count,
    };
    assert_rejected(|it| it.indices[7] = 8, expected);
    assert_rejected(|it| it.positions[5][1] = f32::NAN, NotFinite { vertex: 5 });
    assert_rejected(
        |it| it.positions[6][2] = f32::NEG_INFINITY,
        NotFinite { vertex: 6 },
    );
    let count = 65_537;
    assert_rejected(
        |it| it.positions.resize(count, [0.0; 3]),
        TooManyVertices { count },
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
        let mut reference = Reference::new(&sample);
        let mut random = Random(2);
        for _ in 0..20 {
            let ray = Ray3d::new(random.point() * 2.0, random.direction());
            check_ray(("chain", &tree, &mut reference), ray, f32::INFINITY);
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
