//! Positions for many models.

use bevy::prelude::*;

/// The given count of positions in a square around the origin, on the ground.
pub fn square(count: usize, spacing: f32) -> impl Iterator<Item = Vec3> {
    let per_side = (count as f32).sqrt().ceil();
    let middle = (per_side - 1.0) / 2.0;
    (0..count).map(move |index| {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        Vec3::new(column as f32 - middle, 0.0, row as f32 - middle) * spacing
    })
}
