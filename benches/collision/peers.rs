//! Who answers: this crate, and its peers.

use crate::meshes::{Mesh, Part};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Ray3d, Vec3};
use bevy::picking::mesh_picking::ray_cast::{self, ray_mesh_intersection};
use bevy_classic_models::alamo::alo::TreeNode;
use bevy_classic_models::alamo::{Backfaces, CollisionTree};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb as ObvhsAabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2_from_tris;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::{Ray as ObvhsRay, RayHit};
use obvhs::triangle::Triangle;
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::query::{PointQuery, Ray as ParryRay, RayCast};
use parry3d::shape::TriMesh;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

/// Kinds of questions, as bits of [`Peer::ANSWERS`].
pub const NEAREST: u8 = 1;
pub const ANY: u8 = 2;
pub const BOXES: u8 = 4;
pub const CLOSEST: u8 = 8;
/// Not a question: whether making it ready is measured.
pub const LOAD: u8 = 16;

/// One who answers questions about a mesh.
pub trait Peer: Sized {
    /// What it can do.
    const ANSWERS: u8;
    /// The mesh in its own terms.
    type Source;
    /// A ray in its own terms.
    type Ray;

    fn source(mesh: &Mesh) -> Self::Source;
    /// Makes it ready to be asked.
    fn load(source: &Self::Source) -> Self;
    /// Bytes of its heap that are a copy of the mesh.
    fn copied(&self, mesh: &Mesh) -> usize {
        mesh.bytes()
    }
    fn ray(ray: &Ray3d) -> Self::Ray;
    /// Distance of the nearest hit.
    fn nearest(&self, ray: &Self::Ray) -> Option<f32>;
    fn any(&self, _: &Self::Ray) -> bool {
        false
    }
    /// How many triangles meet a box.
    fn count(&self, _: &Aabb3d) -> usize {
        0
    }
    /// Distance of the nearest point.
    fn closest(&self, _: Vec3) -> f32 {
        0.0
    }
}

/// This crate, with a tree for each sub-mesh.
pub struct Ours([Option<CollisionTree>; 2]);

impl Peer for Ours {
    const ANSWERS: u8 = NEAREST | ANY | BOXES | CLOSEST | LOAD;
    type Source = Vec<Part>;
    type Ray = Ray3d;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn load(parts: &Self::Source) -> Self {
        let tree = |part: &Part| {
            CollisionTree::new(part.links(), &part.map, &part.positions, &part.indices)
                .expect("the tree is right")
        };
        Self([0, 1].map(|at| parts.get(at).map(tree)))
    }

    fn ray(ray: &Ray3d) -> Ray3d {
        *ray
    }

    fn nearest(&self, ray: &Ray3d) -> Option<f32> {
        let mut nearest = None;
        for tree in self.0.iter().flatten() {
            let max = nearest.unwrap_or(f32::INFINITY);
            let hit = tree.cast_ray(*ray, max, Backfaces::Keep);
            // All of the hit is made, as users get it.
            nearest = std::hint::black_box(hit)
                .map(|hit| hit.distance)
                .or(nearest);
        }
        nearest
    }

    fn any(&self, ray: &Ray3d) -> bool {
        let mut trees = self.0.iter().flatten();
        trees.any(|tree| tree.any_hit(*ray, f32::INFINITY, Backfaces::Keep))
    }

    fn count(&self, bounds: &Aabb3d) -> usize {
        let mut count = 0;
        for tree in self.0.iter().flatten() {
            let _ = tree.query_aabb(bounds, |_| {
                count += 1;
                ControlFlow::<()>::Continue(())
            });
        }
        count
    }

    fn closest(&self, point: Vec3) -> f32 {
        let mut distance = f32::INFINITY;
        for tree in self.0.iter().flatten() {
            if let Some(near) = tree.closest_point(point, distance) {
                distance = near.distance;
            }
        }
        distance
    }
}

/// parry3d's mesh, asked for the normal or not.
pub struct Parry<const NORMAL: bool>(TriMesh);

