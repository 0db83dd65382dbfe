//! Effects of damaged parts: `p_smoke_small`, `p_smoke_large` and `p_sparks`. They are endless.

use super::emitter::{
    ADDITIVE, ALPHA, alpha, color, emitter, from, moving, properties, size, tile, tiles, turning,
};
use super::texture::{FIRE, GLOW, SMOKE, STREAK};
use bevy_classic_models::alamo::particles::{Emitter, Properties, Shape};

/// Thin, dark smoke.
pub fn small_smoke() -> Vec<Emitter<'static>> {
    vec![smoke(8, 2.2, [0.45, 1.9])]
}

/// Dense smoke over a fire. There is some at the beginning, because its first second is skipped.
pub fn large_smoke() -> Vec<Emitter<'static>> {
    let mut smoke = smoke(14, 3.0, [0.9, 3.2]);
    smoke.properties.skip_time = 1.0;
    vec![smoke, fire(), embers()]
}

/// Smoke that rises and grows, from the first to the last size.
fn smoke(rate: u32, lifetime: f32, [first, last]: [f32; 2]) -> Emitter<'static> {
    let mut smoke = emitter(
        "Smoke",
        Properties {
            particles_per_second: rate,
            random_lifetime: 0.3,
            random_scale: 0.35,
            // It rises.
            gravity: -0.7,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..properties(ALPHA, lifetime)
        },
    );
    from(
        &mut smoke,
        Shape::Sphere {
            radius: 0.3 * first,
            surface: false,
        },
    );
    moving(
        &mut smoke,
        Shape::Box([-0.25, -0.25, 0.5], [0.25, 0.25, 1.1]),
    );
    tiles(&mut smoke, SMOKE);
    color(
        &mut smoke,
        &[
            (0.0, [46, 40, 36]),
            (0.4, [62, 60, 58]),
            (1.0, [96, 94, 92]),
        ],
    );
    alpha(
        &mut smoke,
        &[[0.0, 0.0], [0.15, 200.0], [0.6, 110.0], [1.0, 0.0]],
    );
    size(&mut smoke, &[[0.0, first], [1.0, last]]);
    turning(&mut smoke, [0.14, 0.05]);
    smoke
}

fn fire() -> Emitter<'static> {
    let mut fire = emitter(
        "Fire",
        Properties {
            particles_per_second: 16,
            random_lifetime: 0.4,
            random_scale: 0.4,
            gravity: -2.0,
            random_rotation_direction: true,
            ..properties(ADDITIVE, 0.6)
        },
    );
    from(
        &mut fire,
        Shape::Cylinder {
            radius: 0.35,
            height: 0.1,
            surface: false,
        },
    );
    moving(&mut fire, Shape::Exact([0.0, 0.0, 0.7]));
    tiles(&mut fire, FIRE);
    color(
        &mut fire,
        &[
            (0.0, [90, 50, 20]),
            (0.2, [255, 170, 64]),
            (0.6, [170, 54, 12]),
            (1.0, [0, 0, 0]),
        ],
    );
    size(&mut fire, &[[0.0, 0.8], [0.4, 1.0], [1.0, 0.4]]);
    turning(&mut fire, [0.25, 0.25]);
    fire
}

fn embers() -> Emitter<'static> {
    let mut embers = emitter(
        "Embers",
        Properties {
            particles_per_second: 5,
            random_lifetime: 0.5,
            random_scale: 0.5,
            gravity: -1.2,
            affected_by_wind: true,
            ..properties(ADDITIVE, 1.5)
        },
    );
    moving(&mut embers, Shape::Box([-0.7, -0.7, 0.8], [0.7, 0.7, 2.2]));
    tile(&mut embers, GLOW);
    color(
        &mut embers,
        &[
            (0.0, [255, 190, 90]),
            (0.6, [220, 80, 16]),
            (1.0, [0, 0, 0]),
        ],
    );
    size(&mut embers, &[[0.0, 0.14], [1.0, 0.05]]);
    embers
}

/// Sparks that fall, bounce on the ground, and go out.
pub fn sparks() -> Vec<Emitter<'static>> {
    let bursts = Properties {
        in_bursts: true,
        burst_delay: 0.9,
        particles_per_burst: 9,
        random_lifetime: 0.35,
        random_scale: 0.5,
        gravity: 9.8,
        ground: 2,
        bounciness: 0.35,
        has_tail: true,
        tail_size: 5.0,
        ..properties(ADDITIVE, 2.4)
    };
    let mut sparks = emitter("Sparks", bursts.clone());
    moving(&mut sparks, Shape::Box([-1.6, -2.2, -0.3], [1.6, 0.4, 2.6]));
    tile(&mut sparks, STREAK);
    color(
        &mut sparks,
        &[
            (0.0, [255, 246, 214]),
            (0.4, [255, 158, 52]),
            (1.0, [70, 12, 0]),
        ],
    );
    size(&mut sparks, &[[0.0, 0.2], [1.0, 0.08]]);
    let mut flash = emitter(
        "Flash",
        Properties {
            particles_per_burst: 1,
            lifetime: 0.12,
            random_lifetime: 0.0,
            gravity: 0.0,
            ground: 0,
            has_tail: false,
            ..bursts
        },
    );
    tile(&mut flash, GLOW);
    color(&mut flash, &[(0.0, [220, 230, 255]), (1.0, [20, 24, 40])]);
    size(&mut flash, &[[0.0, 0.9], [1.0, 0.3]]);
    vec![sparks, flash]
}
