//! Queries on the collision trees of the bundled walker and of real files, compared with brute force over all
//! triangles.

use crate::support::prelude::*;
use crate::support::rays::Random;
use bevy::math::bounding::BoundingSphere;
use bevy::math::{Dir3, Ray3d};
use bevy_classic_models::alamo::alo::{Mesh, VertexRecord, Vertices, parse};
use bevy_classic_models::alamo::{Backfaces, CollisionTree, TreeHit, TreeLink};
use std::ops::ControlFlow;

/// The count of queries of each kind per tree.
const PROBES: usize = 300;

/// A sub-mesh with a tree.
struct Subject {
    name: String,
    triangles: Vec<[DVec3; 3]>,
    tree: CollisionTree,
    center: Vec3,
    radius: f32,
    /// The distance to an edge below which rounding may decide the result.
    tolerance: f64,
}

/// The result of a ray cast at a triangle.
#[derive(PartialEq)]
enum RayResult {
    Miss,
    /// The ray is too near to an edge for a certain result.
    Uncertain,
    /// A hit, with its distance and the tolerance of the distance.
    Hit(f64, f64),
}

impl Subject {
    /// Returns `None` if there is no tree, or no triangle in it has an area.
    fn new(name: &str, submesh: &Submesh<'_>) -> Option<Self> {
        let tree = submesh.tree.as_ref()?;
        let positions = match submesh.vertices {
            Vertices::V1(vertices) => positions(vertices),
            Vertices::V2(vertices) => positions(vertices),
        };
        let indices: Vec<u16> = submesh.indices.iter().map(|index| index.get()).collect();
        let links = tree.nodes.iter().map(|node| TreeLink {
            triangle_count: node.triangle_count.get(),
            link: node.link.get(),
        });
        let map: Vec<u16> = tree.triangles.iter().map(|index| index.get()).collect();
        let tree = CollisionTree::new(links, &map, &positions, &indices)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let corner = |index: &u16| Vec3::from(positions[usize::from(*index)]).as_dvec3();
        let triangles = indices.chunks_exact(3);
        let triangles = triangles.map(|corners| [0, 1, 2].map(|at| corner(&corners[at])));
        let bounds = tree.bounds()?;
        let radius = Vec3::from(bounds.max - bounds.min).length() / 2.0;
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        Some(Self {
            name: name.into(),
            triangles: triangles.collect(),
            tree,
            center: bounds.center().into(),
            radius,
            tolerance: f64::from(16.0 * radius + reach) / f64::from(1 << 22),
        })
    }

    /// Whether queries may skip a triangle because its area is nearly zero.
    fn is_thin(&self, triangle: usize) -> bool {
        let [a, b, c] = self.triangles[triangle];
        let longest = (b - a).length_squared().max((c - a).length_squared());
        (b - a).cross(c - a).length() <= 1e-5 * longest
    }

    /// Runs all checks. Returns the count of rays with a hit.
    fn check(&self) -> usize {
        let mut random = Random(1);
        self.check_boxes();
        let mut hits = 0;
        for index in 0..PROBES {
            let triangle = self.triangles[random.below(self.triangles.len())];
            let [a, b, c] = triangle.map(|corner| corner.as_vec3());
            let random_point = self.center + random.point(1.0).as_vec3() * self.radius;
            let target = match index % 4 {
                0 => random_point,
                1 => a + (b - a) * random.unit() as f32,
                2 => a,
                _ => (a + b + c) / 3.0,
            };
            let origin = match index % 3 {
                0 => random_point,
                _ => self.center + random.point(1.0).as_vec3().normalize() * 1.5 * self.radius,
            };
            if let Ok(direction) = Dir3::new(target - origin) {
                hits += usize::from(self.check_ray(Ray3d { origin, direction }));
            }
            let size = self.radius * [0.01, 0.1, 0.5][index % 3];
            let center = target + random.point(1.0).as_vec3() * size;
            self.check_ball(BoundingSphere::new(center, size));
            self.check_box(&Aabb3d::new(
                center,
                random.point(1.0).as_vec3().abs() * size,
            ));
        }
        hits
    }

