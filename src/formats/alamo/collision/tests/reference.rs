//! Reference results of ray casts: all triangles in double precision, with bounds of rounding errors.

use crate::formats::alamo::collision::cast::TreeHit;
use crate::formats::alamo::collision::tests::Sample;
use crate::formats::alamo::collision::winding::Winding;
use crate::geometry::ray_settings::Backfaces;
use bevy::math::Ray3d;

/// The allowed position error of a ray, relative to a mesh's size and its greatest coordinate.
const TOLERANCE: f64 = 4.0 * ROUNDING;

/// The relative rounding error of single precision.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// A mesh for reference ray casts.
pub struct Reference {
    corners: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
    /// The distance from an edge within which a hit is uncertain.
    tolerance: f64,
    /// The corners in the space of a ray: two coordinates across the ray, then the distance along it.
    ray_corners: Vec<[f64; 3]>,
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

impl Reference {
    pub fn new(sample: &Sample) -> Self {
        let corners: Vec<[f64; 3]> = sample
            .positions
            .iter()
            .map(|position| position.map(f64::from))
            .collect();
        let triangle = |corners: &[u16; 3]| corners.map(usize::from);
        let mut reach = 0.0_f64;
        let (mut min, mut max) = ([f64::MAX; 3], [f64::MIN; 3]);
        for corner in &corners {
            for axis in 0..3 {
                reach = reach.max(corner[axis].abs());
                min[axis] = corner[axis].min(min[axis]);
                max[axis] = corner[axis].max(max[axis]);
            }
        }
        let size = length(minus(max, min));
        Self {
            ray_corners: vec![[0.0; 3]; corners.len()],
            corners,
            triangles: sample.indices.as_chunks().0.iter().map(triangle).collect(),
            tolerance: TOLERANCE * (reach + 8.0 * size),
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
        let must =
            |is_right: bool, error: &str| is_right.then_some(()).ok_or_else(|| error.to_owned());
        let triangle = hit.triangle as usize;
        let found = f64::from(hit.distance);
        must(
            found <= f64::from(query.max),
            "the distance is greater than `max`",
        )?;
        let depths = self.triangles[triangle].map(|corner| self.ray_corners[corner][2]);
        let [least, greatest] = [depths.iter().copied().fold(f64::MAX, f64::min), max(depths)];
        let far = self.tolerance + self.area_error(triangle) + 1e-6 * greatest.abs();
        must(
            least - far <= found && found <= greatest + far,
            "the distance is outside the triangle",
        )?;

        let weights = hit.barycentrics.to_array().map(f64::from);
        let sum: f64 = weights.iter().sum();
        must(
            weights.iter().all(|weight| *weight >= 0.0),
            "a weight is negative",
        )?;
        must((sum - 1.0).abs() < 1e-6, "the sum of the weights is not 1")?;
        let corners = self.triangles[triangle].map(|corner| self.corners[corner]);
        let point = [0, 1, 2].map(|axis| {
            let parts = [0, 1, 2].map(|corner| corners[corner][axis] * weights[corner]);
            parts.iter().sum::<f64>()
        });
        let apart = length(minus(point, hit.point.to_array().map(f64::from)));
        must(
            apart <= self.tolerance,
            "the point does not match the weights",
        )?;
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
        must(
            (found - distance).abs() <= tolerance,
            "the distance is wrong",
        )?;
        let along = query.ray.direction.to_array().map(f64::from);
        let from = query.ray.origin.to_array().map(f64::from);
        let expected = [0, 1, 2].map(|axis| from[axis] + along[axis] * distance);
        let apart = length(minus(expected, point));
        must(apart <= 2.0 * tolerance, "the point is not on the ray")?;
        let [a, b, c] = corners;
        let normal = cross(minus(b, a), minus(c, a));
        let front = counterclockwise == (query.winding == Winding::CounterClockwise);
        // The normal points towards the ray's origin, except for the back face with `Backfaces::Keep`.
        let sign = match (
            counterclockwise,
            front || query.backfaces == Backfaces::Flip,
        ) {
            (true, true) | (false, false) => 1.0,
            _ => -1.0,
        };
        let along = dot(normal, hit.normal.to_array().map(f64::from)) * sign;
        must(along > 0.9999 * length(normal), "the normal is wrong")
    }

    /// Transforms the corners into the space of a ray.
    fn transform_corners(&mut self, ray: &Ray3d) {
        let along = ray.direction.to_array().map(f64::from);
        let from = ray.origin.to_array().map(f64::from);
        let axis = match along.map(f64::abs) {
            [x, y, z] if x <= y && x <= z => [1.0, 0.0, 0.0],
            [_, y, z] if y <= z => [0.0, 1.0, 0.0],
            _ => [0.0, 0.0, 1.0],
        };
        let beside = unit(cross(along, axis));
        let above = unit(cross(along, beside));
        let ahead = along.map(|part| part / dot(along, along));
        for (ray_corner, corner) in self.ray_corners.iter_mut().zip(&self.corners) {
            let to = minus(*corner, from);
            *ray_corner = [dot(beside, to), dot(above, to), dot(ahead, to)];
        }
    }

    fn outcome(&self, triangle: usize, query: &RayQuery) -> Outcome {
        let [a, b, c] = self.triangles[triangle].map(|corner| self.ray_corners[corner]);
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
        let front = counterclockwise == (query.winding == Winding::CounterClockwise);
        if !front && query.backfaces == Backfaces::Cull {
            return Outcome::Miss;
        }
        let areas = sides.map(|[area, _]| area);
        let area: f64 = areas.iter().sum();
        let distance = (areas[0] * a[2] + areas[1] * b[2] + areas[2] * c[2]) / area;
        // The change of depth per unit across the ray.
        let [ab, ac] = [minus(b, a), minus(c, a)];
        let slope = [
            (ab[2] * ac[1] - ac[2] * ab[1]) / area,
            (ac[2] * ab[0] - ab[2] * ac[0]) / area,
        ];
        let steep = 1.0 + slope[0].hypot(slope[1]);
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
        let [a, b, c] = self.triangles[triangle].map(|corner| self.ray_corners[corner]);
        let products = max([a, b, c].map(|corner| corner[0] * corner[0] + corner[1] * corner[1]));
        let area = side(a, b)[0] + side(b, c)[0] + side(c, a)[0];
        let longest = length(minus(b, a)).max(length(minus(c, a)));
        longest * (4.0 * ROUNDING * products / area.abs()).min(1.0)
    }
}

/// Twice the area between an edge and the ray, and the length of the edge, both across the ray.
fn side(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let area = a[0] * b[1] - a[1] * b[0];
    [area, (b[0] - a[0]).hypot(b[1] - a[1])]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = length(a);
    a.map(|part| part / length)
}

fn max(values: [f64; 3]) -> f64 {
    values.iter().copied().fold(f64::MIN, f64::max)
}
