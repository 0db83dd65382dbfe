//! The weapon. Its shaft runs along Z through the origin, which is the right hand's grip. Its edge
//! faces the front.

use super::rig::{GLAIVE, NODES};
use crate::alamo::loft::{Ring, cap, joined, loft, rings, skin};
use crate::alamo::shape::Solid;
use crate::math::Transform;
use bevy::math::Vec3;

/// The lower end of the shaft, relative to the grip.
pub const BUTT: f32 = -3.3;

/// All solids of the glaive, in the modeling pose.
pub fn solids() -> Vec<Solid> {
    let joint = NODES[GLAIVE].joint;
    let transform = Transform::from_xyz(joint.x, joint.y, joint.z);
    let all = [shaft(), ferrule(), collar(), blade(), hook()];
    all.map(|solid| solid.transformed(&transform).on_bone(GLAIVE))
        .into()
}

fn shaft() -> Solid {
    let rows = rings(6, &[Ring::circle(-2.8, 0.07), Ring::circle(2.5, 0.07)]);
    skin("shaft", &rows, true)
}

fn ferrule() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::circle(BUTT, 0.0),
            Ring::circle(-3.05, 0.1),
            Ring::circle(-2.8, 0.11),
        ],
    );
    skin("ferrule", &rows, true)
}

fn collar() -> Solid {
    let rows = rings(
        6,
        &[
            Ring::circle(2.36, 0.15),
            Ring::circle(2.5, 0.11),
            Ring::circle(2.66, 0.17),
            Ring::circle(2.74, 0.1),
        ],
    );
    skin("collar", &rows, true)
}

/// Rows of four points: back, right, edge, left.
fn blade() -> Solid {
    // Each row: height, edge and back positions, and half the thickness.
    let stations: [(f32, f32, f32, f32); 6] = [
        (2.66, -0.12, 0.1, 0.07),
        (2.98, -0.36, 0.16, 0.07),
        (3.4, -0.47, 0.17, 0.065),
        (3.85, -0.42, 0.2, 0.055),
        (4.3, -0.16, 0.26, 0.04),
        (4.72, 0.34, 0.34, 0.0),
    ];
    let row = |(z, edge, back, thick): &(f32, f32, f32, f32)| {
        let middle = edge + (back - edge) * 0.62;
        vec![
            Vec3::new(0.0, *back, *z),
            Vec3::new(-thick, middle, *z),
            Vec3::new(0.0, *edge, *z),
            Vec3::new(*thick, middle, *z),
        ]
    };
    let rows: Vec<Vec<Vec3>> = stations.iter().map(row).collect();
    joined([skin("blade", &rows, true), cap("collar", &rows[0], true)])
}

/// The hook behind the blade.
fn hook() -> Solid {
    let row = |y: f32, z: f32, size: f32| {
        vec![
            Vec3::new(0.0, y, z - size),
            Vec3::new(-0.5 * size, y, z),
            Vec3::new(0.0, y, z + size),
            Vec3::new(0.5 * size, y, z),
        ]
    };
    let rows = [
        row(0.08, 3.0, 0.12),
        row(0.34, 3.06, 0.08),
        row(0.56, 2.86, 0.0),
    ];
    loft(["hook", "hook"], &rows)
}
