//! Wheels, lamps, and shiny parts: bumper, mirrors, horn, exhaust.

use super::shapes::{Surface, axle, both, cuboid, lid};
use crate::alamo::loft::{Ring, cap};
use crate::alamo::shape::{FORWARD, Finish, Solid};
use crate::math::{Transform, pitch, yaw};
use bevy::math::Vec3;

const SIDES: usize = 16;

/// The transforms of the wheels; the hub faces the local Z.
pub fn wheels() -> [Transform; 4] {
    let mirror = |transform: Transform| transform.rotated(pitch(180.0));
    [
        axle(6.2, 9.0, 2.9),
        mirror(axle(-6.2, 9.0, 2.9)),
        axle(0.0, -13.0, 2.7).scaled(0.93),
        // The spare wheel, on the roof.
        Transform::from_xyz(1.9, -6.6, 19.75).scaled(0.93),
    ]
}

/// The tread and the sidewalls of a tire around Z.
pub fn tire() -> Surface {
    let outline = [
        [-0.6, 1.7],
        [-0.86, 2.2],
        [-0.74, 2.68],
        [-0.35, 2.9],
        [0.35, 2.9],
        [0.74, 2.68],
        [0.86, 2.2],
        [0.6, 1.7],
    ];
    Surface::revolved("tyre", &outline, SIDES)
}

/// The disc of a wheel: its dished outer side, and its back.
pub fn disc() -> [Surface; 2] {
    let outer = [
        [0.62, 1.74],
        [0.55, 1.6],
        [0.2, 1.45],
        [0.32, 0.95],
        [0.42, 0.8],
    ];
    let inner = [[-0.2, 0.4], [-0.2, 1.45], [-0.62, 1.74]];
    [
        Surface::revolved("rim", &outer, SIDES),
        Surface::revolved("rim inside", &inner, SIDES),
    ]
}

/// A hub cap: its side, and its dome.
pub fn hub_cap() -> (Surface, Solid) {
    let side = Surface::revolved("cap", &[[0.4, 0.84], [0.55, 0.82], [0.68, 0.66]], 12);
    (side, lid("cap", 0.68, 0.66, 0.12, 12))
}

/// The transforms of the headlights, which face the local Z. The left one is bent out of position.
pub fn lamps() -> [Transform; 2] {
    let transform = |x: f32, rotation: f32| {
        Transform::from_xyz(x, -14.3, 9.35)
            .rotated(yaw(rotation))
            .rotated(FORWARD)
    };
    [transform(5.1, 3.0), transform(-5.1, -9.0)]
}

/// The housing of a headlight, up to the rim around the glass.
pub fn lamp() -> Surface {
    let outline = [
        [-0.9, 0.35],
        [-0.6, 0.75],
        [0.1, 1.12],
        [0.6, 1.22],
        [0.72, 1.32],
        [0.82, 1.3],
        [0.84, 1.12],
    ];
    Surface::revolved("lamp", &outline, 12)
}

/// The glass of a headlight.
pub fn lens() -> Solid {
    lid("lens", 0.79, 1.14, 0.32, 12)
}

/// The dented bumper.
pub fn bumper() -> Surface {
    let path = [
        [-7.0, -13.9, 5.8],
        [-6.85, -15.2, 5.8],
        [-6.2, -16.3, 5.8],
        [-4.5, -17.0, 5.75],
        [-2.6, -17.2, 5.65],
        [-1.2, -16.75, 5.45],
        [0.2, -17.15, 5.7],
        [3.0, -17.15, 5.8],
        [4.6, -17.0, 5.8],
        [6.2, -16.3, 5.85],
        [6.85, -15.2, 5.9],
        [7.0, -13.9, 5.9],
    ];
    Surface::pipe("bumper", &path.map(Vec3::from), 0.36, 7, Vec3::Z)
}

/// The frame around the grille.
pub fn surround() -> Surface {
    let path = [
        [-2.9, 8.7],
        [-2.9, 9.7],
        [-2.6, 10.0],
        [0.0, 10.05],
        [2.6, 10.0],
        [2.9, 9.7],
        [2.9, 7.7],
        [2.6, 7.4],
        [0.0, 7.35],
        [-2.6, 7.4],
        [-2.9, 7.7],
        [-2.9, 8.7],
    ];
    let path = path.map(|[x, z]| Vec3::new(x, -16.47, z));
    Surface::pipe("surround", &path, 0.17, 5, Vec3::Y)
}

/// The horn on the roof: mouthpiece and bell.
pub fn horn() -> Surface {
    let outline = [
        [-1.9, 0.12],
        [-1.7, 0.3],
        [-1.1, 0.3],
        [-1.0, 0.14],
        [0.4, 0.2],
        [0.9, 0.36],
        [1.2, 0.72],
        [1.15, 0.66],
        [0.8, 0.25],
    ];
    let transform = Transform::from_xyz(-4.3, -10.3, 19.1)
        .rotated(yaw(-4.0))
        .rotated(FORWARD);
    Surface::revolved("horn", &outline, 10).transformed(&transform)
}

/// Door handles and the badge on the nose.
pub fn fittings() -> Vec<Solid> {
    let mut solids = both(vec![cuboid(
        "handle",
        Finish::Steel,
        [6.88, -4.5, 10.2],
        [0.1, 0.6, 0.12],
        0.0,
    )]);
    solids.push(cuboid(
        "badge",
        Finish::Steel,
        [0.0, -16.05, 10.62],
        [0.9, 0.25, 0.16],
        0.0,
    ));
    solids
}

/// The arm of the left mirror; the right one is its mirror image.
pub fn mirror_arm() -> Surface {
    let path = [
        [6.3, -11.9, 12.4],
        [7.2, -12.1, 12.9],
        [7.9, -12.2, 13.9],
        [8.0, -12.2, 14.4],
    ];
    Surface::pipe("arm", &path.map(Vec3::from), 0.09, 5, Vec3::Y)
}

/// The back of a mirror, and its glass, which faces the rear.
pub fn mirror() -> (Surface, Solid) {
    let transform = Transform::from_xyz(8.1, -12.2, 14.9)
        .rotated(yaw(12.0))
        .rotated(FORWARD);
    let back = Surface::revolved("mirror", &[[-0.12, 0.9], [0.16, 0.9], [0.3, 0.6]], 12)
        .transformed(&transform);
    let glass = cap("mirror", &Ring::circle(-0.1, 0.88).points(12), true).transformed(&transform);
    (back, glass)
}

/// The exhaust: a vertical pipe behind the cab, with a muffler and a slanted tip.
pub fn exhaust() -> Surface {
    let path = [
        [4.2, -1.0, 4.6],
        [6.6, -1.6, 4.7],
        [7.15, -2.1, 5.4],
        [7.2, -2.2, 8.6],
        [7.2, -2.2, 9.0],
        [7.2, -2.2, 13.4],
        [7.2, -2.2, 13.8],
        [7.2, -2.2, 17.6],
        [7.25, -2.0, 18.6],
        [7.35, -1.2, 19.2],
        [7.35, -1.5, 19.1],
    ];
    let radii = [
        0.28, 0.28, 0.28, 0.28, 0.62, 0.62, 0.28, 0.28, 0.28, 0.3, 0.2,
    ];
    Surface::hose("exhaust", &path.map(Vec3::from), &radii, 9, Vec3::Y)
}
