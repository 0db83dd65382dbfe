//! Reference results of ray casts: all triangles in double precision, with bounds of rounding errors.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tests::Sample;
use crate::formats::alamo::collision::tree_ray::Winding;
use crate::geometry::ray_settings::Backfaces;
use bevy::math::{DVec2, DVec3, Ray3d, Vec3, Vec3Swizzles};

/// The allowed position error of a ray, relative to a mesh's size and its greatest coordinate.
const TOLERANCE: f64 = 4.0 * ROUNDING;

/// The relative rounding error of single precision.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// A mesh for reference ray casts.
pub struct Reference {
    corners: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    /// The distance from an edge within which a hit is uncertain.
    tolerance: f64,
    /// The corners in the space of a ray: two coordinates across the ray, then the distance along it.
    ray_corners: Vec<DVec3>,
    /// The ray of `ray_corners`.
    ray: Option<Ray3d>,
}

/// The arguments of a ray cast.
#[derive(Clone, Copy, Debug)]
pub struct RayQuery {
    pub ray: Ray3d,
    pub max: f32,
    pub backfaces: Backfaces,
    pub winding: Winding,
}

/// The result of a ray and one triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// The ray misses the triangle.
    Miss,
    /// The ray hits or misses the triangle, depending on rounding.
    Uncertain,
    /// The ray hits the triangle.
    Hit {
        /// Whether the corners are counterclockwise as seen from the ray's origin.
        counterclockwise: bool,
        distance: f64,
        /// The allowed error of the distance.
        tolerance: f64,
    },
}

fn must(is_right: bool, error: &str) -> Result<(), String> {
    is_right.then_some(()).ok_or_else(|| error.to_owned())
}

impl Reference {
    pub fn new(sample: &Sample) -> Self {
        let positions = sample.positions.iter();
        let corners: Vec<DVec3> = positions.map(|at| Vec3::from(*at).as_dvec3()).collect();
        let min = corners.iter().copied().fold(DVec3::MAX, DVec3::min);
        let max = corners.iter().copied().fold(DVec3::MIN, DVec3::max);
        let reach = min.abs().max(max.abs()).max_element();
        let triangle = |corners: &[u16; 3]| corners.map(usize::from);
        Self {
            ray_corners: vec![DVec3::ZERO; corners.len()],
            ray: None,
            corners,
            triangles: sample.indices.as_chunks().0.iter().map(triangle).collect(),
            tolerance: TOLERANCE * (reach + 8.0 * (max - min).length()),
        }
    }

    /// Compares a result with the reference. Returns whether there is a certain hit.
    ///
    /// # Errors
    /// How the result is wrong.
    pub fn check(&mut self, query: &RayQuery, hit: Option<&TreeHit>) -> Result<bool, String> {
        self.transform_corners(&query.ray);
        let mut certain = false;
        for triangle in 0..self.triangles.len() {
            let Outcome::Hit {
                distance,
                tolerance,
                ..
            } = self.outcome(triangle, query)
            else {
                continue;
            };
            let within = distance - tolerance > 0.0 && distance + tolerance < f64::from(query.max);
            certain |= within;
            let found = hit.map_or(f64::INFINITY, |hit| f64::from(hit.distance));
            if within && found > distance + tolerance {
                return Err(format!(
                    "the nearest hit is at {found}, expected at most {distance}, on triangle {triangle}"
                ));
            }
        }
        if let Some(hit) = hit {
            self.check_hit(query, hit)?;
        }
        Ok(certain)
    }

