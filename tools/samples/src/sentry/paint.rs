//! The sentry's skins.

use crate::atlas::{Atlas, Texel};
use crate::math::{mix, noise};
use crate::paint::{Grooves, Ramp, is_in_number, lamp, paint_skin, rivet, worn_metal};
use crate::surface::Side;
use bevy::prelude::*;
use bevy_classic_models::quake::mdl::write::SkinDocument;

/// The style of a skin.
#[derive(Clone, Copy)]
struct SkinStyle {
    hull: Ramp,
    brightness: f32,
    /// A second color, in blots.
    blots: Option<Ramp>,
    /// The height up to which mud and rust reach.
    dirt: f32,
    eye: [u8; 3],
    /// The lit rows of lamps, of three.
    lit: [bool; 3],
}

/// Skin 0 is factory new, 1 is dusty from the desert, 2 is on guard, with blinking lamps.
pub fn skins(atlas: &Atlas, texels: &[Texel]) -> Vec<SkinDocument> {
    let paint = |style: SkinStyle| paint_skin(atlas, texels, |texel| ink(texel, &style));
    let works = SkinStyle {
        hull: Ramp::DRAB,
        brightness: 0.62,
        blots: None,
        dirt: 0.25,
        eye: [230, 234, 239],
        lit: [true; 3],
    };
    let desert = SkinStyle {
        hull: Ramp::SAND,
        brightness: 0.72,
        blots: Some(Ramp::DRAB),
        dirt: 0.75,
        eye: lamp::ICE,
        ..works
    };
    let guard = SkinStyle {
        hull: Ramp::STEEL,
        brightness: 0.42,
        dirt: 0.1,
        eye: lamp::RED,
        ..works
    };
    // Each image with its end time in seconds.
    let blinking = [
        (0.5, [true, false, false]),
        (0.6, [false, true, false]),
        (1.1, [false, false, true]),
    ];
    vec![
        SkinDocument::Single(paint(works)),
        SkinDocument::Single(paint(desert)),
        SkinDocument::Group {
            times: blinking.iter().map(|(end, _)| *end).collect(),
            images: blinking
                .iter()
                .map(|&(_, lit)| paint(SkinStyle { lit, ..guard }))
                .collect(),
        },
    ]
}

fn ink(texel: &Texel, style: &SkinStyle) -> u8 {
    match texel.surface {
        "hull" => hull(texel, style),
        "hull back" => engine(texel),
        "head" => head(texel, style),
        "face" | "brow edge" | "hull front" | "nape" => plain(texel, 0.4),
        "brow" => plate(texel, Ramp::SHIRT, 0.62, style, Grooves::ALL),
        "eye" => eye(texel, style),
        "jaw" => jaw(texel),
        "mount" => mount(texel, style),
        "barrel" => barrel(texel),
        "bore" => bore(texel),
        "exhaust" => exhaust(texel),
        "exhaust end" => Ramp::FIRE.shade(0.3 + 0.4 * noise(texel.local), texel.at),
        "antenna lamp" if texel.cell[0] < 2 => lamp_ink(texel, style.lit[2], texel.island.y == 0),
        "antenna" | "antenna lamp" => plain(texel, 0.35),
        "thigh" => thigh(texel, style),
        "shin" => shin(texel, style),
        "foot" => foot(texel, style),
        "flash" => flash(texel),
        _ => bare(texel, 0.36, Grooves::ENDS),
    }
}

/// The palette index of a texel of painted armor, with chipped edges and stains at the bottom.
fn plate(texel: &Texel, ramp: Ramp, brightness: f32, style: &SkinStyle, grooves: Grooves) -> u8 {
    let edge = texel.from.min_element().min(texel.to.min_element());
    let chips = noise(texel.position * 1.1 + Vec3::splat(9.0));
    if edge == 1 && chips > 0.8 {
        return Ramp::GRAY.shade(worn_metal(texel, 0.6, Grooves::NONE), texel.at);
    }
    let level = worn_metal(texel, brightness, grooves);
    // Player colors stay clean, so that they are recognizable.
    let height = texel.position.z / 30.0;
    let dirt = style.dirt * (1.1 - height) + 0.9 * (noise(texel.position * 0.5) - 0.5);
    if dirt > 0.42 && ramp != Ramp::SHIRT && ramp != Ramp::PANTS {
        return Ramp::SAND.shade(level * 0.62, texel.at);
    }
    ramp.shade(level, texel.at)
}