    /// Asserts that each box is within a box of the level above, and each triangle within a leaf box.
    fn check_boxes(&self) {
        let step = self.radius / 16_384.0;
        let mut above: Vec<Aabb3d> = self.tree.boxes(0).collect();
        assert_eq!(above.len(), 1, "{}", self.name);
        for level in 1..self.tree.levels() {
            let boxes: Vec<Aabb3d> = self.tree.boxes(level).collect();
            for inner in &boxes {
                let contains = |outer: &Aabb3d| outer.grow(Vec3A::splat(step)).contains(inner);
                assert!(above.iter().any(contains), "{}: level {level}", self.name);
            }
            above = boxes;
        }
        let leaves = self.tree.partition(usize::MAX);
        let parts: Vec<Aabb3d> = leaves.map(|(_, bounds)| bounds).collect();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let corners = corners.map(|corner| Vec3A::from(corner.as_vec3()));
            let inside = |part: &Aabb3d| {
                let is_inside = |corner: &Vec3A| part.closest_point(*corner) == *corner;
                corners.iter().all(is_inside)
            };
            let is_contained = parts.iter().any(inside) || self.is_thin(triangle);
            assert!(
                is_contained,
                "{}: no leaf box contains triangle {triangle}",
                self.name
            );
            let [a, b, c] = corners;
            let bounds = Aabb3d {
                min: a.min(b).min(c),
                max: a.max(b).max(c),
            };
            let found = self.found(|visit| self.tree.query_aabb(&bounds, visit));
            let found = found.contains(&triangle) || self.is_thin(triangle);
            assert!(
                found,
                "{}: triangle {triangle} not found by its own bounds",
                self.name
            );
        }
    }

    fn check_ray(&self, ray: Ray3d) -> bool {
        for backfaces in [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip] {
            let hit = self.tree.cast_ray(ray, f32::INFINITY, backfaces);
            let any = self.tree.any_hit(ray, f32::INFINITY, backfaces);
            let context = || format!("{}: {ray:?} {backfaces:?} {hit:?}", self.name);
            assert_eq!(any, hit.is_some(), "{}", context());
            let hit_distance = hit.map_or(f64::INFINITY, |hit| f64::from(hit.distance));
            for triangle in 0..self.triangles.len() {
                if let RayResult::Hit(distance, tolerance) = self.cast_at(triangle, ray, backfaces)
                {
                    let nearer = self.is_thin(triangle) || hit_distance <= distance + tolerance;
                    assert!(nearer, "{}: triangle {triangle} is nearer", context());
                }
            }
            if let Some(hit) = hit {
                assert!(self.is_valid_hit(&hit, ray, backfaces), "{}", context());
            }
        }
        self.tree.any_hit(ray, f32::INFINITY, Backfaces::Keep)
    }

    fn is_valid_hit(&self, hit: &TreeHit, ray: Ray3d, backfaces: Backfaces) -> bool {
        let triangle = hit.triangle as usize;
        let [a, b, c] = self.triangles[triangle];
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let along = normal.dot(hit.normal.as_dvec3());
        let flipped = backfaces == Backfaces::Flip && normal.dot(ray.direction.as_dvec3()) > 0.0;
        let normal_matches = if flipped {
            along < -0.999
        } else {
            along > 0.999
        };
        match self.cast_at(triangle, ray, backfaces) {
            RayResult::Miss => false,
            RayResult::Uncertain => true,
            RayResult::Hit(distance, tolerance) => {
                normal_matches && (distance - f64::from(hit.distance)).abs() <= tolerance
            }
        }
    }

    /// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
    fn cast_at(&self, triangle: usize, ray: Ray3d, backfaces: Backfaces) -> RayResult {
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let [a, b, c] = self.triangles[triangle];
        let (ab, ac, to_origin) = (b - a, c - a, origin - a);
        let p = direction.cross(ac);
        let determinant = ab.dot(p);
        let q = to_origin.cross(ab);
        let [v, w, distance] =
            [to_origin.dot(p), direction.dot(q), ac.dot(q)].map(|part| part / determinant);
        // The distance of the ray from each edge, projected along the ray. Positive is inside.
        let within = [(1.0 - v - w, c - b), (v, ac), (w, ab)]
            .map(|(weight, edge)| weight * determinant.abs() / edge.length());
        let least = within.into_iter().fold(f64::INFINITY, f64::min);
        let flat = determinant.abs() <= self.tolerance * ab.length().max(ac.length());
        if flat || least.abs() <= self.tolerance {
            return RayResult::Uncertain;
        }
        // The error of the distance grows with the slope of the triangle and with the relative error of its area.
        let blur = 1.0 + self.tolerance * f64::from(self.radius) / determinant.abs();
        let steep = ab.cross(ac).length() / determinant.abs();
        let tolerance = self.tolerance * blur * (1.0 + steep);
        let back = determinant < 0.0 && backfaces == Backfaces::Cull;
        if back || least < 0.0 || distance < -tolerance {
            RayResult::Miss
        } else if distance < tolerance {
            RayResult::Uncertain
        } else {
            RayResult::Hit(distance, tolerance)
        }
    }

    /// The triangles that a query visits. Asserts that it visits none of them twice.
    fn found(
        &self,
        query: impl FnOnce(&mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()>,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        let end = query(&mut |triangle| {
            found.push(triangle as usize);
            ControlFlow::Continue(())
        });
        assert!(end.is_continue());
        found.sort_unstable();
        let has_duplicates = found.windows(2).any(|pair| pair[0] == pair[1]);
        assert!(!has_duplicates, "{}: {found:?}", self.name);
        found
    }

    /// Asserts that a query finds all certain triangles, and no impossible ones.
    fn compare(
        &self,
        found: &[usize],
        certain: &dyn Fn(usize) -> bool,
        possible: &dyn Fn(usize) -> bool,
    ) {
        for triangle in 0..self.triangles.len() {
            let is_valid = match found.binary_search(&triangle) {
                Ok(_) => possible(triangle),
                Err(_) => self.is_thin(triangle) || !certain(triangle),
            };
            assert!(is_valid, "{}: triangle {triangle} of {found:?}", self.name);
        }
    }

    fn check_ball(&self, ball: BoundingSphere) {
        let center = Vec3::from(ball.center).as_dvec3();
        let distance = |triangle: &[DVec3; 3]| distance_to(*triangle, center);
        let distances: Vec<f64> = self.triangles.iter().map(distance).collect();
        let found = self.found(|visit| self.tree.query_sphere(&ball, visit));
        let radius = f64::from(ball.radius());
        self.compare(
            &found,
            &|triangle| distances[triangle] < radius - self.tolerance,
            &|triangle| distances[triangle] < radius + self.tolerance,
        );
        let checked = (0..distances.len()).filter(|triangle| !self.is_thin(*triangle));
        let nearest = checked
            .map(|triangle| distances[triangle])
            .fold(f64::INFINITY, f64::min);
        let closest = self
            .tree
            .closest_point(center.as_vec3(), f32::INFINITY)
            .unwrap();
        let distance = f64::from(closest.distance);
        let is_valid = (distances[closest.triangle as usize] - distance).abs() < self.tolerance;
        assert!(
            is_valid && distance < nearest + self.tolerance,
            "{}: {closest:?}",
            self.name
        );
        let point_distance = closest.point.as_dvec3().distance(center);
        assert!(
            (point_distance - distance).abs() < self.tolerance,
            "{}: {closest:?}",
            self.name
        );
        let within = self.tree.closest_point(center.as_vec3(), ball.radius());
        assert_eq!(
            within.is_some(),
            closest.distance <= ball.radius(),
            "{}: {closest:?}",
            self.name
        );
    }

    fn check_box(&self, bounds: &Aabb3d) {
        let found = self.found(|visit| self.tree.query_aabb(bounds, visit));
        let center = Vec3::from(bounds.center()).as_dvec3();
        let half = Vec3::from(bounds.half_size()).as_dvec3();
        let intersects = |triangle: usize, margin: f64| {
            let half = half + DVec3::splat(margin);
            half.min_element() >= 0.0 && is_in_box(self.triangles[triangle], center, half)
        };
        self.compare(
            &found,
            &|triangle| intersects(triangle, -self.tolerance),
            &|triangle| intersects(triangle, self.tolerance),
        );
    }
}