    fn check_hit(&self, query: &RayQuery, hit: &TreeHit) -> Result<(), String> {
        let triangle = hit.triangle as usize;
        let found = f64::from(hit.distance);
        let is_within = found <= f64::from(query.max);
        must(is_within, "the distance is greater than `max`")?;
        let depths = DVec3::from_array(self.ray_triangle(triangle).map(|corner| corner.z));
        let [least, greatest] = [depths.min_element(), depths.max_element()];
        let far = self.tolerance + self.area_error(triangle) + 1e-6 * greatest.abs();
        let is_within = least - far <= found && found <= greatest + far;
        must(is_within, "the distance is outside the triangle")?;

        let weights = hit.barycentrics.as_dvec3();
        must(weights.min_element() >= 0.0, "a weight is negative")?;
        let is_one = (weights.element_sum() - 1.0).abs() < 1e-6;
        must(is_one, "the sum of the weights is not 1")?;
        let [a, b, c] = self.triangles[triangle].map(|corner| self.corners[corner]);
        let point = a * weights.x + b * weights.y + c * weights.z;
        let is_near = point.distance(hit.point.as_dvec3()) <= self.tolerance;
        must(is_near, "the point does not match the weights")?;
        must(hit.normal.is_normalized(), "the normal's length is not 1")?;
        let facing = hit.normal.dot(*query.ray.direction);
        let is_flipped = query.backfaces != Backfaces::Flip || facing <= 1e-6;
        must(is_flipped, "the normal is not flipped")?;

        let outcome = self.outcome(triangle, query);
        must(outcome != Outcome::Miss, "the ray misses the triangle")?;
        let Outcome::Hit {
            counterclockwise,
            distance,
            tolerance,
        } = outcome
        else {
            return Ok(());
        };
        let is_near = (found - distance).abs() <= tolerance;
        must(is_near, "the distance is wrong")?;
        let expected = query.ray.origin.as_dvec3() + query.ray.direction.as_dvec3() * distance;
        let is_near = expected.distance(point) <= 2.0 * tolerance;
        must(is_near, "the point is not on the ray")?;
        let normal = (b - a).cross(c - a);
        let is_front = counterclockwise == (query.winding == Winding::CounterClockwise);
        // The normal points towards the ray's origin, except for the back face with `Backfaces::Keep`.
        let faces_origin = is_front || query.backfaces == Backfaces::Flip;
        let sign = if counterclockwise == faces_origin {
            1.0
        } else {
            -1.0
        };
        let along = normal.dot(hit.normal.as_dvec3()) * sign;
        must(along > 0.9999 * normal.length(), "the normal is wrong")
    }

    /// Transforms the corners into the space of a ray.
    fn transform_corners(&mut self, ray: &Ray3d) {
        if self.ray.replace(*ray) == Some(*ray) {
            return;
        }
        let along = ray.direction.as_dvec3();
        let axis = DVec3::AXES[along.abs().min_position()];
        let beside = along.cross(axis).normalize();
        let above = along.cross(beside).normalize();
        let ahead = along / along.length_squared();
        for (ray_corner, corner) in self.ray_corners.iter_mut().zip(&self.corners) {
            let to = *corner - ray.origin.as_dvec3();
            *ray_corner = DVec3::new(beside.dot(to), above.dot(to), ahead.dot(to));
        }
    }

    fn ray_triangle(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.ray_corners[corner])
    }

    fn outcome(&self, triangle: usize, query: &RayQuery) -> Outcome {
        let [a, b, c] = self.ray_triangle(triangle);
        let sides = [side(b, c), side(c, a), side(a, b)];
        let left = sides.map(|[area, length]| area > self.tolerance * length);
        let right = sides.map(|[area, length]| area < -self.tolerance * length);
        if left.contains(&true) && right.contains(&true) {
            return Outcome::Miss;
        }
        if left.contains(&false) && right.contains(&false) {
            return Outcome::Uncertain;
        }
        // The third axis points away from the ray's origin, so a negative area is counterclockwise as seen.
        let counterclockwise = right[0];
        let is_front = counterclockwise == (query.winding == Winding::CounterClockwise);
        if !is_front && query.backfaces == Backfaces::Cull {
            return Outcome::Miss;
        }
        let areas = DVec3::from_array(sides.map(|[area, _]| area));
        let area = areas.element_sum();
        let distance = areas.dot(DVec3::new(a.z, b.z, c.z)) / area;
        // The change of depth per unit across the ray.
        let [ab, ac] = [b - a, c - a];
        let slope = (ac.yx() * ab.z - ab.yx() * ac.z) / area;
        let steep = 1.0 + slope.length();
        let tolerance = self.tolerance * steep + self.area_error(triangle) + 1e-6 * distance.abs();
        if distance < -tolerance || distance > f64::from(query.max) + tolerance {
            return Outcome::Miss;
        }
        Outcome::Hit {
            counterclockwise,
            distance,
            tolerance,
        }
    }

    /// The error of a hit's position that rounded areas cause.
    ///
    /// Areas are differences of products, so their relative error grows as they get smaller.
    fn area_error(&self, triangle: usize) -> f64 {
        let corners = self.ray_triangle(triangle);
        let products = corners.map(|corner| corner.xy().length_squared());
        let products = DVec3::from_array(products).max_element();
        let [a, b, c] = corners;
        let area = side(a, b)[0] + side(b, c)[0] + side(c, a)[0];
        let longest = b.distance(a).max(c.distance(a));
        longest * (4.0 * ROUNDING * products / area.abs()).min(1.0)
    }
}

/// Twice the area between an edge and the ray, and the length of the edge, both across the ray.
fn side(a: DVec3, b: DVec3) -> [f64; 2] {
    let [a, b]: [DVec2; 2] = [a.xy(), b.xy()];
    [a.perp_dot(b), a.distance(b)]
}
