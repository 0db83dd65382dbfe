//! The pose table: a texture from which the vertex shader reads the poses of each instance.

use crate::quake::material::{MdlMaterial, POSE_TABLE_IMAGE};
use crate::scene::{self, PoseMaterial};
use bevy::asset::Handle;
use bevy::image::Image;

/// The poses that spawned Quake models show, one row per mesh.
pub type PoseTable = scene::PoseTable<MdlMaterial>;

impl PoseMaterial for MdlMaterial {
    const TABLE: Handle<Image> = POSE_TABLE_IMAGE;
}
