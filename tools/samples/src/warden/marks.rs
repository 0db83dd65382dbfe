//! Markings on the warden's paint: trim, grooves, emblems, and glowing parts.

use crate::alamo::sheet::Texel;
use crate::math::{hash, mix};
use bevy::prelude::*;

/// The marking of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// No marking.
    None,
    /// Brass, or brass thread.
    Trim,
    /// A dark line.
    Groove,
    /// Polished metal; on cloth, a woven pattern.
    Polished,
    /// A glowing part.
    Glow,
    /// A texel lit by a glow beside it.
    NearGlow,
}

/// The marking of a texel.
pub fn mark(texel: &Texel<'_>) -> Mark {
    let at = texel.at;
    match texel.face.chart {
        "mask" => mask(at),
        "breast" => breast(texel),
        "pauldron" => pauldron(at),
        "lame" => band(at.z, 4.7, 0.09),
        "vambrace" => vambrace(at),
        "greave" => greave(at),
        "knee" => knee(at),
        "tasset" => band(at.z, 2.72, 0.16),
        "gorget" => band(5.86 - at.z, 0.0, 0.07),
        "fauld" => fauld(at),
        "foot" => foot(at),
        "hand" => hand(at),
        "blade" => blade(at),
        "hood" => hood(at),
        "cape" => cape(at),
        "tabard" => tabard(at),
        _ => Mark::None,
    }
}

/// Trim from a position on, with a groove beside it.
fn band(at: f32, from: f32, wide: f32) -> Mark {
    let inside = at - from;
    if inside < wide {
        Mark::Trim
    } else if inside < wide + 0.035 {
        Mark::Groove
    } else {
        Mark::None
    }
}

/// Two glowing slits, a ridge, and breathing holes.
fn mask(at: Vec3) -> Mark {
    let x = at.x.abs();
    let slit = (at.z - (6.37 + 0.3 * (x - 0.05))).abs();
    if at.y < -0.15 && (0.05..0.25).contains(&x) && slit < 0.085 {
        return match slit {
            slit if slit < 0.036 + 0.1 * (0.2 - x).max(0.0) => Mark::Glow,
            _ => Mark::Groove,
        };
    }
    let row = (at.z - 6.0) / 0.06;
    let is_hole = row - row.floor() < 0.45 && (6.0..6.22).contains(&at.z);
    if is_hole && (0.07..0.15).contains(&(x - 0.15 * (at.z - 6.0))) && at.y < -0.2 {
        return Mark::Groove;
    }
    let brow = (at.z - (6.47 + 0.3 * x)).abs() < 0.025;
    if x < 0.022 || (brow && at.y < -0.2) {
        return Mark::Trim;
    }
    Mark::None
}

/// A burning eye: its outline, rays, and lines that follow the ribs.
fn breast(texel: &Texel<'_>) -> Mark {
    let at = texel.at;
    if at.y < 0.0 {
        let from = Vec2::new(at.x, at.z - 5.06);
        let lid = from.x.abs() * from.x.abs() * 1.9 + from.y.abs();
        let distance = from.length();
        if distance < 0.06 {
            return Mark::Glow;
        }
        if (lid - 0.17).abs() < 0.022 && from.x.abs() < 0.28 {
            return Mark::Glow;
        }
        if distance < 0.115 {
            return Mark::Groove;
        }
        if lid < 0.2 {
            return Mark::NearGlow;
        }
        let ray = from.x.abs() < 0.035 && (0.24..0.42).contains(&from.y);
        let tail = from.x.abs() < 0.03 && (-0.5..-0.24).contains(&from.y);
        if ray || tail {
            return Mark::Trim;
        }
    }
    let side = at.x.abs() - 0.42 - 0.3 * (at.z - 4.7);
    if side.abs() < 0.02 {
        return Mark::Groove;
    }
    if at.z > 5.5 {
        return band(5.62 - at.z, 0.0, 0.07);
    }
    band(at.z, 4.4, 0.15)
}

/// The distance along a pauldron's axis locates the rim; rivets are behind it.
fn pauldron(at: Vec3) -> Mark {
    let from = Vec3::new(at.x.abs() - 1.08, at.y - 0.06, at.z - 5.32);
    let along = from.dot(Vec3::new(0.66, 0.0, 0.75));
    if along < -0.02 {
        return Mark::Trim;
    }
    if along < 0.015 {
        return Mark::Groove;
    }
    if (0.235..0.265).contains(&along) {
        return Mark::Groove;
    }
    if (0.265..0.3).contains(&along) {
        return Mark::Trim;
    }
    Mark::None
}

fn vambrace(at: Vec3) -> Mark {
    if at.z > 3.85 {
        return band(4.05 - at.z, 0.0, 0.13);
    }
    if (3.5..3.53).contains(&at.z) || (3.38..3.41).contains(&at.z) {
        return Mark::Groove;
    }
    if at.z < 3.07 { Mark::Trim } else { Mark::None }
}

