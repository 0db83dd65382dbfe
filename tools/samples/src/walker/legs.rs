//! The legs: struts and pistons with two bones each, and armor on them.

use super::skeleton::{ANKLE, Rig, SHIN_LENGTH, THIGH_LENGTH};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Finish, SIDEWAYS, Solid, Station, block, prism};
use crate::math::{Transform, yaw};
use bevy::prelude::*;

fn rotated_at(rotation: Mat3, x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z).rotated(rotation)
}

/// The solids of the left leg and their mirror images on the right one.
pub fn both(rig: &Rig, solids: Vec<Solid>) -> Vec<Solid> {
    let right = |solid: &Solid| solid.clone().mirrored(|bone| rig.other_side(bone));
    let rights: Vec<_> = solids.iter().map(right).collect();
    solids.into_iter().chain(rights).collect()
}

/// An outline with bevels at a height; `x` and `y` are half its size.
fn level(z: f32, x: f32, y: f32, move_y: f32) -> Station {
    Station::new(z, &Profile::rectangle(x, y, 0.1).moved(0.0, move_y))
}

/// The structure of the left leg without armor: struts, joints and pistons.
pub fn struts(rig: &Rig) -> Vec<Solid> {
    let [thigh, shin, foot] = ["Thigh_L", "Shin_L", "Foot_L"].map(|name| rig.index(name));
    let [at_thigh, at_shin, at_foot] =
        ["Thigh_L", "Shin_L", "Foot_L"].map(|name| rig.transform(name));
    let strut = [
        level(-THIGH_LENGTH, 0.24, 0.26, 0.0),
        level(-1.4, 0.3, 0.36, 0.0),
        level(0.0, 0.34, 0.44, 0.0),
    ];
    let lower = [
        level(-SHIN_LENGTH, 0.2, 0.22, 0.0),
        level(-2.4, 0.24, 0.26, 0.0),
        level(-1.0, 0.3, 0.34, 0.06),
        level(0.0, 0.26, 0.28, 0.0),
    ];
    let bolt = |charts, half: f32, radius: f32, finish| {
        let circle = Profile::circle(8, radius);
        let stations = [Station::new(-half, &circle), Station::new(half, &circle)];
        prism(charts, finish, &stations).transformed(&rotated_at(SIDEWAYS, 0.0, 0.0, 0.0))
    };
    let joint = |charts, half: f32, radius: f32, finish| {
        let sideways = rotated_at(SIDEWAYS, 0.0, 0.0, 0.0);
        block(
            charts,
            finish,
            [-half, half],
            &Profile::circle(10, radius),
            0.07,
        )
        .transformed(&sideways)
    };
    let mut solids = vec![
        prism(["thigh strut", "", ""], Finish::Frame, &strut)
            .transformed(&at_thigh)
            .on_bone(thigh),
        prism(["shin strut", "", ""], Finish::Frame, &lower)
            .transformed(&at_shin)
            .on_bone(shin),
        joint(["knee", "knee face", "knee face"], 0.5, 0.44, Finish::Frame)
            .transformed(&at_shin)
            .on_bone(shin),
        bolt(
            ["knee axle", "knee bolt", "knee bolt"],
            0.58,
            0.2,
            Finish::Steel,
        )
        .transformed(&at_shin)
        .on_bone(shin),
        joint(
            ["ankle", "ankle face", "ankle face"],
            0.4,
            0.32,
            Finish::Frame,
        )
        .transformed(&at_foot)
        .on_bone(foot),
    ];
    // From the thigh's back to the shin's, around the knee; and from the shin's front to the foot.
    let piston = |from: Vec3, to: Vec3, radius: f32, sleeve: f32, upper: usize, below: usize| {
        let along = (to - from).normalize();
        let transform = Transform {
            rotation: Mat3::from_cols(Vec3::X, along.cross(Vec3::X).normalize(), along),
            translation: from,
        };
        let length = from.distance(to);
        let circle = |radius: f32| Profile::circle(8, radius);
        let case = [
            Station::new(0.0, &circle(radius * 0.9)),
            Station::new(sleeve - 0.14, &circle(radius)),
            Station::new(sleeve - 0.13, &circle(radius * 1.2)),
            Station::new(sleeve, &circle(radius * 1.2)),
        ];
        let rod = [
            Station::new(sleeve - 0.2, &circle(radius * 0.6)),
            Station::new(length, &circle(radius * 0.6)),
        ];
        let rod = prism(["piston", "", ""], Finish::Steel, &rod).transformed(&transform);
        [
            prism(["sleeve", "", "sleeve end"], Finish::Hull, &case)
                .transformed(&transform)
                .on_bone(upper),
            // It stretches between the two.
            rod.skinned(move |at| {
                let fraction = (at - from).dot(along) / length;
                ([upper, below], if fraction > 0.9 { 1.0 } else { 0.0 })
            }),
        ]
    };
    for x in [-0.24, 0.24] {
        let from = at_thigh.point(Vec3::new(x, -0.42, -0.75));
        let to = at_shin.point(Vec3::new(x, -0.3, -1.35));
        solids.extend(piston(from, to, 0.12, 1.0, thigh, shin));
    }
    let from = at_shin.point(Vec3::new(0.0, 0.5, -1.7));
    let to = at_foot.point(Vec3::new(0.0, 0.55, -0.35));
    solids.extend(piston(from, to, 0.11, 0.8, shin, foot));
    for (transform, bone, at) in [
        (at_thigh, thigh, Vec3::new(0.0, -0.42, -0.75)),
        (at_shin, shin, Vec3::new(0.0, -0.3, -1.35)),
        (at_shin, shin, Vec3::new(0.0, 0.46, -1.7)),
    ] {
        let lug = bolt(["lug", "lug face", "lug face"], 0.4, 0.13, Finish::Frame);
        let lug = lug
            .transformed(&Transform::from_xyz(at.x, at.y, at.z))
            .transformed(&transform);
        solids.push(lug.on_bone(bone));
    }
    solids
}

