//! The compared implementations of collision queries: this crate's and others.

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

/// Query kinds, as bits of [`Implementation::KINDS`]. This one: the nearest hit of a ray.
pub const NEAREST: u8 = 1;
/// Whether a ray hits anything.
pub const ANY: u8 = 2;
/// The count of triangles that intersect a box.
pub const BOXES: u8 = 4;
/// The point of the mesh closest to a point.
pub const CLOSEST: u8 = 8;
/// Not a query: building the structure.
pub const BUILD: u8 = 16;

/// A structure that answers queries about a mesh.
pub trait Implementation: Sized {
    /// The bits of the supported query kinds.
    const KINDS: u8;
    /// The mesh in its input format.
    type Source;
    /// A ray in its format.
    type Ray;

    fn source(mesh: &Mesh) -> Self::Source;
    /// Builds the structure.
    fn build(source: &Self::Source) -> Self;
    /// Bytes of its heap that hold a copy of the mesh.
    fn copied_bytes(&self, mesh: &Mesh) -> usize {
        mesh.bytes()
    }
    fn ray(ray: &Ray3d) -> Self::Ray;
    /// Distance of the nearest hit.
    fn nearest(&self, ray: &Self::Ray) -> Option<f32>;
    /// Whether the ray hits the mesh.
    fn any(&self, _: &Self::Ray) -> bool {
        false
    }
    /// The count of triangles that intersect a box.
    fn count(&self, _: &Aabb3d) -> usize {
        0
    }
    /// Distance to the closest point of the mesh.
    fn closest(&self, _: Vec3) -> f32 {
        0.0
    }
}

/// This crate's [`CollisionTree`], one for each sub-mesh.
pub struct Ours([Option<CollisionTree>; 2]);

impl Implementation for Ours {
    const KINDS: u8 = NEAREST | ANY | BOXES | CLOSEST | BUILD;
    type Source = Vec<Part>;
    type Ray = Ray3d;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn build(parts: &Self::Source) -> Self {
        let tree = |part: &Part| {
            CollisionTree::new(part.links(), &part.map, &part.positions, &part.indices)
                .expect("the tree of the file is valid")
        };
        Self([0, 1].map(|index| parts.get(index).map(tree)))
    }

    fn ray(ray: &Ray3d) -> Ray3d {
        *ray
    }

    fn nearest(&self, ray: &Ray3d) -> Option<f32> {
        let mut nearest = None;
        for tree in self.0.iter().flatten() {
            let max = nearest.unwrap_or(f32::INFINITY);
            let hit = tree.cast_ray(*ray, max, Backfaces::Keep);
            // Keeps the compiler from removing the computation of unused fields of the hit.
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

/// parry3d's `TriMesh`, whose rays return a normal if `NORMAL` is set.
pub struct Parry<const NORMAL: bool>(TriMesh);

impl<const NORMAL: bool> Implementation for Parry<NORMAL> {
    const KINDS: u8 = if NORMAL {
        NEAREST
    } else {
        NEAREST | ANY | BOXES | CLOSEST | BUILD
    };
    type Source = (Vec<[f32; 3]>, Vec<[u32; 3]>);
    type Ray = ParryRay;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.joined()
    }

    fn build((positions, indices): &Self::Source) -> Self {
        let positions = positions
            .iter()
            .map(|position| (*position).into())
            .collect();
        Self(TriMesh::new(positions, indices.clone()).expect("the mesh is valid"))
    }

    fn copied_bytes(&self, mesh: &Mesh) -> usize {
        // Its indices are `u32`, not `u16`.
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
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.to_array().into());
        let bounds = ParryAabb::new(min, max);
        let near = self.0.bvh().intersect_aabb(&bounds);
        let intersects = |triangle: &u32| {
            let triangle = self.0.triangle(*triangle);
            let corners =
                [triangle.a, triangle.b, triangle.c].map(|corner| corner.to_array().into());
            intersects_box(corners, min.to_array().into(), max.to_array().into())
        };
        near.filter(intersects).count()
    }

    fn closest(&self, point: Vec3) -> f32 {
        let point = point.to_array().into();
        let projection = self.0.project_local_point(point, false);
        (projection.point - point).length()
    }
}

/// The common interface of obvhs's trees. Their triangle tests receive an index in the tree's order.
pub trait ObvhsTree: Sized {
    const HAS_BOX_QUERIES: bool;

