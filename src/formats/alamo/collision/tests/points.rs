//! Overlap and closest point queries compared with testing all triangles, and the boxes by level.

use crate::formats::alamo::collision::node::{WIDTH, count_and_link};
use crate::formats::alamo::collision::tests::malformed::chain;
use crate::formats::alamo::collision::tests::meshes::{adversarial, all, ball};
use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::collision::triangle;
use bevy::math::bounding::{Aabb3d, BoundingSphere, BoundingVolume};
use bevy::math::{DVec3, Vec3, Vec3A};
use core::ops::ControlFlow;

fn collect(
    visit: impl FnOnce(&mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()>,
) -> Vec<u32> {
    let mut found = Vec::new();
    let end = visit(&mut |triangle| {
        found.push(triangle);
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    found.sort_unstable();
    found
}

fn has_area(sample: &Sample, triangle: usize) -> bool {
    triangle::normal(sample.triangle(triangle)) != DVec3::ZERO
}

#[test]
fn tree_keeps_exactly_the_triangles_with_area() {
    for (name, sample) in all() {
        let mut kept = sample.tree().triangles.to_vec();
        kept.sort_unstable();
        let with_area = (0..sample.triangle_count()).filter(|at| has_area(&sample, *at));
        let with_area: Vec<u16> = with_area.map(|at| at as u16).collect();
        assert_eq!(kept, with_area, "{name}");
    }
}

#[test]
fn sphere_and_closest_point_queries_match_the_reference() {
    for (name, sample) in all() {
        let tree = sample.tree();
        let mut random = Random(3);
        for turn in 0..200 {
            let at = sample.triangle(random.below(sample.triangle_count()))[0];
            let point = at + random.point() * [0.01, 0.3, 5.0, 1e5][turn % 4];
            let radius = [0.05_f32, 0.5, 2.0, 1e5][turn % 4];
            check_sphere((name, &sample, &tree), point, radius);
        }
    }
}

/// Checks the sphere and closest point queries at a point against the tree's triangles.
pub(crate) fn check_sphere(
    (name, sample, tree): (&str, &Sample, &CollisionTree),
    point: Vec3,
    radius: f32,
) {
    let center = DVec3::from(point);
    let distance = |at: &u16| {
        let corners = sample.triangle(usize::from(*at));
        triangle::nearest(corners, center).distance(center)
    };
    let distances: Vec<f64> = tree.triangles.iter().map(distance).collect();
    let least = distances.iter().copied().min_by(f64::total_cmp);
    let found = tree.closest_point(point, f32::INFINITY);
    assert_eq!(found.is_some(), least.is_some(), "{name} {point}");
    if let (Some(found), Some(least)) = (found, least) {
        let tolerance = 1e-6 * (least + 1e-3);
        assert!(
            (f64::from(found.distance) - least).abs() <= tolerance,
            "{name} {found:?} {least}"
        );
        assert!(tree.closest_point(point, least as f32 * 1.00001).is_some());
        assert!(tree.closest_point(point, least as f32 * 0.9999).is_none() || least == 0.0);
    }
    let sphere = BoundingSphere::new(point, radius);
    let found = collect(|visit| tree.query_sphere(&sphere, visit));
    let inside = |tolerance: f64| {
        let near = |distance: &&f64| **distance <= f64::from(radius) * (1.0 + tolerance);
        distances.iter().filter(near).count()
    };
    let counts = inside(-1e-6)..=inside(1e-6);
    assert!(
        counts.contains(&found.len()),
        "{name} {sphere:?} {found:?} {counts:?}"
    );
}

#[test]
fn box_queries_match_the_reference() {
    for (name, sample) in all() {
        let tree = sample.tree();
        let mut random = Random(4);
        let mut seen = 0;
        for turn in 0..200 {
            let at = sample.triangle(random.below(sample.triangle_count()))[0];
            let half = random.point().abs() * [0.01, 0.2, 1.0, 1e6][turn % 4];
            let bounds = Aabb3d::new(at + random.point() * 0.2, half);
            seen += check_box((name, &sample, &tree), bounds);
        }
        assert!(seen > 50 || name == "no area at all", "{name}: {seen}");
    }
}

/// Checks the box query against the tree's triangles. Returns the count of triangles.
pub(crate) fn check_box(
    (name, sample, tree): (&str, &Sample, &CollisionTree),
    bounds: Aabb3d,
) -> usize {
    let found = collect(|visit| tree.query_aabb(&bounds, visit));
    let center = Vec3::from(bounds.center());
    let reference = |tolerance: f32| -> Vec<u32> {
        let half = Vec3::from(bounds.half_size()) + Vec3::splat(tolerance);
        let overlaps = |at: &u32| {
            let corners = sample.triangle(*at as usize);
            half.cmpge(Vec3::ZERO).all() && overlaps_box(corners, center, half)
        };
        let all = tree.triangles.iter().map(|at| u32::from(*at));
        all.filter(overlaps).collect()
    };
    let reach = sample.positions.as_flattened().iter().copied();
    let tolerance = 2e-6 * (reach.fold(0.0, |most, at| at.abs().max(most)) + 1.0);
    let (most, least) = (reference(tolerance), reference(-tolerance));
    assert!(
        found.iter().all(|at| most.contains(at)),
        "{name} {bounds:?} {found:?} {most:?}"
    );
    assert!(
        least.iter().all(|at| found.contains(at)),
        "{name} {bounds:?} {found:?} {least:?}"
    );
    found.len()
}

/// Whether a triangle overlaps a box: by Sutherland–Hodgman clipping (1974).
fn overlaps_box(corners: [Vec3; 3], center: Vec3, half: Vec3) -> bool {
    let center = DVec3::from(center);
    let mut polygon: Vec<DVec3> = corners.iter().map(|at| DVec3::from(*at) - center).collect();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let inside = |at: DVec3| f64::from(half[axis]) - sign * at[axis];
            let mut next = Vec::new();
            for (index, at) in polygon.iter().enumerate() {
                let before = polygon[(index + polygon.len() - 1) % polygon.len()];
                let (to, from) = (inside(*at), inside(before));
                if (to < 0.0) != (from < 0.0) {
                    next.push(before + (*at - before) * (from / (from - to)));
                }
                if to >= 0.0 {
                    next.push(*at);
                }
            }
            polygon = next;
        }
    }
    !polygon.is_empty()
}

#[test]
fn closest_point_of_a_triangle_matches_the_reference() {
    let mut random = Random(6);
    for turn in 0..200_000 {
        let (a, b) = (random.point(), random.point());
        let on_line = a.lerp(b, 2.0 * random.number());
        let thin = 10_f32.powi(-(random.below(9) as i32));
        let corners = match turn % 6 {
            0 => [a, b, random.point()],
            1 => [a, b, on_line],
            2 => [a, on_line, b],
            3 => [a, a, b].map(|at| at * thin),
            4 => [a, b, on_line + random.point() * thin],
            _ => [a, b, a],
        };
        let beside = match random.below(2) {
            0 => random.point(),
            _ => random.point().cross(b - a),
        };
        let point = DVec3::from(on_line + beside * 10_f32.powi(turn % 7 - 3));
        let least = distance_to(corners.map(DVec3::from), point);
        let nearest = triangle::nearest(corners, point);
        let tolerance = 1e-9 * (1.0 + least);
        assert!(
            (nearest.distance(point) - least).abs() <= tolerance,
            "{corners:?} {point:?} {nearest:?} {least}"
        );
    }
}

/// The distance of a point from a triangle: from its plane if the point is above it, otherwise from its
/// edges.
fn distance_to([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = [[a, b], [b, c], [c, a]];
    let within = |[from, to]: [DVec3; 2]| (to - from).cross(point - from).dot(normal) > 0.0;
    let beside = edges.map(|[from, to]| {
        let edge = to - from;
        let along = (point - from).dot(edge) / edge.length_squared();
        // `along` is NaN if the edge has no length.
        (from + edge * along.clamp(0.0, 1.0).max(0.0)).distance(point)
    });
    let beside = beside.into_iter().fold(f64::INFINITY, f64::min);
    if edges.into_iter().all(within) {
        beside.min((point - a).dot(normal.normalize()).abs())
    } else {
        beside
    }
}

#[test]
fn boxes_contain_their_children_and_triangles() {
    for (name, sample) in all() {
        let tree = sample.tree();
        for node in &tree.nodes {
            for child in 0..WIDTH {
                let bounds = node.planes.map(|planes| planes.map(|steps| steps[child]));
                let (count, link) = count_and_link(node.child(child));
                let inside = |least: [f32; 3], greatest: [f32; 3]| {
                    (0..3).all(|axis| {
                        f32::from(bounds[0][axis]) <= least[axis]
                            && greatest[axis] <= f32::from(bounds[1][axis])
                    })
                };
                for slot in link..link + count {
                    for corner in triangle::points(tree.corners(slot).unwrap()) {
                        let steps = tree.grid.steps_at(corner.into()).to_array();
                        assert!(inside(steps, steps), "{name}: {bounds:?} {steps:?}");
                    }
                }
                // The minimum of an unused box is above its maximum.
                if count > 0 || bounds[0][0] > bounds[1][0] {
                    continue;
                }
                let below = &tree.nodes[link];
                for child in (0..WIDTH).filter(|at| below.planes[0][0][*at] != u16::MAX) {
                    let [least, greatest] = below
                        .planes
                        .map(|planes| planes.map(|steps| f32::from(steps[child])));
                    assert!(inside(least, greatest), "{name}: {bounds:?} {least:?}");
                }
            }
        }
    }
}

#[test]
fn queries_stop_when_the_visitor_breaks() {
    let tree = ball(50, 30).tree();
    let everything = Aabb3d::new(Vec3::ZERO, Vec3::splat(5.0));
    let mut seen = 0;
    let stopped = tree.query_aabb(&everything, |triangle| {
        seen += 1;
        if seen == 7 {
            return ControlFlow::Break(triangle);
        }
        ControlFlow::Continue(())
    });
    assert!(stopped.is_break());
    assert_eq!(seen, 7);
    let stopped = tree.query_sphere(&BoundingSphere::new(Vec3::ZERO, 5.0), ControlFlow::Break);
    assert!(stopped.is_break());
    let found = collect(|visit| tree.query_aabb(&everything, visit));
    assert_eq!(found, (0..tree.triangle_count() as u32).collect::<Vec<_>>());
}

#[test]
fn invalid_and_infinite_overlap_queries_are_handled() {
    for (name, sample) in adversarial() {
        let tree = sample.tree();
        let count = tree.triangle_count();
        let all = Aabb3d {
            min: Vec3::NEG_INFINITY.into(),
            max: Vec3::INFINITY.into(),
        };
        assert_eq!(
            collect(|visit| tree.query_aabb(&all, visit)).len(),
            count,
            "{name}"
        );
        let inside_out = Aabb3d {
            min: all.max,
            max: all.min,
        };
        assert_eq!(
            collect(|visit| tree.query_aabb(&inside_out, visit)).len(),
            0
        );
        let odd = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            -f32::MAX,
            0.0,
            1e-45,
        ];
        for x in odd {
            for y in odd {
                let at = Vec3::new(x, y, 0.0);
                let bounds = Aabb3d {
                    min: at.into(),
                    max: Vec3::new(y, x, 1.0).into(),
                };
                let found = collect(|visit| tree.query_aabb(&bounds, visit));
                assert!(!at.is_nan() || found.is_empty());
                for radius in odd {
                    let mut sphere = BoundingSphere::new(at, 1.0);
                    sphere.sphere.radius = radius;
                    let found = collect(|visit| tree.query_sphere(&sphere, visit));
                    assert!(at.is_finite() || found.is_empty());
                    let near = tree.closest_point(at, radius);
                    assert!((at.is_finite() && radius >= 0.0) || near.is_none());
                }
            }
        }
    }
}

#[test]
fn boxes_are_within_their_parents_and_contain_their_triangles() {
    let chains = [("2", chain(2)), ("60", chain(60)), ("1000", chain(1000))];
    for (name, sample) in all().into_iter().chain(chains) {
        for scale in [1.0, 1e-30, 1e30] {
            check_levels(name, &sample.scaled(scale).tree());
        }
    }
}

fn check_levels(name: &str, tree: &CollisionTree) {
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