/// The armor of the left thigh.
pub fn thigh(rig: &Rig) -> Vec<Solid> {
    let transform = rig.transform("Thigh_L");
    let shell = [
        level(-2.12, 0.3, 0.34, 0.04),
        level(-2.05, 0.38, 0.42, 0.04).soft(),
        level(-1.3, 0.47, 0.55, 0.04),
        level(-0.35, 0.5, 0.62, 0.0),
        level(-0.27, 0.42, 0.54, 0.0).soft(),
    ];
    let guard = block(
        ["hip guard", "", "hip guard face"],
        Finish::Plate,
        [0.3, 0.62],
        &Profile::circle(16, 0.78),
        0.1,
    );
    let cap = block(
        ["hip cap", "", "hip cap face"],
        Finish::Steel,
        [0.5, 0.72],
        &Profile::circle(10, 0.3),
        0.06,
    );
    let core = block(
        ["hip", "hip face", ""],
        Finish::Frame,
        [-0.52, 0.45],
        &Profile::circle(10, 0.66),
        0.08,
    );
    let sideways = rotated_at(SIDEWAYS, 0.0, 0.0, 0.0);
    vec![
        prism(["thigh", "thigh end", "thigh end"], Finish::Plate, &shell).transformed(&transform),
        core.transformed(&sideways).transformed(&transform),
        guard.transformed(&sideways).transformed(&transform),
        cap.transformed(&sideways).transformed(&transform),
    ]
}