    fn build_tree(triangles: &[Triangle], parameters: BvhBuildParams) -> Self;
    fn order(&self) -> &[u32];
    fn closest_hit(
        &self,
        ray: &ObvhsRay,
        hit: &mut RayHit,
        test: impl Fn(&ObvhsRay, usize) -> f32,
    ) -> bool;
    fn misses(&self, ray: &ObvhsRay, test: impl Fn(&ObvhsRay, usize) -> f32) -> bool;
    fn leaves(&self, _: ObvhsAabb, _: impl FnMut(Range<usize>)) {}
}

impl ObvhsTree for Bvh2 {
    const HAS_BOX_QUERIES: bool = true;

    fn build_tree(triangles: &[Triangle], parameters: BvhBuildParams) -> Self {
        let mut time = Duration::ZERO;
        let mut tree = build_bvh2_from_tris(triangles, parameters, &mut time);
        tree.nodes.shrink_to_fit();
        tree.primitive_indices.shrink_to_fit();
        tree
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn closest_hit(
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
    const HAS_BOX_QUERIES: bool = false;

    fn build_tree(triangles: &[Triangle], parameters: BvhBuildParams) -> Self {
        let mut time = Duration::ZERO;
        let mut tree = build_cwbvh_from_tris(triangles, parameters, &mut time);
        tree.nodes.shrink_to_fit();
        tree.primitive_indices.shrink_to_fit();
        tree
    }

    fn order(&self) -> &[u32] {
        &self.primitive_indices
    }

    fn closest_hit(
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

/// A tree of obvhs, built with the parameters "very slow" or "medium", and the triangles in its order.
pub struct Obvhs<T, const SLOW: bool> {
    tree: T,
    triangles: Vec<Triangle>,
}

impl<T: ObvhsTree, const SLOW: bool> Implementation for Obvhs<T, SLOW> {
    // The very slow build splits triangles, so box queries find some of them more than once.
    const KINDS: u8 = NEAREST
        | ANY
        | BUILD
        | if T::HAS_BOX_QUERIES && !SLOW {
            BOXES
        } else {
            0
        };
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

    fn build(source: &Self::Source) -> Self {
        let tree = T::build_tree(
            source,
            match SLOW {
                true => BvhBuildParams::very_slow_build(),
                false => BvhBuildParams::medium_build(),
            },
        );
        let order = tree.order().iter();
        let triangles = order.map(|index| source[*index as usize]).collect();
        Self { tree, triangles }
    }

    fn copied_bytes(&self, _: &Mesh) -> usize {
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
        let test = |ray: &ObvhsRay, index: usize| self.triangles[index].intersect(ray);
        self.tree.closest_hit(ray, &mut hit, test).then_some(hit.t)
    }

    fn any(&self, ray: &ObvhsRay) -> bool {
        !self
            .tree
            .misses(ray, |ray, index| self.triangles[index].intersect(ray))
    }

    fn count(&self, bounds: &Aabb3d) -> usize {
        let [min, max] = [bounds.min, bounds.max].map(Vec3::from);
        let near = ObvhsAabb::new(min.to_array().into(), max.to_array().into());
        let mut count = 0;
        self.tree.leaves(near, |leaf| {
            for triangle in &self.triangles[leaf] {
                let corners = [triangle.v0, triangle.v1, triangle.v2];
                let corners = corners.map(|corner| corner.to_array().into());
                count += usize::from(intersects_box(corners, min, max));
            }
        });
        count
    }
}

/// Bevy's ray cast, which tests all triangles.
pub struct Bevy(Vec<Part>);

impl Implementation for Bevy {
    const KINDS: u8 = NEAREST;
    type Source = Vec<Part>;
    type Ray = Ray3d;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn build(parts: &Self::Source) -> Self {
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

/// A traversal of the file's nodes without conversion, nearer child first.
pub struct FileNodes(Vec<Part>);

/// A ray, and the reciprocal of its direction.
pub struct RayWithInverse {
    ray: Ray3d,
    inverse: Vec3,
}

impl Implementation for FileNodes {
    const KINDS: u8 = NEAREST | ANY;
    type Source = Vec<Part>;
    type Ray = RayWithInverse;

    fn source(mesh: &Mesh) -> Self::Source {
        mesh.parts.clone()
    }

    fn build(parts: &Self::Source) -> Self {
        Self(parts.clone())
    }

    fn ray(ray: &Ray3d) -> RayWithInverse {
        let inverse = ray.direction.recip();
        RayWithInverse { ray: *ray, inverse }
    }

    fn nearest(&self, ray: &RayWithInverse) -> Option<f32> {
        let mut nearest = f32::INFINITY;
        for part in &self.0 {
            nearest = nearest_in_part(part, ray, nearest, false);
        }
        nearest.is_finite().then_some(nearest)
    }

    fn any(&self, ray: &RayWithInverse) -> bool {
        let hit = |part| nearest_in_part(part, ray, f32::INFINITY, true).is_finite();
        self.0.iter().any(hit)
    }
}

/// Distance of the nearest hit below `max`, or of the first hit found if `first` is set. Returns `max` without a hit.
fn nearest_in_part(part: &Part, ray: &RayWithInverse, mut max: f32, first: bool) -> f32 {
    let [tree_min, tree_max] = part.bounds.map(Vec3::from);
    // Without this margin, some hits in the games' files are missed.
    let margin = 3e-3 * (tree_max - tree_min);
    let open = |node: usize, [parent_min, parent_max]: [Vec3; 2]| {
        let TreeNode { min, max, .. } = &part.nodes[node];
        let point = |steps: &[u8; 3]| {
            let [x, y, z] = steps.map(f32::from);
            parent_min + (parent_max - parent_min) * (Vec3::new(x, y, z) * (1.0 / 255.0))
        };
        let bounds = [point(min), point(max)];
        let to_min = (bounds[0] - margin - ray.ray.origin) * ray.inverse;
        let to_max = (bounds[1] + margin - ray.ray.origin) * ray.inverse;
        let enter = to_min.min(to_max).max_element().max(0.0);
        let leave = to_min.max(to_max).min_element();
        let near = if enter <= leave { enter } else { f32::INFINITY };
        (near, node, bounds)
    };
    let mut stack = [(0.0, 0, [Vec3::ZERO; 2]); 64];
    stack[0] = open(0, [tree_min, tree_max]);
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
            let distance = intersect_triangle(part.corners(*triangle), &ray.ray);
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

/// The distance of a hit on either side of a triangle, or infinity. Möller–Trumbore algorithm.
fn intersect_triangle([a, b, c]: [Vec3; 3], ray: &Ray3d) -> f32 {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let inverse = ab.dot(p).recip();
    let from = ray.origin - a;
    let v = from.dot(p) * inverse;
    let q = from.cross(ab);
    let w = ray.direction.dot(q) * inverse;
    let distance = ac.dot(q) * inverse;
    let is_hit = v >= 0.0 && w >= 0.0 && v + w <= 1.0 && distance >= 0.0;
    if is_hit { distance } else { f32::INFINITY }
}

/// Whether a triangle intersects a box, by the separating axis theorem. The box queries of other implementations only
/// compare bounding boxes, so they run this test afterwards.
fn intersects_box([a, b, c]: [Vec3; 3], min: Vec3, max: Vec3) -> bool {
    // Like `CollisionTree`, ignores triangles without area. The games' files have many.
    if (b - a).cross(c - a) == Vec3::ZERO {
        return false;
    }
    let half = 0.5 * (max - min);
    let [a, b, c] = [a, b, c].map(|corner| corner - 0.5 * (min + max));
    let edges = [b - a, c - b, a - c];
    let is_separating = |axis: Vec3| {
        let [a, b, c] = [a, b, c].map(|corner| corner.dot(axis));
        let reach = half.dot(axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    let separates_edge = |edge: Vec3| {
        Vec3::AXES
            .iter()
            .any(|axis| is_separating(axis.cross(edge)))
    };
    !(Vec3::AXES.into_iter().any(is_separating)
        || is_separating(edges[0].cross(edges[1]))
        || edges.into_iter().any(separates_edge))
}
