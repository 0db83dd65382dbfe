//! The hips, and the hull with the engine.

use super::skeleton::Rig;
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, Station, block, prism, tube};
use crate::math::{Transform, hash, smooth};
use bevy::prelude::*;

const OUTLINE: [[f32; 2]; 7] = [
    [-1.3, 6.55],
    [1.6, 6.45],
    [2.55, 6.95],
    [2.7, 7.55],
    [2.2, 7.9],
    [-1.3, 7.9],
    [-1.75, 7.4],
];

fn rotated_at(rotation: Mat3, x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z).rotated(rotation)
}

fn mirrored(solids: Vec<Solid>) -> Vec<Solid> {
    let other = |solid: &Solid| solid.clone().mirrored(|bone| bone);
    let others: Vec<_> = solids.iter().map(other).collect();
    solids.into_iter().chain(others).collect()
}

/// The hull.
pub fn hull() -> Vec<Solid> {
    let outline = Profile::polygon(&OUTLINE, 0.09);
    let stations = [
        Station::new(0.0, &outline),
        Station::new(1.1, &outline),
        Station::new(1.36, &outline.inset(0.16)),
        Station::new(1.42, &outline.inset(0.24)).soft(),
    ];
    let hull = prism(["hull", "", "hull side"], Finish::Hull, &stations);
    vec![
        hull.transformed(&rotated_at(SIDEWAYS, 0.0, 0.0, 0.0))
            .both(),
    ]
}

/// The parts bolted to the hull.
pub fn fittings() -> Vec<Solid> {
    let circle = |radius: f32| Profile::circle(16, radius);
    let ring = [
        Station::new(7.8, &circle(1.32)),
        Station::new(7.97, &circle(1.32)),
        Station::new(8.03, &circle(1.24)).soft(),
        Station::new(8.04, &circle(1.1)),
        Station::new(8.3, &circle(1.1)),
    ];
    let mut solids = vec![
        prism(["ring", "", ""], Finish::Frame, &ring)
            .transformed(&Transform::from_xyz(0.0, -0.2, 0.0)),
        block(
            ["radiator side", "radiator", ""],
            Finish::Grill,
            [-2.78, -2.2],
            &Profile::rectangle(0.95, 0.27, 0.07),
            0.06,
        )
        .transformed(&rotated_at(FORWARD, 0.0, 0.0, 7.25)),
        // The cargo shelf.
        block(
            ["shelf", "", "shelf top"],
            Finish::Hazard,
            [6.5, 6.62],
            &Profile::rectangle(0.62, 0.62, 0.1),
            0.03,
        )
        .transformed(&Transform::from_xyz(0.0, 3.1, 0.0)),
        block(
            ["belly lamp", "", "belly lamp end"],
            Finish::Grill,
            [1.5, 1.86],
            &Profile::rectangle(0.55, 0.14, 0.05),
            0.05,
        )
        .transformed(&rotated_at(FORWARD, 0.0, 0.0, 7.0)),
    ];
    let box_at = |charts, finish, half: [f32; 3], transform: Transform| {
        let profile = Profile::rectangle(half[0], half[1], 0.0);
        block(charts, finish, [-half[2], half[2]], &profile, 0.05).transformed(&transform)
    };
    let manifold = [
        Vec3::new(0.75, 1.6, 7.6),
        Vec3::new(0.75, 2.1, 7.95),
        Vec3::new(0.75, 2.5, 8.0),
        Vec3::new(0.75, 2.78, 7.9),
    ];
    solids.extend(mirrored(vec![
        box_at(
            ["tank side", "", "tank"],
            Finish::Frame,
            [0.5, 0.26, 0.2],
            rotated_at(SIDEWAYS, 1.34, 1.55, 7.45),
        ),
        box_at(
            ["bin side", "", "bin"],
            Finish::Hull,
            [0.36, 0.3, 0.16],
            rotated_at(SIDEWAYS, 1.34, -0.95, 7.2),
        ),
        tube("manifold", Finish::Frame, &manifold, 0.17, 8),
        box_at(
            ["bracket", "", "bracket side"],
            Finish::Frame,
            [0.1, 0.28, 0.06],
            rotated_at(SIDEWAYS, 0.45, 2.6, 6.75),
        ),
    ]));
    solids
}

/// The hull of the far level of detail.
pub fn far() -> Vec<Solid> {
    let outline = Profile::polygon(&OUTLINE, 0.0);
    let stations = [
        Station::new(0.0, &outline),
        Station::new(1.1, &outline),
        Station::new(1.42, &outline.inset(0.22)),
    ];
    let hull = prism(["hull far", "", "hull side far"], Finish::Hull, &stations);
    let ring = [
        Station::new(7.8, &Profile::circle(8, 1.3)),
        Station::new(8.3, &Profile::circle(8, 1.15)),
    ];
    vec![
        hull.transformed(&rotated_at(SIDEWAYS, 0.0, 0.0, 0.0))
            .both()
            .ghost(),
        prism(["ring far", "", ""], Finish::Frame, &ring)
            .transformed(&Transform::from_xyz(0.0, -0.2, 0.0))
            .ghost(),
    ]
}

