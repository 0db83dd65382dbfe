//! The load-carrying parts: chassis, axles, the load bed with its boards, and the roof rack.

use super::cargo::{bundle, cargo};
use super::floor::FLOOR;
use super::shapes::{axle, bar, both, cuboid, renamed};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, block};
use crate::math::Transform;
use bevy::math::Vec3;

/// Height of the upper edge of the bed's boards, and the front and rear ends of the bed.
const BOARDS: f32 = 11.0;
const BED: [f32; 2] = [-1.9, 16.6];
/// Half the width of the bed.
pub const HALF: f32 = 7.3;

/// All parts on the `load` sheet that are neither painted nor chrome.
pub fn dull() -> Vec<Solid> {
    let mut solids = chassis();
    solids.extend(boards());
    solids.extend(roof_rack());
    solids.extend(cargo());
    solids
}

fn part(chart: &'static str, at: [f32; 3], half: [f32; 3]) -> Solid {
    cuboid(chart, Finish::Frame, at, half, 0.0)
}

fn strut(chart: &'static str, ends: [Vec3; 2], half: [f32; 2]) -> Solid {
    bar(chart, Finish::Frame, ends, half)
}

/// The parts of the left half of the chassis; the right half mirrors them.
fn left_half() -> Vec<Solid> {
    vec![
        part("rail", [3.0, 2.2, 5.9], [0.4, 14.2, 0.55]),
        part("spring", [4.4, 9.0, 4.3], [0.3, 4.0, 0.3]),
        strut(
            "shackle",
            [Vec3::new(4.4, 12.9, 4.3), Vec3::new(4.4, 13.1, 6.4)],
            [0.2, 0.2],
        ),
        strut(
            "shackle",
            [Vec3::new(4.4, 5.1, 4.3), Vec3::new(4.4, 4.9, 6.4)],
            [0.2, 0.2],
        ),
        // The fork of the front wheel.
        strut(
            "fork",
            [Vec3::new(1.15, -13.0, 2.7), Vec3::new(1.15, -12.3, 7.0)],
            [0.25, 0.3],
        ),
        strut(
            "bumper iron",
            [Vec3::new(3.0, -15.3, 6.6), Vec3::new(3.0, -17.0, 5.9)],
            [0.2, 0.25],
        ),
        part("lamp box", [5.9, 16.95, 6.3], [0.75, 0.15, 0.4]),
        cuboid(
            "tail lamp",
            Finish::Own,
            [5.55, 17.1, 6.3],
            [0.28, 0.1, 0.28],
            0.0,
        ),
        cuboid(
            "tail lamp",
            Finish::Own,
            [6.25, 17.1, 6.3],
            [0.28, 0.1, 0.28],
            0.0,
        ),
    ]
}

fn chassis() -> Vec<Solid> {
    let mut solids = both(left_half());
    solids.extend([-7.0, 15.8].map(|y| part("traverse", [0.0, y, 5.9], [3.2, 0.35, 0.4])));
    let rod = |charts, radius, from, to| {
        block(
            charts,
            Finish::Frame,
            [from, to],
            &Profile::circle(8, radius),
            0.15,
        )
    };
    solids.extend([
        rod(["axle", "axle", "axle"], 0.42, -5.9, 5.9).transformed(&axle(0.0, 9.0, 2.9)),
        rod(["gear", "gear", "gear"], 1.3, -1.1, 1.1).transformed(&axle(0.0, 9.0, 2.9)),
        rod(["stub", "stub", "stub"], 0.3, -1.4, 1.4).transformed(&axle(0.0, -13.0, 2.7)),
        // The fuel tank is on the left, the tool box on the right.
        rod(["tank", "tank end", "tank end"], 1.35, 0.6, 5.0)
            .transformed(&Transform::from_xyz(5.2, 5.4, 5.1).rotated(FORWARD)),
        cuboid(
            "tools",
            Finish::Hull,
            [-5.4, 2.6, 5.1],
            [1.4, 2.3, 1.2],
            0.0,
        ),
        floor(),
        cuboid(
            "rear plate",
            Finish::Own,
            [-2.6, 17.0, 6.3],
            [1.5, 0.1, 0.5],
            0.0,
        ),
    ]);
    solids
}

fn floor() -> Solid {
    let corners = [
        [-HALF, BED[0]],
        [HALF, BED[0]],
        [HALF, BED[1]],
        [-HALF, BED[1]],
    ];
    let outline = Profile::polygon(&corners, 0.1);
    let charts = ["bed side", "bed floor", "bed floor"];
    block(charts, Finish::Own, [6.5, FLOOR], &outline, 0.08)
}

/// The boards around the bed, their brackets, and the frame behind the cab.
fn boards() -> Vec<Solid> {
    let middle = (FLOOR + BOARDS) / 2.0;
    let half = [(BED[1] - BED[0]) / 2.0, (BOARDS - FLOOR) / 2.0 - 0.03];
    let along = (BED[0] + BED[1]) / 2.0;
    let board = block(
        ["board edge", "board inside", "left board"],
        Finish::Own,
        [HALF - 0.35, HALF],
        &Profile::rectangle(half[0], half[1], 0.1),
        0.05,
    );
    let left = board.transformed(&Transform::from_xyz(0.0, along, middle).rotated(SIDEWAYS));
    let right = left.clone().mirrored(|bone| bone);
    let tail = block(
        ["board edge", "board inside", "tail board"],
        Finish::Own,
        [-BED[1] - 0.3, -BED[1]],
        &Profile::rectangle(HALF - 0.4, half[1], 0.1),
        0.05,
    );
    let tail = tail.transformed(&Transform::from_xyz(0.0, 0.0, middle).rotated(FORWARD));
    // The texture of the tailboard is on its rear face.
    let tail = renamed(
        tail,
        &[
            ("tail board", "board inside"),
            ("board inside", "tail board"),
        ],
    );
    let mut solids = vec![left, renamed(right, &[("left board", "right board")]), tail];
    let irons =
        [-1.4, 0.6, 14.5, 16.1].map(|y| part("iron", [HALF + 0.08, y, middle], [0.14, 0.25, 2.0]));
    solids.extend(both(irons.into()));
    solids.extend(both(vec![
        part("iron", [4.2, BED[1] + 0.36, middle], [0.25, 0.12, 1.95]),
        strut(
            "head frame",
            [Vec3::new(6.6, -1.75, 7.0), Vec3::new(6.6, -1.75, 16.0)],
            [0.22, 0.22],
        ),
    ]));
    solids
}

fn roof_rack() -> Vec<Solid> {
    let mut solids = Vec::new();
    for y in [-9.2, -3.8] {
        solids.push(strut(
            "rack",
            [Vec3::new(-5.2, y, 19.0), Vec3::new(5.2, y, 19.0)],
            [0.12, 0.12],
        ));
    }
    for x in [-5.2, -2.0, 2.0, 5.2] {
        solids.push(strut(
            "rack",
            [Vec3::new(x, -9.4, 18.95), Vec3::new(x, -3.6, 18.95)],
            [0.1, 0.1],
        ));
    }
    solids.extend(both(vec![
        strut(
            "rack",
            [Vec3::new(5.2, -9.2, 18.1), Vec3::new(5.2, -9.2, 19.0)],
            [0.12, 0.12],
        ),
        strut(
            "rack",
            [Vec3::new(5.2, -3.8, 18.1), Vec3::new(5.2, -3.8, 19.0)],
            [0.12, 0.12],
        ),
    ]));
    // A roll of canvas lies across.
    solids.push(bundle([-0.2, -3.7, 19.9], 0.85));
    solids
}