impl<const NORMAL: bool> Peer for Parry<NORMAL> {
    const ANSWERS: u8 = if NORMAL {
        NEAREST
    } else {
        NEAREST | ANY | BOXES | CLOSEST | LOAD
    };
    type Source = (Vec<[f32; 3]>, Vec<[u32; 3]>);
    type Ray = ParryRay;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.whole()
    }

    fn load((positions, indices): &Self::Source) -> Self {
        let positions = positions.iter().map(|at| (*at).into()).collect();
        Self(TriMesh::new(positions, indices.clone()).expect("the mesh is right"))
    }

    fn copied(&self, mesh: &Mesh) -> usize {
        // Its indices are wider.
        mesh.bytes() + 6 * mesh.triangles()
    }

    fn ray(ray: &Ray3d) -> ParryRay {
        ParryRay::new(
            ray.origin.to_array().into(),
            ray.direction.to_array().into(),
        )
    }

    fn nearest(&self, ray: &ParryRay) -> Option<f32> {
        if NORMAL {
            let hit = self.0.cast_local_ray_and_get_normal(ray, f32::MAX, false);
            return std::hint::black_box(hit).map(|hit| hit.time_of_impact);
        }
        self.0.cast_local_ray(ray, f32::MAX, false)
    }

    fn any(&self, ray: &ParryRay) -> bool {
        self.0.intersects_local_ray(ray, f32::MAX)
    }

    fn count(&self, bounds: &Aabb3d) -> usize {
        let [min, max] = [bounds.min, bounds.max].map(|at| at.to_array().into());
        let bounds = ParryAabb::new(min, max);
        let near = self.0.bvh().intersect_aabb(&bounds);
        let meets = |triangle: &u32| {
            let triangle = self.0.triangle(*triangle);
            let corners = [triangle.a, triangle.b, triangle.c].map(|at| at.to_array().into());
            meets_box(corners, min.to_array().into(), max.to_array().into())
        };
        near.filter(meets).count()
    }

    fn closest(&self, point: Vec3) -> f32 {
        let point = point.to_array().into();
        let found = self.0.project_local_point(point, false);
        (found.point - point).length()
    }
}

/// What obvhs's trees have in common, which take a test of triangles in their own order.
pub trait ObvhsTree: Sized {
    const FINDS_BOXES: bool;

    fn build(triangles: &[Triangle], parameters: BvhBuildParams) -> Self;
    fn order(&self) -> &[u32];
    fn meets(
        &self,
        ray: &ObvhsRay,
        hit: &mut RayHit,
        test: impl Fn(&ObvhsRay, usize) -> f32,
    ) -> bool;
    fn misses(&self, ray: &ObvhsRay, test: impl Fn(&ObvhsRay, usize) -> f32) -> bool;
    fn leaves(&self, _: ObvhsAabb, _: impl FnMut(Range<usize>)) {}
}

impl ObvhsTree for Bvh2 {
    const FINDS_BOXES: bool = true;

    fn build(triangles: &[Triangle], parameters: BvhBuildParams) -> Self {
        let mut time = Duration::ZERO;
        let mut tree = build_bvh2_from_tris(triangles, parameters, &mut time);
        tree.nodes.shrink_to_fit();
        tree.primitive_indices.shrink_to_fit();
        tree
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn meets(
        &self,
        ray: &ObvhsRay,
        hit: &mut RayHit,
        test: impl Fn(&ObvhsRay, usize) -> f32,
    ) -> bool {
        self.ray_traverse(*ray, hit, test)
    }

    fn misses(&self, ray: &ObvhsRay, test: impl Fn(&ObvhsRay, usize) -> f32) -> bool {
        self.ray_traverse_miss(*ray, test)
    }

    fn leaves(&self, bounds: ObvhsAabb, mut visit: impl FnMut(Range<usize>)) {
        self.aabb_traverse(bounds, |tree, node| {
            let node = &tree.nodes[node as usize];
            let first = node.first_index as usize;
            visit(first..first + node.prim_count as usize);
            true
        });
    }
}

impl ObvhsTree for CwBvh {
    const FINDS_BOXES: bool = false;

