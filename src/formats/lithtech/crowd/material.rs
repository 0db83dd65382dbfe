//! The material and the pose table of crowds.

use crate::crowd::mesh::material::CrowdSkinning;
use crate::gpu::pose_table::PoseTable;
use bevy::pbr::{ExtendedMaterial, StandardMaterial};

/// The material of crowds: a `StandardMaterial` whose vertices are posed from baked clips.
pub type AbcCrowdMaterial = ExtendedMaterial<StandardMaterial, CrowdSkinning>;

/// The poses that the members of crowds show, one row per member. Poses are indices of texels in the texture of the
/// model, [`CrowdSkinning::poses`]; 0 is the rest pose.
pub type AbcCrowdPoseTable = PoseTable<AbcCrowdMaterial>;
