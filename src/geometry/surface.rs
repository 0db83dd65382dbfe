//! The triangles of a part, and the intersection of rays with them.

use crate::geometry::ray_settings::Backfaces;
use crate::geometry::vertices::{SurfaceTriangles, uv_at};
use bevy::math::{Affine3A, DMat3, DVec3};
use bevy::prelude::*;

/// The surface of a part that rays can hit: triangles, and the vertex positions that they have now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) triangles: SurfaceTriangles<'a>,
    /// In the space of `affine`.
    pub(crate) positions: &'a [[f32; 3]],
    /// One per position. Empty if the vertices have no texture coordinates.
    pub(crate) uvs: &'a [[f32; 2]],
    /// From the space of the positions to the world.
    pub(crate) affine: Affine3A,
}

/// A hit of a ray on a surface, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceHit {
    pub(crate) distance: f32,
    pub(crate) point: Vec3,
    /// Unit normal of the triangle's front, unless [`Backfaces::Flip`] flipped it.
    pub(crate) normal: Vec3,
    pub(crate) barycentrics: Vec3,
    pub(crate) triangle: u32,
    /// Vertex indices of the triangle's corners.
    pub(crate) vertices: [u32; 3],
    pub(crate) uv: Option<Vec2>,
}

impl SurfaceHit {
    /// The value with the greatest weight at the hit point. Each vertex has one value.
    pub(crate) fn heaviest<T: Copy + PartialEq>(
        &self,
        value: impl Fn(u32) -> Option<T>,
    ) -> Option<T> {
        let corners = self.vertices.map(value);
        let weight = |value: &T| -> f32 {
            let weights = corners.iter().zip(self.barycentrics.to_array());
            let own = weights.filter(|(corner, _)| corner.as_ref() == Some(value));
            own.map(|(_, weight)| weight).sum()
        };
        let values = corners.iter().copied().flatten();
        values.max_by(|a, b| weight(a).total_cmp(&weight(b)))
    }
}

/// The nearest intersection found so far.
#[derive(Clone, Copy)]
struct Nearest {
    crossing: Crossing,
    triangle: usize,
    vertices: [u32; 3],
}

