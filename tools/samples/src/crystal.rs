//! `crystal.mdl`: a hovering pickup item.
//!
//! It moves so little and so slowly that 8-bit positions would make it tremble. So its positions
//! have 16 bits, which later engines and this crate support (`MD16`). Its flag makes the games
//! rotate it.

use crate::atlas::{Atlas, Texel};
use crate::document::{FrameShapes, Recipe};
use crate::math::{Transform, hash, pitch, sin, upright, yaw};
use crate::mesh::{Mesh, separate_node_meshes};
use crate::paint::{Grooves, Ramp, lamp, paint_skin, worn_metal};
use crate::piece::{FACETED, Piece};
use crate::surface::{Section, Side, loft};
use bevy_classic_models::quake::flags;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::mdl::write::{MdlDocument, SkinDocument};

const TEXELS_PER_UNIT: f32 = 2.0;
/// Poses of one cycle, a tenth of a second each.
const POSES: u8 = 24;

const GEM: usize = 0;
const RING: usize = 1;
const SHARDS: [usize; 3] = [2, 3, 4];

/// The model.
pub fn document() -> MdlDocument {
    let mut pieces = vec![gem(), ring()];
    pieces.extend(SHARDS.map(shard));
    let atlas = Atlas::new(&pieces, 96);
    let mesh = Mesh::new(&pieces, &atlas);
    let texels = atlas.texels(&pieces, pieces.len(), &transforms(0.0), 6.0);
    let poses = (0..POSES).map(|pose| {
        let time = f32::from(pose) / f32::from(POSES);
        mesh.shape("hover", separate_node_meshes(&transforms(time)))
    });
    let charged = |texel: &Texel| ink(texel, true);
    let spent = |texel: &Texel| ink(texel, false);
    Recipe {
        precision: Precision::Bits16,
        sync_type: 0,
        flags: flags::ROTATES,
        eye_position: [0.0; 3],
        skin_size: atlas.size,
        skins: vec![
            SkinDocument::Single(paint_skin(&atlas, &texels, charged)),
            SkinDocument::Single(paint_skin(&atlas, &texels, spent)),
        ],
        frames: FrameShapes::run("hover", poses),
    }
    .document(&mesh)
}

fn gem() -> Piece {
    let sections = [
        Section::round(14.0, 0.0, 3),
        Section::round(7.5, 4.6, 3),
        Section::round(-2.0, 4.0, 3),
        Section::round(-13.0, 0.0, 3),
    ];
    Piece::new(GEM, vec![loft("gem", &sections, TEXELS_PER_UNIT)]).creased(FACETED)
}

/// A ring around the gem, without contact: its section is a closed square.
fn ring() -> Piece {
    let sections = [
        Section::round(-1.0, 8.0, 6),
        Section::round(1.0, 8.0, 6),
        Section::round(1.0, 9.6, 6),
        Section::round(-1.0, 9.6, 6),
        Section::round(-1.0, 8.0, 6),
    ];
    Piece::new(RING, vec![loft("ring", &sections, TEXELS_PER_UNIT)])
}

fn shard(bone: usize) -> Piece {
    let sections = [
        Section::round(3.0, 0.0, 2),
        Section::round(0.8, 1.1, 2),
        Section::round(-3.5, 0.0, 2),
    ];
    Piece::new(bone, vec![loft("shard", &sections, TEXELS_PER_UNIT)]).creased(FACETED)
}

/// The transforms of the pieces. `time` goes from 0 to 1 and repeats.
fn transforms(time: f32) -> Vec<Transform> {
    let middle = Transform::from_xyz(0.0, 0.0, 20.0);
    let gem = Transform::from_xyz(0.0, 0.0, 0.6 * sin(time)).rotated(upright());
    // The ring does not rotate, but the direction of its tilt does.
    let swing = yaw(360.0 * time) * pitch(12.0) * yaw(-360.0 * time);
    let ring = Transform::from_xyz(0.0, 0.0, 0.3 * sin(time - 0.2))
        .rotated(swing)
        .rotated(upright());
    let mut transforms = vec![middle * gem, middle * ring];
    // One revolution, opposite to the rotation by the games. A third of that would give the same
    // poses, but between the last and the first each shard would move to the position of another.
    for number in 0..3_u8 {
        let rotation = yaw(120.0 * f32::from(number) - 360.0 * time);
        let rise = 2.0 * sin(time + f32::from(number) / 3.0);
        let shard = Transform::from_xyz(0.0, 0.0, 0.0).rotated(rotation)
            * Transform::from_xyz(13.0, 0.0, rise);
        transforms.push(middle * shard.rotated(pitch(-80.0)));
    }
    transforms
}

fn ink(texel: &Texel, charged: bool) -> u8 {
    match texel.surface {
        "ring" => ring_ink(texel, charged),
        _ => gem_ink(texel, charged),
    }
}

/// Facets of different brightness, with bright edges.
fn gem_ink(texel: &Texel, charged: bool) -> u8 {
    let [column, row] = texel.cell;
    let side = i32::from(texel.side == Side::Front);
    let facet = hash(column as i32, row as i32, side);
    let edge = texel.from.min_element().min(texel.to.min_element());
    let across = (texel.from.x - texel.to.x + texel.from.y * 2 - texel.to.y * 2) as f32 / 40.0;
    let level = 0.35 + 0.45 * facet - 0.25 * across;
    if charged {
        match edge {
            0 => lamp::ICE[1],
            1 if facet > 0.5 => lamp::ICE[0],
            _ => Ramp::BLUE.shade(level, texel.at),
        }
    } else {
        Ramp::STEEL.shade(level * 0.6 + if edge == 0 { 0.25 } else { 0.0 }, texel.at)
    }
}

fn ring_ink(texel: &Texel, charged: bool) -> u8 {
    let [column, row] = texel.cell;
    // Runes on the outside.
    let rune = hash(texel.from.y / 2, row as i32, 3) > 0.45 && texel.from.x == 2;
    if column == 2 && rune && charged {
        return lamp::ICE[1];
    }
    let grooves = Grooves {
        left: true,
        right: true,
        ..Grooves::NONE
    };
    Ramp::YELLOW.shade(worn_metal(texel, 0.75, grooves), texel.at)
}
