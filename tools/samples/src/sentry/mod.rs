//! `sentry.mdl`: a walking machine with all features of a Quake monster.

mod body;
mod motion;
mod paint;
mod rig;

use crate::atlas::Atlas;
use crate::document::Recipe;
use crate::mesh::Mesh;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::mdl::write::MdlDocument;

/// The model.
pub fn document() -> MdlDocument {
    let (mut pieces, flashes) = body::pieces();
    let solid = pieces.len();
    pieces.extend(flashes);
    let atlas = Atlas::new(&pieces, 256);
    let mesh = Mesh::new(&pieces, &atlas);
    let rest = rig::Stance {
        flash: [1.0; 2],
        ..rig::Stance::default()
    };
    // Muzzle flashes do not occlude light, so they do not count for ambient occlusion.
    let texels = atlas.texels(&pieces, solid, &rest.bones(), 9.0);
    Recipe {
        precision: Precision::Bits8,
        sync_type: 0,
        flags: 0,
        eye_position: [30.0, 0.0, 28.0],
        skin_size: atlas.size,
        skins: paint::skins(&atlas, &texels),
        frames: motion::frames(&mesh),
    }
    .document(&mesh)
}
