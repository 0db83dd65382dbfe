//! Crowds: thousands of instances of a skeletal model, posed by the GPU from baked clips.
//!
//! A member of a crowd has no entities for bones. Each clip is baked once per model into texels, which the vertex shader
//! reads. An instance is a row of a pose table, as for Quake models.

// For maintainers: `format` is what a format implements, and `plugin` registers it. Code of a single format does not belong
// here.

pub(crate) mod bake;
pub(crate) mod bones;
pub(crate) mod clips;
pub(crate) mod deformed;
pub(crate) mod format;
pub(crate) mod members;
pub(crate) mod meshes;
pub(crate) mod models;
pub(crate) mod own_pose;
pub(crate) mod plugin;
pub(crate) mod pose_texture;
pub(crate) mod rays;
pub(crate) mod shown_poses;
pub(crate) mod skeleton;
pub(crate) mod skinning;
pub(crate) mod timeline;

pub use skinning::{CrowdSkinning, MAX_CROWD_TEXELS};
