//! The courier's paint: base colors, rust, dust and lettering.

use super::marks::{is_stripe, lettering, reading, roundel};
use crate::alamo::shape::Finish;
use crate::alamo::sheet::{Ink, Texel};
use crate::math::{hash, mix, noise, smooth};
use bevy::prelude::*;

const TEAL: Vec3 = Vec3::new(0.22, 0.46, 0.47);
const CREAM: Vec3 = Vec3::new(0.86, 0.8, 0.66);
const PRIMER: Vec3 = Vec3::new(0.5, 0.27, 0.2);
const RUST: Vec3 = Vec3::new(0.42, 0.21, 0.1);
const OLD_RUST: Vec3 = Vec3::new(0.24, 0.13, 0.085);
const STEEL: Vec3 = Vec3::new(0.27, 0.27, 0.275);
const DUST: Vec3 = Vec3::new(0.6, 0.51, 0.39);
const WOOD: Vec3 = Vec3::new(0.5, 0.38, 0.25);
const CANVAS: Vec3 = Vec3::new(0.52, 0.49, 0.36);

/// The relative texel density of a chart.
pub fn weight(chart: &str, _: Finish) -> f32 {
    match chart {
        "door" | "other door" | "nose" | "ear" => 1.15,
        "number plate" | "rear plate" => 2.8,
        "left board" | "right board" | "tail board" => 1.7,
        "tarpaulin" => 0.95,
        "wall" | "wall edge" | "ceiling" | "bed floor" | "board inside" | "curtain" => 0.4,
        "rim inside" | "axle" | "stub" | "gear" | "hoop" | "fork" => 0.6,
        "rail" | "traverse" | "rack" | "spring" | "shackle" | "bore" | "bed side" => 0.45,
        _ => 1.0,
    }
}

/// The painted values of a texel.
pub fn ink(texel: &Texel<'_>) -> Ink {
    let color = match texel.face.finish {
        Finish::Hull => body(texel),
        Finish::Frame | Finish::Steel => frame(texel),
        Finish::Plate => can(texel),
        Finish::Bore => Vec3::splat(0.035),
        _ => other(texel),
    };
    Ink {
        color: weather(texel, color),
        alpha: 1.0,
        ..Ink::default()
    }
}

/// Adds dust from the road, stains and ambient occlusion.
fn weather(texel: &Texel<'_>, color: Vec3) -> Vec3 {
    let at = texel.at;
    let stains = noise(at * 0.35 + Vec3::splat(9.0)) * 0.6 + noise(at * 1.4) * 0.4;
    let mut color = color * mix(0.84, 1.1, stains);
    let height = smooth((9.0 - at.z) / 9.5);
    let spray = mix(0.3, 1.0, noise(at * 0.55)) * mix(0.6, 1.0, noise(at * 2.2));
    let settled =
        smooth((texel.normal.z - 0.6) * 2.5) * smooth(noise(at * 0.8) * 1.6 - 0.35) * 0.45;
    let dust = (height * spray * 0.75).max(settled);
    color = color.lerp(DUST * mix(0.8, 1.08, noise(at * 3.0)), dust);
    color * mix(0.2, 1.0, smooth(texel.visibility * 1.15))
}

/// The amount of rust: more along edges and below seams.
fn rusted(texel: &Texel<'_>) -> f32 {
    let at = texel.at;
    let rough = noise(at * 1.1) * 0.5 + noise(at * 2.9) * 0.3 + noise(at * 7.1) * 0.2;
    let edge = (1.0 - texel.edge / 0.5).max(0.0);
    let low = smooth((6.2 - at.z) / 3.0);
    let strength = if texel.face.round { 0.2 } else { 0.3 };
    let patch = noise(at * 0.27 + Vec3::new(3.0, 17.0, 5.0));
    smooth((rough * 0.75 + edge * strength + low * 0.22 + patch * 0.3 - 0.72) * 7.0)
}

