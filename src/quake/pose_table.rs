//! What every instance shows, where the vertex shader finds it.

use crate::quake::material::MdlMaterial;
use crate::scene::{self, PoseMaterial};
use bevy::asset::{Handle, uuid_handle};
use bevy::image::Image;

/// The table as a texture, one for all models.
pub(super) const POSE_TABLE_IMAGE: Handle<Image> =
    uuid_handle!("6a1c0dd0-61f5-4d62-8e0c-5b7a5f7b9a52");

/// What every spawned Quake model shows.
pub type PoseTable = scene::PoseTable<MdlMaterial>;

impl PoseMaterial for MdlMaterial {
    const TABLE: Handle<Image> = POSE_TABLE_IMAGE;
}
