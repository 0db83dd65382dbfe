//! The cab, which turns with the turret.

use super::skeleton::Rig;
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, Station, block, prism, tube};
use crate::math::{Transform, hash};
use bevy::prelude::*;

/// The upper edge of the windshield, as Y and Z.
pub const WINDSHIELD: Vec2 = Vec2::new(-0.9, 10.75);
/// The direction down the windshield, as Y and Z.
pub const DOWN: Vec2 = Vec2::new(-0.857_5, -0.514_5);

const OUTLINE: [[f32; 2]; 9] = [
    [-2.5, 8.2],
    [1.2, 8.2],
    [2.0, 8.9],
    [1.9, 10.1],
    [1.1, 10.75],
    [-0.9, 10.75],
    [-2.9, 9.55],
    [-3.55, 9.1],
    [-3.4, 8.65],
];

fn rotated_at(rotation: Mat3, x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z).rotated(rotation)
}

fn sideways() -> Transform {
    rotated_at(SIDEWAYS, 0.0, 0.0, 0.0)
}

/// The cab's shell.
pub fn shell() -> Vec<Solid> {
    let outline = Profile::polygon(&OUTLINE, 0.1);
    let stations = [
        Station::new(0.0, &outline),
        Station::new(0.95, &outline),
        Station::new(1.0, &outline.inset(0.02)).soft(),
        Station::new(1.58, &outline.inset(0.3)),
        Station::new(1.66, &outline.inset(0.42)).soft(),
    ];
    let shell = prism(["cab", "", "cab side"], Finish::Hull, &stations);
    vec![shell.transformed(&sideways()).both()]
}

/// The shell of the far level of detail.
pub fn far_shell() -> Vec<Solid> {
    let outline = Profile::polygon(&OUTLINE, 0.0);
    let stations = [
        Station::new(0.0, &outline),
        Station::new(0.98, &outline),
        Station::new(1.66, &outline.inset(0.4)),
    ];
    let shell = prism(["cab far", "", "cab side far"], Finish::Hull, &stations);
    vec![shell.transformed(&sideways()).both().ghost()]
}

/// The parts bolted to the shell.
pub fn fittings(rig: &Rig) -> Vec<Solid> {
    let mut solids = vec![
        // A hatch, and the commander's periscope.
        block(
            ["hatch rim", "", "hatch"],
            Finish::Plate,
            [10.6, 10.95],
            &Profile::circle(10, 0.55),
            0.07,
        )
        .transformed(&Transform::from_xyz(0.0, 0.45, 0.0)),
        block(
            ["periscope", "", "periscope top"],
            Finish::Frame,
            [10.6, 11.15],
            &Profile::rectangle(0.17, 0.2, 0.05),
            0.05,
        )
        .transformed(&Transform::from_xyz(0.0, -0.5, 0.0)),
        // The rear grille.
        block(
            ["rear grill side", "rear grill", ""],
            Finish::Grill,
            [-2.12, -1.6],
            &Profile::rectangle(0.7, 0.36, 0.08),
            0.06,
        )
        .transformed(&rotated_at(FORWARD, 0.0, 0.0, 9.45)),
        // The chin, with its sensors.
        block(
            ["chin", "", "chin front"],
            Finish::Frame,
            [2.2, 3.5],
            &Profile::rectangle(0.5, 0.22, 0.07),
            0.07,
        )
        .transformed(&rotated_at(FORWARD, 0.0, 0.0, 8.3)),
    ];
    let box_at = |charts, finish, half: [f32; 3], transform: Transform| {
        let profile = Profile::rectangle(half[0], half[1], 0.0);
        block(charts, finish, [-half[2], half[2]], &profile, 0.05).transformed(&transform)
    };
    let mut sides = vec![
        // The shoulder mount of a gun.
        block(
            ["shoulder", "", "shoulder end"],
            Finish::Frame,
            [1.3, 2.1],
            &Profile::circle(10, 0.5),
            0.08,
        )
        .transformed(&rotated_at(SIDEWAYS, 0.0, -0.1, 9.1)),
        block(
            ["shoulder ring", "", "shoulder face"],
            Finish::Hull,
            [1.5, 1.82],
            &Profile::circle(10, 0.72),
            0.07,
        )
        .transformed(&rotated_at(SIDEWAYS, 0.0, -0.1, 9.1)),
        // Vents and boxes.
        box_at(
            ["vent side", "", "vent"],
            Finish::Grill,
            [0.4, 0.3, 0.15],
            rotated_at(SIDEWAYS, 1.62, 1.2, 9.5),
        ),
        box_at(
            ["roof box", "", "roof box top"],
            Finish::Hull,
            [0.26, 0.5, 0.16],
            Transform::from_xyz(0.95, 0.35, 10.72),
        ),
        box_at(
            ["cheek box", "", "cheek box side"],
            Finish::Frame,
            [0.42, 0.2, 0.16],
            rotated_at(SIDEWAYS, 1.5, -2.0, 8.75),
        ),
        // Rails to climb up.
        tube(
            "rail",
            Finish::Steel,
            &[
                Vec3::new(0.62, -0.75, 10.7),
                Vec3::new(0.62, -0.72, 10.92),
                Vec3::new(0.62, -0.6, 11.0),
                Vec3::new(0.62, -0.05, 11.0),
                Vec3::new(0.62, 0.07, 10.92),
                Vec3::new(0.62, 0.1, 10.7),
            ],
            0.04,
            5,
        ),
        // Headlights.
        block(
            ["head lamp", "", "head lamp end"],
            Finish::Frame,
            [3.15, 3.6],
            &Profile::circle(10, 0.17),
            0.03,
        )
        .transformed(&rotated_at(FORWARD, 0.78, 0.0, 8.8)),
    ];
    let others: Vec<_> = sides
        .iter()
        .map(|solid| solid.clone().mirrored(|bone| bone))
        .collect();
    sides.extend(others);
    solids.extend(sides);
    // The searchlight's housing.
    let lamp = [
        Station::new(-0.3, &Profile::circle(10, 0.3)),
        Station::new(0.15, &Profile::circle(10, 0.26)),
        Station::new(0.36, &Profile::circle(10, 0.12)).soft(),
    ];
    let lamp = prism(
        ["searchlight", "searchlight lens", "searchlight back"],
        Finish::Frame,
        &lamp,
    );
    solids.push(lamp.transformed(&rig.transform("Searchlight")));
    solids
}