/// Painted sheet metal.
fn body(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let side = texel.normal.x.abs() > 0.6;
    let mut color = match texel.face.chart {
        "ceiling" | "wall inside" => CREAM * 0.62,
        "roof" | "roof side" => CREAM,
        "other door" if at.y > -9.5 && at.y < -3.7 => PRIMER,
        "door" | "other door" | "tub" if (10.75..11.35).contains(&at.z) => CREAM,
        "nose" if at.x.abs() < 0.55 && at.z > 10.0 => CREAM,
        _ => TEAL,
    };
    if side && matches!(texel.face.chart, "door" | "other door") {
        color = door(at, color, texel);
    }
    // Sun-bleached on faces that point up.
    color = color.lerp(
        CREAM * 0.9,
        0.22 * texel.normal.z.max(0.0) * noise(at * 0.6),
    );
    let lighter = smooth(1.0 - texel.edge / 0.45) * 0.16;
    color *= 1.0 + lighter;
    let streak = noise(Vec3::new(at.x * 2.2, at.y * 2.2, at.z * 0.22));
    let upright = 1.0 - texel.normal.z.abs();
    color *= 1.0 - 0.2 * smooth((streak - 0.5) * 3.0) * upright;
    color = color.lerp(RUST * 1.15, smooth((streak - 0.66) * 6.0) * upright * 0.5);
    rust(texel, color)
}

fn rust(texel: &Texel<'_>, color: Vec3) -> Vec3 {
    let rusted = rusted(texel);
    let fresh = OLD_RUST.lerp(RUST, noise(texel.at * 3.7));
    // The rim of peeling paint is light.
    let rim = smooth(rusted * 3.0) * (1.0 - rusted);
    (color * (1.0 + 0.22 * rim)).lerp(fresh, rusted)
}

/// The seams, handle recess and number of a door.
fn door(at: Vec3, color: Vec3, texel: &Texel<'_>) -> Vec3 {
    let border = Vec2::new((at.y + 6.55).abs() - 2.95, (at.z - 8.3).abs() - 3.2);
    let seam = border.max_element().abs();
    let mut color = color * (1.0 - 0.75 * smooth((0.13 - seam) / 0.12));
    if border.max_element() < 0.0 {
        // An embossed panel.
        let inner = (border.max_element() + 0.65).abs();
        color *= 1.0 - 0.28 * smooth((0.12 - inner) / 0.1);
    }
    let position = reading(texel) - Vec2::new(-6.3 * texel.normal.x.signum(), 7.9);
    let mark = roundel("7", position, 1.55) * smooth(noise(at * 2.6) * 3.0 - 0.35);
    color.lerp(CREAM, mark * 0.95)
}

/// Dark structural steel.
fn frame(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let cast = noise(at * 3.1) * 0.6 + noise(at * 8.0) * 0.4;
    let color = STEEL * mix(0.8, 1.2, cast);
    let edge = smooth(1.0 - texel.edge / 0.12) * 0.5;
    rust(texel, color * (1.0 + edge))
}

/// Cans with different colors.
fn can(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let color = Vec3::new(0.36, 0.38, 0.22);
    let [least, greatest] = texel.bounds;
    let offset = texel.uv - (least + greatest) / 2.0;
    let size = (greatest - least) / 2.0;
    // The embossed cross on their sides.
    let cross = (offset.x.abs() / size.x - offset.y.abs() / size.y).abs();
    let groove = smooth((0.14 - cross) / 0.1) * f32::from(u8::from(size.min_element() > 0.9));
    rust(
        texel,
        color * mix(0.85, 1.1, noise(at)) * (1.0 - 0.4 * groove),
    )
}

fn other(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    match texel.face.chart {
        "left board" | "right board" | "tail board" => board(texel),
        "board edge" | "board inside" => planks(at, at.z, 1.27, at.y + at.x) * 0.85,
        "bed floor" | "bed side" => planks(at, at.x, 1.8, at.y),
        "tarpaulin" | "curtain" => canvas(texel),
        "mudguard" => rust(texel, TEAL * mix(0.85, 1.1, noise(at))),
        "rim" => rim(texel),
        "drum" | "drum lid" => drum(texel),
        "bundle" | "bundle end" => bundle(texel),
        "exhaust" => exhaust(texel),
        "seat" => seat(at),
        "tail lamp" => Vec3::new(0.62, 0.06, 0.04),
        "number plate" | "rear plate" => plate(texel),
        "plate edge" | "wheel" | "rim inside" => Vec3::splat(0.1),
        _ => frame(texel),
    }
}

