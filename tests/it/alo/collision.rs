//! Queries on the collision trees of the bundled walker and of real files, against every triangle by
//! itself.

use crate::support::alo::corpus_alo;
use bevy::math::bounding::{Aabb3d, BoundingSphere, BoundingVolume};
use bevy::math::{DVec3, Dir3, Ray3d, Vec3, Vec3A};
use bevy_classic_models::alamo::alo::{AloFile, Mesh, Submesh, VertexRecord, Vertices, parse};
use bevy_classic_models::alamo::{Backfaces, CollisionTree, TreeHit, TreeLink};
use std::ops::ControlFlow;

/// Questions of each kind for each tree.
const PROBES: usize = 300;

/// A sub-mesh that has a tree.
struct Subject {
    name: String,
    triangles: Vec<[DVec3; 3]>,
    tree: CollisionTree,
    center: Vec3,
    radius: f32,
    /// How near to the edge of anything rounding may decide.
    room: f64,
}

/// What a ray makes of a triangle.
#[derive(PartialEq)]
enum View {
    Missed,
    /// It is too near to an edge to be sure.
    Open,
    /// At this distance, which rounding may change by so much.
    Met(f64, f64),
}

impl Subject {
    /// `None` if there is no tree, or no triangle in it that has area.
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
            room: f64::from(16.0 * radius + reach) / f64::from(1 << 22),
        })
    }

    /// Whether queries may have left a triangle out, for want of area.
    fn is_thin(&self, triangle: usize) -> bool {
        let [a, b, c] = self.triangles[triangle];
        let longest = (b - a).length_squared().max((c - a).length_squared());
        (b - a).cross(c - a).length() <= 1e-5 * longest
    }

    /// All checks. Returns how many rays met something.
    fn check(&self) -> usize {
        let mut random = Random(1);
        self.check_boxes();
        let mut hits = 0;
        for turn in 0..PROBES {
            let triangle = self.triangles[random.below(self.triangles.len())];
            let [a, b, c] = triangle.map(|corner| corner.as_vec3());
            let anywhere = self.center + random.point() * self.radius;
            let target = match turn % 4 {
                0 => anywhere,
                1 => a + (b - a) * random.number().abs(),
                2 => a,
                _ => (a + b + c) / 3.0,
            };
            let origin = match turn % 3 {
                0 => anywhere,
                _ => self.center + random.point().normalize() * 1.5 * self.radius,
            };
            if let Ok(direction) = Dir3::new(target - origin) {
                hits += usize::from(self.check_ray(Ray3d { origin, direction }));
            }
            let size = self.radius * [0.01, 0.1, 0.5][turn % 3];
            let beside = target + random.point() * size;
            self.check_ball(BoundingSphere::new(beside, size));
            self.check_box(&Aabb3d::new(beside, random.point().abs() * size));
        }
        hits
    }

    /// Boxes of each level must be within those above them, and each triangle in one of the root's.
    fn check_boxes(&self) {
        let step = self.radius / 16_384.0;
        let mut above: Vec<Aabb3d> = self.tree.boxes(0).collect();
        assert_eq!(above.len(), 1, "{}", self.name);
        for level in 1..self.tree.levels() {
            let boxes: Vec<Aabb3d> = self.tree.boxes(level).collect();
            for one in &boxes {
                let held = |other: &Aabb3d| other.grow(Vec3A::splat(step)).contains(one);
                assert!(above.iter().any(held), "{}: level {level}", self.name);
            }
            above = boxes;
        }
        let leaves = self.tree.partition(usize::MAX);
        let parts: Vec<Aabb3d> = leaves.map(|(_, bounds)| bounds).collect();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let corners = corners.map(|corner| Vec3A::from(corner.as_vec3()));
            let inside = |part: &Aabb3d| {
                let held = |corner: &Vec3A| part.closest_point(*corner) == *corner;
                corners.iter().all(held)
            };
            let held = parts.iter().any(inside) || self.is_thin(triangle);
            assert!(held, "{}: triangle {triangle}", self.name);
            let [a, b, c] = corners;
            let around = Aabb3d {
                min: a.min(b).min(c),
                max: a.max(b).max(c),
            };
            let found = self.found(|visit| self.tree.query_aabb(&around, visit));
            let found = found.contains(&triangle) || self.is_thin(triangle);
            assert!(found, "{}: triangle {triangle}", self.name);
        }
    }

    fn check_ray(&self, ray: Ray3d) -> bool {
        for backfaces in [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip] {
            let hit = self.tree.cast_ray(ray, f32::INFINITY, backfaces);
            let any = self.tree.any_hit(ray, f32::INFINITY, backfaces);
            let said = || format!("{}: {ray:?} {backfaces:?} {hit:?}", self.name);
            assert_eq!(any, hit.is_some(), "{}", said());
            let told = hit.map_or(f64::INFINITY, |hit| f64::from(hit.distance));
            for triangle in 0..self.triangles.len() {
                if let View::Met(distance, room) = self.view(triangle, ray, backfaces) {
                    let nearer = self.is_thin(triangle) || told <= distance + room;
                    assert!(nearer, "{}, but triangle {triangle}", said());
                }
            }
            if let Some(hit) = hit {
                assert!(self.is_right(&hit, ray, backfaces), "{}", said());
            }
        }
        self.tree.any_hit(ray, f32::INFINITY, Backfaces::Keep)
    }

    fn is_right(&self, hit: &TreeHit, ray: Ray3d, backfaces: Backfaces) -> bool {
        let triangle = hit.triangle as usize;
        let [a, b, c] = self.triangles[triangle];
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let along = normal.dot(hit.normal.as_dvec3());
        let turned = backfaces == Backfaces::Flip && normal.dot(ray.direction.as_dvec3()) > 0.0;
        let normal = if turned {
            along < -0.999
        } else {
            along > 0.999
        };
        match self.view(triangle, ray, backfaces) {
            View::Missed => false,
            View::Open => true,
            View::Met(distance, room) => {
                normal && (distance - f64::from(hit.distance)).abs() <= room
            }
        }
    }

    /// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
    fn view(&self, triangle: usize, ray: Ray3d, backfaces: Backfaces) -> View {
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let [a, b, c] = self.triangles[triangle];
        let (ab, ac, to) = (b - a, c - a, origin - a);
        let p = direction.cross(ac);
        let determinant = ab.dot(p);
        let q = to.cross(ab);
        let [v, w, distance] =
            [to.dot(p), direction.dot(q), ac.dot(q)].map(|part| part / determinant);
        // How far the ray is within each edge, as it sees them.
        let within = [(1.0 - v - w, c - b), (v, ac), (w, ab)]
            .map(|(weight, edge)| weight * determinant.abs() / edge.length());
        let least = within.into_iter().fold(f64::INFINITY, f64::min);
        let flat = determinant.abs() <= self.room * ab.length().max(ac.length());
        if flat || least.abs() <= self.room {
            return View::Open;
        }
        // How far along it the triangle is for each step beside it, and how much areas are blurred.
        let blur = 1.0 + self.room * f64::from(self.radius) / determinant.abs();
        let steep = ab.cross(ac).length() / determinant.abs();
        let room = self.room * blur * (1.0 + steep);
        let back = determinant < 0.0 && backfaces == Backfaces::Cull;
        if back || least < 0.0 || distance < -room {
            View::Missed
        } else if distance < room {
            View::Open
        } else {
            View::Met(distance, room)
        }
    }

    /// The triangles that a query visits, each of which it must visit once.
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
        let twice = found.windows(2).any(|pair| pair[0] == pair[1]);
        assert!(!twice, "{}: {found:?}", self.name);
        found
    }

    /// A query must find what is certain, and nothing that is impossible.
    fn compare(
        &self,
        found: &[usize],
        certain: &dyn Fn(usize) -> bool,
        possible: &dyn Fn(usize) -> bool,
    ) {
        for triangle in 0..self.triangles.len() {
            let right = match found.binary_search(&triangle) {
                Ok(_) => possible(triangle),
                Err(_) => self.is_thin(triangle) || !certain(triangle),
            };
            assert!(right, "{}: triangle {triangle} of {found:?}", self.name);
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
            &|triangle| distances[triangle] < radius - self.room,
            &|triangle| distances[triangle] < radius + self.room,
        );
        let thick = (0..distances.len()).filter(|triangle| !self.is_thin(*triangle));
        let most = thick
            .map(|triangle| distances[triangle])
            .fold(f64::INFINITY, f64::min);
        let near = self
            .tree
            .closest_point(center.as_vec3(), f32::INFINITY)
            .unwrap();
        let told = f64::from(near.distance);
        let right = (distances[near.triangle as usize] - told).abs() < self.room;
        assert!(right && told < most + self.room, "{}: {near:?}", self.name);
        let apart = near.point.as_dvec3().distance(center);
        assert!((apart - told).abs() < self.room, "{}: {near:?}", self.name);
        let within = self.tree.closest_point(center.as_vec3(), ball.radius());
        assert_eq!(
            within.is_some(),
            near.distance <= ball.radius(),
            "{}: {near:?}",
            self.name
        );
    }

    fn check_box(&self, bounds: &Aabb3d) {
        let found = self.found(|visit| self.tree.query_aabb(bounds, visit));
        let center = Vec3::from(bounds.center()).as_dvec3();
        let half = Vec3::from(bounds.half_size()).as_dvec3();
        let meets = |triangle: usize, room: f64| {
            let half = half + DVec3::splat(room);
            half.min_element() >= 0.0 && is_in_box(self.triangles[triangle], center, half)
        };
        self.compare(
            &found,
            &|triangle| meets(triangle, -self.room),
            &|triangle| meets(triangle, self.room),
        );
    }
}