fn hull_plate(texel: &Texel, style: &SkinStyle, brightness: f32, grooves: Grooves) -> u8 {
    let blot = noise(texel.position * 0.16 + Vec3::new(3.0, 0.0, 5.0));
    match style.blots {
        Some(blots) if blot > 0.52 => plate(texel, blots, brightness * 0.8, style, grooves),
        _ => plate(texel, style.hull, brightness, style, grooves),
    }
}

fn bare(texel: &Texel, brightness: f32, grooves: Grooves) -> u8 {
    Ramp::GRAY.shade(worn_metal(texel, brightness, grooves), texel.at)
}

fn plain(texel: &Texel, brightness: f32) -> u8 {
    bare(texel, brightness, Grooves::NONE)
}

fn lamp_ink(texel: &Texel, lit: bool, in_middle: bool) -> u8 {
    match (lit, in_middle) {
        (true, true) => lamp::ICE[2],
        (true, false) => lamp::ICE[1],
        (false, _) => Ramp::STEEL.shade(0.35, texel.at),
    }
}

fn hull(texel: &Texel, style: &SkinStyle) -> u8 {
    let [column, row] = texel.cell;
    match (row, column) {
        // The spine, with slots over the engine.
        (0, 3 | 4) if texel.from.y < texel.to.y + 6 && texel.from.y > 1 => {
            plain(texel, if texel.from.x % 4 < 2 { 0.1 } else { 0.5 })
        }
        // The shoulders.
        (0 | 1, 1 | 2) => match rivet(texel, 3) {
            1 => Ramp::SHIRT.shade(worn_metal(texel, 1.1, Grooves::NONE), texel.at),
            -1 => Ramp::SHIRT.shade(worn_metal(texel, 0.4, Grooves::NONE), texel.at),
            _ => plate(texel, Ramp::SHIRT, 0.72, style, Grooves::ALL),
        },
        (0, _) => hull_plate(texel, style, style.brightness, Grooves::ENDS),
        // The flanks: a number, and lamps along the rim.
        (2, 1..=4) => {
            let from_rim = texel.to.y;
            if (2..4).contains(&from_rim) && (texel.from.x - 4).rem_euclid(9) < 2 {
                return lamp_ink(texel, style.lit[column % 3], texel.from.x % 2 == 0);
            }
            let number = is_in_number(7, texel.from.x - 6, texel.from.y - 2);
            if column == 2 && texel.side == Side::Front && number {
                return Ramp::STONE.shade(0.95, texel.at);
            }
            hull_plate(texel, style, style.brightness * 0.95, Grooves::ALL)
        }
        (1 | 2, _) => hull_plate(texel, style, style.brightness * 0.9, Grooves::ALL),
        // Below the rim: pipes along the keel.
        (3, _) => {
            let pipe = [0.6, 1.0, 0.8, 0.4][texel.from.y.rem_euclid(4) as usize];
            bare(texel, 0.5 * pipe, Grooves::ENDS)
        }
        _ => bare(texel, 0.34, Grooves::ENDS),
    }
}

/// A grate with a fire behind it.
fn engine(texel: &Texel) -> u8 {
    let distance = distance_to_axis(texel, 6.0);
    let bar = texel.island.y % 3 == 0;
    if bar || distance > 0.85 {
        return plain(texel, 0.3);
    }
    let heat = 0.95 - distance * 0.7 + 0.2 * (noise(texel.local * 0.9) - 0.5);
    Ramp::FIRE.shade(heat, texel.at)
}

/// Distance from the X axis of the piece, relative to a radius.
fn distance_to_axis(texel: &Texel, radius: f32) -> f32 {
    texel.local.yz().length() / radius
}

fn head(texel: &Texel, style: &SkinStyle) -> u8 {
    let [column, row] = texel.cell;
    match (row, column) {
        (0 | 1, 1) => match rivet(texel, 3) {
            1 => hull_plate(texel, style, 1.0, Grooves::NONE),
            -1 => hull_plate(texel, style, 0.3, Grooves::NONE),
            _ => hull_plate(texel, style, style.brightness, Grooves::ALL),
        },
        // Gills.
        (2, 1) if texel.from.min(texel.to).cmpgt(IVec2::new(3, 2)).all() => {
            if texel.from.x % 3 == 0 {
                Ramp::FIRE.shade(0.42, texel.at)
            } else {
                plain(texel, 0.35)
            }
        }
        (3, _) => bare(texel, 0.35, Grooves::ENDS),
        _ => hull_plate(texel, style, style.brightness * 0.95, Grooves::ALL),
    }
}

