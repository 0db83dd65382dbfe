//! Trunk, head and hood.

use super::rig::{HEAD, PELVIS, TORSO};
use crate::alamo::loft::{Ring, cap, joined, loft, plate, rings, skin};
use crate::alamo::shape::Solid;
use crate::math::{cos, mix, sin};
use bevy::math::Vec3;

/// All solids of the body.
pub fn solids() -> Vec<Solid> {
    let mut solids = vec![
        belly().on_bone(TORSO),
        breastplate().on_bone(TORSO),
        gorget().on_bone(TORSO),
    ];
    solids.push(fur().on_bone(TORSO));
    solids.extend([mask().on_bone(HEAD), hood().on_bone(HEAD)]);
    solids.extend([
        fauld().on_bone(PELVIS),
        belt().on_bone(PELVIS),
        buckle().on_bone(PELVIS),
    ]);
    solids
}

fn belly() -> Solid {
    let rows = rings(
        8,
        &[
            Ring::new(3.95, 0.5, 0.38, 0.36),
            Ring::new(4.75, 0.62, 0.44, 0.4),
        ],
    );
    skin("mail", &rows, true)
}

/// The breastplate has a ridge down its middle, and a rim around the waist.
fn breastplate() -> Solid {
    let ridge = |by: f32, ring: Ring| {
        let mut points = ring.points(8);
        points[4].y -= by;
        points
    };
    let rows = [
        ridge(0.05, Ring::new(4.5, 0.6, 0.44, 0.4)),
        ridge(0.09, Ring::new(4.46, 0.68, 0.52, 0.46)),
        ridge(0.07, Ring::new(4.62, 0.66, 0.5, 0.44)),
        ridge(0.13, Ring::new(5.02, 0.86, 0.6, 0.52)),
        ridge(0.08, Ring::new(5.36, 0.9, 0.52, 0.52)),
        ridge(0.0, Ring::new(5.66, 0.56, 0.34, 0.4)),
    ];
    skin("breast", &rows, true)
}

fn gorget() -> Solid {
    let rows = rings(
        8,
        &[
            Ring::new(5.5, 0.56, 0.5, 0.46),
            Ring::new(5.86, 0.4, 0.42, 0.38),
            Ring::new(5.84, 0.32, 0.34, 0.3),
        ],
    );
    skin("gorget", &rows, true)
}

/// A fur collar, open at the front, which covers the fastening of the cape.
fn fur() -> Solid {
    let path = [
        (Vec3::new(0.36, -0.56, 5.2), 0.1),
        (Vec3::new(0.68, -0.2, 5.62), 0.23),
        (Vec3::new(0.5, 0.36, 5.8), 0.27),
        (Vec3::new(0.0, 0.5, 5.84), 0.28),
    ];
    let mirror = |(at, radius): &(Vec3, f32)| (*at * Vec3::new(-1.0, 1.0, 1.0), *radius);
    let other: Vec<_> = path[..3].iter().rev().map(mirror).collect();
    let path: Vec<_> = path.iter().copied().chain(other).collect();
    let rows: Vec<Vec<Vec3>> = (0..path.len())
        .map(|index| {
            let (at, radius) = path[index];
            let before = path[index.saturating_sub(1)].0;
            let after = path[(index + 1).min(path.len() - 1)].0;
            let along = (after - before).normalize_or(Vec3::X);
            let out = (along.cross(Vec3::Z)).normalize_or(Vec3::Y);
            let up = out.cross(along);
            let side = |side: u8| {
                let turns = f32::from(side) / 5.0;
                at - (out * sin(turns) + up * cos(turns) * 0.8) * radius
            };
            (0..5).map(side).collect()
        })
        .collect();
    loft(["fur", "fur"], &rows)
}

