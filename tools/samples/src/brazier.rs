//! `brazier.mdl`: an iron bowl of fire.
//!
//! Its only frame is a frame group, so it animates without any code. Its sync type gives each
//! instance its own phase, so that several braziers in a row do not flicker in step.

use crate::atlas::{Atlas, Texel};
use crate::document::{FrameShapes, Recipe};
use crate::math::{Transform, cos, mix, noise, pitch, sin, upright, yaw};
use crate::mesh::{Mesh, separate_node_meshes};
use crate::paint::{Grooves, Ramp, lamp, paint_skin, worn_metal};
use crate::piece::{Piece, ROUND, SMOOTH};
use crate::surface::{Facing, Section, cap, loft};
use bevy::math::Vec3;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::mdl::write::{MdlDocument, SkinDocument};

const TEXELS_PER_UNIT: f32 = 1.8;
/// Poses of one cycle of the flames, a tenth of a second each.
const POSES: u8 = 10;

const IRON: usize = 0;
/// Three tongues of the flame.
const FLAMES: [usize; 3] = [1, 2, 3];
const FLAME_NAMES: [&str; 3] = ["flame", "flame left", "flame right"];
const SPARKS: [usize; 4] = [4, 5, 6, 7];

/// Height of the embers.
const BED: f32 = 23.0;
/// Height of each tongue over the embers.
const FLAME_HEIGHTS: [f32; 3] = [25.0, 16.0, 14.0];
/// Its position on them.
const FLAME_AT: [[f32; 2]; 3] = [[0.0, 0.0], [1.5, 3.2], [-1.0, -3.6]];

/// The model.
pub fn document() -> MdlDocument {
    let mut pieces = vec![bowl()];
    pieces.extend((0..4).map(prong));
    let solid = pieces.len();
    pieces.extend(
        FLAMES
            .into_iter()
            .zip(FLAME_HEIGHTS)
            .map(|(bone, height)| flame(bone, height)),
    );
    pieces.extend(SPARKS.map(spark));

    let atlas = Atlas::new(&pieces, 128);
    let mesh = Mesh::new(&pieces, &atlas);
    let texels = atlas.texels(&pieces, solid, &transforms(0.0), 10.0);
    let poses = (0..POSES).map(|pose| {
        let time = f32::from(pose) / f32::from(POSES);
        let transform_vertex = |bone, position, normal| {
            let position = match FLAMES.iter().position(|flame| *flame == bone) {
                Some(flame) => flicker(flame, position, time),
                None => position,
            };
            separate_node_meshes(&transforms(time))(bone, position, normal)
        };
        (0.1, mesh.shape("flame", transform_vertex))
    });
    Recipe {
        precision: Precision::Bits8,
        sync_type: 1,
        flags: 0,
        eye_position: [0.0; 3],
        skin_size: atlas.size,
        skins: vec![SkinDocument::Single(paint_skin(&atlas, &texels, ink))],
        frames: vec![FrameShapes::group("flame", poses)],
    }
    .document(&mesh)
}

/// A bowl with a rim, a stem and a foot, as one surface from the embers to the ground.
fn bowl() -> Piece {
    let sections = [
        Section::round(BED, 7.0, 5),
        Section::round(26.0, 9.0, 5),
        Section::round(26.0, 10.2, 5),
        Section::round(24.0, 10.4, 5),
        Section::round(18.5, 7.5, 5),
        Section::round(15.0, 2.0, 5),
        Section::round(9.0, 1.5, 5),
        Section::round(4.0, 2.6, 5),
        Section::round(2.0, 7.0, 5),
        Section::round(0.0, 7.6, 5),
    ];
    let surfaces = vec![
        loft("iron", &sections, TEXELS_PER_UNIT),
        cap("embers", &sections[0], Facing::Forward, TEXELS_PER_UNIT),
    ];
    Piece::new(IRON, surfaces)
        .creased(0.6)
        .transformed(Transform::from_xyz(0.0, 0.0, 0.0).rotated(upright()))
}

/// A spike that leans outward.
fn prong(number: u8) -> Piece {
    let sections = [
        Section::round(9.0, 0.0, 2),
        Section::round(5.5, 0.9, 2),
        Section::round(0.0, 1.2, 2),
    ];
    let outward = yaw(45.0 + 90.0 * f32::from(number));
    let foot = outward * Vec3::new(9.4, 0.0, 23.5);
    Piece::new(IRON, vec![loft("prong", &sections, TEXELS_PER_UNIT)]).transformed(
        Transform::from_xyz(foot.x, foot.y, foot.z)
            .rotated(outward)
            .rotated(pitch(-72.0)),
    )
}