/// The skirt that covers the left side of the hull.
fn skirt(finish: Finish, charts: [&'static str; 3], steps: u16) -> Solid {
    const PLATE: [[f32; 2]; 6] = [
        [-0.75, 6.72],
        [0.95, 6.68],
        [1.25, 7.0],
        [1.0, 7.72],
        [-0.75, 7.8],
        [-1.1, 7.15],
    ];
    let outline = Profile::polygon(&PLATE, 0.08);
    // Finer plates can be bent.
    let narrow = |step: u16| f32::from(step) / f32::from(steps);
    let mut stations = vec![
        Station::new(1.4, &outline),
        Station::new(1.56, &outline),
        Station::new(1.61, &outline.inset(0.05)).soft(),
    ];
    stations.extend((1..steps).map(|step| {
        let by = narrow(step) * 0.62;
        Station::new(1.611 + f32::from(step) * 1e-3, &outline.inset(0.05 + by))
    }));
    prism(charts, finish, &stations).transformed(&rotated_at(SIDEWAYS, 0.0, 0.0, 0.0))
}

/// The skirt plates.
pub fn skirts() -> Vec<Solid> {
    mirrored(vec![skirt(Finish::Plate, ["skirt edge", "", "skirt"], 1)])
}

/// The damaged skirt plates: the left one is dented, and its lower corner is missing.
pub fn burnt_skirts() -> Vec<Solid> {
    let dented = |at: Vec3| {
        let dent = |y: f32, z: f32, wide: f32| {
            let away = Vec3::new(0.0, at.y - y, at.z - z).length() / wide;
            smooth(1.0 - away)
        };
        let deep = 0.3 * dent(0.45, 7.35, 0.75) + 0.22 * dent(-0.6, 6.9, 0.55);
        let loose = smooth((at.y - 0.3) / 1.0) * smooth((7.4 - at.z) / 0.8);
        let ragged = 0.05 * hash((at.y * 7.0) as i32, (at.z * 7.0) as i32, 5);
        at + Vec3::new(0.34 * loose - deep - ragged, -0.1 * loose, 0.12 * loose)
    };
    let charts = ["burnt skirt edge", "", "burnt skirt"];
    let left = skirt(Finish::Burnt, charts, 6);
    let right = left.clone().mirrored(|bone| bone);
    vec![
        left.bent(dented).ghost(),
        right
            .bent(|at| {
                let mirrored_point = dented(Vec3::new(-at.x, 0.1 - at.y, at.z + 0.1));
                Vec3::new(-mirrored_point.x, at.y, at.z)
            })
            .ghost(),
    ]
}

/// The exhausts, unpainted.
pub fn exhausts(rig: &Rig) -> Vec<Solid> {
    let circle = |radius: f32| Profile::circle(10, radius);
    let stations = [
        Station::new(-1.35, &circle(0.16)),
        Station::new(-0.95, &circle(0.2)),
        Station::new(-0.75, &circle(0.27)),
        Station::new(0.0, &circle(0.27)),
        Station::new(0.03, &circle(0.24)).soft(),
        Station::new(0.02, &circle(0.2)),
        Station::new(-0.35, &circle(0.18)),
    ];
    let pipe = prism(["exhaust", "", "exhaust"], Finish::Own, &stations);
    let pipe = pipe.transformed(&rig.transform("Exhaust_L"));
    mirrored(vec![pipe])
}

/// Hoses from the hull to the cab, which bend when the turret turns.
pub fn hoses(rig: &Rig) -> Vec<Solid> {
    let bones = [rig.index("Body"), rig.index("Turret")];
    let hose = |x: f32, out: f32| {
        let [from, to] = [Vec3::new(x, 1.75, 7.75), Vec3::new(x, 1.7, 9.0)];
        let by = [Vec3::new(x, 2.0 + out, 8.2), Vec3::new(x, 2.15 + out, 9.0)];
        const STEPS: u16 = 9;
        let fraction = |step: u16| f32::from(step) / f32::from(STEPS);
        let path: Vec<_> = (0..=STEPS)
            .map(|step| {
                let (t, s) = (fraction(step), 1.0 - fraction(step));
                from * s * s * s
                    + by[0] * 3.0 * s * s * t
                    + by[1] * 3.0 * s * t * t
                    + to * t * t * t
            })
            .collect();
        tube("hose", Finish::Own, &path, 0.11, 6).skinned(|at| {
            let fraction = (at.z - from.z) / (to.z - from.z);
            (bones, smooth(fraction))
        })
    };
    mirrored(vec![hose(0.3, 0.45), hose(0.58, 0.3)])
}

/// The block between the legs.
pub fn hips() -> Vec<Solid> {
    let core = block(
        ["hips", "hips under", "hips under"],
        Finish::Frame,
        [5.45, 6.6],
        &Profile::rectangle(0.78, 0.85, 0.16),
        0.14,
    );
    let waist = [
        Station::new(6.2, &Profile::circle(10, 0.75)),
        Station::new(6.75, &Profile::circle(10, 0.95)),
    ];
    let apron = block(
        ["apron", "", "apron front"],
        Finish::Plate,
        [0.0, 0.24],
        &Profile::polygon(
            &[
                [-0.42, 5.2],
                [0.42, 5.2],
                [0.66, 5.65],
                [0.66, 6.4],
                [-0.66, 6.4],
                [-0.66, 5.65],
            ],
            0.06,
        ),
        0.06,
    );
    let mut solids = vec![
        core.transformed(&Transform::from_xyz(0.0, 0.3, 0.0)),
        prism(["waist", "", ""], Finish::Frame, &waist)
            .transformed(&Transform::from_xyz(0.0, 0.25, 0.0)),
        apron
            .clone()
            .transformed(&rotated_at(FORWARD, 0.0, -0.42, 0.0)),
    ];
    solids.extend(mirrored(vec![
        block(
            ["axle", "", ""],
            Finish::Steel,
            [0.6, 1.5],
            &Profile::circle(10, 0.4),
            0.04,
        )
        .transformed(&rotated_at(SIDEWAYS, 0.0, 0.3, 5.9)),
        block(
            ["axle ring", "", "axle face"],
            Finish::Frame,
            [0.7, 1.12],
            &Profile::circle(10, 0.62),
            0.07,
        )
        .transformed(&rotated_at(SIDEWAYS, 0.0, 0.3, 5.9)),
    ]));
    solids
}