/// A steel face.
fn mask() -> Solid {
    let ridge = |by: f32, ring: Ring| {
        let mut points = ring.moved(0.0, -0.08).points(8);
        points[4].y -= by;
        points
    };
    let rows = [
        ridge(0.03, Ring::new(5.9, 0.1, 0.24, 0.1)),
        ridge(0.05, Ring::new(6.1, 0.25, 0.29, 0.2)),
        ridge(0.06, Ring::new(6.42, 0.32, 0.31, 0.2)),
        ridge(0.0, Ring::new(6.72, 0.2, 0.24, 0.2)),
    ];
    joined([skin("mask", &rows, true), cap("mask low", &rows[0], true)])
}

/// The outline of the hood's half at +X, from the chin to the peak.
const HOOD: [[f32; 2]; 6] = [
    [0.0, -1.0],
    [0.72, -0.9],
    [1.0, -0.3],
    [0.92, 0.35],
    [0.52, 0.85],
    [0.0, 1.12],
];

fn hood() -> Solid {
    // Each row: backward offset, height, half the width, half the height.
    let stations = [
        (-0.06, 6.3, 0.36, 0.48),
        (-0.47, 6.3, 0.5, 0.6),
        (-0.05, 6.27, 0.57, 0.66),
        (0.36, 6.16, 0.47, 0.6),
        (0.6, 6.02, 0.22, 0.34),
        (0.8, 5.86, 0.03, 0.04),
    ];
    let row = |(y, z, half_x, half_z): &(f32, f32, f32, f32)| {
        let mut points: Vec<Vec3> = HOOD
            .iter()
            .map(|[x, up]| {
                // The brow overhangs the face.
                let lean = if *y < -0.3 { -0.1 * up } else { 0.0 };
                Vec3::new(x * half_x, y + lean, z + up * half_z)
            })
            .collect();
        let other: Vec<Vec3> = points[1..5]
            .iter()
            .rev()
            .map(|at| *at * Vec3::new(-1.0, 1.0, 1.0))
            .collect();
        points.extend(other);
        // The axis points backward, so the orientation is reversed.
        points.reverse();
        points.rotate_right(1);
        points
    };
    let rows: Vec<Vec<Vec3>> = stations.iter().map(row).collect();
    joined([
        skin("hood in", &rows[..2], true),
        skin("hood", &rows[1..], true),
    ])
}

fn fauld() -> Solid {
    let rows = rings(
        8,
        &[
            Ring::new(3.52, 0.5, 0.4, 0.4),
            Ring::new(3.44, 0.76, 0.56, 0.56),
            Ring::new(3.7, 0.69, 0.5, 0.5),
            Ring::new(3.98, 0.56, 0.42, 0.42),
        ],
    );
    joined([skin("fauld", &rows, true), cap("dark", &rows[0], true)])
}

fn belt() -> Solid {
    let rows = rings(
        8,
        &[
            Ring::new(3.88, 0.63, 0.5, 0.48),
            Ring::new(4.1, 0.6, 0.48, 0.46),
            Ring::new(4.14, 0.52, 0.42, 0.4),
        ],
    );
    skin("belt", &rows, true)
}

/// A round shield on the belt.
fn buckle() -> Solid {
    let ring = |y: f32, radius: f32| -> Vec<Vec3> {
        let point = |index: u8| {
            let turns = f32::from(index) / 8.0;
            Vec3::new(-sin(turns) * radius, y, 4.02 + cos(turns) * radius)
        };
        (0..8).map(point).collect()
    };
    joined([
        skin("rim", &[ring(-0.44, 0.24), ring(-0.55, 0.21)], true),
        cap("buckle", &ring(-0.55, 0.21), false),
    ])
}

/// A plate beside a thigh, at +X.
pub fn tasset() -> Solid {
    let row = |z: f32, out: f32, wide: f32| -> Vec<Vec3> {
        [-1.0_f32, 0.0, 1.0]
            .iter()
            .map(|side| {
                let bend = 1.0 - side * side;
                Vec3::new(mix(out - 0.22, out, bend), side * wide, z)
            })
            .collect()
    };
    let rows = [
        row(2.72, 1.0, 0.24),
        row(3.2, 1.0, 0.44),
        row(3.56, 0.88, 0.4),
    ];
    plate(["tasset", "rim"], &rows, Vec3::new(-0.06, 0.0, 0.0))
}
