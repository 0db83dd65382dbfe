//! What carries: chassis, axles, the load bed with its boards, and the load.

use super::shapes::{Surface, axle, bar, both, cuboid, dome, pane, renamed};
use crate::alamo::loft::{Ring, cap};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, block};
use crate::maths::{Place, mix, sin, smooth, yaw};
use bevy::math::Vec3;

/// The floor of the bed, the upper edge of its boards, and where it begins and ends.
pub const FLOOR: f32 = 7.2;
const BOARDS: f32 = 11.0;
const BED: [f32; 2] = [-1.9, 16.6];
/// Half the width of the bed.
const HALF: f32 = 7.3;

/// Everything that is neither paint nor chrome.
pub fn dull() -> Vec<Solid> {
    let mut solids = chassis();
    solids.extend(boards());
    solids.extend(roof_rack());
    solids.extend([
        jerrycan([-0.9, 14.9, FLOOR], 8.0),
        jerrycan([-1.1, 13.2, FLOOR], -5.0),
        jerrycan([-3.6, -7.0, 18.95], 90.0),
        bundle([1.9, 11.4, FLOOR + 0.9], 1.0),
    ]);
    solids
}

fn chassis() -> Vec<Solid> {
    let mut solids = both(vec![
        cuboid(
            "rail",
            Finish::Frame,
            [3.0, 2.2, 5.9],
            [0.4, 14.2, 0.55],
            0.0,
        ),
        cuboid(
            "spring",
            Finish::Frame,
            [4.4, 9.0, 4.3],
            [0.3, 4.0, 0.3],
            0.0,
        ),
        bar(
            "shackle",
            Finish::Frame,
            [Vec3::new(4.4, 12.9, 4.3), Vec3::new(4.4, 13.1, 6.4)],
            [0.2, 0.2],
        ),
        bar(
            "shackle",
            Finish::Frame,
            [Vec3::new(4.4, 5.1, 4.3), Vec3::new(4.4, 4.9, 6.4)],
            [0.2, 0.2],
        ),
        // The fork of the front wheel.
        bar(
            "fork",
            Finish::Frame,
            [Vec3::new(1.15, -13.0, 2.7), Vec3::new(1.15, -12.3, 7.0)],
            [0.25, 0.3],
        ),
        bar(
            "bumper iron",
            Finish::Frame,
            [Vec3::new(3.0, -15.3, 6.6), Vec3::new(3.0, -17.0, 5.9)],
            [0.2, 0.25],
        ),
        cuboid(
            "lamp box",
            Finish::Frame,
            [5.9, 16.95, 6.3],
            [0.75, 0.15, 0.4],
            0.0,
        ),
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
    ]);
    solids.extend([-7.0, 15.8].map(|y| {
        cuboid(
            "traverse",
            Finish::Frame,
            [0.0, y, 5.9],
            [3.2, 0.35, 0.4],
            0.0,
        )
    }));
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
        rod(["axle", "axle", "axle"], 0.42, -5.9, 5.9).at(&axle(0.0, 9.0, 2.9)),
        rod(["gear", "gear", "gear"], 1.3, -1.1, 1.1).at(&axle(0.0, 9.0, 2.9)),
        rod(["stub", "stub", "stub"], 0.3, -1.4, 1.4).at(&axle(0.0, -13.0, 2.7)),
        // Fuel on the left, tools on the right.
        rod(["tank", "tank end", "tank end"], 1.35, 0.6, 5.0)
            .at(&Place::at(5.2, 5.4, 5.1).turned(FORWARD)),
        cuboid(
            "tools",
            Finish::Hull,
            [-5.4, 2.6, 5.1],
            [1.4, 2.3, 1.2],
            0.0,
        ),
        block(
            ["bed side", "bed floor", "bed floor"],
            Finish::Own,
            [6.5, FLOOR],
            &Profile::polygon(
                &[
                    [-HALF, BED[0]],
                    [HALF, BED[0]],
                    [HALF, BED[1]],
                    [-HALF, BED[1]],
                ],
                0.1,
            ),
            0.08,
        ),
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

/// Boards around the bed, their irons, and the frame behind the cab.
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
    let left = board.at(&Place::at(0.0, along, middle).turned(SIDEWAYS));
    let right = left.clone().mirrored(|bone| bone);
    let tail = block(
        ["board edge", "board inside", "tail board"],
        Finish::Own,
        [-BED[1] - 0.3, -BED[1]],
        &Profile::rectangle(HALF - 0.4, half[1], 0.1),
        0.05,
    );
    let tail = tail.at(&Place::at(0.0, 0.0, middle).turned(FORWARD));
    // The picture of the tail board is on its rear.
    let tail = renamed(
        tail,
        &[
            ("tail board", "board inside"),
            ("board inside", "tail board"),
        ],
    );
    let mut solids = vec![left, renamed(right, &[("left board", "right board")]), tail];
    let irons = [-1.4, 0.6, 14.5, 16.1].map(|y| {
        cuboid(
            "iron",
            Finish::Frame,
            [HALF + 0.08, y, middle],
            [0.14, 0.25, 2.0],
            0.0,
        )
    });
    solids.extend(both(irons.into()));
    solids.extend(both(vec![
        cuboid(
            "iron",
            Finish::Frame,
            [4.2, BED[1] + 0.36, middle],
            [0.25, 0.12, 1.95],
            0.0,
        ),
        bar(
            "head frame",
            Finish::Frame,
            [Vec3::new(6.6, -1.75, 7.0), Vec3::new(6.6, -1.75, 16.0)],
            [0.22, 0.22],
        ),
    ]));
    solids
}

