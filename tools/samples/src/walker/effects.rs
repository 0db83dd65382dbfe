//! Emissive and invisible parts, and the objects other than meshes that are attached to bones.

use super::skeleton::Rig;
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Corner, FORWARD, Face, Finish, SIDEWAYS, Solid, Station, prism};
use crate::math::{Transform, cos, roll, sin};
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::{Dazzle, Light, Proxy};

/// File name of the texture of dazzles and glows in the model.
pub const DAZZLES: &str = "Dazzles.TGA";

/// A square of the dazzle texture, as a face with four corners.
fn quad(corners: [Vec3; 4], cell: Vec2) -> Face {
    let uvs = [
        Vec2::new(0.0, 1.0),
        Vec2::ONE,
        Vec2::new(1.0, 0.0),
        Vec2::ZERO,
    ];
    let corner = |index: usize| Corner {
        at: corners[index],
        uv: (cell + uvs[index]) / 2.0,
        bones: [0; 2],
        second: 0.0,
    };
    Face {
        chart: "",
        finish: Finish::Own,
        round: false,
        corners: (0..4).map(corner).collect(),
    }
}

/// A glow facing −Y of a bone, which faces the camera.
pub fn glow(rig: &Rig, bone: &str) -> Vec<Solid> {
    const RADIUS: f32 = 0.62;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z) * RADIUS);
    let solid = Solid {
        faces: vec![quad(corners, Vec2::ZERO)],
        ghost: true,
    };
    vec![solid.transformed(&rig.transform(bone))]
}

/// A muzzle flash: a star across, and three blades along.
pub fn flash(rig: &Rig, bone: &str) -> Vec<Solid> {
    let transform = rig.transform(bone);
    let at = |x: f32, z: f32, along: f32| Vec3::new(x, -along, z);
    let star = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let mut faces = vec![quad(
        star.map(|(x, z)| at(x * 0.8, z * 0.8, 0.15)),
        Vec2::new(1.0, 0.0),
    )];
    for blade in 0..3_u8 {
        let turns = f32::from(blade) / 6.0;
        let (x, z) = (cos(turns) * 0.42, sin(turns) * 0.42);
        let corners = [
            at(-x, -z, -0.1),
            at(x, z, -0.1),
            at(x, z, 2.2),
            at(-x, -z, 2.2),
        ];
        let mut back = corners;
        back.reverse();
        faces.push(quad(corners, Vec2::new(0.0, 1.0)));
        faces.push(quad(back, Vec2::new(0.0, 1.0)));
    }
    let solid = Solid { faces, ghost: true };
    vec![solid.transformed(&transform)]
}

/// The beam of the searchlight; its vertex colors fade.
pub fn beam(rig: &Rig) -> Vec<Solid> {
    let steps = [(-0.32, 0.24), (-1.5, 0.42), (-3.5, 0.72), (-6.0, 1.1)];
    let stations: Vec<_> = steps
        .iter()
        .rev()
        .map(|(along, radius)| Station::new(*along, &Profile::circle(16, *radius)))
        .collect();
    vec![
        prism(["", "", ""], Finish::Own, &stations)
            .ghost()
            .transformed(&rig.transform("Searchlight")),
    ]
}

/// Color of the beam at a point.
pub fn beam_color(rig: &Rig, at: Vec3) -> [f32; 4] {
    let fraction = at.distance(rig.transform("Searchlight").translation) / 6.1;
    let strength = 0.2 * (1.0 - fraction).max(0.0) * (1.0 - fraction).max(0.0);
    [strength, strength * 0.93, strength * 0.75, 1.0]
}

/// The lenses of the lamps.
pub fn lenses(rig: &Rig) -> Vec<Solid> {
    let disc = |radius: f32, along: f32| {
        let stations = [
            Station::new(along, &Profile::circle(12, radius)),
            Station::new(along + 0.03, &Profile::circle(12, radius * 0.7)),
        ];
        prism(["", "", "lens"], Finish::Own, &stations)
    };
    let head = disc(0.13, 3.6).transformed(&Transform::from_xyz(0.78, 0.0, 8.8).rotated(FORWARD));
    let back = rig.transform("Searchlight");
    vec![
        head.both(),
        disc(0.24, 0.3)
            .transformed(&(back * Transform::from_xyz(0.0, 0.0, 0.0).rotated(roll(180.0)))),
    ]
}

/// The fire in the exhausts.
pub fn embers(rig: &Rig) -> Vec<Solid> {
    let transform = rig.transform("Exhaust_L");
    let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = ring.map(|(x, y)| transform.point(Vec3::new(x * 0.26, y * 0.26, -0.2)));
    let solid = Solid {
        faces: vec![quad(corners, Vec2::ZERO)],
        ghost: true,
    };
    vec![solid.both()]
}

/// The openings of two vents at the rear. The glow of the engine is born at their vertices.
pub fn vents(rig: &Rig) -> Vec<Solid> {
    let transform = rig.transform("Vents");
    let rectangle = [(-0.26, -0.14), (0.26, -0.14), (0.26, 0.14), (-0.26, 0.14)];
    let corners = rectangle.map(|(x, y)| transform.point(Vec3::new(x + 1.15, y, 0.0)));
    let solid = Solid {
        faces: vec![quad(corners, Vec2::ZERO)],
        ghost: true,
    };
    vec![solid.both()]
}

