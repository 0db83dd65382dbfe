//! Shapes that are not prisms: surfaces over rings of points, plates, and cloth.
//!
//! As in the other samples with bones, Z is up here, the front is −Y, and the left is +X.

use super::shape::{Corner, Face, Finish, Solid};
use crate::math::{cos, mix, sin};
use bevy::prelude::*;

/// An outline around an axis that goes up.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Its center.
    pub at: Vec3,
    /// Half its width.
    pub x: f32,
    /// Its extent to the front and to the back.
    pub depth: [f32; 2],
    /// From 0 (an ellipse) to 1 (nearly a rectangle).
    pub square: f32,
}

impl Ring {
    /// A ring around the Z axis.
    pub fn new(z: f32, x: f32, front: f32, back: f32) -> Self {
        Self {
            at: Vec3::Z * z,
            x,
            depth: [front, back],
            square: 0.25,
        }
    }

    /// A circle.
    pub fn circle(z: f32, radius: f32) -> Self {
        Self {
            square: 0.0,
            ..Self::new(z, radius, radius, radius)
        }
    }

    /// Returns the ring, translated.
    pub fn moved(self, x: f32, y: f32) -> Self {
        Self {
            at: self.at + Vec3::new(x, y, 0.0),
            ..self
        }
    }

    /// `count` points on it, counter-clockwise from the back.
    pub fn points(&self, count: usize) -> Vec<Vec3> {
        let bulge = |t: f32| mix(t, t.abs().sqrt() * t.signum(), self.square);
        let point = |index: usize| {
            let turns = index as f32 / count as f32;
            let (x, y) = (bulge(-sin(turns)), bulge(cos(turns)));
            let depth = if y < 0.0 {
                self.depth[0]
            } else {
                self.depth[1]
            };
            self.at + Vec3::new(x * self.x, y * depth, 0.0)
        };
        (0..count).map(point).collect()
    }
}

/// The points of rings, `count` for each.
pub fn rings(count: usize, rings: &[Ring]) -> Vec<Vec<Vec3>> {
    rings.iter().map(|ring| ring.points(count)).collect()
}

fn corner(at: Vec3, uv: Vec2) -> Corner {
    Corner {
        at,
        uv,
        bones: [0; 2],
        second: 0.0,
    }
}

fn face(chart: &'static str, corners: Vec<Corner>) -> Face {
    Face {
        chart,
        finish: Finish::Own,
        round: true,
        corners,
    }
}

/// Running sums of the lengths, starting with 0.
fn running_sum(lengths: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sums = vec![0.0];
    for length in lengths {
        sums.push(sums[sums.len() - 1] + length);
    }
    sums
}

/// The surface through rows of points. The rows run counter-clockwise around the direction from row
/// to row, seen from outside. `closed` rows end where they begin.
pub fn skin(chart: &'static str, rows: &[Vec<Vec3>], closed: bool) -> Solid {
    let count = rows[0].len();
    let sides = if closed { count } else { count - 1 };
    let point = |row: usize, index: usize| rows[row][index % count];
    let around = |index: usize| {
        let lengths = (0..rows.len()).map(|row| point(row, index).distance(point(row, index + 1)));
        lengths.sum::<f32>() / rows.len() as f32
    };
    let along = |row: usize| {
        let lengths = (0..count).map(|index| point(row, index).distance(point(row + 1, index)));
        lengths.sum::<f32>() / count as f32
    };
    let u = running_sum((0..sides).map(around));
    let v = running_sum((0..rows.len() - 1).map(along));
    let mut solid = Solid::default();
    for row in 0..rows.len() - 1 {
        for side in 0..sides {
            let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(next, beside)| {
                let uv = Vec2::new(u[side + beside], -v[row + next]);
                corner(point(row + next, side + beside), uv)
            });
            solid.faces.push(face(chart, corners.into()));
        }
    }
    solid.faces.retain(|face| face.normal().length() > 1e-5);
    solid
}

/// The flat end of a closed surface. `first`: the end before the first row.
pub fn cap(chart: &'static str, row: &[Vec3], first: bool) -> Solid {
    let mut points = row.to_vec();
    if first {
        points.reverse();
    }
    let mut cap = face(
        chart,
        points.iter().map(|at| corner(*at, Vec2::ZERO)).collect(),
    );
    let normal = cap.normal().abs();
    for corner in &mut cap.corners {
        let at = corner.at;
        corner.uv = if normal.z >= normal.x.max(normal.y) {
            Vec2::new(at.x, at.y)
        } else if normal.y >= normal.x {
            Vec2::new(at.x, -at.z)
        } else {
            Vec2::new(at.y, -at.z)
        };
    }
    Solid {
        faces: vec![cap],
        ghost: false,
    }
}

/// Joins several solids into one with smooth shading across them.
pub fn joined(solids: impl IntoIterator<Item = Solid>) -> Solid {
    Solid {
        faces: solids.into_iter().flat_map(|solid| solid.faces).collect(),
        ghost: false,
    }
}

/// A closed surface with both ends.
pub fn loft(charts: [&'static str; 2], rows: &[Vec<Vec3>]) -> Solid {
    joined([
        skin(charts[0], rows, true),
        cap(charts[1], &rows[0], true),
        cap(charts[1], &rows[rows.len() - 1], false),
    ])
}

/// A plate: a surface with a border around it, open at the back.
pub fn plate(charts: [&'static str; 2], rows: &[Vec<Vec3>], inwards: Vec3) -> Solid {
    let (last, end) = (rows.len() - 1, rows[0].len() - 1);
    let mut border: Vec<Vec3> = rows[0].clone();
    border.extend((1..=last).map(|row| rows[row][end]));
    border.extend((0..end).rev().map(|index| rows[last][index]));
    border.extend((1..last).rev().map(|row| rows[row][0]));
    let behind: Vec<Vec3> = border.iter().map(|at| *at + inwards).collect();
    joined([
        skin(charts[0], rows, false),
        skin(charts[1], &[behind, border], true),
    ])
}
