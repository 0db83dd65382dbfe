//! Materials of skins and of deforming meshes.

pub(crate) mod data_texture;
pub(crate) mod fallback;
pub(crate) mod material;