impl Surface<'_> {
    /// The vertex positions, in the space of `affine`.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = Vec3> {
        self.positions.iter().copied().map(Vec3::from_array)
    }

    /// The nearest hit of a ray within the distance `max`. `projected` is a buffer.
    ///
    /// Edges and corners count as hits, so no ray passes between adjacent triangles. A triangle seen edge-on is not hit.
    /// `None` if the transform is not finite or not invertible.
    pub(crate) fn cast(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        projected: &mut Projected,
    ) -> Option<SurfaceHit> {
        let probe = Probe::new(&self.affine, ray)?;
        let cull = backfaces == Backfaces::Cull;
        probe.project(self.positions, projected);
        let mut nearest: Option<Nearest> = None;
        let mut max = f64::from(max);
        self.for_each_near_triangle(projected, |triangle, indices, corners| {
            if let Some(crossing) = probe.crossing(corners, max, cull)
                && nearest.is_none_or(|nearest| crossing.distance < nearest.crossing.distance)
            {
                max = crossing.distance;
                nearest = Some(Nearest {
                    crossing,
                    triangle,
                    vertices: indices,
                });
            }
            false
        });
        self.hit(&nearest?, &probe, ray, backfaces)
    }

    /// Whether a ray hits a triangle within the distance `max`. `projected` is a buffer.
    pub(crate) fn any_hit(
        &self,
        ray: Ray3d,
        max: f32,
        backfaces: Backfaces,
        projected: &mut Projected,
    ) -> bool {
        let Some(probe) = Probe::new(&self.affine, ray) else {
            return false;
        };
        let cull = backfaces == Backfaces::Cull;
        probe.project(self.positions, projected);
        self.for_each_near_triangle(projected, |_, _, corners| {
            probe.crossing(corners, max.into(), cull).is_some()
        })
    }

    /// Calls `visit` with each triangle whose corners are not all on one side of the ray, its vertex indices and projected
    /// corners, until it returns true. Returns whether it did.
    fn for_each_near_triangle(
        &self,
        projected: &Projected,
        mut visit: impl FnMut(usize, [u32; 3], [[f32; 3]; 3]) -> bool,
    ) -> bool {
        let mut visit = |triangle: usize, indices: [u32; 3]| {
            let sides = |index: u32| projected.sides.get(index as usize).copied();
            let [Some(a), Some(b), Some(c)] = indices.map(sides) else {
                return false;
            };
            if a & b & c != 0 {
                return false;
            }
            let corner = |index: u32| projected.positions.get(index as usize).copied();
            match indices.map(corner) {
                [Some(a), Some(b), Some(c)] => visit(triangle, indices, [a, b, c]),
                _ => false,
            }
        };
        match self.triangles {
            SurfaceTriangles::U16(indices) => {
                let mut triangles = indices.as_chunks().0.iter().enumerate();
                triangles.any(|(index, indices)| visit(index, indices.map(u32::from)))
            }
            SurfaceTriangles::U32(indices) => {
                let mut triangles = indices.as_chunks().0.iter().enumerate();
                triangles.any(|(index, indices)| visit(index, *indices))
            }
        }
    }

    fn hit(
        &self,
        nearest: &Nearest,
        probe: &Probe,
        ray: Ray3d,
        backfaces: Backfaces,
    ) -> Option<SurfaceHit> {
        let vertices = nearest.vertices;
        let corner = |index: u32| Some(Vec3::from_array(*self.positions.get(index as usize)?));
        let [a, b, c] = vertices.map(corner);
        let [a, b, c] = [a?, b?, c?].map(|corner| corner.as_dvec3());
        let weights = nearest.crossing.barycentrics;
        let local = a * weights.x + b * weights.y + c * weights.z;
        // Normals are transformed by the inverse transpose.
        let normal = probe.inverse.transpose() * (b - a).cross(c - a);
        let front = if probe.is_mirrored { -normal } else { normal };
        let mut normal = front.normalize_or_zero().as_vec3();
        if normal == Vec3::ZERO {
            normal = -*ray.direction;
        }
        if backfaces == Backfaces::Flip && normal.dot(*ray.direction) > 0.0 {
            normal = -normal;
        }
        let barycentrics = weights.as_vec3();
        Some(SurfaceHit {
            distance: nearest.crossing.distance as f32,
            point: (probe.matrix * local + probe.translation).as_vec3(),
            normal,
            barycentrics,
            triangle: nearest.triangle as u32,
            vertices,
            uv: uv_at(self.uvs, vertices, barycentrics),
        })
    }
}

/// The vertices of a surface as a ray sees them: a buffer that is kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Projected {
    /// Two coordinates across the ray, and one along the main axis, all relative to the ray's origin.
    positions: Vec<[f32; 3]>,
    /// The sides of the ray on which each vertex is: a bit for each sign of the coordinates across the ray, and one for
    /// vertices behind the origin. If all corners of a triangle have a bit in common, the ray misses it.
    sides: Vec<u8>,
}

/// The intersection of a ray with a triangle.
#[derive(Clone, Copy)]
struct Crossing {
    /// Distance along the ray, in world units.
    distance: f64,
    barycentrics: DVec3,
}

/// A ray prepared for tests on triangles.
///
/// Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013): vertices are projected along the ray, each once.
/// So both triangles at an edge get the same result for that edge. Rounding keeps the order of products, so their differences
/// never have the wrong sign. Differences of zero are computed again in double precision, in which the products are exact.
struct Probe {
    matrix: DMat3,
    translation: DVec3,
    /// The inverse of `matrix`.
    inverse: DMat3,
    /// Whether the fronts of triangles are the sides from which their corners go clockwise.
    is_mirrored: bool,
    /// The axes, the main one last, in an order that keeps the orientation of triangles.
    axes: [usize; 3],
    /// The ray's origin, in the order of `axes`.
    origin: [f64; 3],
    /// Distance along the first two axes per unit along the main one.
    shear: [f64; 2],
    /// Distance in the world per unit along the main axis.
    ahead: f64,
}

