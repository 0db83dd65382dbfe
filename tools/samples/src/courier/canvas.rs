//! The tarpaulin and its hoops.

use super::bed::HALF;
use super::shapes::{Surface, pane};
use crate::alamo::shape::{Corner, Solid};
use crate::math::{mix, sin, smooth};
use bevy::prelude::*;

/// The Y of the hoops below the tarpaulin.
const HOOPS: [f32; 4] = [-1.7, 1.9, 5.5, 9.1];

/// The offset of the tarpaulin's arch to the left and up; `t` goes from −1 to 1 along it.
fn arch(t: f32) -> [f32; 2] {
    let (x, z) = (sin(t * 0.25), sin((1.0 - t.abs()) * 0.25));
    let bulge = |t: f32| mix(t, t.abs().sqrt() * t.signum(), 0.62);
    [bulge(x) * HALF, bulge(z) * 7.6]
}

/// The tarpaulin over the front of the bed: rows from front to back.
pub fn tarpaulin() -> Surface {
    const ACROSS: usize = 16;
    let along = [-1.75, -0.4, 0.8, 1.9, 3.1, 4.3, 5.5, 6.7, 7.9, 9.1, 9.7];
    let row = |y: &f32| {
        let nearest = HOOPS
            .iter()
            .map(|hoop| (hoop - y).abs())
            .fold(f32::MAX, f32::min);
        let sag = 0.42 * smooth(nearest / 1.8);
        let point = |index: usize| {
            let t = 1.0 - 2.0 * index as f32 / ACROSS as f32;
            let [x, z] = arch(t);
            let top = z / 7.6;
            // The lower edge hangs over the boards, in folds.
            let hem = smooth((0.2 - top) / 0.2);
            let fold = 0.16 * sin(y * 0.21 + 0.3 * x.signum()) * hem;
            let droop = if *y > 9.3 { 0.5 } else { 0.0 };
            Vec3::new(
                x * (1.0 - 0.05 * sag) + x.signum() * (0.5 * hem + fold),
                *y + droop * top * 0.3,
                10.9 + z - sag * top - 0.5 * hem * (1.0 + 0.5 * sin(y * 0.17)) - droop * top,
            )
        };
        (0..=ACROSS).map(point).collect()
    };
    let rows: Vec<Vec<Vec3>> = along.iter().map(row).collect();
    Surface::new("tarpaulin", &rows, false)
}

/// The end of the tarpaulin toward the cab.
pub fn curtain() -> Solid {
    let points: Vec<Vec3> = (0..=12)
        .map(|index| {
            let [x, z] = arch(-1.0 + 2.0 * index as f32 / 12.0);
            Vec3::new(x * 0.99, -1.72, 10.9 + z * 0.99)
        })
        .collect();
    let mut curtain = pane("curtain", &[]);
    let corner = |at: &Vec3| Corner {
        at: *at,
        uv: Vec2::new(at.x, -at.z),
        bones: [0; 2],
        second: 0.0,
    };
    curtain.faces[0].corners = points.iter().rev().map(corner).collect();
    curtain
}

/// The visible hoop at the rear.
pub fn hoop() -> Surface {
    let path: Vec<Vec3> = (0..=14)
        .map(|index| {
            let [x, z] = arch(1.0 - 2.0 * index as f32 / 14.0);
            Vec3::new(x * 0.97, HOOPS[3], 10.6 + z * 0.985)
        })
        .collect();
    Surface::pipe("hoop", &path, 0.14, 5, Vec3::Y)
}
