//! The courier's cargo.

use super::floor::FLOOR;
use super::shapes::{Surface, axle, cuboid};
use crate::alamo::loft::{Ring, cap, joined};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Finish, Solid, block};
use crate::math::{Transform, mix, smooth, yaw};
use bevy::math::Vec3;

/// The loose items on the bed and on the roof.
pub fn cargo() -> [Solid; 4] {
    [
        jerrycan([-0.9, 14.9, FLOOR], 8.0),
        jerrycan([-1.1, 13.2, FLOOR], -5.0),
        jerrycan([-3.6, -7.0, 18.95], 90.0),
        bundle([1.9, 11.4, FLOOR + 0.9], 1.0),
    ]
}

fn jerrycan(at: [f32; 3], rotation: f32) -> Solid {
    let body = block(
        ["can", "", "can top"],
        Finish::Plate,
        [0.0, 3.6],
        &Profile::rectangle(1.4, 0.65, 0.25),
        0.2,
    );
    let transform = Transform::from_xyz(at[0], at[1], at[2]).rotated(yaw(rotation));
    let handle = cuboid(
        "can top",
        Finish::Frame,
        [-0.3, 0.0, 3.75],
        [0.8, 0.18, 0.2],
        0.0,
    );
    joined([body, handle]).transformed(&transform)
}

/// A blanket, rolled up and tied.
pub fn bundle(at: [f32; 3], size: f32) -> Solid {
    let rolled = block(
        ["bundle", "bundle end", "bundle end"],
        Finish::Own,
        [-2.6, 2.6],
        &Profile::circle(9, 0.9 * size),
        0.25,
    );
    rolled.transformed(&axle(at[0], at[1], at[2]))
}

/// Crates with a repeating plank texture.
pub fn crates() -> Vec<Solid> {
    let crate_at = |at: [f32; 3], half: [f32; 3], rotation: f32| {
        let profile = Profile::rectangle(half[0], half[1], 0.0);
        block(
            ["crate"; 3],
            Finish::Own,
            [0.0, 2.0 * half[2]],
            &profile,
            0.12,
        )
        .transformed(&Transform::from_xyz(at[0], at[1], at[2]).rotated(yaw(rotation)))
    };
    vec![
        crate_at([4.2, 13.6, FLOOR], [2.4, 2.4, 2.1], 3.0),
        crate_at([4.3, 13.4, FLOOR + 4.2], [1.7, 1.5, 1.3], -17.0),
        crate_at([-3.6, 6.0, FLOOR], [2.6, 2.2, 2.4], -4.0),
        crate_at([2.5, 5.2, FLOOR], [3.0, 2.6, 3.2], 6.0),
    ]
}

/// A drum: its side and its upper lid.
pub struct Drum {
    /// The side, with its ribs.
    pub side: Surface,
    /// The upper lid, recessed.
    pub lid: Solid,
}

/// The drum on the bed, at the rear on the right.
pub fn drum() -> Drum {
    let outline = [
        [0.0, 2.0],
        [2.0, 2.0],
        [2.15, 2.12],
        [2.3, 2.0],
        [4.0, 2.0],
        [4.15, 2.12],
        [4.3, 2.0],
        [6.0, 2.0],
        [6.12, 2.06],
        [6.1, 1.88],
        [5.85, 1.86],
    ];
    let transform = Transform::from_xyz(-4.5, 13.6, FLOOR);
    Drum {
        side: Surface::revolved("drum", &outline, 12).transformed(&transform),
        lid: cap("drum lid", &Ring::circle(5.85, 1.86).points(12), false).transformed(&transform),
    }
}

/// The net over the rear crates, tied to the boards.
pub fn net() -> Surface {
    const STEPS: usize = 8;
    let row = |step: usize| {
        let y = mix(10.3, 16.5, step as f32 / STEPS as f32);
        let point = |index: usize| {
            let x = mix(7.25, 0.9, index as f32 / STEPS as f32);
            Vec3::new(x, y, drape(x, y))
        };
        (0..=STEPS).map(point).collect()
    };
    let rows: Vec<Vec<Vec3>> = (0..=STEPS).map(row).collect();
    Surface::new("net", &rows, false)
}

/// The height of the net: over both crates, and down to the boards.
fn drape(x: f32, y: f32) -> f32 {
    let over = |center: [f32; 2], flat: f32, height: f32, slope: f32| {
        let out = ((x - center[0]).abs()).max((y - center[1]).abs()) - flat;
        height - out.max(0.0) * slope
    };
    let ground = FLOOR + 0.4 + 3.5 * smooth((x - 6.3) / 0.9).max(smooth((y - 15.8) / 0.7));
    over([4.2, 13.6], 2.45, FLOOR + 4.35, 2.2)
        .max(over([4.3, 13.4], 1.75, FLOOR + 6.95, 2.4))
        .max(ground)
}
