//! The warden's paint: the color of each texel. Alpha is 1 for unlit, glowing texels.

use super::marks::{Mark, mark};
use crate::alamo::shape::Finish;
use crate::alamo::sheet::{Ink, Texel};
use crate::math::{hash, mix, noise, smooth};
use bevy::math::Vec3;

/// The colors of a skin.
pub struct Dye {
    cloth: Vec3,
    lining: Vec3,
    trim: Vec3,
    steel: Vec3,
    /// The color of glowing parts.
    pub glow: [u8; 3],
}

/// Crimson and brass, with embers.
pub const EMBER: Dye = Dye {
    cloth: Vec3::new(0.56, 0.085, 0.07),
    lining: Vec3::new(0.2, 0.07, 0.075),
    trim: Vec3::new(0.86, 0.62, 0.26),
    steel: Vec3::new(0.37, 0.385, 0.43),
    glow: [255, 176, 66],
};

/// Blue and silver, with cold fire.
pub const FROST: Dye = Dye {
    cloth: Vec3::new(0.11, 0.24, 0.42),
    lining: Vec3::new(0.09, 0.11, 0.19),
    trim: Vec3::new(0.74, 0.76, 0.78),
    steel: Vec3::new(0.36, 0.36, 0.385),
    glow: [120, 236, 255],
};

const LEATHER: Vec3 = Vec3::new(0.3, 0.19, 0.12);
const FUR: Vec3 = Vec3::new(0.31, 0.28, 0.255);

/// The material of a chart.
#[derive(Clone, Copy, PartialEq)]
enum Material {
    Cloth,
    Lining,
    Steel,
    Trim,
    Mail,
    Leather,
    Fur,
    Wood,
    Dark,
}

fn material(chart: &str) -> Material {
    match chart {
        "cape" | "tabard" | "hood" => Material::Cloth,
        "lining" | "tabard in" => Material::Lining,
        "mail" | "sleeve" => Material::Mail,
        "belt" | "fingers" | "thigh" => Material::Leather,
        "fur" => Material::Fur,
        "shaft" => Material::Wood,
        "collar" | "buckle" | "rim" | "ferrule" => Material::Trim,
        "hood in" | "dark" | "mask low" => Material::Dark,
        _ => Material::Steel,
    }
}

/// The relative texel density of a chart.
pub fn weight(chart: &str, _: Finish) -> f32 {
    match chart {
        "mask" => 2.1,
        "breast" | "buckle" => 1.35,
        "tabard" | "hood" | "pauldron" => 1.1,
        "knee" | "couter" => 0.7,
        "cape" => 0.75,
        "lining" | "tabard in" | "mask low" | "dark" | "hood in" => 0.3,
        "shaft" | "mail" | "thigh" | "sleeve" => 0.62,
        _ => 0.9,
    }
}

/// The painted values of a texel.
pub fn ink(texel: &Texel<'_>, dye: &Dye) -> Ink {
    let material = material(texel.face.chart);
    let mark = mark(texel);
    let color = match (material, mark) {
        (_, Mark::Glow) => return glowing(dye),
        (Material::Cloth, _) => cloth(texel, dye.cloth, mark, dye),
        (Material::Lining, _) => cloth(texel, dye.lining, Mark::None, dye),
        (Material::Trim, _) | (Material::Steel, Mark::Trim) => metal(texel, dye.trim),
        (Material::Steel, Mark::Groove) => metal(texel, dye.steel) * 0.3,
        (Material::Steel, Mark::NearGlow) => metal(texel, dye.steel).lerp(lit(dye), 0.3),
        (Material::Steel, Mark::Polished) => metal(texel, Vec3::splat(0.82)),
        (Material::Steel, Mark::None) => metal(texel, dye.steel),
        (Material::Mail, _) => mail(texel),
        (Material::Leather, _) => leather(texel),
        (Material::Fur, _) => fur(texel),
        (Material::Wood, _) => wood(texel),
        (Material::Dark, _) => Vec3::splat(0.035),
    };
    Ink {
        color: weathered(texel, color, material),
        ..Ink::default()
    }
}

fn lit(dye: &Dye) -> Vec3 {
    Vec3::from_array(dye.glow.map(f32::from)) / 255.0
}

fn glowing(dye: &Dye) -> Ink {
    Ink {
        color: lit(dye),
        alpha: 1.0,
        ..Ink::default()
    }
}

/// Adds ambient occlusion, and dust of the road from the ground up.
fn weathered(texel: &Texel<'_>, color: Vec3, material: Material) -> Vec3 {
    let at = texel.at;
    let stains = noise(at * 2.3 + Vec3::splat(5.0)) * 0.6 + noise(at * 7.0) * 0.4;
    let color = color * mix(0.84, 1.12, stains);
    let dust = smooth((1.5 - at.z) / 1.7) * mix(0.2, 1.0, noise(at * 3.0));
    // The glaive is modeled away from the body, so it has no dust.
    let dust = if at.x < -4.0 { 0.0 } else { dust };
    let much = if material == Material::Cloth {
        0.5
    } else {
        0.38
    };
    let color = color.lerp(
        Vec3::new(0.36, 0.3, 0.235) * mix(0.7, 1.1, stains),
        dust * much,
    );
    let visibility = match material {
        // Cloth moves away from its occluders, so it is darkened less.
        Material::Cloth | Material::Lining => mix(0.5, 1.0, smooth(texel.visibility * 1.3)),
        _ => smooth(texel.visibility * 1.25),
    };
    color * mix(0.26, 1.0, visibility)
}

