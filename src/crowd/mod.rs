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

pub(crate) mod bake;
pub(crate) mod data;
pub(crate) mod format;
pub(crate) mod members;
pub(crate) mod mesh;
pub(crate) mod plugin;

pub use mesh::material::{CrowdSkinning, MAX_CROWD_TEXELS};