    fn build(triangles: &[Triangle], parameters: BvhBuildParams) -> Self {
        let mut time = Duration::ZERO;
        let mut tree = build_cwbvh_from_tris(triangles, parameters, &mut time);
        tree.nodes.shrink_to_fit();
        tree.primitive_indices.shrink_to_fit();
        tree
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn meets(
        &self,
        ray: &ObvhsRay,
        hit: &mut RayHit,
        test: impl Fn(&ObvhsRay, usize) -> f32,
    ) -> bool {
        self.ray_traverse(*ray, hit, test)
    }

    fn misses(&self, ray: &ObvhsRay, test: impl Fn(&ObvhsRay, usize) -> f32) -> bool {
        self.ray_traverse_miss(*ray, test)
    }
}

/// A tree of obvhs's, of the slowest or of medium building, and the triangles in its order.
pub struct Obvhs<T, const SLOW: bool> {
    tree: T,
    triangles: Vec<Triangle>,
}

impl<T: ObvhsTree, const SLOW: bool> Peer for Obvhs<T, SLOW> {
    // Of the slowest building, triangles are split, and so found more than once in a box.
    const ANSWERS: u8 = NEAREST | ANY | LOAD | if T::FINDS_BOXES && !SLOW { BOXES } else { 0 };
    type Source = Vec<Triangle>;
    type Ray = ObvhsRay;

    fn source(mesh: &Mesh) -> Self::Source {
        let triangle = |[v0, v1, v2]: [[f32; 3]; 3]| Triangle {
            v0: v0.into(),
            v1: v1.into(),
            v2: v2.into(),
        };
        mesh.corners().into_iter().map(triangle).collect()
    }

    fn load(source: &Self::Source) -> Self {
        let tree = T::build(
            source,
            match SLOW {
                true => BvhBuildParams::very_slow_build(),
                false => BvhBuildParams::medium_build(),
            },
        );
        let order = tree.order().iter();
        let triangles = order.map(|at| source[*at as usize]).collect();
        Self { tree, triangles }
    }

    fn copied(&self, _: &Mesh) -> usize {
        size_of_val(&self.triangles[..])
    }

    fn ray(ray: &Ray3d) -> ObvhsRay {
        ObvhsRay::new_inf(
            ray.origin.to_array().into(),
            ray.direction.to_array().into(),
        )
    }

    fn nearest(&self, ray: &ObvhsRay) -> Option<f32> {
        let mut hit = RayHit::none();
        let test = |ray: &ObvhsRay, at: usize| self.triangles[at].intersect(ray);
        self.tree.meets(ray, &mut hit, test).then_some(hit.t)
    }

    fn any(&self, ray: &ObvhsRay) -> bool {
        !self
            .tree
            .misses(ray, |ray, at| self.triangles[at].intersect(ray))
    }

    fn count(&self, bounds: &Aabb3d) -> usize {
        let [min, max] = [bounds.min, bounds.max].map(Vec3::from);
        let near = ObvhsAabb::new(min.to_array().into(), max.to_array().into());
        let mut count = 0;
        self.tree.leaves(near, |leaf| {
            for triangle in &self.triangles[leaf] {
                let corners = [triangle.v0, triangle.v1, triangle.v2];
                let corners = corners.map(|at| at.to_array().into());
                count += usize::from(meets_box(corners, min, max));
            }
        });
        count
    }
}

/// Bevy's function, which asks all triangles.
pub struct Bevy(Vec<Part>);

impl Peer for Bevy {
    const ANSWERS: u8 = NEAREST;
    type Source = Vec<Part>;
    type Ray = Ray3d;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn load(parts: &Self::Source) -> Self {
        Self(parts.clone())
    }

    fn ray(ray: &Ray3d) -> Ray3d {
        *ray
    }

    fn nearest(&self, ray: &Ray3d) -> Option<f32> {
        let distances = self.0.iter().filter_map(|part| {
            let hit = ray_mesh_intersection(
                *ray,
                &Affine3A::IDENTITY,
                &part.positions,
                None,
                Some(&part.indices),
                None,
                ray_cast::Backfaces::Include,
            );
            Some(hit?.distance)
        });
        distances.reduce(f32::min)
    }
}

/// The file's own nodes, walked as they are, the nearer child first.
pub struct Plain(Vec<Part>);

/// A ray, and its inverse direction.
pub struct PlainRay {
    ray: Ray3d,
    inverse: Vec3,
}

impl Peer for Plain {
    const ANSWERS: u8 = NEAREST | ANY;
    type Source = Vec<Part>;
    type Ray = PlainRay;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn load(parts: &Self::Source) -> Self {
        Self(parts.clone())
    }