fn jerrycan(at: [f32; 3], turn: f32) -> Solid {
    let body = block(
        ["can", "", "can top"],
        Finish::Plate,
        [0.0, 3.6],
        &Profile::rectangle(1.4, 0.65, 0.25),
        0.2,
    );
    let place = Place::at(at[0], at[1], at[2]).turned(yaw(turn));
    let handle = cuboid(
        "can top",
        Finish::Frame,
        [-0.3, 0.0, 3.75],
        [0.8, 0.18, 0.2],
        0.0,
    );
    crate::alamo::loft::joined([body, handle]).at(&place)
}

/// A blanket, rolled up and tied.
fn bundle(at: [f32; 3], size: f32) -> Solid {
    let rolled = block(
        ["bundle", "bundle end", "bundle end"],
        Finish::Own,
        [-2.6, 2.6],
        &Profile::circle(9, 0.9 * size),
        0.25,
    );
    rolled.at(&axle(at[0], at[1], at[2]))
}

fn roof_rack() -> Vec<Solid> {
    let mut solids = Vec::new();
    for y in [-9.2, -3.8] {
        solids.push(bar(
            "rack",
            Finish::Frame,
            [Vec3::new(-5.2, y, 19.0), Vec3::new(5.2, y, 19.0)],
            [0.12, 0.12],
        ));
    }
    for x in [-5.2, -2.0, 2.0, 5.2] {
        solids.push(bar(
            "rack",
            Finish::Frame,
            [Vec3::new(x, -9.4, 18.95), Vec3::new(x, -3.6, 18.95)],
            [0.1, 0.1],
        ));
    }
    solids.extend(both(vec![
        bar(
            "rack",
            Finish::Frame,
            [Vec3::new(5.2, -9.2, 18.1), Vec3::new(5.2, -9.2, 19.0)],
            [0.12, 0.12],
        ),
        bar(
            "rack",
            Finish::Frame,
            [Vec3::new(5.2, -3.8, 18.1), Vec3::new(5.2, -3.8, 19.0)],
            [0.12, 0.12],
        ),
    ]));
    // A roll of canvas lies across.
    solids.push(bundle([-0.2, -3.7, 19.9], 0.85));
    solids
}

/// Crates, with planks that repeat.
pub fn crates() -> Vec<Solid> {
    let crate_at = |at: [f32; 3], half: [f32; 3], turn: f32| {
        let profile = Profile::rectangle(half[0], half[1], 0.0);
        block(
            ["crate"; 3],
            Finish::Own,
            [0.0, 2.0 * half[2]],
            &profile,
            0.12,
        )
        .at(&Place::at(at[0], at[1], at[2]).turned(yaw(turn)))
    };
    vec![
        crate_at([4.2, 13.6, FLOOR], [2.4, 2.4, 2.1], 3.0),
        crate_at([4.3, 13.4, FLOOR + 4.2], [1.7, 1.5, 1.3], -17.0),
        crate_at([-3.6, 6.0, FLOOR], [2.6, 2.2, 2.4], -4.0),
        crate_at([2.5, 5.2, FLOOR], [3.0, 2.6, 3.2], 6.0),
    ]
}

/// A drum: its side, and its lids.
pub struct Drum {
    /// The side, with its ribs.
    pub side: Surface,
    /// The lid above, sunk in.
    pub lid: Solid,
}

/// Stands on the bed, behind on the right.
pub fn drum() -> Drum {
    let outline = [
        [0.0, 2.0],
        [2.0, 2.0],
        [2.15, 2.12],
        [2.3, 2.0],
        [4.0, 2.0],
        [4.15, 2.12],
        [4.3, 2.0],
        [6.0, 2.0],
        [6.12, 2.06],
        [6.1, 1.88],
        [5.85, 1.86],
    ];
    let place = Place::at(-4.5, 13.6, FLOOR);
    Drum {
        side: Surface::turned("drum", &outline, 12).at(&place),
        lid: cap("drum lid", &Ring::circle(5.85, 1.86).points(12), false).at(&place),
    }
}

