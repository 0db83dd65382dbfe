//! The walker's paint: the color, height and gloss of each texel.

use super::marks::{Mark, cockpit, mark, stripes};
use crate::alamo::shape::Finish;
use crate::alamo::sheet::{Ink, Texel};
use crate::math::{hash, mix, noise, smooth};
use bevy::prelude::*;

const ARMOR: Vec3 = Vec3::new(0.6, 0.585, 0.53);
const SECOND: Vec3 = Vec3::new(0.37, 0.39, 0.4);
const TEAM: Vec3 = Vec3::new(0.9, 0.89, 0.86);
const FRAME: Vec3 = Vec3::new(0.215, 0.225, 0.24);
const STEEL: Vec3 = Vec3::new(0.6, 0.62, 0.65);
const BARE: Vec3 = Vec3::new(0.7, 0.7, 0.69);
const DUST: Vec3 = Vec3::new(0.46, 0.39, 0.3);
const RUST: Vec3 = Vec3::new(0.33, 0.17, 0.08);

/// Half the width of grooves.
const GROOVE: f32 = 0.022;

/// The relative texel density of a chart.
pub fn weight(chart: &str, finish: Finish) -> f32 {
    match (chart, finish) {
        (chart, _) if chart.contains("far") => 0.35,
        (_, Finish::Frame | Finish::Steel | Finish::Bore) => 0.62,
        (_, Finish::Burnt) => 0.7,
        _ => 1.0,
    }
}

/// The painted values of a texel.
pub fn ink(texel: &Texel<'_>) -> Ink {
    let mut ink = match texel.face.finish {
        Finish::Hull | Finish::Plate => armor(texel),
        Finish::Burnt => burnt(texel),
        Finish::Frame => frame(texel),
        Finish::Steel => steel(texel),
        Finish::Hazard => hazard(texel),
        Finish::Grill => grill(texel),
        Finish::Bore | Finish::Own => plain(Vec3::splat(0.03), 0.0),
    };
    let at = texel.at;
    // Weathering: streaks down the sides, dust from the ground up.
    let upright = 1.0 - texel.normal.z.abs();
    let streak = noise(Vec3::new(at.x * 7.0, at.y * 7.0, at.z * 0.9));
    let dirt = smooth((streak - 0.45) * 2.5) * upright * 0.24;
    let stains = noise(at * 1.3 + Vec3::splat(9.0)) * 0.6 + noise(at * 4.1) * 0.4;
    ink.color *= (1.0 - dirt) * mix(0.86, 1.1, stains);
    let dust = smooth((2.6 - at.z) / 2.8) * mix(0.35, 1.0, noise(at * 2.3));
    ink.color = ink
        .color
        .lerp(DUST * mix(0.8, 1.1, noise(at * 9.0)), dust * 0.7);
    ink.gloss *= (1.0 - dust) * (1.0 - dirt);
    ink.alpha *= 1.0 - dust * 0.6;
    // Dirt collects in occluded areas.
    let visibility = smooth(texel.visibility * 1.12);
    ink.color *= mix(0.22, 1.0, visibility);
    ink.gloss *= mix(0.3, 1.0, visibility);
    ink
}

fn plain(color: Vec3, gloss: f32) -> Ink {
    Ink {
        color,
        gloss,
        ..Ink::default()
    }
}

/// A panel of a face: its random seed, and the distances to its sides and to the nearest groove.
struct Panel {
    seed: i32,
    from: Vec2,
    to: Vec2,
    groove: f32,
}

/// Divides a face into panels no longer than `longest`.
fn panel(texel: &Texel<'_>, longest: f32) -> Panel {
    let [mut least, mut greatest] = texel.bounds;
    let name = texel.face.chart.bytes();
    let mut seed = name.fold(least.x.to_bits() as i32 >> 12, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(i32::from(byte))
    });
    let mut groove = f32::INFINITY;
    for step in 0..6 {
        let size = greatest - least;
        let axis = usize::from(size.y > size.x);
        if size[axis] < longest {
            break;
        }
        let cut = mix(
            least[axis],
            greatest[axis],
            mix(0.36, 0.64, hash(seed, step, 1)),
        );
        groove = groove.min((texel.uv[axis] - cut).abs());
        let above = texel.uv[axis] > cut;
        if above {
            least[axis] = cut;
        } else {
            greatest[axis] = cut;
        }
        seed = seed
            .wrapping_mul(5)
            .wrapping_add(1 + i32::from(above) * 7919);
    }
    Panel {
        seed,
        from: texel.uv - least,
        to: greatest - texel.uv,
        groove,
    }
}