/// The plate over the nose.
pub fn nose() -> Vec<Solid> {
    let plate = |finish, charts, soft: f32| {
        let outline = Profile::polygon(
            &[
                [-2.75, 8.62],
                [-2.1, 9.75],
                [-2.83, 9.72],
                [-3.72, 9.12],
                [-3.58, 8.6],
            ],
            0.06,
        );
        let stations = [
            Station::new(0.0, &outline),
            Station::new(0.62, &outline),
            Station::new(0.62 + soft, &outline.inset(soft)).soft(),
        ];
        prism(charts, finish, &stations)
            .transformed(&sideways())
            .both()
    };
    vec![plate(Finish::Plate, ["nose", "", "nose side"], 0.06)]
}

/// The damaged nose: bent, torn at one side, burnt.
pub fn burnt_nose() -> Vec<Solid> {
    let outline = Profile::polygon(
        &[
            [-2.75, 8.62],
            [-2.1, 9.75],
            [-2.83, 9.72],
            [-3.72, 9.12],
            [-3.58, 8.6],
        ],
        0.06,
    );
    let steps = [-0.68, -0.62, -0.4, -0.15, 0.1, 0.3, 0.42];
    let stations: Vec<_> = steps
        .iter()
        .map(|x| Station::new(*x, &outline.inset(if *x == -0.68 { 0.06 } else { 0.0 })))
        .collect();
    let plate = prism(
        ["burnt nose", "burnt nose side", "burnt nose tear"],
        Finish::Burnt,
        &stations,
    );
    let bent = plate.transformed(&sideways()).bent(|at| {
        let torn = ((at.x + 0.1) / 0.5).clamp(0.0, 1.0);
        let ragged = 0.18 * hash((at.y * 9.0) as i32, (at.z * 9.0) as i32, 3);
        at + Vec3::new(-ragged * torn, -0.32 * torn * torn, 0.2 * torn * torn)
    });
    vec![bent.ghost()]
}

/// The base of the antenna, and the antenna.
pub fn antenna(rig: &Rig) -> [Vec<Solid>; 2] {
    let transform = rig.transform("Antenna");
    let foot = block(
        ["antenna foot", "", "antenna foot"],
        Finish::Frame,
        [-0.2, 0.28],
        &Profile::circle(8, 0.14),
        0.05,
    );
    let mast = [
        (0.2, 0.045),
        (1.1, 0.04),
        (1.12, 0.065),
        (1.3, 0.065),
        (1.32, 0.03),
        (2.9, 0.018),
    ];
    let stations = mast.map(|(along, radius)| Station::new(along, &Profile::circle(6, radius)));
    let mast = prism(["mast", "", "mast"], Finish::Own, &stations);
    [
        vec![foot.transformed(&transform).ghost()],
        vec![mast.transformed(&transform)],
    ]
}
