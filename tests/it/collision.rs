//! Queries on the collision trees of the bundled walker, against every triangle by itself.

use bevy::math::{Dir3, Ray3d, Vec3};
use bevy_classic_models::alamo::alo::{Submesh, VertexRecord, Vertices, parse};
use bevy_classic_models::alamo::{Backfaces, CollisionTree, TreeLink};

/// A sub-mesh that has a tree.
struct Subject {
    positions: Vec<[f32; 3]>,
    indices: Vec<u16>,
    tree: CollisionTree,
}

impl Subject {
    fn new(submesh: &Submesh<'_>) -> Option<Self> {
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
        let tree = CollisionTree::new(links, &map, &positions, &indices).unwrap();
        Some(Self {
            positions,
            indices,
            tree,
        })
    }

    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        [0, 1, 2].map(|corner| {
            let vertex = self.indices[3 * triangle + corner];
            Vec3::from_array(self.positions[usize::from(vertex)])
        })
    }

    /// The nearest hit by asking every triangle, in doubles.
    fn nearest(&self, ray: Ray3d) -> Option<f64> {
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_vec3().as_dvec3());
        let hit = |triangle: usize| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner.as_dvec3());
            let (ab, ac, to) = (b - a, c - a, origin - a);
            let p = direction.cross(ac);
            let determinant = ab.dot(p);
            let q = to.cross(ab);
            let [u, v, t] = [to.dot(p), direction.dot(q), ac.dot(q)].map(|x| x / determinant);
            (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
        };
        let hits = (0..self.indices.len() / 3).filter_map(hit);
        hits.min_by(f64::total_cmp)
    }
}

fn positions<T: VertexRecord>(vertices: &[T]) -> Vec<[f32; 3]> {
    let position = |vertex: &T| vertex.head().position.map(|value| value.get());
    vertices.iter().map(position).collect()
}

#[test]
fn rays_hit_the_bundled_walker_where_its_triangles_are() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/walker.alo");
    let bytes = std::fs::read(path).unwrap();
    let file = parse(&bytes).unwrap();
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let subjects: Vec<_> = submeshes.filter_map(Subject::new).collect();
    assert!(subjects.len() >= 3);
    for subject in subjects {
        let bounds = subject.tree.bounds().unwrap();
        let center = Vec3::from((bounds.min + bounds.max) / 2.0);
        let radius = Vec3::from(bounds.max - bounds.min).length() / 2.0;
        let (mut hits, mut casts) = (0, 0);
        for step in 0..400_u16 {
            // Points of a spiral on a ball around it, and others within.
            let turn = f32::from(step) * 2.4;
            let height = 1.0 - f32::from(step) / 200.0;
            let side = (1.0 - height * height).max(0.0).sqrt();
            let out = Vec3::new(side * turn.cos(), side * turn.sin(), height);
            let within = Vec3::new((turn * 3.1).sin(), (turn * 1.7).cos(), (turn * 0.9).sin());
            let origin = center + out * radius * 1.5;
            let target = center + within * radius * 0.6;
            let Ok(direction) = Dir3::new(target - origin) else {
                continue;
            };
            let ray = Ray3d { origin, direction };
            let found = subject.tree.cast_ray(ray, f32::INFINITY, Backfaces::Keep);
            let expected = subject.nearest(ray);
            let any = subject.tree.any_hit(ray, f32::INFINITY, Backfaces::Keep);
            assert_eq!(found.is_some(), expected.is_some(), "{ray:?}");
            assert_eq!(any, expected.is_some(), "{ray:?}");
            if let (Some(found), Some(expected)) = (found, expected) {
                let off = (f64::from(found.distance) - expected).abs();
                assert!(off < 1e-4 * f64::from(radius), "{ray:?}: {off}");
                hits += 1;
            }
            casts += 1;
        }
        assert!(hits > casts / 10, "{hits} of {casts}");
    }
}