    fn ray(ray: &Ray3d) -> PlainRay {
        let inverse = ray.direction.recip();
        PlainRay { ray: *ray, inverse }
    }

    fn nearest(&self, ray: &PlainRay) -> Option<f32> {
        let mut nearest = f32::INFINITY;
        for part in &self.0 {
            nearest = walk(part, ray, nearest, false);
        }
        nearest.is_finite().then_some(nearest)
    }

    fn any(&self, ray: &PlainRay) -> bool {
        let hit = |part| walk(part, ray, f32::INFINITY, true).is_finite();
        self.0.iter().any(hit)
    }
}

/// Distance of the nearest hit, or of the first that is found, that is nearer than `max`.
fn walk(part: &Part, ray: &PlainRay, mut max: f32, first: bool) -> f32 {
    let [least, greatest] = part.bounds.map(Vec3::from);
    // Real files lose hits without this.
    let margin = 3e-3 * (greatest - least);
    let open = |node: usize, [least, greatest]: [Vec3; 2]| {
        let TreeNode { min, max, .. } = &part.nodes[node];
        let place = |steps: &[u8; 3]| {
            let [x, y, z] = steps.map(f32::from);
            least + (greatest - least) * (Vec3::new(x, y, z) * (1.0 / 255.0))
        };
        let bounds = [place(min), place(max)];
        let to_least = (bounds[0] - margin - ray.ray.origin) * ray.inverse;
        let to_greatest = (bounds[1] + margin - ray.ray.origin) * ray.inverse;
        let enter = to_least.min(to_greatest).max_element().max(0.0);
        let leave = to_least.max(to_greatest).min_element();
        let near = if enter <= leave { enter } else { f32::INFINITY };
        (near, node, bounds)
    };
    let mut stack = [(0.0, 0, [Vec3::ZERO; 2]); 64];
    stack[0] = open(0, [least, greatest]);
    let mut len = 1;
    while len > 0 {
        len -= 1;
        let (near, node, bounds) = stack[len];
        if near >= max {
            continue;
        }
        let node = &part.nodes[node];
        let link = usize::from(node.link.get());
        let count = usize::from(node.triangle_count.get());
        if count == 0 {
            let children = [open(link, bounds), open(link + 1, bounds)];
            let nearer = usize::from(children[1].0 < children[0].0);
            stack[len] = children[1 - nearer];
            stack[len + 1] = children[nearer];
            len += 2;
            continue;
        }
        for triangle in &part.map[link..link + count] {
            let distance = meets_triangle(part.corners(*triangle), &ray.ray);
            if distance < max {
                max = distance;
                if first {
                    return max;
                }
            }
        }
    }
    max
}

/// Möller and Trumbore's test, of both sides: the distance, or infinity.
fn meets_triangle([a, b, c]: [Vec3; 3], ray: &Ray3d) -> f32 {
    let (ab, ac) = (b - a, c - a);
    let across = ray.direction.cross(ac);
    let inverse = ab.dot(across).recip();
    let from = ray.origin - a;
    let v = from.dot(across) * inverse;
    let turned = from.cross(ab);
    let w = ray.direction.dot(turned) * inverse;
    let distance = ac.dot(turned) * inverse;
    let within = v >= 0.0 && w >= 0.0 && v + w <= 1.0 && distance >= 0.0;
    if within { distance } else { f32::INFINITY }
}

/// Whether a triangle meets a box. Peers find the triangles whose boxes do, so this is asked after.
fn meets_box([a, b, c]: [Vec3; 3], min: Vec3, max: Vec3) -> bool {
    // As with ours, triangles without area meet nothing. Real files have many.
    if (b - a).cross(c - a) == Vec3::ZERO {
        return false;
    }
    let half = 0.5 * (max - min);
    let [a, b, c] = [a, b, c].map(|corner| corner - 0.5 * (min + max));
    let edges = [b - a, c - b, a - c];
    let apart = |axis: Vec3| {
        let [a, b, c] = [a, b, c].map(|corner| corner.dot(axis));
        let reach = half.dot(axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    let across = |edge: Vec3| Vec3::AXES.iter().any(|axis| apart(axis.cross(edge)));
    !(Vec3::AXES.into_iter().any(apart)
        || apart(edges[0].cross(edges[1]))
        || edges.into_iter().any(across))
}
