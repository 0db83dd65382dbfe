//! `sentry.mdl`: a walking machine with everything that a Quake monster has.

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
    // Light does not hide anything: the flashes are left out of what darkens the paint.
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
