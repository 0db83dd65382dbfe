//! Arms and legs, at +X; those at −X are mirrored.

use super::body::tasset;
use super::rig::{ARMS, LEGS};
use crate::alamo::loft::{Ring, cap, joined, loft, rings, skin};
use crate::alamo::shape::Solid;
use crate::math::{cos, sin};
use bevy::math::Vec3;

/// The solids of all limbs.
pub fn solids() -> Vec<Solid> {
    let ([left_arm, right_arm], [left_leg, right_leg]) = (ARMS, LEGS);
    let pairs = [
        (upper_arm(), left_arm.upper, right_arm.upper),
        (pauldron(), left_arm.upper, right_arm.upper),
        (lame(), left_arm.upper, right_arm.upper),
        (forearm(), left_arm.lower, right_arm.lower),
        (couter(), left_arm.lower, right_arm.lower),
        (hand(), left_arm.end, right_arm.end),
        (thigh(), left_leg.upper, right_leg.upper),
        (tasset(), left_leg.upper, right_leg.upper),
        (shin(), left_leg.lower, right_leg.lower),
        (knee(), left_leg.lower, right_leg.lower),
        (foot(), left_leg.end, right_leg.end),
    ];
    let both = pairs.into_iter().flat_map(|(solid, left, right)| {
        let other = solid.clone().mirrored(|_| right);
        [solid.on_bone(left), other]
    });
    both.collect()
}

/// Points of an ellipse around a center, counter-clockwise around an axis.
fn circle(at: Vec3, axis: Vec3, count: u8, half: [f32; 2]) -> Vec<Vec3> {
    let axis = axis.normalize_or(Vec3::Z);
    let side = axis.cross(Vec3::Y).normalize_or(Vec3::X);
    let other = axis.cross(side);
    let point = |index: u8| {
        let turns = f32::from(index) / f32::from(count);
        at + side * (cos(turns) * half[0]) + other * (sin(turns) * half[1])
    };
    (0..count).map(point).collect()
}

fn upper_arm() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::circle(3.98, 0.2).moved(1.14, 0.1),
            Ring::circle(4.9, 0.27).moved(1.06, 0.08),
            Ring::circle(5.4, 0.26).moved(0.98, 0.06),
        ],
    );
    joined([skin("sleeve", &rows, true), cap("dark", &rows[0], true)])
}

/// A dome over the shoulder, with its rim turned up.
fn pauldron() -> Solid {
    let axis = Vec3::new(0.66, 0.0, 0.75);
    let middle = Vec3::new(1.08, 0.06, 5.32);
    let row = |along: f32, x: f32, y: f32| circle(middle + axis * along, axis, 8, [x, y]);
    let rows = [
        row(-0.1, 0.5, 0.5),
        row(-0.16, 0.6, 0.6),
        row(0.0, 0.56, 0.57),
        row(0.26, 0.46, 0.47),
        row(0.42, 0.24, 0.25),
        row(0.47, 0.0, 0.0),
    ];
    skin("pauldron", &rows, true)
}

/// The plate below the pauldron.
fn lame() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::circle(4.72, 0.3).moved(1.1, 0.08),
            Ring::circle(4.7, 0.4).moved(1.12, 0.08),
            Ring::circle(5.1, 0.42).moved(1.1, 0.07),
        ],
    );
    skin("lame", &rows, true)
}

fn forearm() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::circle(2.98, 0.21).moved(1.16, -0.01),
            Ring::circle(3.2, 0.2).moved(1.16, 0.0),
            Ring::circle(4.02, 0.31).moved(1.15, 0.09),
            Ring::circle(4.0, 0.22).moved(1.14, 0.1),
        ],
    );
    joined([skin("vambrace", &rows, true), cap("dark", &rows[0], true)])
}

/// A cone over the elbow.
fn couter() -> Solid {
    let (at, axis) = (Vec3::new(1.16, 0.12, 4.12), Vec3::new(0.3, 0.95, 0.0));
    let row = |along: f32, radius: f32| circle(at + axis * along, axis, 6, [radius; 2]);
    let rows = [row(0.02, 0.27), row(0.12, 0.24), row(0.26, 0.0)];
    skin("couter", &rows, true)
}

/// A fist around a shaft that points to the front.
fn hand() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::new(2.5, 0.13, 0.17, 0.17).moved(1.14, -0.03),
            Ring::new(2.68, 0.21, 0.24, 0.24).moved(1.15, -0.03),
            Ring::new(3.06, 0.13, 0.15, 0.15).moved(1.16, -0.02),
        ],
    );
    joined([skin("hand", &rows, true), cap("fingers", &rows[0], true)])
}

fn thigh() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::new(1.92, 0.25, 0.24, 0.25).moved(0.5, -0.02),
            Ring::new(3.0, 0.36, 0.36, 0.37).moved(0.48, 0.0),
            Ring::new(3.66, 0.36, 0.36, 0.4).moved(0.42, 0.02),
        ],
    );
    joined([skin("thigh", &rows, true), cap("dark", &rows[0], true)])
}

fn shin() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::new(0.3, 0.22, 0.2, 0.2).moved(0.52, 0.08),
            Ring::new(0.36, 0.28, 0.27, 0.26).moved(0.52, 0.08),
            Ring::new(0.62, 0.21, 0.21, 0.22).moved(0.52, 0.06),
            Ring::new(1.35, 0.29, 0.25, 0.37).moved(0.51, 0.02),
            Ring::new(1.96, 0.28, 0.28, 0.26).moved(0.5, -0.03),
        ],
    );
    let rows: Vec<Vec<Vec3>> = rows
        .into_iter()
        .map(|mut points| {
            // A sharp edge down the front.
            points[3].y -= 0.05;
            points
        })
        .collect();
    skin("greave", &rows, true)
}

/// A pointed cap over the knee.
fn knee() -> Solid {
    let at = Vec3::new(0.5, -0.1, 2.04);
    let axis = Vec3::new(0.06, -0.97, 0.22);
    let row = |along: f32, half: [f32; 2]| circle(at + axis * along, axis, 6, half);
    let rows = [
        row(0.06, [0.31, 0.34]),
        row(0.2, [0.27, 0.3]),
        row(0.4, [0.0, 0.0]),
    ];
    skin("knee", &rows, true)
}

fn foot() -> Solid {
    let row = |y: f32, wide: f32, high: f32, lift: f32| -> Vec<Vec3> {
        [
            [-1.0, 0.0],
            [1.0, 0.0],
            [1.06, 0.42],
            [0.5, 1.0],
            [-0.5, 1.0],
            [-1.06, 0.42],
        ]
        .iter()
        .map(|[x, z]| Vec3::new(0.52 + x * wide, y, lift + z * high))
        .rev()
        .collect()
    };
    let mut rows = vec![
        row(0.34, 0.17, 0.44, 0.0),
        row(-0.14, 0.22, 0.48, 0.0),
        row(-0.4, 0.25, 0.3, 0.0),
        row(-0.68, 0.2, 0.2, 0.05),
        row(-0.94, 0.05, 0.07, 0.19),
    ];
    rows.reverse();
    loft(["foot", "toe"], &rows)
}