fn eye(texel: &Texel, style: &SkinStyle) -> u8 {
    match texel.cell[0] {
        0 => style.eye[2],
        1 => style.eye[1],
        2 if texel.from.x < 1 => style.eye[0],
        _ => plain(texel, 0.2),
    }
}

fn jaw(texel: &Texel) -> u8 {
    let tip = (texel.local.x / 9.5).clamp(0.0, 1.0);
    let level = worn_metal(texel, mix(0.35, 1.0, tip), Grooves::NONE);
    Ramp::STONE.shade(level, texel.at)
}

fn mount(texel: &Texel, style: &SkinStyle) -> u8 {
    let [column, row] = texel.cell;
    let [low, high] = [IVec2::new(7, 1), IVec2::new(3, 1)];
    if (column, row) == (1, 1) && texel.from.cmpgt(low).all() && texel.to.cmpgt(high).all() {
        // Warning stripes.
        let stripe = (texel.from.x + texel.from.y).rem_euclid(6) < 3;
        let level = worn_metal(texel, 0.8, Grooves::NONE);
        return if stripe {
            Ramp::YELLOW.shade(level, texel.at)
        } else {
            Ramp::GRAY.shade(level * 0.2, texel.at)
        };
    }
    hull_plate(texel, style, style.brightness * 0.9, Grooves::ALL)
}

fn barrel(texel: &Texel) -> u8 {
    match texel.cell[0] {
        0 if texel.from.x % 3 == 1 => plain(texel, 0.25),
        0 => plain(texel, 0.55),
        1 => plain(texel, 0.2),
        _ if texel.from.x % 7 < 2 => plain(texel, 0.3),
        _ => plain(texel, 0.42),
    }
}

fn bore(texel: &Texel) -> u8 {
    if distance_to_axis(texel, 1.0) < 1.0 {
        return 0;
    }
    plain(texel, 0.55)
}

fn exhaust(texel: &Texel) -> u8 {
    match texel.from.x {
        // The metal near the end is brown from heat.
        x @ ..5 => {
            let level = worn_metal(texel, 0.3 + 0.03 * x as f32, Grooves::NONE);
            Ramp::SAND.shade(level, texel.at)
        }
        x if x % 4 == 0 => plain(texel, 0.28),
        _ => plain(texel, 0.45),
    }
}

fn thigh(texel: &Texel, style: &SkinStyle) -> u8 {
    let [_, row] = texel.cell;
    let from_seam = texel.to.x - 16;
    match row {
        0 | 1 if from_seam == 0 => plain(texel, 0.1),
        0 | 1 if from_seam < 0 => plate(texel, Ramp::PANTS, 0.66, style, Grooves::ALL),
        0 | 1 => hull_plate(texel, style, style.brightness * 0.9, Grooves::ALL),
        _ => bare(texel, 0.32, Grooves::ENDS),
    }
}

fn shin(texel: &Texel, style: &SkinStyle) -> u8 {
    let [column, row] = texel.cell;
    match (column, row) {
        // The plate.
        (2, 0 | 1) => match rivet(texel, 3) {
            1 => Ramp::PANTS.shade(worn_metal(texel, 1.1, Grooves::NONE), texel.at),
            _ => plate(texel, Ramp::PANTS, 0.66, style, Grooves::ALL),
        },
        (1, _) => plain(texel, 0.25),
        (3 | 4, _) => hull_plate(texel, style, style.brightness * 0.9, Grooves::ALL),
        // The strut: a piston whose rod shines.
        (0, _) if (6..9).contains(&texel.from.x) => plain(texel, 0.25),
        (0, _) if texel.from.x > 8 => plain(texel, 0.55),
        _ => plain(texel, 0.4),
    }
}

fn foot(texel: &Texel, style: &SkinStyle) -> u8 {
    match texel.cell[0] {
        0 => hull_plate(texel, style, style.brightness * 0.85, Grooves::ALL),
        _ => plain(texel, 0.35),
    }
}

fn flash(texel: &Texel) -> u8 {
    let heat = 1.0 - 0.75 * (texel.local.x / 13.0) + 0.2 * (noise(texel.local) - 0.5);
    if heat > 0.85 {
        return lamp::WHITE[1];
    }
    Ramp::FIRE.shade(heat, texel.at)
}
