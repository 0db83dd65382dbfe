//! Effects of engines: `p_exhaust`, `pe_engine_glow` and `pe_warp_out`.

use super::emitter::{
    ADDITIVE, ALPHA, alpha, color, emitter, from, moving, properties, size, tile, tiles, turning,
};
use super::texture::{FLAME, GLOW, RING, SMOKE};
use bevy_classic_models::alamo::particles::{Emitter, Properties, Shape};

/// Fumes along +Z.
pub fn exhaust() -> Vec<Emitter<'static>> {
    let mut fumes = emitter(
        "Fumes",
        Properties {
            particles_per_second: 8,
            random_lifetime: 0.3,
            random_scale: 0.3,
            gravity: -0.4,
            random_rotation_direction: true,
            affected_by_wind: true,
            ..properties(ALPHA, 1.2)
        },
    );
    from(
        &mut fumes,
        Shape::Cylinder {
            radius: 0.15,
            height: 0.1,
            surface: false,
        },
    );
    moving(
        &mut fumes,
        Shape::Box([-0.15, -0.15, 1.2], [0.15, 0.15, 1.8]),
    );
    tiles(&mut fumes, SMOKE);
    color(&mut fumes, &[(0.0, [70, 64, 60]), (1.0, [120, 118, 116])]);
    alpha(&mut fumes, &[[0.0, 0.0], [0.2, 90.0], [1.0, 0.0]]);
    size(&mut fumes, &[[0.0, 0.35], [1.0, 1.1]]);
    turning(&mut fumes, [0.2, 0.1]);
    vec![fumes]
}

/// A flame on every vertex of the mesh on the parent of the proxy's bone. It moves with the model.
pub fn glow() -> Vec<Emitter<'static>> {
    /// Births at every vertex.
    const EVERY_VERTEX: u32 = 3;
    let bursts = Properties {
        in_bursts: true,
        link_to_system: true,
        emit_mode: EVERY_VERTEX,
        emit_offset: 0.04,
        ..properties(ADDITIVE, 0.3)
    };
    let mut flame = emitter(
        "Flame",
        Properties {
            burst_delay: 0.1,
            random_lifetime: 0.3,
            random_scale: 0.4,
            random_rotation_direction: true,
            ..bursts.clone()
        },
    );
    // Along the normal of the vertex.
    moving(&mut flame, Shape::Exact([0.0, 0.0, 2.0]));
    tile(&mut flame, FLAME);
    color(
        &mut flame,
        &[(0.0, [0, 0, 0]), (0.2, [255, 130, 40]), (1.0, [0, 0, 0])],
    );
    size(&mut flame, &[[0.0, 0.5], [1.0, 0.2]]);
    turning(&mut flame, [0.5, 0.5]);
    let mut halo = emitter(
        "Halo",
        Properties {
            burst_delay: 0.25,
            lifetime: 0.5,
            ..bursts
        },
    );
    tile(&mut halo, GLOW);
    color(
        &mut halo,
        &[(0.0, [0, 0, 0]), (0.5, [110, 44, 12]), (1.0, [0, 0, 0])],
    );
    size(&mut halo, &[[0.0, 1.0], [1.0, 1.0]]);
    vec![flame, halo]
}

/// A ring that contracts on the ground, and lights that are pulled in.
pub fn warp() -> Vec<Emitter<'static>> {
    let mut ring = emitter(
        "Ring",
        Properties {
            flat: true,
            in_bursts: true,
            bursts: 3,
            burst_delay: 0.2,
            ..properties(ADDITIVE, 0.8)
        },
    );
    from(&mut ring, Shape::Exact([0.0, 0.0, 0.1]));
    tile(&mut ring, RING);
    color(
        &mut ring,
        &[
            (0.0, [0, 0, 0]),
            (0.7, [70, 130, 255]),
            (1.0, [230, 240, 255]),
        ],
    );
    size(&mut ring, &[[0.0, 16.0], [1.0, 0.5]]);
    let mut lights = emitter(
        "Lights",
        Properties {
            in_bursts: true,
            bursts: 12,
            burst_delay: 0.05,
            particles_per_burst: 6,
            // Towards the center.
            outward_speed: -5.0,
            outward_acceleration: -6.0,
            ..properties(ADDITIVE, 0.8)
        },
    );
    from(
        &mut lights,
        Shape::Sphere {
            radius: 6.0,
            surface: true,
        },
    );
    tile(&mut lights, GLOW);
    color(
        &mut lights,
        &[
            (0.0, [10, 20, 60]),
            (0.6, [90, 140, 255]),
            (1.0, [220, 235, 255]),
        ],
    );
    size(&mut lights, &[[0.0, 0.5], [1.0, 0.15]]);
    vec![ring, lights]
}
