//! The data that the members of a model share: baked clips in a texture of texels.

// For maintainers: what one member shows does not belong here.

pub(crate) mod clip;
pub(crate) mod clips;
pub(crate) mod models;
pub(crate) mod pose_data;
pub(crate) mod segments;
pub(crate) mod update_clips;