impl Panel {
    /// The distance to the nearest side.
    fn border(&self) -> f32 {
        self.from.min(self.to).min_element()
    }

    /// The distance to the nearest of the bolts in its corners.
    fn bolt(&self, inset: f32) -> f32 {
        (self.from.min(self.to) - inset).length()
    }

    fn size(&self) -> Vec2 {
        self.from + self.to
    }
}

/// The amount of chipped paint, 0 to 1. It is greater along convex edges.
fn chipped(texel: &Texel<'_>) -> f32 {
    let at = texel.at;
    let rough = noise(at * 11.0) * 0.6 + noise(at * 27.0) * 0.4;
    let edge = 1.0 - texel.edge / 0.07;
    let scratch = noise(Vec3::new(at.x * 3.0, at.y * 21.0, at.z * 30.0));
    let strength = if texel.face.round { 0.4 } else { 0.5 };
    let wear = edge.max(0.0) * strength + rough * 0.72;
    smooth((wear - 0.74) * 9.0).max(smooth((scratch * rough - 0.7) * 14.0))
}

/// Painted armor, in panels with grooves and bolts.
fn armor(texel: &Texel<'_>) -> Ink {
    let is_plate = texel.face.finish == Finish::Plate;
    let panel = panel(texel, if is_plate { 1.7 } else { 1.15 });
    let tone = hash(panel.seed, 3, 8);
    let mut color = ARMOR * mix(0.93, 1.06, tone);
    if !is_plate && tone > 0.72 && panel.size().min_element() > 0.3 {
        color = SECOND;
    }
    let mut ink = plain(color, mix(0.3, 0.5, hash(panel.seed, 5, 2)));
    let mark = mark(texel);
    if mark == Mark::Team || (is_plate && mark == Mark::None) {
        ink.color = TEAM * mix(0.94, 1.02, tone);
        ink.alpha = 1.0;
        ink.gloss = 0.55;
    } else if mark == Mark::Stripes {
        ink.color = stripes(texel.at);
    } else if mark == Mark::Dark {
        ink.color = FRAME * 0.9;
    } else if mark == Mark::Light {
        ink.color = ARMOR * 1.18;
    }
    // A raised plate, away from the edges of large faces.
    let [least, greatest] = texel.bounds;
    let inside = (texel.uv - least).min(greatest - texel.uv).min_element();
    if (greatest - least).min_element() > 0.8 && !texel.face.round {
        let rim = 0.11;
        ink.height = 0.012 * smooth((inside - rim) / 0.03);
        carve(&mut ink, (inside - rim).abs() * 1.6);
    }
    carve(&mut ink, panel.groove);
    let bolts = panel.size().min_element() > 0.42 && !texel.face.round;
    if bolts {
        bolt(&mut ink, panel.bolt(if inside < 0.3 { 0.2 } else { 0.1 }));
    }
    // Lighter beside edges and grooves, from wear.
    let rim = smooth(1.0 - texel.edge / 0.16) * 0.12 + smooth(1.0 - panel.border() / 0.1) * 0.05;
    ink.color *= 1.0 + rim;
    if mark == Mark::Cockpit {
        return cockpit(texel);
    }
    wear(&mut ink, texel);
    ink
}

fn carve(ink: &mut Ink, distance: f32) {
    let depth = smooth((GROOVE * 1.6 - distance) / GROOVE);
    ink.height -= 0.02 * depth;
    ink.color *= 1.0 - 0.62 * depth;
    ink.gloss *= 1.0 - 0.8 * depth;
}

fn bolt(ink: &mut Ink, distance: f32) {
    const RADIUS: f32 = 0.04;
    ink.height += 0.022 * smooth((RADIUS - distance) / RADIUS * 1.6);
    let ring = smooth(1.0 - (distance - RADIUS).abs() / 0.014);
    ink.color *= 1.0 - 0.42 * ring;
    if distance < RADIUS * 0.8 {
        ink.color *= 1.12;
    }
}

fn wear(ink: &mut Ink, texel: &Texel<'_>) {
    let chipped = chipped(texel);
    // Primer is visible around bare metal.
    let primer = smooth(chipped * 2.2);
    ink.color = ink.color.lerp(ink.color * 0.55, primer * (1.0 - chipped));
    ink.color = ink
        .color
        .lerp(BARE * mix(0.75, 1.0, noise(texel.at * 19.0)), chipped);
    ink.alpha *= 1.0 - primer;
    ink.gloss = mix(ink.gloss, 0.9, chipped);
    ink.height -= 0.003 * primer;
}

