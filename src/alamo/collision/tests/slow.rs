//! What a ray meets, by looking at all triangles in double precision, and what rounding leaves open.

use super::super::{TreeHit, Winding};
use super::{Backfaces, Sample};
use bevy::math::Ray3d;

/// Steps of single precision, in parts of a mesh's size and of its greatest coordinate, by which a
/// ray may be beside where it should be.
const ROOM: f64 = 4.0 * ROUNDING;

/// A step of single precision.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// A mesh to be looked at.
pub struct Slow {
    corners: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
    /// How near to an edge a ray may be on either side of it.
    room: f64,
    /// The corners as a ray sees them: beside it, above it, ahead.
    seen: Vec<[f64; 3]>,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub ray: Ray3d,
    pub max: f32,
    pub backfaces: Backfaces,
    pub winding: Winding,
}

/// What a ray makes of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum View {
    /// It passes.
    Missed,
    /// It meets it or passes, by rounding.
    Open,
    /// It meets it.
    Met {
        /// On the side from which corners go counterclockwise.
        counterclockwise: bool,
        distance: f64,
        /// By how much rounding may change that.
        room: f64,
    },
}

impl Slow {
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
            seen: vec![[0.0; 3]; corners.len()],
            corners,
            triangles: sample.indices.as_chunks().0.iter().map(triangle).collect(),
            room: ROOM * (reach + 8.0 * size),
        }
    }

    /// Compares an answer with what all triangles say, and returns whether there was something to be
    /// met for certain.
    pub fn check(&mut self, asked: &Question, hit: Option<&TreeHit>) -> Result<bool, String> {
        self.look_along(&asked.ray);
        let mut certain = false;
        for triangle in 0..self.triangles.len() {
            let View::Met { distance, room, .. } = self.view(triangle, asked) else {
                continue;
            };
            let within = distance - room > 0.0 && distance + room < f64::from(asked.max);
            certain |= within;
            let told = hit.map_or(f64::INFINITY, |hit| f64::from(hit.distance));
            if within && told > distance + room {
                return Err(format!("triangle {triangle} is met at {distance}"));
            }
        }
        if let Some(hit) = hit {
            self.check_hit(asked, hit)?;
        }
        Ok(certain)
    }

    fn check_hit(&self, asked: &Question, hit: &TreeHit) -> Result<(), String> {
        let must = |right: bool, said: &str| right.then_some(()).ok_or_else(|| said.to_owned());
        let triangle = hit.triangle as usize;
        let told = f64::from(hit.distance);
        must(told <= f64::from(asked.max), "it is too far")?;
        let ends = self.triangles[triangle].map(|corner| self.seen[corner][2]);
        let [least, greatest] = [ends.iter().copied().fold(f64::MAX, f64::min), max(ends)];
        let far = self.room + self.blur(triangle) + 1e-6 * greatest.abs();
        must(
            least - far <= told && told <= greatest + far,
            "it is elsewhere",
        )?;

        let weights = hit.barycentrics.to_array().map(f64::from);
        let sum: f64 = weights.iter().sum();
        must(
            weights.iter().all(|weight| *weight >= 0.0),
            "a weight is negative",
        )?;
        must((sum - 1.0).abs() < 1e-6, "weights do not make 1")?;
        let corners = self.triangles[triangle].map(|corner| self.corners[corner]);
        let point = [0, 1, 2].map(|axis| {
            let parts = [0, 1, 2].map(|corner| corners[corner][axis] * weights[corner]);
            parts.iter().sum::<f64>()
        });
        let apart = length(minus(point, hit.point.to_array().map(f64::from)));
        must(apart <= self.room, "the point is not where the weights say")?;
        must(hit.normal.is_normalized(), "the normal's length is not 1")?;
        let facing = hit.normal.dot(*asked.ray.direction);
        let turned = asked.backfaces != Backfaces::Flip || facing <= 1e-6;
        must(turned, "the normal is not turned to the ray")?;

        let view = self.view(triangle, asked);
        must(view != View::Missed, "the triangle is not met")?;
        let View::Met {
            counterclockwise,
            distance,
            room,
        } = view
        else {
            return Ok(());
        };
        must((told - distance).abs() <= room, "the distance is wrong")?;
        let along = asked.ray.direction.to_array().map(f64::from);
        let from = asked.ray.origin.to_array().map(f64::from);
        let there = [0, 1, 2].map(|axis| from[axis] + along[axis] * distance);
        let apart = length(minus(there, point));
        must(apart <= 2.0 * room, "the point is not on the ray")?;
        let [a, b, c] = corners;
        let normal = cross(minus(b, a), minus(c, a));
        let front = counterclockwise == (asked.winding == Winding::CounterClockwise);
        // The side that the ray sees is that of the normal, unless it is to tell of the other one.
        let sign = match (
            counterclockwise,
            front || asked.backfaces == Backfaces::Flip,
        ) {
            (true, true) | (false, false) => 1.0,
            _ => -1.0,
        };
        let along = dot(normal, hit.normal.to_array().map(f64::from)) * sign;
        must(along > 0.9999 * length(normal), "the normal is wrong")
    }

    /// Brings the corners into the space of a ray.
    fn look_along(&mut self, ray: &Ray3d) {
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
        for (seen, corner) in self.seen.iter_mut().zip(&self.corners) {
            let to = minus(*corner, from);
            *seen = [dot(beside, to), dot(above, to), dot(ahead, to)];
        }
    }

    fn view(&self, triangle: usize, asked: &Question) -> View {
        let [a, b, c] = self.triangles[triangle].map(|corner| self.seen[corner]);
        let sides = [side(b, c), side(c, a), side(a, b)];
        let left = sides.map(|[area, length]| area > self.room * length);
        let right = sides.map(|[area, length]| area < -self.room * length);
        if left.contains(&true) && right.contains(&true) {
            return View::Missed;
        }
        if left.contains(&false) && right.contains(&false) {
            return View::Open;
        }
        // What turns left in a space whose third axis points away turns right as seen.
        let counterclockwise = right[0];
        let front = counterclockwise == (asked.winding == Winding::CounterClockwise);
        if !front && asked.backfaces == Backfaces::Cull {
            return View::Missed;
        }
        let areas = sides.map(|[area, _]| area);
        let area: f64 = areas.iter().sum();
        let distance = (areas[0] * a[2] + areas[1] * b[2] + areas[2] * c[2]) / area;
        // How far it goes ahead for each unit beside and above.
        let [ab, ac] = [minus(b, a), minus(c, a)];
        let slope = [
            (ab[2] * ac[1] - ac[2] * ab[1]) / area,
            (ac[2] * ab[0] - ab[2] * ac[0]) / area,
        ];
        let steep = 1.0 + slope[0].hypot(slope[1]);
        let room = self.room * steep + self.blur(triangle) + 1e-6 * distance.abs();
        if distance < -room || distance > f64::from(asked.max) + room {
            return View::Missed;
        }
        View::Met {
            counterclockwise,
            distance,
            room,
        }
    }

    /// By how much a ray may be thought to meet a triangle elsewhere than it does.
    ///
    /// Areas are differences of products, which rounding blurs the more the less of them there is.
    fn blur(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.triangles[triangle].map(|corner| self.seen[corner]);
        let products = max([a, b, c].map(|corner| corner[0] * corner[0] + corner[1] * corner[1]));
        let area = side(a, b)[0] + side(b, c)[0] + side(c, a)[0];
        let longest = length(minus(b, a)).max(length(minus(c, a)));
        longest * (4.0 * ROUNDING * products / area.abs()).min(1.0)
    }
}

/// Twice the area between an edge and the ray, and the length of the edge as the ray sees it.
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

fn max(of: [f64; 3]) -> f64 {
    of.iter().copied().fold(f64::MIN, f64::max)
}