fn positions<T: VertexRecord>(vertices: &[T]) -> Vec<[f32; 3]> {
    let position = |vertex: &T| vertex.head().position.map(|value| value.get());
    vertices.iter().map(position).collect()
}

/// The distance of a point from a triangle: from its plane above it, else from its edges.
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

/// Whether something of a triangle is left in a box: Sutherland and Hodgman's clipping (1974).
fn is_in_box(corners: [DVec3; 3], center: DVec3, half: DVec3) -> bool {
    let mut polygon = corners.map(|corner| corner - center).to_vec();
    for (axis, sign) in [0, 1, 2]
        .into_iter()
        .flat_map(|axis| [(axis, 1.0), (axis, -1.0)])
    {
        let inside = |at: DVec3| half[axis] - sign * at[axis];
        let mut next = Vec::new();
        for (index, at) in polygon.iter().enumerate() {
            let before = polygon[(index + polygon.len() - 1) % polygon.len()];
            let (here, there) = (inside(*at), inside(before));
            if (here < 0.0) != (there < 0.0) {
                next.push(before + (*at - before) * (there / (there - here)));
            }
            if here >= 0.0 {
                next.push(*at);
            }
        }
        polygon = next;
    }
    !polygon.is_empty()
}

/// Random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn point(&mut self) -> Vec3 {
        Vec3::from([(); 3].map(|()| self.number()))
    }

    fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }
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
fn the_bundled_walker_is_met_where_its_triangles_are() {
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
fn real_models_are_met_where_their_triangles_are() {
    let (mut trees, mut triangles, mut hits) = (0, 0, 0);
    for (name, bytes) in corpus_alo("real_models_are_met_where_their_triangles_are") {
        // Other tests look at those that are no models.
        let Ok(file) = parse(&bytes) else { continue };
        for subject in subjects(&name, &file) {
            trees += 1;
            triangles += subject.tree.triangle_count();
            hits += subject.check();
        }
    }
    println!(
        "{trees} trees of {triangles} triangles, {hits} of {} rays met one",
        trees * PROBES
    );
}
