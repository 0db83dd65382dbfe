//! `p_muzzle_flash`: a flash, a flame, sparks and a puff of smoke along −Y, where the walker's guns point.

use super::emitter::{
    ADDITIVE, ALPHA, alpha, color, emitter, from, moving, one_burst, properties, size, tile, tiles,
    turning,
};
use super::texture::{FLAME, GLOW, SMOKE, STREAK};
use bevy_classic_models::alamo::particles::{Emitter, Properties, Shape};

/// The emitters, from back to front.
pub fn emitters() -> Vec<Emitter<'static>> {
    vec![smoke(), glow(), flame(), sparks()]
}

fn smoke() -> Emitter<'static> {
    let mut smoke = emitter(
        "Smoke",
        Properties {
            random_lifetime: 0.4,
            random_scale: 0.4,
            gravity: -0.5,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..one_burst(5, properties(ALPHA, 0.9))
        },
    );
    moving(&mut smoke, Shape::Box([-0.4, -3.0, -0.2], [0.4, -0.6, 0.5]));
    tiles(&mut smoke, SMOKE);
    color(
        &mut smoke,
        &[(0.0, [150, 130, 110]), (1.0, [130, 128, 126])],
    );
    alpha(&mut smoke, &[[0.0, 0.0], [0.15, 110.0], [1.0, 0.0]]);
    size(&mut smoke, &[[0.0, 0.4], [1.0, 1.7]]);
    turning(&mut smoke, [0.2, 0.05]);
    smoke
}

fn glow() -> Emitter<'static> {
    let mut glow = emitter("Glow", one_burst(1, properties(ADDITIVE, 0.14)));
    tile(&mut glow, GLOW);
    color(&mut glow, &[(0.0, [255, 190, 110]), (1.0, [40, 14, 0])]);
    size(&mut glow, &[[0.0, 3.2], [1.0, 2.0]]);
    glow
}

/// A row of flames that get smaller.
fn flame() -> Emitter<'static> {
    let mut flame = emitter(
        "Flame",
        Properties {
            random_scale: 0.4,
            random_lifetime: 0.3,
            fixed_rotation: true,
            rotation_variance: 1.0,
            ..one_burst(6, properties(ADDITIVE, 0.12))
        },
    );
    from(
        &mut flame,
        Shape::Box([-0.05, -0.9, -0.05], [0.05, 0.0, 0.05]),
    );
    moving(&mut flame, Shape::Box([0.0, -9.0, 0.0], [0.0, -3.0, 0.0]));
    tile(&mut flame, FLAME);
    color(
        &mut flame,
        &[
            (0.0, [255, 240, 190]),
            (0.5, [255, 160, 60]),
            (1.0, [60, 16, 0]),
        ],
    );
    size(&mut flame, &[[0.0, 1.1], [1.0, 0.5]]);
    // The angle at birth, in turns.
    turning(&mut flame, [0.5, 0.5]);
    flame
}

fn sparks() -> Emitter<'static> {
    let mut sparks = emitter(
        "Sparks",
        Properties {
            random_lifetime: 0.6,
            random_scale: 0.5,
            gravity: 5.0,
            has_tail: true,
            tail_size: 8.0,
            ..one_burst(8, properties(ADDITIVE, 0.35))
        },
    );
    moving(
        &mut sparks,
        Shape::Box([-2.0, -16.0, -2.0], [2.0, -7.0, 2.0]),
    );
    tile(&mut sparks, STREAK);
    color(&mut sparks, &[(0.0, [255, 230, 170]), (1.0, [120, 30, 0])]);
    size(&mut sparks, &[[0.0, 0.16], [1.0, 0.06]]);
    sparks
}