/// Wooden planks: `across` selects the plank, `along` is the position along the grain.
fn planks(at: Vec3, across: f32, width: f32, along: f32) -> Vec3 {
    let plank = (across / width).floor();
    let inside = across / width - plank;
    let seed = plank as i32;
    let grain = noise(Vec3::new(
        along * 0.5,
        across * 6.0,
        hash(seed, 1, 4) * 40.0,
    ));
    let fine = noise(Vec3::new(along * 1.6, across * 16.0, 3.0));
    let gray = noise(at * 0.5) * 0.7;
    let color = WOOD.lerp(Vec3::new(0.47, 0.44, 0.39), gray);
    let tone = mix(0.8, 1.12, hash(seed, 7, 2)) * mix(0.72, 1.15, grain * 0.7 + fine * 0.3);
    let gap = smooth((0.07 - inside.min(1.0 - inside)) / 0.05);
    color * tone * (1.0 - 0.75 * gap)
}

/// A board of the bed, with lettering.
fn board(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let tail = texel.face.chart == "tail board";
    let wood = planks(at, at.z - 7.22, 1.27, if tail { at.x } else { at.y });
    let flaked = noise(Vec3::new(at.x + at.y, at.z * 4.0, 8.0) * 1.3) * 0.6 + noise(at * 2.5) * 0.4;
    let left = smooth((flaked - 0.3) * 5.0);
    let letters_left = mix(0.5, 1.0, left);
    let position = reading(texel);
    if tail {
        let is_dark = is_stripe(Vec3::new(position.x.abs(), 0.0, position.y), 0.75);
        let edge = position.x.abs() > 4.6;
        let stripes = if is_dark {
            Vec3::splat(0.13)
        } else {
            Vec3::new(0.86, 0.62, 0.13)
        };
        let color = if edge {
            wood.lerp(stripes, left * 0.9)
        } else {
            wood
        };
        return color.lerp(
            CREAM,
            letters_left * lettering("K-27", position - Vec2::new(0.0, 9.1), 2.3),
        );
    }
    let middle = 7.55 * texel.normal.x.signum();
    let paint = wood.lerp(TEAL * 0.8, left * 0.85);
    let letters = lettering("COURIER", position - Vec2::new(middle, 8.85), 2.15);
    paint.lerp(CREAM, letters * letters_left)
}

/// Canvas with seams, patches and an emblem on each side.
fn canvas(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let weave = hash((at.y * 9.0) as i32, (at.z * 9.0 + at.x * 9.0) as i32, 3);
    let mut color = CANVAS * mix(0.93, 1.05, weave);
    let faded = noise(at * 0.3) * 0.6 + noise(at * 1.1) * 0.4;
    color = color.lerp(Vec3::new(0.62, 0.58, 0.46), faded * 0.6);
    // Widths of cloth, sewn together, and dark where the hoops rub.
    let seam = ((at.y + 1.7) / 3.6 - ((at.y + 1.7) / 3.6 + 0.5).floor()).abs() * 3.6;
    color *= 1.0 - 0.3 * smooth((0.16 - seam) / 0.1);
    color *= 1.0 + 0.12 * smooth((0.6 - seam) / 0.5);
    for (patch, size, tone) in [
        (
            Vec3::new(3.5, 6.9, 17.6),
            Vec3::new(1.1, 1.0, 2.0),
            Vec3::new(0.42, 0.3, 0.2),
        ),
        (
            Vec3::new(-6.6, 0.4, 13.2),
            Vec3::new(1.5, 0.9, 1.1),
            Vec3::new(0.3, 0.36, 0.38),
        ),
        (
            Vec3::new(6.8, 7.6, 12.6),
            Vec3::new(1.5, 0.8, 0.9),
            Vec3::new(0.6, 0.5, 0.3),
        ),
    ] {
        let distance = ((at - patch) / size).abs().max_element();
        if distance < 1.0 {
            color = tone * mix(0.9, 1.05, weave);
            color *= 1.0 - 0.4 * smooth((distance - 0.84) * 9.0);
        }
    }
    let streak = noise(Vec3::new(at.x.abs() * 0.5, at.y * 1.7, at.z * 0.2));
    color *= 1.0 - 0.3 * smooth((streak - 0.55) * 4.0);
    if texel.normal.x.abs() > 0.5 {
        let position = reading(texel) - Vec2::new(3.7 * texel.normal.x.signum(), 14.2);
        let mark = roundel("7", position, 2.2) * smooth(noise(at * 1.9) * 3.0 - 0.5);
        color = color.lerp(Vec3::new(0.88, 0.85, 0.76), mark * 0.85);
    }
    color
}

