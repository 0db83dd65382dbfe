//! `p_explosion`: a flash, balls of fire, smoke, a ring on the ground, sparks, and splinters that trail smoke and raise dust
//! where they hit the ground.

use super::emitter::{
    ADDITIVE, ALPHA, alpha, color, emitter, from, moving, one_burst, properties, size, tile, tiles,
    turning,
};
use super::texture::{FIRE, GLOW, RING, SMOKE, SPLINTER, STAR, STREAK};
use bevy_classic_models::alamo::particles::{Emitter, Properties, Shape};

/// Indices of the emitters that the splinters spawn.
const TRAIL: u32 = 7;
const DUST: u32 = 8;

/// The emitters. Those that others spawn come after them.
pub fn emitters() -> Vec<Emitter<'static>> {
    vec![
        smoke(),
        fire(),
        ring(),
        glow(),
        flash(),
        sparks(),
        splinters(),
        trail(),
        dust(),
    ]
}

fn ball(radius: f32) -> Shape {
    Shape::Sphere {
        radius,
        surface: false,
    }
}

fn smoke() -> Emitter<'static> {
    let mut smoke = emitter(
        "Smoke",
        Properties {
            initial_delay: 0.12,
            random_lifetime: 0.35,
            random_scale: 0.4,
            outward_speed: 2.6,
            outward_acceleration: -0.9,
            gravity: -0.6,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..one_burst(12, properties(ALPHA, 2.6))
        },
    );
    from(&mut smoke, ball(1.6));
    tiles(&mut smoke, SMOKE);
    color(
        &mut smoke,
        &[
            (0.0, [90, 62, 44]),
            (0.25, [64, 60, 58]),
            (1.0, [88, 86, 84]),
        ],
    );
    alpha(
        &mut smoke,
        &[[0.0, 0.0], [0.12, 230.0], [0.5, 150.0], [1.0, 0.0]],
    );
    size(&mut smoke, &[[0.0, 2.4], [0.3, 4.4], [1.0, 6.6]]);
    turning(&mut smoke, [0.12, 0.02]);
    smoke
}

fn fire() -> Emitter<'static> {
    let mut fire = emitter(
        "Fire",
        Properties {
            random_lifetime: 0.45,
            random_scale: 0.45,
            outward_speed: 6.0,
            outward_acceleration: -5.0,
            random_rotation_direction: true,
            random_color: [0.1, 0.1, 0.1, 0.0],
            random_color_is_gray: true,
            ..one_burst(16, properties(ADDITIVE, 0.85))
        },
    );
    from(&mut fire, ball(1.1));
    tiles(&mut fire, FIRE);
    color(
        &mut fire,
        &[
            (0.0, [255, 236, 170]),
            (0.2, [255, 168, 60]),
            (0.6, [190, 60, 14]),
            (1.0, [0, 0, 0]),
        ],
    );
    size(&mut fire, &[[0.0, 1.4], [0.25, 3.6], [1.0, 4.8]]);
    turning(&mut fire, [0.3, 0.05]);
    fire
}

fn ring() -> Emitter<'static> {
    let mut ring = emitter(
        "Ring",
        Properties {
            flat: true,
            ..one_burst(1, properties(ADDITIVE, 0.55))
        },
    );
    tile(&mut ring, RING);
    color(
        &mut ring,
        &[
            (0.0, [255, 220, 180]),
            (0.4, [150, 84, 40]),
            (1.0, [0, 0, 0]),
        ],
    );
    size(&mut ring, &[[0.0, 1.0], [0.4, 11.0], [1.0, 17.0]]);
    ring
}

fn glow() -> Emitter<'static> {
    let mut glow = emitter("Glow", one_burst(1, properties(ADDITIVE, 0.7)));
    tile(&mut glow, GLOW);
    color(
        &mut glow,
        &[
            (0.0, [255, 190, 110]),
            (0.3, [170, 74, 22]),
            (1.0, [0, 0, 0]),
        ],
    );
    size(&mut glow, &[[0.0, 9.0], [1.0, 13.0]]);
    glow
}