fn positions<T: VertexRecord>(vertices: &[T]) -> Vec<[f32; 3]> {
    let position = |vertex: &T| vertex.head().position.map(|value| value.get());
    vertices.iter().map(position).collect()
}

/// The distance of a point from a triangle: from its plane if the projection is inside, otherwise from its edges.
fn distance_to([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    let within = |(from, to): (DVec3, DVec3)| (to - from).cross(point - from).dot(normal) > 0.0;
    if edges.into_iter().all(within) {
        return (point - a).dot(normal.normalize()).abs();
    }
    let from_edge = |(from, to): (DVec3, DVec3)| {
        let edge = to - from;
        let along = (point - from).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE);
        (from + edge * along.clamp(0.0, 1.0)).distance(point)
    };
    edges
        .map(from_edge)
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// Whether a triangle intersects a box, by Sutherland-Hodgman clipping (1974).
fn is_in_box(corners: [DVec3; 3], center: DVec3, half: DVec3) -> bool {
    let mut polygon = corners.map(|corner| corner - center).to_vec();
    for (axis, sign) in [0, 1, 2]
        .into_iter()
        .flat_map(|axis| [(axis, 1.0), (axis, -1.0)])
    {
        let inside = |point: DVec3| half[axis] - sign * point[axis];
        let mut next = Vec::new();
        for (index, point) in polygon.iter().enumerate() {
            let before = polygon[(index + polygon.len() - 1) % polygon.len()];
            let (here, there) = (inside(*point), inside(before));
            if (here < 0.0) != (there < 0.0) {
                next.push(before + (*point - before) * (there / (there - here)));
            }
            if here >= 0.0 {
                next.push(*point);
            }
        }
        polygon = next;
    }
    !polygon.is_empty()
}

fn subjects(name: &str, file: &AloFile<'_>) -> Vec<Subject> {
    let parts = |mesh: &Mesh<'_>| -> Vec<Subject> {
        let name = format!("{name} {}", mesh.name);
        let subject = |submesh| Subject::new(&name, submesh);
        mesh.submeshes.iter().filter_map(subject).collect()
    };
    file.meshes.iter().flat_map(parts).collect()
}

#[test]
fn queries_on_the_bundled_walker_match_brute_force() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/walker.alo");
    let bytes = std::fs::read(path).unwrap();
    let subjects = subjects("walker", &parse(&bytes).unwrap());
    assert!(subjects.len() >= 3);
    for subject in subjects {
        let hits = subject.check();
        assert!(hits > PROBES / 4, "{}: {hits} hits", subject.name);
    }
}

#[test]
fn queries_on_real_models_match_brute_force() {
    let (mut trees, mut triangles, mut hits) = (0, 0, 0);
    for (name, bytes) in corpus_alo("queries_on_real_models_match_brute_force") {
        // Other tests cover files that are not models.
        let Ok(file) = parse(&bytes) else { continue };
        for subject in subjects(&name, &file) {
            trees += 1;
            triangles += subject.tree.triangle_count();
            hits += subject.check();
        }
    }
    println!(
        "{trees} trees with {triangles} triangles, {hits} of {} rays hit one",
        trees * PROBES
    );
}