/// Discs of wheels: cream, with bolts around the hub.
fn rim(texel: &Texel<'_>) -> Vec3 {
    let v = texel.uv.y;
    let tone = mix(0.75, 1.0, noise(Vec3::new(texel.uv.x * 0.9, v * 2.0, 1.0)));
    let around = texel.uv.x / 1.35;
    let hole = Vec2::new((around - around.floor() - 0.5) * 1.35, v + 0.82).length();
    let color = CREAM * tone;
    rust(texel, color * (1.0 - 0.85 * smooth((0.3 - hole) / 0.1)))
}

fn drum(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let band = (10.0..11.3).contains(&at.z);
    let blue = Vec3::new(0.2, 0.27, 0.42);
    let color = if band {
        Vec3::new(0.78, 0.58, 0.16)
    } else {
        blue
    };
    let spill = noise(Vec3::new(at.x * 1.6, at.y * 1.6, at.z * 0.15));
    rust(
        texel,
        color.lerp(Vec3::splat(0.08), smooth((spill - 0.6) * 5.0) * 0.8),
    )
}

fn bundle(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let rope = ((at.x - 1.7).abs() - 1.6).abs();
    let cloth = Vec3::new(0.45, 0.34, 0.27) * mix(0.75, 1.1, noise(at * Vec3::new(0.5, 3.0, 3.0)));
    let cell = texel.uv / 0.28;
    let coil = hash((cell.x + cell.y) as i32, 3, 3);
    if rope < 0.16 {
        Vec3::new(0.66, 0.58, 0.42) * mix(0.8, 1.05, coil)
    } else {
        cloth
    }
}

/// Rust at the top, and blue heat discoloration.
fn exhaust(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let stains = noise(at * 1.4) * 0.6 + noise(at * 4.2) * 0.4;
    let hot = smooth(1.0 - (at.z - 11.2).abs() / 3.0);
    let metal = Vec3::new(0.36, 0.33, 0.31).lerp(Vec3::new(0.35, 0.25, 0.27), hot);
    let color = metal.lerp(RUST * 0.85, smooth((stains - 0.4) * 3.0));
    // Holes of the heat shield.
    let cell = Vec2::new(texel.uv.x / 0.43, at.z / 0.5);
    let hole = (cell - cell.floor() - 0.5).length();
    let shield = (9.2..13.2).contains(&at.z);
    let soot = smooth((at.z - 17.8) / 1.0);
    let holes = f32::from(u8::from(shield)) * smooth((0.28 - hole) / 0.12);
    color * (1.0 - 0.75 * holes) * (1.0 - 0.7 * soot)
}

fn seat(at: Vec3) -> Vec3 {
    let ridge = at.x / 0.9;
    let ridge = (ridge - ridge.floor() - 0.5).abs() * 2.0;
    Vec3::new(0.33, 0.17, 0.11)
        * mix(1.1, 0.65, smooth(ridge * 2.0 - 1.1))
        * mix(0.8, 1.1, noise(at * 2.0))
}

fn plate(texel: &Texel<'_>) -> Vec3 {
    let position = reading(texel);
    let middle = if texel.normal.y < 0.0 {
        Vec2::new(-1.2, 6.75)
    } else {
        Vec2::new(2.6, 6.3)
    };
    let letters = lettering("K-27", position - middle, 0.72);
    Vec3::new(0.8, 0.76, 0.6).lerp(Vec3::splat(0.09), letters)
}
