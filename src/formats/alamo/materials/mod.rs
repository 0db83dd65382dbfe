//! The games' shaders and textures as materials of Bevy.

pub(crate) mod fallback;
pub(crate) mod material;
pub(crate) mod shading;
pub(crate) mod tags;
