//! Markings on the base paint: team color, stripes, and the view through the glass.

use super::cab::{DOWN, WINDSHIELD};
use crate::alamo::sheet::{Ink, Texel};
use crate::math::{hash, mix};
use bevy::prelude::*;

const YELLOW: Vec3 = Vec3::new(0.93, 0.67, 0.1);
const BLACK: Vec3 = Vec3::new(0.09, 0.09, 0.1);

/// The marking of an area of the armor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// No marking: armor has its base color, team plates the team color.
    None,
    /// The team color.
    Team,
    /// Hazard stripes in yellow and black.
    Stripes,
    /// The color of the frame.
    Dark,
    /// A light line.
    Light,
    /// The view through the glass.
    Cockpit,
}

/// The marking of a texel of the armor.
pub fn mark(texel: &Texel<'_>) -> Mark {
    let at = texel.at;
    let x = at.x.abs();
    let when = |yes: bool, mark: Mark| if yes { mark } else { Mark::None };
    match texel.face.chart {
        "cab" | "cab far" => {
            let down = (Vec2::new(at.y, at.z) - WINDSHIELD).dot(DOWN);
            let on_windshield = texel.normal.dot(Vec3::new(0.0, -0.514_5, 0.857_5)) > 0.95;
            if on_windshield && x < 0.92 && (0.25..1.95).contains(&down) {
                return Mark::Cockpit;
            }
            let roof = texel.normal.z > 0.6 && !on_windshield;
            let back = at.y > 1.05 && texel.normal.z > -0.3;
            when((roof || back) && (0.3..0.62).contains(&x), Mark::Team)
        }
        "cab side" | "cab side far" => {
            let slant = at.y + (at.z - 9.3) * 0.55;
            if (-1.55..-0.75).contains(&slant) {
                Mark::Team
            } else {
                when((-0.6..-0.45).contains(&slant), Mark::Team)
            }
        }
        "hull" | "hull far" => {
            let low = texel.normal.y < -0.5 && (7.12..7.3).contains(&at.z);
            when(low && x > 0.62, Mark::Team)
        }
        "shin" => when((0.0..0.16).contains(&(at.z - 2.95)), Mark::Team),
        "shin front" => when((0.0..0.12).contains(&(at.z - 2.0)), Mark::Team),
        "hull side" | "hull side far" => when(at.z < 6.85, Mark::Dark),
        "nose" => match at.x.abs() {
            x if x < 0.12 => Mark::Light,
            x if x < 0.17 => Mark::Dark,
            _ => Mark::None,
        },
        "skirt" => {
            if at.z < 6.93 {
                Mark::Stripes
            } else {
                let slant = at.y - at.z * 0.6 + 4.75;
                when((0.0..0.2).contains(&slant), Mark::Light)
            }
        }
        "thigh" => {
            let local = (at.y - 0.3) * 0.643 + (5.9 - at.z) * 0.766;
            if local > 1.62 {
                Mark::Dark
            } else {
                when(local > 1.47, Mark::Light)
            }
        }
        "apron front" => when(at.z < 5.62, Mark::Stripes),
        "hip guard face" => {
            let distance = Vec2::new(at.y - 0.3, at.z - 5.9).length();
            when((0.36..0.47).contains(&distance), Mark::Light)
        }
        "knee guard" => when(at.z > 4.0, Mark::Light),
        "pod" => {
            if (-1.25..-0.98).contains(&at.y) {
                Mark::Stripes
            } else {
                when((0.55..0.85).contains(&at.y), Mark::Team)
            }
        }
        "gun plate side" => when(at.y < -0.75, Mark::Light),
        "hatch" => {
            let distance = Vec2::new(at.x, at.y - 0.45).length();
            when((0.25..0.36).contains(&distance), Mark::Light)
        }
        _ => Mark::None,
    }
}

/// Diagonal stripes, yellow and black.
pub fn stripes(at: Vec3) -> Vec3 {
    let phase = (at.x + at.y + at.z * 1.0) / 0.3;
    let phase = phase - phase.floor();
    if phase < 0.5 { YELLOW } else { BLACK }
}

/// Seats and instruments, seen through the glass.
pub fn cockpit(texel: &Texel<'_>) -> Ink {
    let at = texel.at;
    let down = (Vec2::new(at.y, at.z) - WINDSHIELD).dot(DOWN);
    let x = at.x.abs() - 0.46;
    let mut color = Vec3::new(0.05, 0.06, 0.075);
    let mut height = -0.02;
    // Two seats with head rests.
    let seat = Vec2::new(x / 0.27, (down - 0.95) / 0.42).length();
    let rest = Vec2::new(x / 0.14, (down - 0.48) / 0.1).length();
    if seat < 1.0 || rest < 1.0 {
        color = Vec3::new(0.2, 0.15, 0.11) * mix(1.2, 0.6, seat.min(1.0));
        height = 0.03;
    }
    // Screens and buttons below.
    if (1.5..1.9).contains(&down) {
        color = Vec3::new(0.1, 0.105, 0.11);
        let screen = x.abs() < 0.2 && (1.56..1.76).contains(&down);
        let cell = ((at.x * 16.0).floor() as i32, (down * 16.0).floor() as i32);
        if screen {
            let line = hash((down * 40.0) as i32, (at.x * 9.0).floor() as i32, 4);
            color = Vec3::new(0.15, 0.75, 0.7) * mix(0.45, 1.1, line);
        } else if hash(cell.0, cell.1, 9) > 0.8 {
            color = Vec3::new(0.9, 0.5, 0.15);
        }
    }
    Ink {
        color,
        height,
        alpha: 0.0,
        gloss: 0.15,
    }
}