impl Probe {
    /// `None` if the transform or the ray is not usable.
    fn new(affine: &Affine3A, ray: Ray3d) -> Option<Self> {
        let matrix = Mat3::from(affine.matrix3).as_dmat3();
        let translation = Vec3::from(affine.translation).as_dvec3();
        let inverse = matrix.inverse();
        let origin = inverse * (ray.origin.as_dvec3() - translation);
        // Not normalized, so that parameters of the ray are distances in the world.
        let direction = inverse * ray.direction.as_dvec3();
        let main = direction.abs().max_position();
        let ahead = direction[main].recip();
        let [mut first, mut second] = [(main + 1) % 3, (main + 2) % 3];
        if direction[main] < 0.0 {
            core::mem::swap(&mut first, &mut second);
        }
        let is_usable =
            inverse.is_finite() && origin.is_finite() && direction.is_finite() && ahead.is_finite();
        is_usable.then(|| Self {
            matrix,
            translation,
            inverse,
            is_mirrored: matrix.determinant() < 0.0,
            axes: [first, second, main],
            origin: [origin[first], origin[second], origin[main]],
            shear: [direction[first] * ahead, direction[second] * ahead],
            ahead,
        })
    }

    fn project(&self, positions: &[[f32; 3]], projected: &mut Projected) {
        let [first, second, main] = self.axes;
        let project = |position: &[f32; 3]| {
            let depth = f64::from(position[main]) - self.origin[2];
            let across = f64::from(position[first]) - self.origin[0] - depth * self.shear[0];
            let up = f64::from(position[second]) - self.origin[1] - depth * self.shear[1];
            [across as f32, up as f32, depth as f32]
        };
        projected.positions.clear();
        projected.positions.extend(positions.iter().map(project));
        let forward = if self.ahead < 0.0 { -1.0 } else { 1.0 };
        let sides = |[across, up, depth]: &[f32; 3]| {
            // Zero and NaN are on no side.
            u8::from(*across > 0.0)
                | u8::from(*across < 0.0) << 1
                | u8::from(*up > 0.0) << 2
                | u8::from(*up < 0.0) << 3
                | u8::from(depth * forward < 0.0) << 4
        };
        projected.sides.clear();
        projected
            .sides
            .extend(projected.positions.iter().map(sides));
    }

    /// The intersection with a triangle of projected corners, within the distance `max`.
    #[inline(always)]
    fn crossing(&self, [a, b, c]: [[f32; 3]; 3], max: f64, cull: bool) -> Option<Crossing> {
        // Twice the areas of the triangles between the ray and the edges opposite to each corner.
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        // False for NaN.
        let is_positive = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let is_negative = u <= 0.0 && v <= 0.0 && w <= 0.0;
        if !is_positive && !is_negative {
            return None;
        }
        self.exact_crossing([a, b, c], max, cull)
    }

