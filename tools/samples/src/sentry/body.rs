//! The sentry's pieces.

use super::rig::{
    ANTENNA, ANTENNA_LENGTH, CANNONS, FLASHES, FOOT, HEAD, HIP, HULL, JAWS, LEGS, MUZZLE, SHIN,
    SHIN_LENGTH, THIGH, THIGH_LENGTH,
};
use crate::math::{Transform, pitch};
use crate::piece::{Piece, ROUND, SMOOTH};
use crate::surface::{Facing, Section, Surface, cap, loft};

/// Texel density.
const TEXELS_PER_UNIT: f32 = 1.8;

/// All pieces except the cannons' muzzle flashes, and the flashes.
pub fn pieces() -> (Vec<Piece>, Vec<Piece>) {
    let mut pieces = vec![hull(), head(), eye(), brow()];
    pieces.extend(JAWS.map(jaw));
    for cannon in CANNONS {
        pieces.extend([mount(cannon), barrel(cannon)]);
    }
    pieces.extend([5.0, -5.0].map(exhaust));
    pieces.extend(antenna());
    for leg in LEGS {
        pieces.extend([hip(leg), thigh(leg), shin(leg), foot(leg)]);
    }
    (pieces, FLASHES.map(flash).into())
}

fn span(name: &'static str, sections: &[Section]) -> Surface {
    loft(name, sections, TEXELS_PER_UNIT)
}

fn front(name: &'static str, sections: &[Section]) -> Surface {
    cap(name, &sections[0], Facing::Forward, TEXELS_PER_UNIT)
}

fn back(name: &'static str, sections: &[Section]) -> Surface {
    let last = &sections[sections.len() - 1];
    cap(name, last, Facing::Backward, TEXELS_PER_UNIT)
}

/// A carapace above, a keel below, and a sharp rim between them.
fn hull() -> Piece {
    const OUTLINE: [[f32; 2]; 6] = [
        [0.0, 10.4],
        [6.5, 9.2],
        [11.8, 5.0],
        [14.2, -0.5],
        [10.0, -6.0],
        [0.0, -7.8],
    ];
    let sections = [
        Section::new(18.0, &OUTLINE, [0.5, 0.55], -0.5),
        Section::new(15.0, &OUTLINE, [0.74, 0.76], -0.3),
        Section::new(8.0, &OUTLINE, [0.95, 0.95], 0.0),
        Section::new(-1.0, &OUTLINE, [1.0, 1.0], 0.0),
        Section::new(-10.0, &OUTLINE, [0.94, 0.97], 0.0),
        Section::new(-16.0, &OUTLINE, [0.76, 0.8], 0.2),
        Section::new(-19.0, &OUTLINE, [0.56, 0.58], 0.4),
    ];
    let surfaces = vec![
        span("hull", &sections),
        front("hull front", &sections),
        back("hull back", &sections),
    ];
    Piece::new(HULL, surfaces)
}

fn head() -> Piece {
    const OUTLINE: [[f32; 2]; 5] = [[0.0, 5.6], [4.4, 5.2], [7.2, 1.0], [5.6, -4.0], [0.0, -5.2]];
    let sections = [
        Section::new(10.0, &OUTLINE, [0.66, 0.7], 0.2),
        Section::new(7.5, &OUTLINE, [0.88, 0.9], 0.1),
        Section::new(1.0, &OUTLINE, [1.0, 1.0], 0.0),
        Section::new(-2.0, &OUTLINE, [0.78, 0.8], 0.0),
    ];
    let surfaces = vec![
        span("head", &sections),
        front("face", &sections),
        back("nape", &sections),
    ];
    Piece::new(HEAD, surfaces).creased(0.55)
}

/// A bulging lens.
fn eye() -> Piece {
    let sections = [
        Section::round(12.6, 0.0, 4),
        Section::round(12.0, 1.7, 4),
        Section::round(10.9, 2.9, 4),
        Section::round(9.8, 3.3, 4),
    ];
    Piece::new(HEAD, vec![span("eye", &sections)])
        .creased(SMOOTH)
        .transformed(Transform::from_xyz(0.0, 0.0, -0.2))
}

fn brow() -> Piece {
    const OUTLINE: [[f32; 2]; 4] = [[0.0, 1.0], [4.8, 0.2], [5.6, -2.0], [0.0, -0.4]];
    let sections = [
        Section::new(13.2, &OUTLINE, [0.85, 0.9], 0.0),
        Section::new(4.0, &OUTLINE, [1.2, 1.4], 0.6),
    ];
    let surfaces = vec![
        span("brow", &sections),
        front("brow edge", &sections),
        back("brow back", &sections),
    ];
    Piece::new(HEAD, surfaces).transformed(Transform::from_xyz(0.0, 0.0, 4.7))
}

fn jaw(bone: usize) -> Piece {
    const OUTLINE: [[f32; 2]; 3] = [[0.0, 1.5], [1.1, 0.0], [0.0, -1.5]];
    let sections = [
        Section::new(9.5, &OUTLINE, [0.1, 0.1], -1.2),
        Section::new(5.5, &OUTLINE, [0.8, 0.75], 0.3),
        Section::new(-1.0, &OUTLINE, [1.1, 1.1], 0.6),
    ];
    Piece::new(bone, vec![span("jaw", &sections)]).creased(SMOOTH)
}