/// Burnt armor: soot, blisters, and remains of the paint.
fn burnt(texel: &Texel<'_>) -> Ink {
    let at = texel.at;
    let blisters = noise(at * 6.0) * 0.6 + noise(at * 15.0) * 0.4;
    let soot = noise(at * 1.9 + Vec3::splat(31.0));
    let left = smooth((soot * 0.75 + blisters * 0.35 - 0.6) * 7.0);
    let mut ink = plain(
        (Vec3::splat(0.07) + RUST * smooth((blisters - 0.5) * 4.0) * 0.8).lerp(TEAM * 0.62, left),
        mix(0.12, 0.4, left),
    );
    ink.alpha = left;
    ink.height = 0.02 * blisters;
    // Bare, once red-hot metal along the torn edge.
    let torn = smooth(1.0 - texel.edge / 0.07) * smooth((blisters - 0.3) * 3.0);
    ink.color = ink.color.lerp(BARE * 0.7, torn);
    ink.alpha *= 1.0 - torn;
    ink.gloss = mix(ink.gloss, 0.8, torn);
    carve(&mut ink, panel(texel, 0.8).groove);
    ink
}

/// Dark metal of castings, with bolted covers.
fn frame(texel: &Texel<'_>) -> Ink {
    let at = texel.at;
    let panel = panel(texel, 0.9);
    let cast = noise(at * 23.0) * 0.5 + noise(at * 51.0) * 0.5;
    let mut ink = plain(FRAME * mix(0.86, 1.14, cast), 0.45);
    ink.height = 0.004 * cast;
    carve(&mut ink, panel.groove);
    if panel.size().min_element() > 0.34 && !texel.face.round {
        bolt(&mut ink, panel.bolt(0.1));
    }
    if texel.face.chart.ends_with("face") {
        // Lids of joints: a ring of bolts.
        let [least, greatest] = texel.bounds;
        let offset = texel.uv - (least + greatest) / 2.0;
        let radius = (greatest - least).max_element() / 2.0;
        let ring = (offset.length() / radius - 0.62).abs() * radius;
        carve(&mut ink, (ring - 0.1).abs());
        let eighth = Vec2::new(offset.x.abs(), offset.y.abs());
        let bolts = [Vec2::new(0.57, 0.24), Vec2::new(0.24, 0.57)];
        for at in bolts {
            bolt(&mut ink, (eighth - at * radius).length());
        }
    }
    let edge = smooth(1.0 - texel.edge / 0.05) * smooth(cast * 2.4 - 0.4);
    ink.color = ink.color.lerp(BARE * 0.72, edge * 0.75);
    ink.gloss = mix(ink.gloss, 0.85, edge);
    let oil = smooth((noise(at * 3.1 + Vec3::splat(5.0)) - 0.62) * 6.0);
    ink.color *= 1.0 - 0.35 * oil;
    ink.gloss = mix(ink.gloss, 0.8, oil);
    ink
}

fn steel(texel: &Texel<'_>) -> Ink {
    let at = texel.at;
    let brushed = noise(Vec3::new(at.x * 6.0, at.y * 6.0, at.z * 60.0));
    let mut ink = plain(STEEL * mix(0.85, 1.1, brushed), 0.95);
    let rim = smooth(1.0 - texel.edge / 0.04);
    ink.color *= 1.0 + 0.15 * rim;
    ink
}

fn hazard(texel: &Texel<'_>) -> Ink {
    let [least, greatest] = texel.bounds;
    let inside = (texel.uv - least).min(greatest - texel.uv).min_element();
    let mut ink = plain(FRAME * 1.2, 0.4);
    if inside < 0.16 {
        ink.color = stripes(texel.at);
    }
    carve(&mut ink, (inside - 0.17).abs());
    wear(&mut ink, texel);
    ink
}

/// Slats that face down.
fn grill(texel: &Texel<'_>) -> Ink {
    let [least, greatest] = texel.bounds;
    let inside = (texel.uv - least).min(greatest - texel.uv).min_element();
    let mut ink = plain(FRAME * 1.35, 0.5);
    if inside > 0.09 && !texel.face.round && (greatest - least).min_element() > 0.3 {
        let slats = ((greatest.y - least.y - 0.18) / 0.105).round().max(1.0);
        let phase = (texel.uv.y - least.y - 0.09) / (greatest.y - least.y - 0.18) * slats;
        let phase = phase - phase.floor();
        ink.height = -0.05 * phase;
        ink.color *= mix(1.25, 0.12, smooth(phase * 1.1));
        ink.gloss *= 1.0 - phase;
    } else {
        wear(&mut ink, texel);
    }
    ink
}