    /// The intersection in double precision, for triangles that the ray hits or nearly hits.
    fn exact_crossing(&self, corners: [[f32; 3]; 3], max: f64, cull: bool) -> Option<Crossing> {
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let areas = DVec3::new(
            c[0] * b[1] - c[1] * b[0],
            a[0] * c[1] - a[1] * c[0],
            b[0] * a[1] - b[1] * a[0],
        );
        let is_inside = areas.min_element() >= 0.0 || areas.max_element() <= 0.0;
        let area = areas.element_sum();
        // A clockwise triangle has negative areas.
        let is_front = (area > 0.0) != self.is_mirrored;
        if !is_inside || area == 0.0 || (cull && !is_front) {
            return None;
        }
        let barycentrics = areas / area;
        let distance = barycentrics.dot(DVec3::new(a[2], b[2], c[2])) * self.ahead;
        // False for NaN.
        (distance >= 0.0 && distance <= max).then_some(Crossing {
            distance,
            barycentrics,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::{Dir3, Quat};

    /// A unit cube around the origin, without texture coordinates.
    const CORNERS: [[f32; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    const SIDES: [u16; 36] = [
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6,
        1, 3, 5, 3, 7, 5,
    ];

    fn cube(affine: Affine3A) -> Surface<'static> {
        Surface {
            triangles: SurfaceTriangles::U16(&SIDES),
            positions: &CORNERS,
            uvs: &[],
            affine,
        }
    }

    fn ray(origin: Vec3, target: Vec3) -> Ray3d {
        Ray3d::new(origin, Dir3::new(target - origin).unwrap())
    }

    /// The front of a mirrored triangle is the side with counterclockwise corners in the world, which is drawn.
    #[test]
    fn no_ray_passes_between_triangles() {
        let rotation = Quat::from_rotation_y(0.3);
        let mut vertices = Projected::default();
        for mirror in [1.0, -1.0] {
            let scale = Vec3::new(mirror, 1.5, 0.25);
            let affine = Affine3A::from_scale_rotation_translation(
                scale,
                rotation,
                Vec3::new(5.0, 2.0, 1.0),
            );
            let cube = cube(affine);
            for x in -8_i16..=8 {
                for y in -8_i16..=8 {
                    let target = Vec3::new(f32::from(x) / 8.0, f32::from(y) / 8.0, 1.0);
                    let [from, to] = [Vec3::new(0.0, 0.0, 40.0), target * 0.999_99]
                        .map(|point| affine.transform_point3(point));
                    let ray = ray(from, to);
                    let hit = cube.cast(ray, f32::INFINITY, Backfaces::Keep, &mut vertices);
                    let hit = hit.unwrap();
                    assert!(hit.point.distance(affine.transform_point3(target)) < 1e-3);
                    let normal = rotation * Vec3::Z * mirror;
                    assert!(hit.normal.abs_diff_eq(normal, 1e-4), "{hit:?}");
                    assert!(cube.any_hit(ray, f32::INFINITY, Backfaces::Keep, &mut vertices));
                    let short = hit.distance * 0.999;
                    assert!(!cube.any_hit(ray, short, Backfaces::Keep, &mut vertices));
                    assert_eq!(
                        cube.triangles.get(hit.triangle as usize),
                        Some(hit.vertices)
                    );
                    let corners = hit.vertices.map(|vertex| CORNERS[vertex as usize]);
                    let [a, b, c] = corners.map(Vec3::from_array);
                    let weights = hit.barycentrics;
                    let point = a * weights.x + b * weights.y + c * weights.z;
                    assert!(point.abs_diff_eq(target, 1e-3), "{hit:?}");
                }
            }
        }
    }

    #[test]
    fn backfaces_are_culled_kept_or_flipped() {
        let mut vertices = Projected::default();
        let inside = ray(Vec3::ZERO, Vec3::X);
        let mut cast = |mirror, backfaces| {
            let cube = cube(Affine3A::from_scale(Vec3::new(mirror, 1.0, 1.0)));
            cube.cast(inside, 10.0, backfaces, &mut vertices)
        };
        assert_eq!(cast(1.0, Backfaces::Cull), None);
        assert_eq!(cast(1.0, Backfaces::Keep).unwrap().normal, Vec3::X);
        assert_eq!(cast(1.0, Backfaces::Flip).unwrap().normal, Vec3::NEG_X);
        // The fronts of a mirrored cube are inside.
        for backfaces in [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip] {
            let hit = cast(-1.0, backfaces).unwrap();
            assert_eq!((hit.normal, hit.distance), (Vec3::NEG_X, 1.0));
        }
    }

    #[test]
    fn unusable_transforms_and_rays_hit_nothing() {
        let mut vertices = Projected::default();
        let valid = ray(Vec3::Z * 9.0, Vec3::ZERO);
        let mut cast = |affine, ray| {
            cube(affine)
                .cast(ray, f32::INFINITY, Backfaces::Flip, &mut vertices)
                .is_some()
        };
        assert!(cast(Affine3A::IDENTITY, valid));
        for invalid in [0.0, f32::NAN, f32::INFINITY] {
            assert!(!cast(Affine3A::from_scale(Vec3::splat(invalid)), valid));
        }
        for invalid in [f32::NAN, f32::INFINITY] {
            let ray = Ray3d {
                origin: Vec3::new(0.0, invalid, 9.0),
                ..valid
            };
            assert!(!cast(Affine3A::IDENTITY, ray));
            assert!(!cast(
                Affine3A::from_translation(Vec3::splat(invalid)),
                valid
            ));
        }
    }
}
