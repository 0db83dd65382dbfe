//! The merged meshes of a crowd's model, their joints and their material.

// For maintainers: which parts are drawn is decided by the formats.

pub(crate) mod appearance;
pub(crate) mod build;
pub(crate) mod joint_list;
pub(crate) mod joints;
pub(crate) mod material;
pub(crate) mod merge;