/// The armor of the left shin.
pub fn shin(rig: &Rig) -> Vec<Solid> {
    let transform = rig.transform("Shin_L");
    // It faces back and up, toward the knee.
    let guard = [
        level(-3.0, 0.26, 0.14, 0.18),
        level(-2.94, 0.32, 0.2, 0.18).soft(),
        level(-1.9, 0.48, 0.3, 0.28),
        level(-0.85, 0.54, 0.36, 0.32),
        level(-0.78, 0.47, 0.29, 0.32).soft(),
    ];
    let knee = [
        level(-0.62, 0.3, 0.14, 0.42),
        level(-0.56, 0.36, 0.2, 0.42).soft(),
        level(0.1, 0.4, 0.22, 0.4),
        level(0.55, 0.3, 0.16, 0.22),
        level(0.6, 0.24, 0.1, 0.2).soft(),
    ];
    let front = [
        level(-3.0, 0.24, 0.12, -0.26),
        level(-2.94, 0.3, 0.16, -0.26).soft(),
        level(-1.55, 0.42, 0.2, -0.34),
        level(-1.49, 0.36, 0.14, -0.34).soft(),
    ];
    vec![
        prism(["shin", "shin end", "shin end"], Finish::Hull, &guard).transformed(&transform),
        prism(["knee guard", "shin end", "knee end"], Finish::Plate, &knee).transformed(&transform),
        prism(["shin front", "shin end", "shin end"], Finish::Hull, &front).transformed(&transform),
    ]
}

/// The left foot.
pub fn foot(rig: &Rig) -> Vec<Solid> {
    let transform = rig.transform("Foot_L");
    let low = -ANKLE;
    let slab = |charts, finish, points: &[[f32; 2]], half: f32, bevel: [f32; 2]| {
        let points: Vec<_> = points.iter().map(|[y, z]| [*y, *z + low]).collect();
        let outline = Profile::polygon(&points, bevel[0]);
        let narrow = bevel[1];
        let stations = [
            Station::new(-half, &outline.inset(narrow)),
            Station::new(-half + narrow, &outline).soft(),
            Station::new(half - narrow, &outline),
            Station::new(half, &outline.inset(narrow)).soft(),
        ];
        prism(charts, finish, &stations).transformed(&rotated_at(SIDEWAYS, 0.0, 0.0, 0.0))
    };
    let instep = slab(
        ["foot", "foot side", "foot side"],
        Finish::Hull,
        &[
            [-0.85, 0.06],
            [0.6, 0.06],
            [0.75, 0.3],
            [0.4, 0.9],
            [-0.25, 0.98],
            [-0.95, 0.45],
        ],
        0.5,
        [0.06, 0.09],
    );
    let toe = slab(
        ["toe", "toe side", "toe side"],
        Finish::Frame,
        &[
            [-1.75, 0.0],
            [-0.4, 0.0],
            [-0.4, 0.5],
            [-1.1, 0.46],
            [-1.7, 0.2],
        ],
        0.27,
        [0.0, 0.06],
    );
    let tip = slab(
        ["claw", "claw side", "claw side"],
        Finish::Steel,
        &[
            [-2.05, 0.0],
            [-1.5, 0.0],
            [-1.5, 0.34],
            [-1.75, 0.3],
            [-2.05, 0.08],
        ],
        0.2,
        [0.0, 0.04],
    );
    let heel = slab(
        ["heel", "heel side", "heel side"],
        Finish::Frame,
        &[
            [0.4, 0.0],
            [1.15, 0.0],
            [1.2, 0.12],
            [0.85, 0.5],
            [0.4, 0.55],
        ],
        0.26,
        [0.0, 0.06],
    );
    let cuff = block(
        ["cuff", "", "cuff top"],
        Finish::Frame,
        [-0.45, -0.1],
        &Profile::rectangle(0.44, 0.42, 0.1),
        0.06,
    );
    let mut solids = vec![instep, heel, cuff];
    for side in [-1.0, 1.0] {
        let transform = Transform::from_xyz(0.3 * side, 0.0, 0.0).rotated(yaw(9.0 * side));
        solids.extend([
            toe.clone().transformed(&transform),
            tip.clone().transformed(&transform),
        ]);
    }
    solids
        .into_iter()
        .map(|solid| solid.transformed(&transform))
        .collect()
}