/// Metal reflects the sky above, the ground below, and a bright line between them.
fn metal(texel: &Texel<'_>, base: Vec3) -> Vec3 {
    let (at, up) = (texel.at, texel.normal.z);
    let horizon = 1.0 - smooth((up - 0.22).abs() * 3.2);
    let sky = mix(0.6, 1.0, smooth(up * 0.7 + 0.5));
    let brushed = mix(
        0.92,
        1.08,
        noise(Vec3::new(at.x * 4.0, at.y * 4.0, at.z * 40.0)),
    );
    let mut color = base * (sky + 0.34 * horizon) * brushed;
    let scratch = noise(Vec3::new(
        at.x * 30.0 + at.z * 12.0,
        at.y * 30.0,
        at.z * 5.0,
    ));
    color *= mix(1.0, 1.3, smooth((scratch - 0.8) * 6.0));
    let pits = noise(at * 17.0 + Vec3::splat(31.0));
    color *= mix(1.0, 0.72, smooth((pits - 0.68) * 5.0));
    // Edges are polished by wear, with a dark line beside them.
    let ragged = texel.edge + 0.018 * (noise(at * 22.0) - 0.5);
    color *= mix(1.0, 0.72, smooth(1.0 - (ragged - 0.055).abs() / 0.03));
    let wear = smooth(1.0 - ragged / 0.042);
    color.lerp((base * 1.5 + 0.16).min(Vec3::splat(0.95)), wear * 0.8)
}

fn cloth(texel: &Texel<'_>, base: Vec3, mark: Mark, dye: &Dye) -> Vec3 {
    let at = texel.at;
    // Folds run down, and are not quite straight.
    let bent = at.x + 0.12 * noise(at * 1.6) + 0.04 * noise(at * 5.0);
    let folds = noise(Vec3::new(bent * 5.2, 3.0, at.z * 0.35)) * 0.65
        + noise(Vec3::new(bent * 13.0, 8.0, at.z * 0.8)) * 0.35;
    let weave = hash(
        (at.x * 60.0) as i32,
        (at.y * 60.0) as i32,
        (at.z * 60.0) as i32,
    );
    let shade = mix(0.5, 1.38, folds) * mix(0.94, 1.06, weave);
    match mark {
        Mark::Trim => dye.trim * mix(0.66, 1.05, folds) * mix(0.82, 1.1, noise(at * 26.0)),
        Mark::Groove => base * 0.32,
        Mark::Polished => base.lerp(dye.trim, 0.45) * shade,
        _ => base * shade,
    }
}

/// Rows of rings.
fn mail(texel: &Texel<'_>) -> Vec3 {
    let (u, v) = (texel.uv.x * 13.0, texel.uv.y * 13.0);
    let shift = if (v.floor() as i32) % 2 == 0 {
        0.5
    } else {
        0.0
    };
    let (u, v) = (u + shift - (u + shift).floor() - 0.5, v - v.floor() - 0.5);
    let ring = 1.0 - smooth(((u * u + v * v).sqrt() - 0.34).abs() * 5.0);
    Vec3::new(0.3, 0.31, 0.33) * mix(0.3, 1.15, ring) * mix(0.75, 1.0, noise(texel.at * 3.0))
}

fn leather(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let grain = noise(at * 24.0) * 0.5 + noise(at * 9.0) * 0.5;
    let mut color = LEATHER * mix(0.62, 1.2, grain);
    // Seams with stitches around hands and legs.
    let seam = ((at.z * 2.6) - (at.z * 2.6).floor() - 0.5).abs();
    if seam < 0.045 {
        color *= 0.45;
    } else if seam < 0.1 && hash((at.x * 24.0) as i32, (at.y * 24.0) as i32, 3) > 0.5 {
        color = color.lerp(Vec3::new(0.62, 0.5, 0.36), 0.55);
    }
    color.lerp(LEATHER * 1.9, 0.5 * smooth(1.0 - texel.edge / 0.04))
}

/// Strands that hang down and out.
fn fur(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let strand = noise(Vec3::new(
        texel.uv.x * 9.0 + 2.0 * noise(at * 5.0),
        texel.uv.y * 26.0,
        4.0,
    ));
    let tuft = noise(at * 6.5 + Vec3::splat(2.0));
    FUR * mix(0.4, 1.5, strand * 0.6 + tuft * 0.4)
}

/// Dark wood, with a leather grip.
fn wood(texel: &Texel<'_>) -> Vec3 {
    let at = texel.at;
    let z = at.z - 4.0;
    let grain = noise(Vec3::new(at.x * 26.0, at.y * 26.0, at.z * 2.2));
    if (-1.2..0.9).contains(&z) {
        let winding = z * 7.0 + texel.uv.x * 4.0;
        let binding = (winding - winding.floor() - 0.5).abs();
        return Vec3::new(0.34, 0.22, 0.14)
            * mix(0.45, 1.15, smooth(binding * 3.2))
            * mix(0.85, 1.1, grain);
    }
    Vec3::new(0.24, 0.15, 0.1) * mix(0.6, 1.3, grain)
}
