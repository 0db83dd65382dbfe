//! Exact tests on triangles.

use crate::formats::alamo::collision::tree_ray::TreeRay;
use bevy::math::DVec3;
use bevy::prelude::*;

/// The intersection of a ray and a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intersection {
    /// Distance along the ray, in scaled units.
    pub distance: f32,
    /// Unnormalized barycentric weights of the corners: twice the projected areas of the triangles
    /// between the intersection and the opposite edges. Negative for a back face. The fourth is zero.
    pub areas: Vec4,
    /// The sum of `areas`.
    pub area: f32,
}

/// The intersection of a ray and a triangle within a distance, edges and corners included.
///
/// Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013). Each corner is projected
/// to the plane across the ray, independently of the others. So both triangles at an edge get the same
/// result for that edge. Rounding keeps the order of products, so their differences never have the wrong
/// sign. Differences of zero are computed again in double precision, in which the products are exact.
/// A triangle seen edge-on is not hit.
#[inline(always)]
pub(crate) fn intersect(
    [a, b, c]: [&[f32; 3]; 3],
    ray: &TreeRay,
    max: f32,
    cull: bool,
) -> Option<Intersection> {
    let [first, second, main] = ray.axes;
    let from = ray.origin;
    // One lane per corner. The fourth repeats the third, which makes its area zero.
    let lanes = |axis: usize| Vec4::new(a[axis], b[axis], c[axis], c[axis]);
    let depth = lanes(main) - from[2];
    let across = (lanes(first) - from[0]) - depth * ray.shear[0];
    let up = (lanes(second) - from[1]) - depth * ray.shear[1];
    let mut areas = across.zxyw() * up.yzxw() - up.zxyw() * across.yzxw();
    let back = areas.cmplt(Vec4::ZERO).bitmask();
    let front = areas.cmpgt(Vec4::ZERO).bitmask();
    if back != 0 && (cull || front != 0) {
        return None;
    }
    if back | front != 0b111 {
        areas = exact_areas(across, up);
        let outside = areas.min_element() < 0.0 && (cull || areas.max_element() > 0.0);
        if outside {
            return None;
        }
    }
    let area = areas.element_sum();
    let spread = |lanes: Vec4| lanes.max_element() - lanes.min_element();
    let extent = spread(across).max(spread(up)).max(spread(depth));
    if area.abs() < NARROW * extent * extent {
        return exact_intersection([a, b, c], ray, max);
    }
    let distance = areas.dot(depth) * ray.ahead / area;
    // False if the distance is NaN: then the triangle is seen edge-on.
    (distance >= 0.0 && distance <= max).then_some(Intersection {
        distance,
        areas,
        area,
    })
}

/// The least projected area of a triangle, relative to the square of its projected extent, for which
/// single precision gives an accurate intersection.
const NARROW: f32 = 1e-3;

/// The intersection in double precision, for a ray that hits the triangle. If the ray misses it by less
/// than the precision of `f32`, the result is the triangle's closest point.
#[cold]
fn exact_intersection(corners: [&[f32; 3]; 3], ray: &TreeRay, max: f32) -> Option<Intersection> {
    let corners = points(corners);
    let normal = normal(corners);
    let [origin, direction] = [ray.begin, ray.direction].map(|at| DVec3::from(Vec3::from(at)));
    let [a, b, c] = corners.map(DVec3::from);
    let reach = normal.dot(a - origin) / normal.dot(direction);
    let point = nearest(corners, origin + direction * reach);
    let area = |from: DVec3, to: DVec3| normal.dot((from - point).cross(to - point)).max(0.0);
    let areas = DVec3::new(area(b, c), area(c, a), area(a, b));
    let weights = (areas / areas.element_sum()).as_vec3();
    let distance = ((point - origin).dot(direction) / direction.length_squared()) as f32;
    // A small triangle that is seen edge-on may be in line with the ray only in single precision.
    let apart = (point - origin).reject_from(direction).length();
    let is_near = apart <= 1e-6 * point.distance(origin);
    let is_hit = is_near && weights.is_finite() && distance >= 0.0 && distance <= max;
    is_hit.then(|| Intersection {
        distance,
        areas: weights.extend(0.0),
        area: weights.element_sum(),
    })
}

/// The areas of [`intersect`] if single precision can't decide on which side of an edge the ray is.
#[cold]
fn exact_areas(across: Vec4, up: Vec4) -> Vec4 {
    let (across, up) = (across.as_dvec4(), up.as_dvec4());
    (across.zxyw() * up.yzxw() - up.zxyw() * across.yzxw()).as_vec4()
}

/// The corners of a triangle as points.
#[inline(always)]
pub(crate) fn points([a, b, c]: [&[f32; 3]; 3]) -> [Vec3; 3] {
    let point = |at: &[f32; 3]| Vec3::from(*at);
    [point(a), point(b), point(c)]
}

/// The unnormalized normal of a triangle's front. Zero if the triangle has no area.
#[inline]
pub(crate) fn normal([a, b, c]: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = [DVec3::from(a), DVec3::from(b), DVec3::from(c)];
    (b - a).cross(c - a)
}

/// The normal of a triangle's front, of length 1. Zero if the triangle has no area.
#[inline]
pub(crate) fn unit_normal(corners: [Vec3; 3]) -> Vec3 {
    // The square of a smaller length underflows in single precision.
    const LEAST: f32 = 1e-15;
    let normal = normal(corners);
    let single = normal.as_vec3();
    if single.max_element() > LEAST || single.min_element() < -LEAST {
        return single * single.length_recip();
    }
    normal.normalize_or_zero().as_vec3()
}

/// Whether a triangle intersects or touches a box.
///
/// Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing" (2001): none of 13 axes separates them.
pub(crate) fn overlaps_box(corners: [Vec3; 3], center: Vec3, half: Vec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner - center);
    let separates = |axis: Vec3| {
        let [a, b, c] = [a.dot(axis), b.dot(axis), c.dot(axis)];
        let reach = half.dot(axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    if Vec3::AXES.into_iter().any(separates) {
        return false;
    }
    let edges = [b - a, c - b, a - c];
    let normal = edges[0].cross(edges[1]);
    let plane_separates = a.dot(normal).abs() > half.dot(normal.abs());
    let edge_separates = |edge: Vec3| {
        Vec3::AXES
            .map(|axis| axis.cross(edge))
            .into_iter()
            .any(separates)
    };
    !plane_separates && !edges.into_iter().any(edge_separates)
}

/// The closest point of a triangle to a point.
///
/// Ericson, "Real-Time Collision Detection" (2005), 5.1.5: by the corner, edge or face in whose Voronoi
/// region the point is. In double precision, because the point may be far away.
pub(crate) fn nearest(corners: [Vec3; 3], point: DVec3) -> DVec3 {
    let [a, b, c] = corners.map(DVec3::from);
    let (ab, ac) = (b - a, c - a);
    let from = |corner: DVec3| {
        let offset = point - corner;
        (ab.dot(offset), ac.dot(offset))
    };
    let (d1, d2) = from(a);
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = from(b);
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let (d5, d6) = from(c);
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    // The strict comparison excludes edges of length zero.
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// Whether a triangle has no area in single precision, in which queries compute.
pub(crate) fn is_degenerate([a, b, c]: [Vec3A; 3]) -> bool {
    (b - a).cross(c - a) == Vec3A::ZERO
}