fn mount(bone: usize) -> Piece {
    const OUTLINE: [[f32; 2]; 4] = [[0.0, 2.8], [2.2, 2.4], [3.0, -1.6], [0.0, -4.0]];
    let sections = [
        Section::new(6.0, &OUTLINE, [0.8, 0.8], 0.0),
        Section::new(3.5, &OUTLINE, [1.0, 1.0], 0.0),
        Section::new(-8.0, &OUTLINE, [0.9, 0.9], 0.0),
    ];
    let surfaces = vec![
        span("mount", &sections),
        front("mount front", &sections),
        back("mount back", &sections),
    ];
    Piece::new(bone, surfaces).creased(ROUND)
}

fn barrel(bone: usize) -> Piece {
    let sections = [
        Section::round(MUZZLE, 1.9, 3),
        Section::round(MUZZLE - 5.0, 2.2, 3),
        Section::round(MUZZLE - 5.5, 1.3, 3),
        Section::round(5.0, 1.6, 3),
    ];
    let surfaces = vec![span("barrel", &sections), front("bore", &sections)];
    Piece::new(bone, surfaces).creased(ROUND)
}

fn exhaust(y: f32) -> Piece {
    let sections = [Section::round(8.0, 1.5, 3), Section::round(0.0, 1.2, 3)];
    let surfaces = vec![span("exhaust", &sections), front("exhaust end", &sections)];
    Piece::new(HULL, surfaces)
        .creased(ROUND)
        .transformed(Transform::from_xyz(-14.0, y, 6.0).rotated(pitch(-130.0)))
}

fn antenna() -> [Piece; 2] {
    let lower = [
        Section::round(ANTENNA_LENGTH, 0.35, 2),
        Section::round(0.0, 0.55, 2),
    ];
    let upper = [
        Section::round(ANTENNA_LENGTH + 1.4, 0.0, 2),
        Section::round(ANTENNA_LENGTH + 0.6, 0.9, 2),
        Section::round(ANTENNA_LENGTH - 0.4, 0.25, 2),
        Section::round(0.0, 0.35, 2),
    ];
    [
        Piece::new(ANTENNA[0], vec![span("antenna", &lower)]).creased(SMOOTH),
        Piece::new(ANTENNA[1], vec![span("antenna lamp", &upper)]).creased(SMOOTH),
    ]
}

/// A half sphere; its open end is inside the hull.
fn hip(leg: usize) -> Piece {
    let sections = [
        Section::round(4.4, 0.0, 3),
        Section::round(1.8, 3.9, 3),
        Section::round(-2.5, 3.6, 3),
    ];
    Piece::new(leg + HIP, vec![span("hip", &sections)]).creased(ROUND)
}

fn thigh(leg: usize) -> Piece {
    const OUTLINE: [[f32; 2]; 4] = [[0.0, 3.4], [2.6, 1.4], [2.2, -1.8], [0.0, -2.6]];
    let sections = [
        Section::new(THIGH_LENGTH, &OUTLINE, [0.7, 0.65], 0.0),
        Section::new(0.0, &OUTLINE, [1.0, 1.0], 0.0),
    ];
    Piece::new(leg + THIGH, vec![span("thigh", &sections)]).creased(ROUND)
}

/// A thin strut, with an armor plate that reaches over the knee.
fn shin(leg: usize) -> Piece {
    const OUTLINE: [[f32; 2]; 4] = [[0.0, 3.2], [2.6, 1.6], [2.3, -1.4], [0.0, -2.0]];
    let sections = [
        Section::new(SHIN_LENGTH, &OUTLINE, [0.42, 0.42], 0.0),
        Section::new(18.5, &OUTLINE, [0.55, 0.55], 0.0),
        Section::new(18.5, &OUTLINE, [0.9, 0.85], 0.2),
        Section::new(6.0, &OUTLINE, [1.25, 1.3], 0.5),
        Section::new(-2.0, &OUTLINE, [1.0, 0.95], 0.0),
        Section::new(-4.2, &OUTLINE, [0.0, 0.0], -0.5),
    ];
    Piece::new(leg + SHIN, vec![span("shin", &sections)]).creased(ROUND)
}

fn foot(leg: usize) -> Piece {
    // The section lies horizontally: the outline's bottom becomes the toe.
    const OUTLINE: [[f32; 2]; 4] = [[0.0, 3.6], [3.8, 2.0], [3.2, -2.8], [0.0, -6.0]];
    let sections = [
        Section::new(5.5, &OUTLINE, [0.4, 0.4], 0.0),
        Section::new(1.6, &OUTLINE, [1.0, 1.0], 0.0),
        Section::new(0.0, &OUTLINE, [1.1, 1.1], 0.0),
    ];
    let surfaces = vec![span("foot", &sections), back("sole", &sections)];
    Piece::new(leg + FOOT, surfaces).creased(ROUND)
}

/// A star of fire with zero size except for one frame of a shot.
fn flash(bone: usize) -> Piece {
    let sections = [
        Section::round(15.0, 0.0, 3),
        Section::round(3.5, 4.2, 3),
        Section::round(0.0, 1.2, 3),
    ];
    Piece::new(bone, vec![span("flash", &sections)]).creased(SMOOTH)
}
