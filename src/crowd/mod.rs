//! Crowds: thousands of instances of a skeletal model, posed by the GPU from baked clips.
//!
//! A member of a crowd has no entities for bones. Each clip is baked once per model into texels, which the vertex shader
//! reads. An instance is a row of a pose table, as for Quake models.

// For maintainers:
// - `skeleton` poses the joints of a model, and `bake` samples a clip on a task pool. `sample_times` has the times of
//   the samples.
// - `segments` allocates texels, and `pose_data` has the texture of one model, in which each clip is a segment.
// - `joints` has the vertex attributes, `mesh` merges sub-meshes, and `material` binds the textures.
// - `bones` despawns the entities of bones that nothing needs.
//
// Code of a single format does not belong here.

mod bake;
mod bones;
mod joints;
mod material;
mod mesh;
mod pose_data;
mod sample_times;
mod segments;
mod skeleton;

pub(crate) use bake::{Baked, Baking, ClipFrames, PoseSource, bake};
pub(crate) use bones::despawn_unused_bones;
pub(crate) use joints::VertexJoints;
pub(crate) use material::add_crowd_shader;
pub use material::{CrowdSkinning, MAX_CROWD_TEXELS};
pub(crate) use mesh::{AttributeSet, MergedMesh};
pub(crate) use pose_data::PoseTexture;
pub(crate) use sample_times::{MAX_SAMPLES, SampleTimes};
pub(crate) use skeleton::{CrowdSkeleton, Joint, SkeletonBone};
