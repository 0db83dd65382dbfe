//! The material and the pose table of crowds.

use crate::crowd::mesh::material::CrowdSkinning;
use crate::formats::alamo::materials::material::AloMaterial;
use crate::gpu::pose_table::PoseTable;
use bevy::pbr::ExtendedMaterial;

/// The material of crowds: an [`AloMaterial`] whose vertices are posed from baked clips.
pub type AloCrowdMaterial = ExtendedMaterial<AloMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AloPoseTable = PoseTable<AloCrowdMaterial>;
