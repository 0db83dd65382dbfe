//! What every instance shows, where the vertex shader finds it.

use crate::quake::material::{MdlMaterial, POSE_TABLE_IMAGE};
use crate::scene::{self, PoseMaterial};
use bevy::asset::Handle;
use bevy::image::Image;

/// What every spawned Quake model shows.
pub type PoseTable = scene::PoseTable<MdlMaterial>;

impl PoseMaterial for MdlMaterial {
    const TABLE: Handle<Image> = POSE_TABLE_IMAGE;
}
