//! The material and the pose table of crowds.

use crate::crowd::mesh::material::CrowdSkinning;
use crate::formats::alamo::materials::material::AloMaterial;
use crate::gpu::pose_table::{PoseMaterial, PoseTable};
use bevy::asset::{Handle, uuid_handle};
use bevy::image::Image;
use bevy::pbr::ExtendedMaterial;

/// The material of crowds: an [`AloMaterial`] whose vertices are posed from baked clips.
pub type AloCrowdMaterial = ExtendedMaterial<AloMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AloPoseTable = PoseTable<AloCrowdMaterial>;

impl PoseMaterial for AloCrowdMaterial {
    const TABLE: Handle<Image> = uuid_handle!("2f7a0a6e-8d0b-4c0e-9c51-3d5a2d7c9e01");
}