fn greave(at: Vec3) -> Mark {
    if at.z < 0.42 {
        return Mark::Trim;
    }
    if (0.62..0.65).contains(&at.z) || (1.5..1.53).contains(&at.z) {
        return Mark::Groove;
    }
    let distance = (at.x.abs() - 0.51).abs();
    if at.y < 0.0 && (0.72..1.42).contains(&at.z) && (distance - 0.13).abs() < 0.018 {
        return Mark::Groove;
    }
    Mark::None
}

/// A rim around the cap.
fn knee(at: Vec3) -> Mark {
    let along = -0.97 * (at.y + 0.1) + 0.22 * (at.z - 2.04);
    band(along, 0.0, 0.17)
}

/// Overlapping plates.
fn fauld(at: Vec3) -> Mark {
    if (3.66..3.69).contains(&at.z) {
        return Mark::Groove;
    }
    band(at.z, 3.4, 0.11)
}

/// Fingers and their plates.
fn hand(at: Vec3) -> Mark {
    let finger = (at.y + 0.24) / 0.11;
    let is_between = at.z < 2.7 && finger - finger.floor() < 0.2;
    if is_between || (2.7..2.73).contains(&at.z) || (2.86..2.885).contains(&at.z) {
        Mark::Groove
    } else {
        Mark::None
    }
}

fn foot(at: Vec3) -> Mark {
    let plate = (at.y + 0.9) / 0.2;
    if at.y < -0.1 && at.z > 0.06 && plate - plate.floor() < 0.16 {
        return Mark::Groove;
    }
    if at.z < 0.05 {
        Mark::Groove
    } else {
        Mark::None
    }
}

/// A sharp edge, and glowing signs along the middle.
fn blade(at: Vec3) -> Mark {
    let (y, z) = (at.y, at.z - 4.0);
    let edge = match z {
        z if z < 2.98 => mix(-0.14, -0.36, (z - 2.8) / 0.18),
        z if z < 3.4 => mix(-0.36, -0.47, (z - 2.98) / 0.42),
        z if z < 3.85 => mix(-0.47, -0.42, (z - 3.4) / 0.45),
        z if z < 4.3 => mix(-0.42, -0.16, (z - 3.85) / 0.45),
        z => mix(-0.16, 0.34, (z - 4.3) / 0.42),
    };
    if z > 2.85 && y - edge < 0.09 {
        return Mark::Polished;
    }
    let middle = -0.06 + 0.06 * (z - 3.5).max(0.0);
    let across = (y - middle) / 0.05;
    if (2.95..4.2).contains(&z) && across.abs() < 1.6 {
        let cell = (z - 2.95) / 0.17;
        let (sign, fraction) = (cell.floor(), cell - cell.floor());
        let column = (across + 1.5).floor() as i32;
        let stroke = hash(sign as i32, column, (fraction * 3.0) as i32) > 0.42;
        let is_gap = fraction > 0.82;
        return if stroke && !is_gap && across.abs() < 1.5 {
            Mark::Glow
        } else {
            Mark::NearGlow
        };
    }
    Mark::None
}

/// A border of thread around the face.
fn hood(at: Vec3) -> Mark {
    let lean = at.y + 0.1 * (at.z - 6.3) / 0.6;
    if lean < -0.42 {
        return Mark::Trim;
    }
    if lean < -0.38 {
        Mark::Groove
    } else {
        Mark::None
    }
}

/// An eye surrounded by rays.
fn emblem(from: Vec2) -> Mark {
    let (x, y) = (from.x.abs(), from.y);
    let lid = x * x * 0.95 + y.abs();
    let distance = from.length();
    if distance < 0.12 {
        return Mark::Groove;
    }
    if distance < 0.2 || (lid - 0.36).abs() < 0.05 && x < 0.6 {
        return Mark::Trim;
    }
    let turns = [(0.0, 1.0), (0.5, 0.866), (0.866, 0.5)];
    let is_ray = turns.iter().any(|(across, up)| {
        let along = x * across + y.abs() * up;
        let aside = (x * up - y.abs() * across).abs();
        (0.52..0.95).contains(&along) && aside < 0.07 * (0.95 - along) / 0.43 + 0.015
    });
    if is_ray && y > -0.6 {
        Mark::Trim
    } else {
        Mark::None
    }
}

fn cape(at: Vec3) -> Mark {
    let down = (5.62 - at.z) / 5.2;
    let side = at.x.abs() / mix(0.86, 1.4, down);
    let hem = 0.95 - down;
    let border = (1.0 - side).min(hem * 2.4);
    if (0.05..0.12).contains(&border) {
        return Mark::Trim;
    }
    if (0.15..0.175).contains(&border) {
        return Mark::Polished;
    }
    emblem(Vec2::new(at.x, at.z - 3.5) * 1.15)
}

fn tabard(at: Vec3) -> Mark {
    let down = (3.98 - at.z) / 2.68;
    let side = mix(0.4, 0.46, down) - at.x.abs();
    let hem = at.z - 1.3 + 0.22 * (1.0 - at.x.abs() / 0.46);
    let border = side.min(hem);
    if (0.03..0.085).contains(&border) {
        return Mark::Trim;
    }
    let from = Vec2::new(at.x, at.z - 2.25);
    emblem(from * 2.9)
}
