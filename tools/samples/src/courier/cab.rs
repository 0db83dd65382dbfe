//! The cab: its shell with nose and roof, the visible interior, windows and mudguards.

use super::shapes::{Surface, bar, both, cuboid, pane, renamed};
use crate::alamo::loft::joined;
use crate::alamo::profile::Profile;
use crate::alamo::shape::{FORWARD, Finish, SIDEWAYS, Solid, Station, block, prism};
use crate::math::{Transform, cos, mix, roll, sin};
use bevy::math::Vec3;

/// Height of the lower and of the upper edge of the windows.
pub const BELT: f32 = 11.8;
const LINTEL: f32 = 17.3;

fn sideways() -> Transform {
    Transform::from_xyz(0.0, 0.0, 0.0).rotated(SIDEWAYS)
}

/// The left half and the right half of a prism across the vehicle, with rounded sides.
fn shell(charts: [&'static str; 3], outline: &Profile, stations: &[[f32; 2]]) -> Solid {
    let stations: Vec<Station> = stations
        .iter()
        .enumerate()
        .map(|(index, [along, inset])| {
            let station = Station::new(*along, &outline.inset(*inset));
            if index > 1 { station.soft() } else { station }
        })
        .collect();
    prism(charts, Finish::Hull, &stations).transformed(&sideways())
}

/// The half width of the cab at a height: it narrows towards the roof.
pub fn half_width(z: f32) -> f32 {
    mix(6.75, 6.1, ((z - BELT) / (LINTEL - BELT)).clamp(0.0, 1.0))
}

/// The Y of the windshield at a height.
fn windshield(z: f32) -> f32 {
    mix(-12.45, -9.9, (z - BELT) / (LINTEL - BELT))
}

/// The painted, glossy parts.
pub fn painted() -> Vec<Solid> {
    let mut solids = vec![roof()];
    solids.extend(lower());
    solids.extend(nose());
    solids.extend(frame());
    solids.extend(both(vec![
        // Brackets of the headlights.
        block(
            ["ear", "", "ear front"],
            Finish::Hull,
            [12.3, 14.6],
            &Profile::rectangle(1.15, 1.0, 0.45),
            0.3,
        )
        .transformed(&Transform::from_xyz(5.0, 0.0, 9.2).rotated(FORWARD)),
    ]));
    solids
}

/// The cab below the windows. The two doors differ.
fn lower() -> [Solid; 2] {
    let outline = Profile::polygon(
        &[
            [-10.3, 4.0],
            [-2.6, 4.0],
            [-2.6, BELT],
            [-12.7, BELT],
            [-12.7, 7.0],
        ],
        0.4,
    );
    let stations = [[0.0, 0.0], [6.2, 0.0], [6.55, 0.1], [6.75, 0.4]];
    let left = shell(["tub", "", "door"], &outline, &stations);
    let right = left.clone().mirrored(|bone| bone);
    [left, renamed(right, &[("door", "other door")])]
}

/// The nose around the grille.
fn nose() -> [Solid; 2] {
    let outline = Profile::polygon(
        &[
            [-15.3, 6.4],
            [-12.0, 6.4],
            [-12.0, 11.9],
            [-13.7, 11.7],
            [-15.5, 11.0],
            [-16.4, 9.9],
            [-16.4, 7.4],
        ],
        0.35,
    );
    let stations = [[0.0, 0.0], [3.0, 0.0], [3.7, 0.12], [4.2, 0.4], [4.5, 0.9]];
    let left = shell(["nose", "", "cheek"], &outline, &stations);
    let right = left.clone().mirrored(|bone| bone);
    [left, right]
}

fn roof() -> Solid {
    let outline = Profile::polygon(
        &[[-6.3, -10.6], [6.3, -10.6], [6.3, -2.5], [-6.3, -2.5]],
        1.1,
    );
    let stations = [
        Station::new(17.1, &outline.inset(0.25)),
        Station::new(17.2, &outline).soft(),
        Station::new(17.65, &outline.inset(0.05)),
        Station::new(18.2, &outline.inset(0.4)).soft(),
        Station::new(18.6, &outline.inset(1.2)).soft(),
        Station::new(18.75, &outline.inset(2.4)).soft(),
    ];
    prism(["roof side", "ceiling", "roof"], Finish::Hull, &stations)
}

/// The pillars, and the wall behind the seats.
fn frame() -> Vec<Solid> {
    let pillar = |chart, x: f32, lower: f32, upper: f32, half| {
        let from = Vec3::new(x, lower, BELT - 0.2);
        let top = half_width(LINTEL) - half_width(BELT);
        let to = Vec3::new(if x > 1.0 { x + top } else { x }, upper, LINTEL + 0.1);
        bar(chart, Finish::Hull, [from, to], half)
    };
    let front = [
        windshield(BELT - 0.2) + 0.25,
        windshield(LINTEL + 0.1) + 0.25,
    ];
    let mut solids = both(vec![
        pillar("pillar", 6.3, front[0], front[1], [0.33, 0.33]),
        pillar("door post", 6.35, -3.0, -3.0, [0.3, 0.45]),
    ]);
    solids.push(pillar("middle pillar", 0.0, front[0], front[1], [0.2, 0.2]));
    let wall = Profile::polygon(
        &[
            [-6.3, BELT - 0.2],
            [6.3, BELT - 0.2],
            [5.75, LINTEL],
            [-5.75, LINTEL],
        ],
        0.1,
    );
    let wall = block(
        ["wall edge", "wall", "wall inside"],
        Finish::Hull,
        [2.6, 3.1],
        &wall,
        0.05,
    );
    solids.push(wall.transformed(&Transform::from_xyz(0.0, 0.0, 0.0).rotated(FORWARD)));
    solids
}

/// The visible interior, and the dull parts of the cab.
pub fn dull() -> Vec<Solid> {
    let mut solids = vec![
        cuboid(
            "seat",
            Finish::Own,
            [0.0, -5.0, 12.3],
            [5.4, 1.6, 0.7],
            0.25,
        ),
        cuboid(
            "seat",
            Finish::Own,
            [0.0, -3.7, 13.9],
            [5.2, 0.45, 1.9],
            0.25,
        ),
        cuboid(
            "dash",
            Finish::Frame,
            [0.0, -11.1, 12.1],
            [5.8, 0.7, 0.5],
            0.2,
        ),
        // Behind the grille.
        block(
            ["bore", "", "bore"],
            Finish::Bore,
            [16.0, 16.44],
            &Profile::rectangle(2.75, 1.15, 0.3),
            0.02,
        )
        .transformed(&Transform::from_xyz(0.0, 0.0, 8.7).rotated(FORWARD)),
        // The license plate.
        block(
            ["plate edge", "", "number plate"],
            Finish::Own,
            [17.2, 17.32],
            &Profile::rectangle(1.9, 0.5, 0.1),
            0.03,
        )
        .transformed(&Transform::from_xyz(-1.2, 0.0, 6.75).rotated(FORWARD)),
    ];
    solids.extend(fittings());
    solids.push(steering_wheel());
    solids
}

/// Wipers, hinges and steps.
fn fittings() -> Vec<Solid> {
    // The wipers, at rest.
    let wiper = |x: f32| {
        let glass_y = |z: f32| windshield(z) - 0.2;
        let ends = [
            Vec3::new(x, glass_y(12.0), 12.0),
            Vec3::new(x + 2.9, glass_y(12.7), 12.7),
        ];
        bar("wiper", Finish::Bore, ends, [0.06, 0.06])
    };
    let mut solids = vec![wiper(-4.4), wiper(1.2)];
    solids.extend(both(vec![
        cuboid(
            "hinge",
            Finish::Frame,
            [6.75, -9.55, 10.6],
            [0.12, 0.15, 0.35],
            0.0,
        ),
        cuboid(
            "hinge",
            Finish::Frame,
            [6.75, -9.55, 6.4],
            [0.12, 0.15, 0.35],
            0.0,
        ),
        cuboid(
            "step",
            Finish::Frame,
            [6.6, -6.0, 3.9],
            [0.9, 2.2, 0.15],
            0.0,
        ),
    ]));
    solids
}

fn steering_wheel() -> Solid {
    let ring: Vec<Vec3> = (0..=12)
        .map(|index| {
            let turns = index as f32 / 12.0;
            Vec3::new(sin(turns) * 1.5, cos(turns) * 1.5, 0.0)
        })
        .collect();
    let rim = Surface::pipe("wheel", &ring, 0.14, 4, Vec3::Z).solid;
    let spoke = bar(
        "wheel",
        Finish::Bore,
        [Vec3::new(-1.4, 0.0, 0.0), Vec3::new(1.4, 0.0, 0.0)],
        [0.12, 0.08],
    );
    let column = bar(
        "wheel",
        Finish::Bore,
        [Vec3::ZERO, Vec3::new(0.0, 0.0, -2.4)],
        [0.15, 0.15],
    );
    let transform = Transform::from_xyz(2.9, -8.9, 13.5).rotated(roll(35.0));
    joined([rim, spoke, column]).transformed(&transform)
}

/// Panes of the windshield (the right one is cracked) and of the driver's door. The other door has
/// none.
pub fn windows() -> [Solid; 3] {
    let z = [BELT, LINTEL];
    let screen = |chart, x: [f32; 2]| {
        let corner = |side: usize, up: usize| {
            let narrow = if x[side].abs() > 1.0 {
                (half_width(z[up]) - 6.75) * x[side].signum()
            } else {
                0.0
            };
            let at = Vec3::new(x[side] + narrow, windshield(z[up]), z[up]);
            (at, [side as f32, 1.0 - up as f32])
        };
        pane(
            chart,
            &[corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)],
        )
    };
    [
        screen("cracked", [-6.1, -0.1]),
        screen("screen", [0.1, 6.1]),
        side_window(1.0),
    ]
}