fn flame(bone: usize, height: f32) -> Piece {
    let width = height * 0.2;
    let sections = [
        Section::round(height, 0.0, 4),
        Section::round(height * 0.72, width * 0.42, 4),
        Section::round(height * 0.45, width * 0.85, 4),
        Section::round(height * 0.2, width * 1.05, 4),
        Section::round(0.0, width * 0.7, 4),
    ];
    let surface = loft(FLAME_NAMES[bone - FLAMES[0]], &sections, TEXELS_PER_UNIT);
    Piece::new(bone, vec![surface]).creased(SMOOTH)
}

fn spark(bone: usize) -> Piece {
    let sections = [
        Section::round(0.8, 0.0, 2),
        Section::round(0.0, 0.6, 2),
        Section::round(-0.8, 0.0, 2),
    ];
    Piece::new(bone, vec![loft("spark", &sections, TEXELS_PER_UNIT)]).creased(ROUND)
}

/// The transforms of the pieces. `time` goes from 0 to 1 and repeats.
fn transforms(time: f32) -> Vec<Transform> {
    let mut transforms = vec![Transform::from_xyz(0.0, 0.0, 0.0)];
    transforms
        .extend(FLAME_AT.map(|[x, y]| Transform::from_xyz(x, y, BED - 0.5).rotated(upright())));
    for spark in 0..SPARKS.len() as u8 {
        let number = f32::from(spark);
        // Offset by whole poses, and very small at both ends of the path, so that the jump back is
        // not visible.
        let progress = (time + 0.3 * number).rem_euclid(1.0);
        let size = if progress < 0.85 {
            sin(progress / 1.7)
        } else {
            0.0
        };
        let turns = 0.27 * number + 0.5 * progress;
        let (x, y) = (3.5 * cos(turns), 3.5 * sin(turns));
        transforms
            .push(Transform::from_xyz(x, y, mix(BED + 4.0, BED + 30.0, progress)).scaled(size));
    }
    transforms
}

/// Bends a flame: waves run up it with increasing amplitude.
fn flicker(flame: usize, at: Vec3, time: f32) -> Vec3 {
    let own = 0.37 * flame as f32;
    let up = at.x / FLAME_HEIGHTS[flame];
    let grow = up * up * FLAME_HEIGHTS[flame] * 0.13;
    let width = 1.0 + 0.16 * sin(2.0 * time - 1.2 * up + own);
    let height = 1.0 + 0.10 * sin(2.0 * time + own) * up + 0.06 * sin(3.0 * time + own) * up;
    Vec3::new(
        at.x * height,
        at.y * width + grow * sin(time - 0.8 * up + own),
        at.z * width + grow * sin(2.0 * time - 1.1 * up + 0.4 + own),
    )
}

fn ink(texel: &Texel) -> u8 {
    match texel.surface {
        "iron" => iron(texel),
        "embers" => embers(texel),
        "prong" => Ramp::GRAY.shade(worn_metal(texel, 0.4, Grooves::NONE), texel.at),
        "spark" => lamp::WHITE[0],
        _ => fire(texel),
    }
}

fn iron(texel: &Texel) -> u8 {
    let grooves = Grooves {
        left: matches!(texel.cell[0], 3 | 5 | 7),
        ..Grooves::NONE
    };
    let level = worn_metal(texel, 0.42, grooves);
    // The inside glows, and the fire lights the rim.
    match texel.cell[0] {
        0 if texel.from.x < 3 => Ramp::FIRE.shade(0.3 - 0.08 * texel.from.x as f32, texel.at),
        1 | 2 => Ramp::GRAY.shade(level * 1.4, texel.at),
        _ if noise(texel.position * 0.45) > 0.66 => Ramp::SAND.shade(level * 0.8, texel.at),
        _ => Ramp::GRAY.shade(level, texel.at),
    }
}

fn embers(texel: &Texel) -> u8 {
    let lump = noise(texel.position * 0.8);
    let inside = 1.0 - texel.position.truncate().length() / 8.0;
    if lump < 0.42 {
        return Ramp::GRAY.shade(0.08 + lump * 0.2, texel.at);
    }
    Ramp::FIRE.shade(lump * 0.6 + inside * 0.4, texel.at)
}

/// Pale in the hottest part, with a ragged edge.
fn fire(texel: &Texel) -> u8 {
    let flame = FLAME_NAMES.iter().position(|name| *name == texel.surface);
    let up = texel.local.x / FLAME_HEIGHTS[flame.unwrap_or_default()];
    let streaks = noise(texel.local * Vec3::new(0.22, 0.9, 0.9) + Vec3::splat(17.0));
    let heat = 1.12 - 0.95 * up + 0.45 * (streaks - 0.5);
    if heat > 1.0 {
        return lamp::WHITE[0];
    }
    Ramp::FIRE.shade(heat.max(0.25), texel.at)
}