fn flash() -> Emitter<'static> {
    let mut flash = emitter(
        "Flash",
        Properties {
            fixed_rotation: true,
            rotation_variance: 1.0,
            ..one_burst(2, properties(ADDITIVE, 0.2))
        },
    );
    tile(&mut flash, STAR);
    color(&mut flash, &[(0.0, [255, 250, 232]), (1.0, [60, 30, 10])]);
    size(&mut flash, &[[0.0, 11.0], [1.0, 5.0]]);
    // The angle at birth, in turns.
    turning(&mut flash, [0.5, 0.5]);
    flash
}

fn sparks() -> Emitter<'static> {
    let mut sparks = emitter(
        "Sparks",
        Properties {
            random_lifetime: 0.5,
            random_scale: 0.5,
            outward_speed: 3.0,
            gravity: 7.0,
            ground: 2,
            bounciness: 0.4,
            has_tail: true,
            tail_size: 7.0,
            ..one_burst(36, properties(ADDITIVE, 1.4))
        },
    );
    from(&mut sparks, ball(0.4));
    moving(
        &mut sparks,
        Shape::Sphere {
            radius: 11.0,
            surface: false,
        },
    );
    tile(&mut sparks, STREAK);
    color(
        &mut sparks,
        &[
            (0.0, [255, 232, 170]),
            (0.5, [255, 130, 30]),
            (1.0, [60, 8, 0]),
        ],
    );
    size(&mut sparks, &[[0.0, 0.34], [1.0, 0.1]]);
    sparks
}

/// Splinters fly up in an arc and end at the ground.
fn splinters() -> Emitter<'static> {
    let mut splinters = emitter(
        "Splinters",
        Properties {
            random_scale: 0.5,
            outward_speed: 2.0,
            gravity: 9.8,
            ground: 1,
            random_rotation_direction: true,
            ..one_burst(9, properties(ALPHA, 4.0))
        },
    );
    // Above the ground if the system is on it.
    from(
        &mut splinters,
        Shape::Box([-0.5, -0.5, 0.2], [0.5, 0.5, 1.0]),
    );
    moving(
        &mut splinters,
        Shape::Box([-5.5, -5.5, 2.5], [5.5, 5.5, 9.0]),
    );
    tile(&mut splinters, SPLINTER);
    color(
        &mut splinters,
        &[
            (0.0, [255, 170, 90]),
            (0.15, [120, 100, 90]),
            (1.0, [80, 78, 76]),
        ],
    );
    size(&mut splinters, &[[0.0, 0.62], [1.0, 0.62]]);
    turning(&mut splinters, [1.6, 1.1]);
    splinters.spawn_during_life = Some(TRAIL);
    splinters.spawn_on_death = Some(DUST);
    splinters
}

/// The smoke behind a splinter.
fn trail() -> Emitter<'static> {
    let mut trail = emitter(
        "Trail",
        Properties {
            particles_per_second: 18,
            random_lifetime: 0.3,
            random_scale: 0.4,
            emitter_speed: 0.1,
            uses_emitter_speed: true,
            gravity: -0.3,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..properties(ALPHA, 0.8)
        },
    );
    tiles(&mut trail, SMOKE);
    color(
        &mut trail,
        &[
            (0.0, [130, 92, 66]),
            (0.3, [84, 80, 78]),
            (1.0, [100, 98, 96]),
        ],
    );
    alpha(&mut trail, &[[0.0, 0.0], [0.1, 170.0], [1.0, 0.0]]);
    size(&mut trail, &[[0.0, 0.3], [1.0, 1.1]]);
    turning(&mut trail, [0.2, 0.1]);
    trail
}

/// The dust where a splinter hits the ground.
fn dust() -> Emitter<'static> {
    let mut dust = emitter(
        "Dust",
        Properties {
            random_lifetime: 0.4,
            random_scale: 0.4,
            outward_speed: 1.2,
            outward_acceleration: -1.0,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..one_burst(4, properties(ALPHA, 1.1))
        },
    );
    from(
        &mut dust,
        Shape::Cylinder {
            radius: 0.3,
            height: 0.3,
            surface: false,
        },
    );
    tiles(&mut dust, SMOKE);
    color(&mut dust, &[(0.0, [142, 124, 98]), (1.0, [150, 136, 112])]);
    alpha(&mut dust, &[[0.0, 0.0], [0.1, 180.0], [1.0, 0.0]]);
    size(&mut dust, &[[0.0, 0.5], [1.0, 1.8]]);
    turning(&mut dust, [0.15, 0.0]);
    dust
}
