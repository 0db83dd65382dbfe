//! Crowds: thousands of instances of a skeletal model, posed by the GPU from baked clips.
//!
//! A member of a crowd has no entities for bones. Each clip is baked once per model into texels, which the vertex shader
//! reads. An instance is a row of a pose table, as for Quake models.

// For maintainers:
// - `skeleton` poses the joints of a model, and `bake` samples a clip on a task pool. `sample_times` has the times of
//   the samples, and `timeline` those of frames. `deformed` has vertices that follow no joint, and `curves` samples clips
//   that are not from a file of the format.
// - `segments` allocates texels, and `pose_data` has the texture of one model, in which each clip is a segment.
// - `joints` has the vertex attributes, `mesh` merges sub-meshes, and `material` binds the textures.
// - `format` is what a format implements, `joint_list` helps with it, and `plugin` registers it.
// - `models` has the data that the members of a model share: its baked clips (`clips`, `clip`) and its merged meshes
//   (`appearance`). `member` is the state of a member, with the clips that it shows (`shown`).
// - Systems: `lifetime` joins and leaves, `merge` gives members meshes, `update_clips` stores and uploads baked clips,
//   `write_poses` writes rows, and `bones` poses the bones that were asked for.
//
// Code of a single format does not belong here.

mod appearance;
mod bake;
mod bones;
mod clip;
mod clips;
mod curves;
mod deformed;
mod format;
mod joint_list;
mod joints;
mod lifetime;
mod material;
mod member;
mod merge;
mod mesh;
mod models;
mod plugin;
mod pose_data;
mod sample_times;
mod segments;
mod shown;
mod skeleton;
mod timeline;
#[cfg(test)]
mod turning;
mod update_clips;
mod write_poses;

pub(crate) use appearance::Selection;
pub(crate) use bake::PoseSource;
pub(crate) use bones::crowd_bone;
pub(crate) use clip::{ClipData, ClipOrigin};
pub(crate) use curves::{ClipCurves, curve_timeline};
#[cfg(feature = "lithtech")]
pub(crate) use deformed::{DeformedVertex, PosedVertex};
pub(crate) use format::{BoneSource, CrowdContent, CrowdFormat, CrowdSubmesh, MemberOf};
pub(crate) use joint_list::JointList;
pub(crate) use joints::VertexJoints;
pub(crate) use lifetime::{join_crowd, leave_crowd};
pub use material::{CrowdSkinning, MAX_CROWD_TEXELS};
pub(crate) use merge::{AppearanceAssets, BaseMaterials};
pub(crate) use mesh::AttributeSet;
pub(crate) use models::{CrowdModel, CrowdModels};
pub(crate) use plugin::{add_crowds, finish_crowds};
pub(crate) use skeleton::{CrowdSkeleton, SkeletonBone};
pub(crate) use timeline::Timeline;
