//! Exact tests on triangles.

use super::probe::Probe;
use bevy::math::{DVec3, Vec3, Vec3A, Vec4, Vec4Swizzles};

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub distance: f32,
    /// Twice the areas that the ray sees of the triangles that it makes with the edges opposite to
    /// the corners: negative if it sees the back. The last is zero.
    pub areas: Vec4,
    pub area: f32,
}

/// Where a ray meets a triangle within a distance, edges and corners included.
///
/// Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013). Each corner is brought to
/// a place in the plane across the ray that depends on nothing else, and both triangles at an edge
/// see the ray on the same side of it. Rounding keeps the order of products, so differences of them
/// never have the wrong sign; those that come out as zero are looked at again in double precision,
/// where products are exact. Triangles seen edge on are not met.
#[inline(always)]
pub(super) fn crossing(
    [a, b, c]: [&[f32; 3]; 3],
    probe: &Probe,
    max: f32,
    cull: bool,
) -> Option<Crossing> {
    let [first, second, main] = probe.axes;
    let from = probe.origin;
    // A lane for each corner. The fourth is that of the third again, which makes its area zero.
    let lanes = |axis: usize| Vec4::new(a[axis], b[axis], c[axis], c[axis]);
    let depth = lanes(main) - from[2];
    let across = (lanes(first) - from[0]) - depth * probe.shear[0];
    let up = (lanes(second) - from[1]) - depth * probe.shear[1];
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
        return exact_crossing([a, b, c], probe, max);
    }
    let distance = areas.dot(depth) * probe.ahead / area;
    // Not so if it is NaN, because the triangle is seen edge on.
    (distance >= 0.0 && distance <= max).then_some(Crossing {
        distance,
        areas,
        area,
    })
}

/// How much a ray must see of a triangle, as a part of the square of its extent, for single precision to
/// tell well where they meet.
const NARROW: f32 = 1e-3;

/// Where a ray meets a triangle that it is known to meet, within a distance: in double precision, and at
/// the nearest point of the triangle if the ray passes beside it by less than single precision tells.
#[cold]
fn exact_crossing(corners: [&[f32; 3]; 3], probe: &Probe, max: f32) -> Option<Crossing> {
    let corners = points(corners);
    let normal = normal(corners);
    let [origin, direction] = [probe.begin, probe.direction].map(|at| DVec3::from(Vec3::from(at)));
    let [a, b, c] = corners.map(DVec3::from);
    let reach = normal.dot(a - origin) / normal.dot(direction);
    let point = nearest(corners, origin + direction * reach);
    let area = |from: DVec3, to: DVec3| normal.dot((from - point).cross(to - point)).max(0.0);
    let areas = DVec3::new(area(b, c), area(c, a), area(a, b));
    let weights = (areas / areas.element_sum()).as_vec3();
    let distance = ((point - origin).dot(direction) / direction.length_squared()) as f32;
    let met = weights.is_finite() && distance >= 0.0 && distance <= max;
    met.then(|| Crossing {
        distance,
        areas: weights.extend(0.0),
        area: weights.element_sum(),
    })
}

/// The areas of [`crossing`] where single precision cannot tell on which side of an edge the ray is.
#[cold]
fn exact_areas(across: Vec4, up: Vec4) -> Vec4 {
    let (across, up) = (across.as_dvec4(), up.as_dvec4());
    (across.zxyw() * up.yzxw() - up.zxyw() * across.yzxw()).as_vec4()
}

/// The corners of a triangle as points.
#[inline(always)]
pub(super) fn points([a, b, c]: [&[f32; 3]; 3]) -> [Vec3; 3] {
    let point = |at: &[f32; 3]| Vec3::from(*at);
    [point(a), point(b), point(c)]
}

/// The direction of a triangle's front. Zero if it has no area.
#[inline]
pub(super) fn normal([a, b, c]: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = [DVec3::from(a), DVec3::from(b), DVec3::from(c)];
    (b - a).cross(c - a)
}

/// The same, of length 1.
#[inline]
pub(super) fn unit_normal(corners: [Vec3; 3]) -> Vec3 {
    // The square of a length below this is no number that single precision has.
    const LEAST: f32 = 1e-15;
    let normal = normal(corners);
    let single = normal.as_vec3();
    if single.max_element() > LEAST || single.min_element() < -LEAST {
        return single * single.length_recip();
    }
    normal.normalize_or_zero().as_vec3()
}

/// Whether a triangle meets a box, its surface included.
///
/// Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing" (2001): no axis of thirteen parts them.
pub(super) fn meets_box(corners: [Vec3; 3], center: Vec3, half: Vec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner - center);
    let apart = |axis: Vec3| {
        let [a, b, c] = [a.dot(axis), b.dot(axis), c.dot(axis)];
        let reach = half.dot(axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    if Vec3::AXES.into_iter().any(apart) {
        return false;
    }
    let edges = [b - a, c - b, a - c];
    let flat = edges[0].cross(edges[1]);
    let plane = a.dot(flat).abs() > half.dot(flat.abs());
    let across = |edge: Vec3| {
        Vec3::AXES
            .map(|axis| axis.cross(edge))
            .into_iter()
            .any(apart)
    };
    !plane && !edges.into_iter().any(across)
}

/// The point of a triangle that is nearest to a point.
///
/// Ericson, "Real-Time Collision Detection" (2005), 5.1.5: by the corner, edge or face whose region
/// the point is in. In double precision, for the point may be far.
pub(super) fn nearest(corners: [Vec3; 3], point: DVec3) -> DVec3 {
    let [a, b, c] = corners.map(DVec3::from);
    let (ab, ac) = (b - a, c - a);
    let from = |corner: DVec3| {
        let way = point - corner;
        (ab.dot(way), ac.dot(way))
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
    // An edge without length is no way to go along.
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

/// Whether a triangle has no area, by the measure of queries.
pub(super) fn is_degenerate([a, b, c]: [Vec3A; 3]) -> bool {
    (b - a).cross(c - a) == Vec3A::ZERO
}