/// Boxes around cab and hull, for collisions and shadows.
pub fn hulk() -> Vec<Solid> {
    let sideways = Transform::from_xyz(0.0, 0.0, 0.0).rotated(SIDEWAYS);
    let cab = Profile::polygon(
        &[
            [-2.6, 8.2],
            [1.3, 8.2],
            [2.0, 9.0],
            [1.9, 10.1],
            [1.1, 10.8],
            [-0.9, 10.8],
            [-3.7, 9.1],
            [-3.5, 8.6],
        ],
        0.0,
    );
    let cab = [
        Station::new(-1.66, &cab.inset(0.35)),
        Station::new(-1.0, &cab),
        Station::new(1.0, &cab),
        Station::new(1.66, &cab.inset(0.35)),
    ];
    let hull = Profile::polygon(
        &[
            [-1.3, 6.5],
            [1.6, 6.45],
            [2.6, 6.95],
            [2.7, 7.55],
            [2.2, 7.95],
            [-1.3, 7.95],
            [-1.75, 7.4],
        ],
        0.0,
    );
    let hull = [
        Station::new(-1.6, &hull.inset(0.1)),
        Station::new(1.6, &hull.inset(0.1)),
    ];
    let hips = [
        Station::new(5.2, &Profile::rectangle(0.8, 0.8, 0.0).moved(0.0, 0.25)),
        Station::new(6.5, &Profile::rectangle(1.3, 0.9, 0.0).moved(0.0, 0.25)),
    ];
    let charts = ["", "end", "end"];
    vec![
        prism(charts, Finish::Own, &cab).transformed(&sideways),
        prism(charts, Finish::Own, &hull).transformed(&sideways),
        prism(charts, Finish::Own, &hips),
    ]
}

/// The lights: a cone and a glow.
pub fn lights(rig: &Rig) -> Vec<Light<'static>> {
    let bone = |name: &str| Some(rig.index(name) as u32);
    vec![
        Light {
            name: "Searchlight".into(),
            bone: bone("Searchlight"),
            kind: 2,
            color: [1.0, 0.94, 0.8],
            intensity: 1.6,
            far_attenuation_end: 30.0,
            far_attenuation_start: 12.0,
            hotspot: 0.3,
            falloff: 0.55,
        },
        Light {
            name: "Cockpit_Lamp".into(),
            bone: bone("Cockpit_Lamp"),
            kind: 0,
            color: [0.35, 0.95, 0.9],
            intensity: 0.5,
            far_attenuation_end: 1.8,
            far_attenuation_start: 0.4,
            hotspot: -0.017,
            falloff: -0.017,
        },
    ]
}

/// The proxies: particle systems, and a crate on the shelf.
///
/// The systems at the muzzles and `p_explosion` are on bones that a clip shows.
pub fn proxies(rig: &Rig) -> Vec<Proxy<'static>> {
    let proxy = |name: &'static str, bone: &str| Proxy {
        name: name.into(),
        bone: rig.index(bone) as u32,
        hidden: None,
        alt_decrease_stay_hidden: None,
    };
    vec![
        proxy("p_exhaust", "Exhaust_L"),
        proxy("p_exhaust", "Exhaust_R"),
        Proxy {
            hidden: Some(false),
            alt_decrease_stay_hidden: Some(true),
            ..proxy("p_smoke_small_ALT1", "Smoke_00")
        },
        Proxy {
            hidden: Some(false),
            alt_decrease_stay_hidden: Some(false),
            ..proxy("p_smoke_large_ALT1", "Smoke_01")
        },
        Proxy {
            hidden: Some(true),
            ..proxy("pe_warp_out", "Root")
        },
        proxy("crate", "Cargo"),
        proxy("p_muzzle_flash", "Flash_L"),
        proxy("p_muzzle_flash", "Flash_R"),
        proxy("p_sparks_ALT1", "Smoke_00"),
        proxy("pe_engine_glow", "Vents_Glow"),
        proxy("p_explosion", "Blast"),
    ]
}

/// The dazzles, positioned in their bones' spaces.
pub fn dazzles(rig: &Rig) -> Vec<Dazzle<'static>> {
    let dazzle = |name: &'static str, bone: &str, color: [f32; 3], radius: f32| Dazzle {
        color,
        position: [0.0; 3],
        radius,
        slot_x: 0,
        slot_y: 0,
        num_slots: 2,
        texture: DAZZLES.into(),
        frequency: 0.0,
        phase: 0.0,
        night_only: false,
        bone: rig.index(bone) as u32,
        name: name.into(),
        is_hidden: false,
        bias: None,
    };
    let blink = |phase: f32, dazzle: Dazzle<'static>| Dazzle {
        frequency: 0.8,
        phase,
        bias: Some(0.4),
        slot_x: 1,
        ..dazzle
    };
    let head = |x: f32| Dazzle {
        position: [x, -0.08, 0.0],
        slot_y: 1,
        slot_x: 1,
        night_only: true,
        ..dazzle("Headlamp", "Headlamps", [1.0, 0.95, 0.8], 0.8)
    };
    vec![
        blink(0.0, dazzle("Nav_Port", "Nav_L", [1.0, 0.1, 0.05], 0.45)),
        blink(
            0.5,
            dazzle("Nav_Starboard", "Nav_R", [0.1, 1.0, 0.25], 0.45),
        ),
        Dazzle {
            position: [0.0, 0.0, 2.92],
            ..dazzle("FC_Beacon", "Antenna", [1.0, 0.35, 0.2], 0.3)
        },
        head(0.78),
        head(-0.78),
    ]
}