/// The window opening of a door; `side` is 1 for the left and −1 for the right.
pub fn side_window(side: f32) -> Solid {
    let corner = |y: f32, z: f32| {
        let at = Vec3::new((half_width(z) - 0.4) * side, y, z);
        (at, [(y + 12.3) / 9.3, (LINTEL - z) / (LINTEL - BELT)])
    };
    let mut corners = vec![
        corner(-12.2, BELT),
        corner(-3.2, BELT),
        corner(-3.2, LINTEL),
        corner(-9.7, LINTEL),
    ];
    if side < 0.0 {
        corners.reverse();
    }
    pane("side window", &corners)
}

/// The wire mesh in front of the radiator.
pub fn grille() -> Solid {
    let corner = |x: f32, z: f32| (Vec3::new(x, -16.47, z), [x / 0.9, z / 0.9]);
    pane(
        "grille",
        &[
            corner(-2.7, 7.6),
            corner(2.7, 7.6),
            corner(2.7, 9.8),
            corner(-2.7, 9.8),
        ],
    )
}

/// A mudguard: an arch over a wheel, with its edges bent down.
fn mudguard(x: [f32; 2], axis: [f32; 2], radius: f32, from: f32, to: f32) -> Surface {
    const STEPS: usize = 8;
    let across = [0.0, 0.08, 0.92, 1.0];
    let rise = [-0.6, 0.0, 0.0, -0.6];
    let row = |step: usize| {
        let turns = mix(from, to, step as f32 / STEPS as f32);
        let point = |(across, rise): (&f32, f32)| {
            let radius = radius + rise;
            Vec3::new(
                mix(x[0], x[1], *across),
                axis[0] - cos(turns) * radius,
                axis[1] + sin(turns) * radius,
            )
        };
        across.iter().zip(rise).map(point).collect()
    };
    let rows: Vec<Vec<Vec3>> = (0..=STEPS).map(row).collect();
    Surface::new("mudguard", &rows, false)
}

/// All three mudguards, the rear left one first.
pub fn mudguards() -> [Surface; 3] {
    let left = mudguard([4.95, 7.45], [9.0, 2.9], 3.55, 0.03, 0.47);
    let right = left.mirrored();
    let front = mudguard([-1.3, 1.3], [-13.0, 2.7], 3.4, 0.0, 0.4);
    [left, right, front]
}