/// Hoops that the tarpaulin lies on.
const HOOPS: [f32; 4] = [-1.7, 1.9, 5.5, 9.1];

/// How far the arch of the tarpaulin is to the left and up, `way` along it, from −1 to 1.
fn arch(way: f32) -> [f32; 2] {
    let (x, z) = (sin(way * 0.25), sin((1.0 - way.abs()) * 0.25));
    let bulge = |way: f32| mix(way, way.abs().sqrt() * way.signum(), 0.62);
    [bulge(x) * HALF, bulge(z) * 7.6]
}

/// The tarpaulin over the front of the bed: rows from front to back.
pub fn tarpaulin() -> Surface {
    const ACROSS: usize = 16;
    let along = [-1.75, -0.4, 0.8, 1.9, 3.1, 4.3, 5.5, 6.7, 7.9, 9.1, 9.7];
    let row = |y: &f32| {
        let nearest = HOOPS
            .iter()
            .map(|hoop| (hoop - y).abs())
            .fold(f32::MAX, f32::min);
        let sag = 0.42 * smooth(nearest / 1.8);
        let point = |index: usize| {
            let way = 1.0 - 2.0 * index as f32 / ACROSS as f32;
            let [x, z] = arch(way);
            let top = z / 7.6;
            // The lower edge hangs over the boards, in folds.
            let hem = smooth((0.2 - top) / 0.2);
            let fold = 0.16 * sin(y * 0.21 + 0.3 * x.signum()) * hem;
            let droop = if *y > 9.3 { 0.5 } else { 0.0 };
            Vec3::new(
                x * (1.0 - 0.05 * sag) + x.signum() * (0.5 * hem + fold),
                *y + droop * top * 0.3,
                10.9 + z - sag * top - 0.5 * hem * (1.0 + 0.5 * sin(y * 0.17)) - droop * top,
            )
        };
        (0..=ACROSS).map(point).collect()
    };
    let rows: Vec<Vec<Vec3>> = along.iter().map(row).collect();
    Surface::new("tarpaulin", &rows, false)
}

/// What closes the tarpaulin towards the cab.
pub fn curtain() -> Solid {
    let points: Vec<Vec3> = (0..=12)
        .map(|index| {
            let [x, z] = arch(-1.0 + 2.0 * index as f32 / 12.0);
            Vec3::new(x * 0.99, -1.72, 10.9 + z * 0.99)
        })
        .collect();
    let mut curtain = pane("curtain", &[]);
    let corner = |at: &Vec3| crate::alamo::shape::Corner {
        at: *at,
        uv: bevy::math::Vec2::new(at.x, -at.z),
        bones: [0; 2],
        second: 0.0,
    };
    curtain.faces[0].corners = points.iter().rev().map(corner).collect();
    curtain
}

/// The hoops themselves, where they come out at the rear.
pub fn hoop() -> Surface {
    let path: Vec<Vec3> = (0..=14)
        .map(|index| {
            let [x, z] = arch(1.0 - 2.0 * index as f32 / 14.0);
            Vec3::new(x * 0.97, HOOPS[3], 10.6 + z * 0.985)
        })
        .collect();
    Surface::pipe("hoop", &path, 0.14, 5, Vec3::Y)
}

/// A net over the crates at the rear, tied to the boards.
pub fn net() -> Surface {
    const STEPS: usize = 8;
    let row = |step: usize| {
        let y = mix(10.3, 16.5, step as f32 / STEPS as f32);
        let point = |index: usize| {
            let x = mix(7.25, 0.9, index as f32 / STEPS as f32);
            Vec3::new(x, y, drape(x, y))
        };
        (0..=STEPS).map(point).collect()
    };
    let rows: Vec<Vec<Vec3>> = (0..=STEPS).map(row).collect();
    Surface::new("net", &rows, false)
}

/// How high the net lies: over both crates, and down to the boards.
fn drape(x: f32, y: f32) -> f32 {
    let over = |centre: [f32; 2], flat: f32, height: f32, slope: f32| {
        let out = ((x - centre[0]).abs()).max((y - centre[1]).abs()) - flat;
        height - out.max(0.0) * slope
    };
    let ground = FLOOR + 0.4 + 3.5 * smooth((x - 6.3) / 0.9).max(smooth((y - 15.8) / 0.7));
    over([4.2, 13.6], 2.45, FLOOR + 4.35, 2.2)
        .max(over([4.3, 13.4], 1.75, FLOOR + 6.95, 2.4))
        .max(ground)
}

/// A rounded lid, as of hub caps: triangles around the middle of a ring.
pub fn lid(chart: &'static str, along: f32, radius: f32, height: f32, sides: usize) -> Solid {
    let ring = Ring::circle(along, radius).points(sides);
    dome(chart, Vec3::Z * (along + height), &ring)
}
